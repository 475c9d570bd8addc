"use strict";

// Sort and filter tables of models; the state is in the fragment of the address, so that it can be linked to.
(() => {
  const byId = (id) => document.getElementById(id);

  // With ?embed=SECTION a page shows this section alone, for a frame in another page; links open outside of it.
  const embedded = new URLSearchParams(location.search).get("embed");
  if (embedded !== null && byId(embedded)?.matches("section")) {
    document.documentElement.classList.add("embedded");
    for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== embedded;
    for (const link of document.querySelectorAll("a[href]:not([href^='#'])")) link.target = "_blank";
  }

  const controls = byId("controls");
  if (!controls) return;

  const readRow = (row, place) => ({
    row,
    place,
    name: row.cells[0].textContent.trim().toLocaleLowerCase(),
    values: [...row.cells].map((cell) => ("value" in cell.dataset ? Number(cell.dataset.value) : null)),
    unranked: [...row.cells].map((cell) => "unranked" in cell.dataset),
  });

  const tables = [...document.querySelectorAll("table.sortable")].map((table) => ({
    body: table.tBodies[0],
    heads: [...table.tHead.rows[0].cells],
    rows: [...table.tBodies[0].rows].map(readRow),
    isSorted: false,
  }));

  // A fragment without = is the anchor of a section, which leaves the view as it is.
  let state = new URLSearchParams();
  const readState = () => {
    if (!location.hash || location.hash.includes("=")) state = new URLSearchParams(location.hash.slice(1));
    show();
  };

  // Commas separate alternatives, spaces words that must all occur.
  const makeFilter = (text) => {
    const choices = (text || "").toLocaleLowerCase().split(",").map((part) => part.split(/\s+/).filter(Boolean));
    const stated = choices.filter((words) => words.length);
    return (name) => !stated.length || stated.some((words) => words.every((word) => name.includes(word)));
  };

  // Values that are not ranked, such as those of other samples, come after those that are.
  const compareBy = (head, column, reversed) => {
    const sign = (head.dataset.better === "higher" ? -1 : 1) * (reversed ? -1 : 1);
    const cost = head.dataset.better === "zero" ? Math.abs : Number;
    if (!head.dataset.better) return (a, b) => sign * a.name.localeCompare(b.name, undefined, { numeric: true });
    return (a, b) => {
      const [x, y] = [a.values[column], b.values[column]];
      if (x === null || y === null) return (x === null) - (y === null) || a.place - b.place;
      return a.unranked[column] - b.unranked[column] || sign * (cost(x) - cost(y)) || a.place - b.place;
    };
  };

  const sortTable = (table, key, reversed) => {
    const column = table.heads.findIndex((head) => head.dataset.key === key);
    if (column < 0 && !table.isSorted) return;
    table.isSorted = column >= 0;
    const order = column < 0 ? (a, b) => a.place - b.place : compareBy(table.heads[column], column, reversed);
    table.body.append(...table.rows.sort(order).map((entry) => entry.row));
    for (const [place, head] of table.heads.entries()) {
      const button = head.querySelector(".sort");
      if (button) button.textContent = place !== column ? "⇅" : reversed ? "▲" : "▼";
      if (place === column) head.setAttribute("aria-sort", reversed ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  };

  // Chosen columns leave out models without a result in any of them.
  const filterTable = (table, fitsModel, fitsTask) => {
    const shown = table.heads.map((head) => !head.dataset.task || fitsTask(head.dataset.task.toLocaleLowerCase()));
    for (const [place, head] of table.heads.entries()) head.hidden = !shown[place];
    const results = table.heads.map((head, place) => (head.dataset.task && shown[place] ? place : -1));
    const places = results.filter((place) => place >= 0);
    let models = 0;
    for (const { row, name, values } of table.rows) {
      const hasResult = !state.get("task") || !places.length || places.some((place) => values[place] !== null);
      row.hidden = !(fitsModel(name) && hasResult);
      models += !row.hidden;
      for (const [place, cell] of [...row.cells].entries()) cell.hidden = !shown[place];
    }
    return [models, places.length];
  };

  const show = () => {
    const fitsModel = makeFilter(state.get("model"));
    const fitsTask = makeFilter(state.get("task"));
    const counts = tables.map((table) => {
      sortTable(table, state.get("sort"), state.get("order") === "worst");
      return filterTable(table, fitsModel, fitsTask);
    });
    for (const field of controls.querySelectorAll("input")) {
      if (document.activeElement !== field) field.value = state.get(field.name) || "";
    }
    if (!counts.length) return;
    const [[models, columns]] = counts;
    const tasks = byId("task") ? `, ${columns} of ${tables[0].heads.filter((head) => head.dataset.task).length} columns` : "";
    byId("match-count").textContent = `${models} of ${tables[0].rows.length} models${tasks}`;
  };

  const change = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      if (value) state.set(name, value);
      else state.delete(name);
    }
    history.replaceState(null, "", `#${state}`);
    show();
  };

  const sort = (key) => {
    const isSame = state.get("sort") === key;
    change({ sort: key, order: isSame && state.get("order") !== "worst" ? "worst" : "" });
  };

  document.documentElement.classList.add("scripted");
  controls.hidden = false;
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", (event) => change({ [event.target.name]: event.target.value.trim() }));
  byId("reset").addEventListener("click", () => {
    for (const field of controls.querySelectorAll("input")) field.value = "";
    change({ model: "", task: "", sort: "", order: "" });
  });
  for (const button of document.querySelectorAll(".sort")) {
    button.addEventListener("click", () => sort(button.closest("th").dataset.key));
  }
  addEventListener("hashchange", readState);
  readState();
})();
