"use strict";

// Average columns with weights, rank the averages, and compare two models, from numbers in data that was drawn again.
(() => {
  const byId = (id) => document.getElementById(id);
  const board = JSON.parse(byId("data").textContent);
  const { models, columns, draw_count: drawCount } = board;

  // --- data ---------------------------------------------------------------------------------------------

  // results[model][column]; draws are the bytes of the page, and a number is low + step * byte.
  const bytes = Uint8Array.from(atob(board.draws), (letter) => letter.charCodeAt(0));
  const results = models.map(() => columns.map(() => null));
  let start = 0;
  for (const [model, column, value, low, high, run, isRanked, lowest, step] of board.cells) {
    const hasDraws = lowest !== null;
    const draws = hasDraws ? bytes.subarray(start, start + drawCount) : null;
    if (hasDraws) start += drawCount;
    results[model][column] = { value, low, high, run, isRanked, lowest, step, draws };
  }

  const metricOf = (column) => [column.metric, column.unit, column.direction].join("|");
  const metrics = new Map();
  for (const [at, column] of columns.entries()) {
    const key = metricOf(column);
    if (!metrics.has(key)) metrics.set(key, { key, name: column.metric, columns: [], ...column });
    metrics.get(key).columns.push(at);
  }
  const metricList = [...metrics.values()].sort((a, b) => b.columns.length - a.columns.length);

  // --- numbers as text ------------------------------------------------------------------------------------

  const trim = (value) => String(Number(value.toPrecision(4)));
  const formatNumber = (value, unit) => {
    if (value === null || !Number.isFinite(value)) return "–";
    const isShare = unit === "share";
    const text = isShare ? (100 * value).toFixed(2) : unit === "" ? value.toFixed(4) : trim(value);
    const suffix = isShare ? "%" : unit === "points" ? "" : unit;
    return (suffix ? `${text}\u202f${suffix}` : text).replace("-", "−");
  };
  const formatEnd = (value, unit) => (unit === "share" ? `${Number((100 * value).toPrecision(2))}\u202f%` : trim(value)).replace("-", "−");
  const formatChange = (value, unit) => (value > 0 ? "+" : "") + formatNumber(value, unit).replace("%", "pp");
  const formatEnds = (low, high, format) => (low === null ? "–" : `${format(low)} – ${format(high)}`);

  // --- averages -------------------------------------------------------------------------------------------

  // Errors of different data add up as squares; those of the same data may go together, so they are added up.
  const combine = (parts) => {
    const byData = new Map();
    for (const { data, distance } of parts) byData.set(data, (byData.get(data) || 0) + distance);
    return Math.hypot(...byData.values());
  };

  const averageOf = (model, chosen) => {
    const cells = chosen.map(({ at }) => results[model][at]);
    if (cells.some((cell) => cell === null || cell.value === null)) return null;
    const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
    const shares = chosen.map(({ weight }) => weight / total);
    const value = cells.reduce((sum, cell, at) => sum + shares[at] * cell.value, 0);
    const hasInterval = cells.every((cell) => cell.low !== null && cell.high !== null);
    const reach = (end) =>
      combine(cells.map((cell, at) => ({ data: columns[chosen[at].at].data, distance: shares[at] * Math.abs(cell[end] - cell.value) })));
    const isDrawn = drawCount > 0 && cells.every((cell) => cell.draws);
    const drawn = new Float64Array(isDrawn ? drawCount : 0);
    for (let draw = 0; draw < drawn.length; draw++) {
      for (let at = 0; at < cells.length; at++) drawn[draw] += shares[at] * (cells[at].lowest + cells[at].step * cells[at].draws[draw]);
    }
    return {
      model,
      value,
      low: hasInterval ? value - reach("low") : null,
      high: hasInterval ? value + reach("high") : null,
      isRanked: cells.every((cell) => cell.isRanked),
      drawn,
    };
  };

  // Lower costs are better.
  const costBy = { higher: (value) => -value, lower: (value) => value, zero: Math.abs, none: () => 0 };

  // The quantile of Student's t that corresponds to one of the normal distribution, by Wallace's approximation.
  const widenForFewUnits = (limit, units) => {
    const degrees = units - 1;
    return degrees < 1 ? Infinity : Math.sqrt(units * Math.expm1(((limit * (8 * degrees + 3)) / (8 * degrees + 1)) ** 2 / degrees));
  };

  // A pair of averages: how much better the first is, the standard error, and the distances of the draws from it.
  const makePair = (first, second) => {
    const gain = second.cost - first.cost;
    const distances = new Float32Array(drawCount);
    let [sum, squares] = [0, 0];
    for (let draw = 0; draw < drawCount; draw++) {
      const distance = second.costs[draw] - first.costs[draw] - gain;
      distances[draw] = Math.abs(distance);
      sum += distance;
      squares += distance * distance;
    }
    const error = Math.sqrt(Math.max(0, squares - (sum * sum) / drawCount) / (drawCount - 1));
    return { first, second, gain, error, distances, isDecided: false };
  };

  // The statistic that the largest of the open pairs exceeds in 5 % of the draws without a difference.
  const findLimit = (open, units) => {
    const largest = new Float64Array(drawCount);
    for (const { distances, error } of open) {
      for (let draw = 0; draw < drawCount; draw++) largest[draw] = Math.max(largest[draw], distances[draw] / error);
    }
    return widenForFewUnits(largest.sort()[Math.ceil(0.95 * (drawCount - 1))], units);
  };

  // Compare all pairs at once, adjusted for their number (step-down max-T), as the pages of single columns do.
  const findRanges = (ranked, units) => {
    const pairs = ranked.flatMap((first, at) => ranked.slice(at + 1).map((second) => makePair(first, second)));
    const noise = 1e-12 * Math.max(...ranked.map(({ cost }) => Math.abs(cost)));
    const needed = Math.log2((2 * pairs.length) / 0.05);
    for (const pair of pairs) {
      if (pair.error <= noise) pair.isDecided = Math.abs(pair.gain) > noise && units >= needed;
    }
    let open = pairs.filter(({ error }) => error > noise);
    while (open.length) {
      const limit = findLimit(open, units);
      const still = open.filter(({ gain, error }) => !(Math.abs(gain) / error > limit));
      if (still.length === open.length) break;
      const isStillOpen = new Set(still);
      for (const pair of open) pair.isDecided = !isStillOpen.has(pair);
      open = still;
    }
    for (const { rank } of ranked) [rank.low, rank.high] = [1, ranked.length];
    for (const { first, second, gain } of pairs.filter(({ isDecided }) => isDecided)) {
      const [better, worse] = gain > 0 ? [first, second] : [second, first];
      better.rank.high--;
      worse.rank.low++;
    }
  };

  // The place of each average, and the range of places that it may have; equal averages share a place.
  const addRanks = (averages, direction, units) => {
    const ranked = averages.filter((average) => average.isRanked);
    for (const average of ranked) {
      average.cost = costBy[direction](average.value);
      average.costs = average.drawn.map(costBy[direction]);
    }
    for (const average of ranked) {
      const better = ranked.filter((other) => other.cost < average.cost).length;
      const equal = ranked.filter((other) => other.cost === average.cost).length;
      average.rank = { place: better + 1, isTied: equal > 1, count: ranked.length };
    }
    if (ranked.length > 1 && ranked.every((average) => average.drawn.length)) findRanges(ranked, units);
  };

  // --- two models -------------------------------------------------------------------------------------------

  // The difference of two results: Student's t with the standard deviation of the paired draws.
  const compareResults = (a, b, column) => {
    if (!a || !b || a.value === null || b.value === null) return null;
    const difference = b.value - a.value;
    if (column.direction === "none") return { difference, distance: null, reason: "neither higher nor lower is better" };
    if (!a.isRanked || !b.isRanked) return { difference, distance: null, reason: "different coverage" };
    if (!a.draws || !b.draws || column.half_width === null) return { difference, distance: null, reason: "no draws" };
    let [sum, squares] = [0, 0];
    for (let draw = 0; draw < drawCount; draw++) {
      const change = b.lowest + b.step * b.draws[draw] - a.lowest - a.step * a.draws[draw] - difference;
      sum += change;
      squares += change * change;
    }
    const variance = Math.max(0, (squares - (sum * sum) / drawCount) / (drawCount - 1));
    return { difference, distance: column.half_width * Math.sqrt(variance), reason: "" };
  };

  // Of two values on different sides of zero neither is better, where zero is best.
  const judge = ({ difference, distance, reason }, direction, first, second) => {
    if (distance === null) return `not tested: ${reason}`;
    if (difference === 0 || Math.abs(difference) <= distance) return "tied";
    if (direction === "none" || (direction === "zero" && first * second < 0)) return "different";
    return costBy[direction](second) < costBy[direction](first) ? "B is better" : "A is better";
  };

  // --- the choice, which is in the fragment of the address ------------------------------------------------------

  let state = new URLSearchParams();
  const keyOf = new Map(columns.map((column, at) => [column.key, at]));
  // Columns that few models have are left out at first: they would leave the other models out.
  const rankedCounts = columns.map((_, at) => results.filter((row) => row[at]?.isRanked).length);
  const mostRanked = (at) => Math.max(...metrics.get(metricOf(columns[at])).columns.map((other) => rankedCounts[other]));
  const defaults = columns.map((_, at) => (rankedCounts[at] > 0 && 2 * rankedCounts[at] > mostRanked(at) ? 1 : 0));
  const weights = [...defaults];

  const readState = () => {
    state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    weights.splice(0, weights.length, ...defaults);
    for (const entry of (state.get("w") || "").split(",")) {
      const [key, weight] = [entry.slice(0, entry.lastIndexOf(":")), Number(entry.slice(entry.lastIndexOf(":") + 1))];
      if (keyOf.has(key) && weight >= 0 && Number.isFinite(weight)) weights[keyOf.get(key)] = weight;
    }
  };

  const writeState = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      if (value) state.set(name, value);
      else state.delete(name);
    }
    const changed = columns.map((column, at) => (weights[at] === defaults[at] ? "" : `${column.key}:${weights[at]}`)).filter(Boolean);
    if (changed.length) state.set("w", changed.join(","));
    else state.delete("w");
    history.replaceState(null, "", `#${state}`);
  };

  const chosenMetric = () => metricList.find((metric) => metric.name === state.get("metric")) || metricList[0];
  const chosenModel = (name, otherwise) => {
    const at = models.findIndex((model) => model.key === state.get(name));
    return at < 0 ? Math.min(otherwise, models.length - 1) : at;
  };

  // --- drawing ----------------------------------------------------------------------------------------------

  const make = (name, attributes = {}, ...content) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...content);
    return element;
  };
  const link = (address, text) => make("a", { href: address }, text);
  const numberCell = (text, css = "number") => make("td", { class: css }, text);

  const drawMark = (parts) => {
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    picture.setAttribute("class", "mark");
    picture.setAttribute("aria-hidden", "true");
    for (const [name, attributes] of parts) {
      const part = document.createElementNS(space, name);
      for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
      picture.append(part);
    }
    return make("td", { class: "drawn" }, picture);
  };
  const clamp = (share) => Math.min(1, Math.max(0, share));
  const percent = (share) => `${(100 * clamp(share)).toFixed(2)}%`;
  const upright = (share, css) => ["line", { class: css, x1: percent(share), x2: percent(share), y1: 2, y2: 14 }];
  const bar = (low, high) => ["rect", { class: "bar", x: percent(low), width: percent(clamp(high) - clamp(low)), y: 4, height: 8, rx: 1 }];
  const track = ["line", { class: "track", x1: "0%", x2: "100%", y1: 8, y2: 8 }];

  const modelCell = (model) => {
    const { name, arguments: stated } = models[model];
    return make("th", { scope: "row" }, make("bdi", {}, name), ...(stated ? [make("small", { class: "arguments" }, make("bdi", {}, stated))] : []));
  };
  // An option has no elements: what follows a name that is written from right to left is kept apart by isolates.
  const titleOf = ({ name, arguments: stated }) => (stated ? `\u2068${name}\u2069 (\u2068${stated}\u2069)` : name);

  const showRank = (rank) => {
    if (!rank) return numberCell("not ranked", "number nothing");
    const place = `${rank.isTied ? "=" : ""}${rank.place} of ${rank.count}`;
    if (rank.low === undefined) return numberCell(place);
    const range = rank.low === rank.high ? `${rank.low}` : `${rank.low} – ${rank.high}`;
    return make("td", { class: "number" }, range, make("small", {}, place));
  };

  // Values beyond these limits are drawn at the end of the scale: one of them would squeeze the others together.
  const findFences = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (share) => {
      const [place, part] = [Math.floor(share * (sorted.length - 1)), (share * (sorted.length - 1)) % 1];
      return sorted[place] + part * ((sorted[place + 1] ?? sorted[place]) - sorted[place]);
    };
    const reach = sorted.length < 5 ? 0 : 3 * (at(0.75) - at(0.25));
    return reach ? [at(0.25) - reach, at(0.75) + reach] : [-Infinity, Infinity];
  };

  const showAverages = () => {
    const metric = chosenMetric();
    const chosen = metric.columns.map((at) => ({ at, weight: weights[at] })).filter(({ weight }) => weight > 0);
    const averages = chosen.length ? models.map((_, model) => averageOf(model, chosen)).filter(Boolean) : [];
    addRanks(averages, metric.direction, Math.min(...chosen.map(({ at }) => columns[at].units)));
    const cost = costBy[metric.direction];
    averages.sort((a, b) => !a.rank - !b.rank || cost(a.value) - cost(b.value));
    const [lowest, highest] = findFences(averages.map(({ value }) => value));
    const near = averages.filter(({ value }) => value >= lowest && value <= highest);
    const ends = near.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    const place = (value) => (value - least) / (most - least || 1);
    const format = (value) => formatNumber(value, metric.unit);
    byId("low").textContent = averages.length ? formatEnd(least, metric.unit) : "";
    byId("high").textContent = averages.length ? formatEnd(most, metric.unit) : "";
    byId("averages").replaceChildren(
      ...averages.map(({ model, value, low, high, rank }) =>
        make(
          "tr",
          {},
          modelCell(model),
          showRank(rank),
          numberCell(format(value)),
          drawMark([track, ...(low === null ? [] : [bar(place(low), place(high))]), upright(place(value), "value")]),
          numberCell(formatEnds(low, high, format), "number quiet"),
        ),
      ),
    );
    const missing = chosen.length ? models.length - averages.length : 0;
    const left = missing ? ` ${missing} of ${models.length} models lack a result in some of them and are left out.` : "";
    byId("summary").textContent = chosen.length
      ? `${metric.metric_title} over ${chosen.length} of ${metric.columns.length} columns.${left}`
      : "No column has a weight above 0.";
  };

  const pairRow = (title, { unit, direction }, a, b, comparison, widest) => {
    const [first, second] = [a, b].map((cell) =>
      make("td", { class: "number" }, cell.run ? link(cell.run, formatNumber(cell.value, unit)) : formatNumber(cell.value, unit)),
    );
    const { difference, distance } = comparison;
    const change = (value) => formatChange(value, unit);
    // Rightwards is in favour of B, whichever direction is better; upwards, if none is.
    const isReversed = direction === "lower" || (direction === "zero" && a.value + b.value > 0);
    const place = (value) => 0.5 + ((isReversed ? -1 : 1) * value) / (2 * (widest || 1));
    const ends = distance === null ? [] : [place(difference - distance), place(difference + distance)].sort((x, y) => x - y);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, title),
      first,
      second,
      numberCell(change(difference)),
      numberCell(distance === null ? "–" : `${change(difference - distance)} … ${change(difference + distance)}`, "number quiet"),
      drawMark([track, upright(0.5, "beside"), ...(ends.length ? [bar(...ends)] : []), upright(place(difference), "value")]),
      make("td", {}, judge(comparison, direction, a.value, b.value)),
    );
  };

  // The weighted average of the differences in the chosen columns, if both models have all of them.
  const averagePair = (a, b, metric) => {
    const chosen = metric.columns.map((at) => ({ at, weight: weights[at] })).filter(({ weight }) => weight > 0);
    const [first, second] = chosen.length > 1 ? [averageOf(a, chosen), averageOf(b, chosen)] : [null, null];
    if (!first || !second) return null;
    const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
    const parts = chosen.map(({ at, weight }) => ({ data: columns[at].data, share: weight / total, ...compareResults(results[a][at], results[b][at], columns[at]) }));
    const open = parts.find(({ distance }) => distance === null);
    const distance = open ? null : combine(parts.map(({ data, share, distance: own }) => ({ data, distance: share * own })));
    return { first, second, comparison: { difference: second.value - first.value, distance, reason: open?.reason } };
  };

  const showPair = () => {
    const [a, b] = [chosenModel("a", 0), chosenModel("b", 1)];
    [byId("a").value, byId("b").value] = [models[a].key, models[b].key];
    const rows = [];
    for (const metric of metricList) {
      const entries = metric.columns
        .map((at) => ({ at, a: results[a][at], b: results[b][at], comparison: compareResults(results[a][at], results[b][at], columns[at]) }))
        .filter(({ comparison }) => comparison);
      const widest = Math.max(...entries.map(({ comparison }) => Math.abs(comparison.difference) + (comparison.distance || 0)));
      for (const { at, a: first, b: second, comparison } of entries) {
        const title = link(`tasks/${columns[at].key}.html`, columns[at].title);
        rows.push(pairRow(title, metric, first, second, comparison, widest));
      }
      const average = metric === chosenMetric() ? averagePair(a, b, metric) : null;
      if (average) {
        const row = pairRow("Weighted average", metric, average.first, average.second, average.comparison, widest);
        row.className = "average";
        rows.push(row);
      }
    }
    if (!rows.length) rows.push(make("tr", {}, make("td", { colspan: 7 }, "No column has a result of both models.")));
    byId("pairs").replaceChildren(...rows);
  };

  // --- controls ------------------------------------------------------------------------------------------------

  const fields = columns.map((column, at) => {
    const field = make("input", { type: "number", min: 0, step: "any", value: 1 });
    field.addEventListener("input", () => {
      const weight = Number(field.value);
      if (field.value === "" || !Number.isFinite(weight) || weight < 0) return;
      weights[at] = weight;
      writeState({});
      showAverages();
      showPair();
    });
    return { at, field, label: make("label", {}, field, make("span", {}, column.title)) };
  });

  const isShown = ({ label }) => !label.hidden;
  const filterFields = () => {
    const choices = byId("filter").value.toLocaleLowerCase().split(",").map((part) => part.split(/\s+/).filter(Boolean));
    const stated = choices.filter((words) => words.length);
    const shown = new Set(chosenMetric().columns);
    for (const { at, label } of fields) {
      const title = columns[at].title.toLocaleLowerCase();
      label.hidden = !shown.has(at) || (stated.length > 0 && !stated.some((words) => words.every((word) => title.includes(word))));
    }
  };

  const show = () => {
    byId("metric").value = chosenMetric().name;
    for (const { at, field } of fields) if (document.activeElement !== field) field.value = weights[at];
    filterFields();
    showAverages();
    showPair();
  };

  const setShown = (weight) => {
    for (const { at } of fields.filter(isShown)) weights[at] = weight;
    writeState({});
    show();
  };

  byId("without-script").hidden = true;
  if (!columns.length) return;
  byId("computed").hidden = false;
  byId("weights").append(...fields.map(({ label }) => label));
  byId("metric").append(...metricList.map(({ name, metric_title: title, columns: own }) => make("option", { value: name }, `${title} (${own.length})`)));
  for (const name of ["a", "b"]) {
    byId(name).append(...models.map((model) => make("option", { value: model.key }, titleOf(model))));
    byId(name).addEventListener("change", (event) => {
      writeState({ [name]: event.target.value });
      showPair();
    });
  }
  for (const form of [byId("choice"), byId("pair")]) form.addEventListener("submit", (event) => event.preventDefault());
  byId("metric").addEventListener("change", (event) => {
    writeState({ metric: event.target.value });
    show();
  });
  byId("filter").addEventListener("input", filterFields);
  byId("all").addEventListener("click", () => setShown(1));
  byId("none").addEventListener("click", () => setShown(0));
  addEventListener("hashchange", () => {
    readState();
    show();
  });
  readState();
  show();
})();
