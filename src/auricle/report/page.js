"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const list = byId("cards");

  const cards = list
    ? [...list.children].map((item) => ({
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
    list.append(...cards.sort(orders[byId("order").value]).map((card) => card.item));
  };

  const filter = () => {
    const words = byId("filter").value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let matches = 0;
    for (const card of cards) {
      const fits = words.every((word) => card.text.includes(word));
      card.item.hidden = !fits;
      matches += fits;
    }
    byId("match-count").textContent = `${matches} shown`;
  };

  // A link to a sample shows it, whatever the filter.
  const reveal = () => {
    const target = byId(location.hash.slice(1));
    if (!target || !target.hidden) return;
    byId("filter").value = "";
    filter();
    target.scrollIntoView();
  };

  // One sound at a time: two recordings at once tell nothing about either.
  const hush = (event) => {
    for (const player of document.querySelectorAll("audio")) {
      if (player !== event.target) player.pause();
    }
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
  }
  document.addEventListener("play", hush, true);
  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
})();
