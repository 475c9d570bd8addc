// The space bar plays the open sample; a line in its waveform follows the player, and a click there moves the player.
(() => {
  if (window.auriclePlayer) return;
  window.auriclePlayer = true;
  const CONTROLS = "input, textarea, select, button, a, summary, audio, video, canvas, [contenteditable=true], [role=option]";
  const card = () => document.querySelector(".st-key-open-sample");
  const findPlayer = () => card()?.querySelector("audio");

  document.addEventListener("keydown", (event) => {
    const player = findPlayer();
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (event.code !== "Space" || hasModifier || !player || event.target.closest?.(CONTROLS)) return;
    event.preventDefault();
    if (player.paused) player.play();
    else player.pause();
  });

  const followPlayer = () => {
    const player = findPlayer();
    const strip = card()?.querySelector(".strip, .timeline");
    if (!player || !strip) return;
    const { seconds, start = 0, span = 1 } = strip.dataset; // the axis of a timeline begins after the names of its lanes
    const share = Number(start) + Number(span) * Math.min(1, player.currentTime / Number(seconds));
    strip.querySelector(".playhead").style.left = `${100 * share}%`;
    if (!player.paused) requestAnimationFrame(followPlayer);
  };
  // Events of media do not bubble, but they can be captured.
  for (const name of ["play", "seeked", "pause"]) document.addEventListener(name, followPlayer, true);

  document.addEventListener("click", (event) => {
    const pictures = event.target.closest?.(".st-key-open-sample :is(.strip, .timeline) .pictures");
    const player = findPlayer();
    if (!pictures || !player) return;
    const box = pictures.getBoundingClientRect();
    const { seconds, start = 0, span = 1 } = pictures.closest(".strip, .timeline").dataset;
    const share = ((event.clientX - box.left) / box.width - Number(start)) / Number(span);
    player.currentTime = Math.max(0, share * Number(seconds));
  });
})();
