"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const list = byId("cards");
  const folded = byId("more-cards");
  const unfolded = list?.children.length;

  const cards = list
    ? [...document.querySelectorAll(".cards > li")].map((item) => ({
        item,
        rank: Number(item.dataset.rank),
        id: item.dataset.id,
        text: item.textContent.toLocaleLowerCase(),
      }))
    : [];

  const orders = {
    worst: (a, b) => a.rank - b.rank,
    best: (a, b) => b.rank - a.rank,
    id: (a, b) => a.id.localeCompare(b.id, undefined, { numeric: true }),
  };

  const arrange = () => {
    const items = cards.sort(orders[byId("order").value]).map((card) => card.item);
    list.append(...items.slice(0, unfolded));
    folded?.querySelector("ol").append(...items.slice(unfolded));
  };

  const filter = () => {
    const words = byId("filter").value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let matches = 0;
    for (const card of cards) {
      const fits = words.every((word) => card.text.includes(word));
      card.item.hidden = !fits;
      matches += fits;
    }
    byId("match-count").textContent = words.length ? `${matches} shown` : `${cards.length} samples`;
    if (folded && words.length) folded.open = true;
  };

  // A link to a sample shows it, whatever the filter and where it is folded.
  const reveal = () => {
    const target = byId(location.hash.slice(1));
    const details = target?.closest("details");
    if (!target) return;
    history.scrollRestoration = "manual"; // it would precede unfolding when a page is loaded again
    if (target.hidden) {
      byId("filter").value = "";
      filter();
    }
    if (details) details.open = true;
    target.scrollIntoView({ behavior: "instant" });
  };

  // One sound at a time: two recordings at once tell nothing about either.
  const hush = (event) => {
    for (const player of document.querySelectorAll("audio")) {
      if (player !== event.target) player.pause();
    }
  };

  // A line in the timeline of a call follows its player, and a click there moves the player.
  const timelineOf = (player) => player.closest?.("article")?.querySelector(".timeline");
  const follow = (event) => {
    const player = event.target;
    const timeline = timelineOf(player);
    if (!timeline) return;
    const { seconds, start, span } = timeline.dataset;
    const move = () => {
      const share = Number(start) + Number(span) * Math.min(1, player.currentTime / Number(seconds));
      timeline.querySelector(".playhead").style.left = `${100 * share}%`;
      if (!player.paused) requestAnimationFrame(move);
    };
    move();
  };
  const seek = (event) => {
    const pictures = event.target.closest?.(".timeline .pictures");
    const player = pictures?.closest("article")?.querySelector("audio");
    if (!player) return;
    const { seconds, start, span } = pictures.closest(".timeline").dataset;
    const box = pictures.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width - Number(start)) / Number(span);
    player.currentTime = Math.max(0, share * Number(seconds));
  };

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  // A file opened from disk may not reach the clipboard; then the text is left selected.
  const copy = async (button) => {
    select(button.previousElementSibling);
    try {
      await navigator.clipboard.writeText(button.dataset.text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };

  if (list) {
    byId("controls").hidden = false;
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("filter").addEventListener("input", filter);
    byId("order").addEventListener("change", arrange);
    addEventListener("hashchange", reveal);
    reveal();
  }
  document.addEventListener("play", hush, true);
  for (const name of ["play", "seeked", "pause"]) document.addEventListener(name, follow, true);
  document.addEventListener("click", seek);
  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
})();
