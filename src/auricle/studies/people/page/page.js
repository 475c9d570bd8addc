// The page of a listener: shows one trial at a time, plays its sounds, and sends the answer.
"use strict";

const base = location.pathname.replace(/\/$/, "");
const main = document.getElementById("main");
const errorBox = document.getElementById("error");
const MUSHRA = "mushra", REFERENCE = "R", X = "X";
let state = null;
let trial = null; // the players, answers and times of the trial on the page
let keys = {}; // what a key does on the current page

function create(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (typeof value === "boolean") element.toggleAttribute(name, value);
        else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

function show(...elements) {
    main.replaceChildren(...elements);
    window.scrollTo(0, 0);
}

function showError(message) {
    errorBox.textContent = message;
    errorBox.hidden = !message;
}

function showProgress() {
    document.getElementById("progress").value = state.total ? state.done / state.total : 0;
    const number = Math.min(state.done + 1, state.total);
    document.getElementById("progress-text").textContent = state.trial ? `${number} of ${state.total}` : "Finished";
}

// --- players -------------------------------------------------------------------------------------------

class Player {
    constructor(label, name, seconds) {
        this.label = label;
        this.name = name;
        this.required = seconds * (label === REFERENCE ? 0 : state.playShare);
        this.played = 0;
        this.last = 0;
        this.audio = new Audio();
        this.audio.preload = "auto";
        this.audio.addEventListener("timeupdate", () => this.update());
        this.audio.addEventListener("ended", () => this.end());
        this.audio.addEventListener("pause", () => this.draw());
        this.audio.addEventListener("play", () => this.draw());
        this.bar = create("span", { class: "played", "aria-hidden": "true" });
        this.text = create("span", { class: "player-name" }, name);
        this.mark = create("span", { class: "mark" }, "");
        this.button = create("button", {
            class: "player", type: "button", "data-label": label, onclick: () => this.toggle(),
        }, this.bar, this.text, this.mark);
        this.draw();
    }

    async load(url) {
        const response = await fetch(url);
        if (!response.ok) throw new Error(`status ${response.status}`);
        this.url = URL.createObjectURL(await response.blob());
        this.audio.src = this.url;
    }

    get isHeard() {
        return this.played >= this.required;
    }

    toggle() {
        if (!this.audio.paused) {
            this.audio.pause();
            return;
        }
        let position = 0;
        for (const other of trial.players) {
            if (other !== this && !other.audio.paused) {
                if (state.kind === MUSHRA) position = other.audio.currentTime; // switch without losing the place
                other.audio.pause();
            }
        }
        this.audio.currentTime = position < this.audio.duration ? position : 0;
        this.last = this.audio.currentTime;
        this.audio.play().catch(() => showError("The sound could not be played. Reload the page."));
    }

    update() {
        this.played += Math.max(0, this.audio.currentTime - this.last);
        this.last = this.audio.currentTime;
        this.draw();
    }

    end() {
        this.update();
        if (this.isHeard === false && this.played > 0.8 * this.required) this.played = this.required;
        this.last = 0;
        this.draw();
    }

    draw() {
        const isPlaying = !this.audio.paused && !this.audio.ended;
        const share = this.audio.duration ? this.audio.currentTime / this.audio.duration : 0;
        this.bar.style.setProperty("--share", isPlaying ? share : 0);
        this.button.setAttribute("aria-pressed", isPlaying);
        this.mark.textContent = isPlaying ? "◼ stop" : this.isHeard && this.required ? "✓ heard" : "▶ play";
        if (trial) updateNext();
    }

    close() {
        this.audio.pause();
        this.audio.removeAttribute("src");
        if (this.url) URL.revokeObjectURL(this.url);
    }
}

// --- answers -------------------------------------------------------------------------------------------

function listValues() {
    const { low, high, step } = state.scale;
    const values = [];
    for (let index = 0; low + index * step <= high + 1e-9; index += 1) values.push(low + index * step);
    return values;
}

function nameValue(value, index, values) {
    const { labels } = state.scale;
    return labels.length === values.length ? labels[index] : "";
}

function createChoices(name, choices, onChoose) {
    const group = create("div", { class: "choices", role: "radiogroup", "aria-label": state.question });
    choices.forEach(({ value, short, text, key }) => {
        const input = create("input", { type: "radio", name, value, id: `${name}-${key}`, onchange: () => onChoose(value) });
        const label = create("label", { for: `${name}-${key}` }, create("b", {}, short), create("span", {}, text));
        group.append(create("div", { class: "choice" }, input, label));
        keys[key] = () => input.click();
    });
    return group;
}

function createRating(label) {
    const values = listValues();
    const choices = values.map((value, index) => ({
        value, short: String(value), text: nameValue(value, index, values), key: String(value),
    }));
    return createChoices(`rating-${label}`, choices, (value) => setAnswer(label, value));
}

function createComparison() {
    const values = listValues();
    const choices = values.map((value, index) => ({
        value, short: value > 0 ? `+${value}` : String(value).replace("-", "−"),
        text: nameValue(value, index, values) && `B is ${nameValue(value, index, values)}`, key: String(index + 1),
    }));
    return createChoices("comparison", choices, (value) => setAnswer("comparison", value));
}

function createChoice() {
    const isAbx = state.kind === "abx";
    const choices = [
        { value: 0, short: "A", text: isAbx ? "X is the same as A" : "A is better", key: "1" },
        { value: 1, short: "B", text: isAbx ? "X is the same as B" : "B is better", key: "2" },
    ];
    if (state.scale.tie) choices.push({ value: 0.5, short: "=", text: "no preference", key: "3" });
    return createChoices("choice", choices, (value) => setAnswer("choice", value));
}

function createSlider(label) {
    const { low, high, step, labels } = state.scale;
    const output = create("output", {}, "–");
    const input = create("input", {
        type: "range", min: low, max: high, step, value: (low + high) / 2, "aria-label": `Rating of ${label}`,
        class: "untouched", "data-label": label,
        oninput: () => {
            input.classList.remove("untouched");
            output.textContent = input.value;
            setAnswer(label, Number(input.value));
        },
    });
    input.addEventListener("click", () => input.dispatchEvent(new Event("input")));
    const words = create("div", { class: "words", "aria-hidden": "true" }, ...labels.map((word) => create("span", {}, word)));
    return create("div", { class: "slider" }, create("div", { class: "track" }, input, words), output);
}

function setAnswer(name, value) {
    trial.answers[name] = value;
    updateNext();
}

function countAnswers() {
    return state.kind === "mos" || state.kind === MUSHRA ? state.trial.labels.length : 1;
}

function updateNext() {
    const next = document.getElementById("next");
    if (!next) return;
    const unheard = trial.players.filter((player) => !player.isHeard).map((player) => player.name);
    const isRated = Object.keys(trial.answers).length === countAnswers();
    next.disabled = unheard.length > 0 || !isRated;
    const hint = document.getElementById("hint");
    if (unheard.length) hint.textContent = `Listen to the end first: ${unheard.join(", ")}.`;
    else hint.textContent = isRated ? "" : "Choose an answer.";
}

// --- pages ---------------------------------------------------------------------------------------------

const KEY_HELP = {
    mos: "Keys: space plays, 1 to 5 rate, Enter continues.",
    cmos: "Keys: A and B play, 1 to 7 rate from left to right, Enter continues.",
    ab: "Keys: A and B play, 1, 2 and 3 choose, Enter continues.",
    abx: "Keys: A, B and X play, 1 and 2 choose, Enter continues.",
    mushra: "Keys: R plays the reference, A, B, … the others; arrow keys move a slider; Enter continues.",
};

function showWelcome() {
    keys = { Enter: () => start.click() };
    const start = create("button", { class: "primary", type: "button", onclick: showTrial }, state.done ? "Continue" : "Start");
    show(
        create("h1", {}, state.done ? "Welcome back" : "Before you begin"),
        create("ul", {},
            create("li", {}, "Use headphones, in a quiet room."),
            create("li", {}, "Set the volume at the first sound, and do not change it afterwards."),
            create("li", {}, `Listen to every sound to the end; you may repeat it.${state.kind === "abx" ? "" : " There are no right or wrong answers."}`),
            create("li", {}, "Answers are stored at once. You can close the page and continue later with the same link."),
        ),
        create("p", { class: "quiet" }, KEY_HELP[state.kind]),
        start,
    );
    start.focus();
}

function showTrial() {
    if (trial) trial.players.forEach((player) => player.close());
    trial = null;
    keys = {};
    showError("");
    showProgress();
    if (!state.trial) {
        showThanks();
        return;
    }
    const names = { [REFERENCE]: "Reference", [X]: "X" };
    const order = [REFERENCE, ...state.trial.labels, X].filter((label) => label in state.trial.seconds);
    const isSingle = order.length === 1;
    const players = order.map((label) => new Player(label, names[label] ?? (isSingle ? "Recording" : label), state.trial.seconds[label]));
    trial = { players, answers: {} };
    players.forEach((player) => { keys[player.label.toLowerCase()] = () => player.toggle(); });
    keys[" "] = () => (players.find((player) => !player.audio.paused) ?? players[0]).toggle();
    keys.Enter = () => document.getElementById("next").click();
    const next = create("button", { id: "next", class: "primary", type: "button", disabled: true, onclick: send }, "Next");
    show(
        create("h1", { tabindex: "-1" }, state.question),
        ...(state.kind === MUSHRA ? layOutSliders(players) : layOutChoices(players)),
        create("p", { id: "hint", class: "quiet", role: "status" }),
        next,
    );
    updateNext();
    load(players);
}

function layOutChoices(players) {
    const controls = { mos: () => createRating("A"), cmos: createComparison, ab: createChoice, abx: createChoice };
    return [create("div", { class: "players" }, ...players.map((player) => player.button)), controls[state.kind]()];
}

function layOutSliders(players) {
    return players.map((player) => create(
        "div", { class: "row" }, player.button, ...(player.label === REFERENCE ? [] : [createSlider(player.label)]),
    ));
}

async function load(players) {
    const id = state.trial.id;
    try {
        await Promise.all(players.map((player) => player.load(`${base}/sound/${id}/${player.label}`)));
    } catch {
        showError("A sound could not be loaded. Check your connection and reload the page.");
    }
}

function showThanks() {
    show(
        create("h1", {}, "Thank you"),
        create("p", {}, "All of your answers are stored. You can close this page."),
    );
}

async function send() {
    const next = document.getElementById("next");
    if (next.disabled) return;
    next.disabled = true;
    const played = Object.fromEntries(trial.players.map((player) => [player.label, player.played]));
    const body = JSON.stringify({ trial: state.trial.id, nonce: state.trial.nonce, answers: trial.answers, played });
    try {
        const response = await fetch(`${base}/answer`, { method: "POST", body });
        const document_ = await response.json();
        if (!response.ok) {
            showError(document_.error);
            next.disabled = false;
            return;
        }
        state = document_;
        showTrial();
    } catch {
        showError("The answer could not be stored. Check your connection and press Next again.");
        next.disabled = false;
    }
}

document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const isControl = event.target.matches("button, input[type=range]");
    if (isControl && (event.key === " " || (event.key === "Enter" && event.target.tagName === "BUTTON"))) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
});

fetch(`${base}/state`).then((response) => response.json()).then((document_) => {
    state = document_;
    showProgress();
    if (state.trial) showWelcome();
    else showThanks();
}).catch(() => showError("The test could not be loaded. Check your connection and reload the page."));
