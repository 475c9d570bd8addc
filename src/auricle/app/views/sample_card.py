"""One sample as a card: what was asked, what was due, what was said, and how it sounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import run_data, samples_table, workspace
from auricle.app.views import components
from auricle.audio import Audio
from auricle.core.errors import SampleError
from auricle.core.types import Generation, Likelihood, Prediction, Record, parts_of
from auricle.metrics.alignment import alike
from auricle.metrics.alignment import shown as english
from auricle.report import transcript
from auricle.report.formatting import written
from auricle.report.markup import Child, Markup, tag, together
from auricle.report.sample_cards import gap, joined
from auricle.report.worst_samples import MOST_TOKENS, Edit, clip, edits, plain
from auricle.text import PROFILES, mixed_tokens, words

MOST_SECONDS = 60.0
MOST_PLAYERS = 4
MOST_SCORES = 5
MOST_BYTES = 500_000_000
Number = Mapping[str, Any]


# --- sounds ----------------------------------------------------------------------------------


def players(path: Path, record: Record) -> None:
    """A player for each sound, of those that lie where this app may read."""
    for name, sound in islice(sounds(path, record), MOST_PLAYERS):
        file = workspace.current().sound(sound.uri) if sound.uri else None
        if file is None:
            components.say(f"{name}: not played. It lies outside the folders this app may read.")
            continue
        try:
            content = _encoded(
                str(file), sound.start, sound.end, run_data.stamp(file.parent, file.name)
            )
        except (SampleError, OSError) as error:
            components.say(f"{name}: cannot be played: {clip(str(error), 300)}")
            continue
        if name != "audio":
            components.say(name)
        st.audio(content, format="audio/wav")


def sounds(path: Path, record: Record) -> Iterator[tuple[str, Audio]]:
    """What was listened to, by name, and what was said aloud."""
    for name, value in record.sample.inputs.items():
        for part in parts_of(value):
            if isinstance(part, Audio):
                yield name, part
    for output in record.outputs:
        if isinstance(output, Generation) and output.audio:
            yield "said aloud", Audio(str(path / output.audio.uri))


@st.cache_data(max_entries=64, show_spinner=False)
def _encoded(file: str, start: float, end: float | None, _stamp: run_data.Stamp) -> bytes:
    if Path(file).stat().st_size > MOST_BYTES:
        raise OSError("the file is too large")
    return Audio(file, start, end).part(0.0, MOST_SECONDS).encode("wav")


# --- differences of words --------------------------------------------------------------------


def tokens_of(number: Number | None) -> Callable[[str], Sequence[str]] | None:
    """How an error rate sees a text, told by its signature; None where words are not compared."""
    if number is None or "substitutions" not in number["details"]:
        return None
    told = number["signature"]
    named = (name for name, each in PROFILES.items() if each.signature in told)
    normalise = PROFILES[max(named, key=len, default="basic")]
    named_splits: Mapping[str, Callable[[str], Sequence[str]]] = {"cer": list, "mer": mixed_tokens}
    split = named_splits.get(number["metric"].partition(".")[0], words)
    return lambda text: split(normalise(text))


def aligned(reference: str, answer: str, tokens: Callable[[str], Sequence[str]]) -> Markup:
    """Both texts in one line: what was lost struck through, what was added underlined."""
    sides = [list(tokens(text))[:MOST_TOKENS] for text in (reference, answer)]
    letters = all(len(token) == 1 for side in sides for token in side)
    made: list[Child] = []
    before = ""
    for edit in edits(*sides):
        first = (edit.reference or edit.answer)[0]
        made += ["" if letters else gap(before, first), _edit(edit, letters)]
        before = (edit.answer or edit.reference)[-1]
    return together(*made)


def _edit(edit: Edit, letters: bool) -> Markup:
    gone, new = (joined(side, letters) for side in (edit.reference, edit.answer))
    if edit.kind == "equal":
        return together(gone)
    return together(
        tag("del", gone) if gone else None,
        " " if gone and new else None,
        tag("ins", new) if new else None,
    )


# --- the card ---------------------------------------------------------------------------------


def card(path: Path, row: Mapping[str, Any], number: Number | None = None) -> None:
    """All about one sample of a run's table."""
    record = run_data.record(path, int(row["offset"]))
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.show(
                tag("p", tag("strong", record.sample.id)),
                _verdict(row, number),
                chips(record.sample.meta),
            )
            players(path, record)
        with right:
            components.show(components.listed(texts(record, row, number)))


def _verdict(row: Mapping[str, Any], number: Number | None) -> Markup | None:
    if row["outcome"] != "answered":
        return tag("p", str(row["outcome"]), class_="wrong")
    told = score_text(row, number)
    if not told:
        return None
    return tag("p", told, class_=told if told in ("right", "wrong") else "quiet")


def score_text(row: Mapping[str, Any], number: Number | None) -> str:
    """What a metric made of a sample, in words."""
    if number is None:
        return ""
    value = row.get(f"stat.{number['metric']}")
    if value is None or value != value:  # NaN: not scored by this metric
        return ""
    truth = row.get(f"truth.{number['metric']}")
    if truth is not None and number["unit"] != "share":
        return f"off by {abs(value - truth):.3g}"
    if value in (0.0, 1.0) and number["higher_is_better"] and number["unit"] == "share":
        return "right" if value else "wrong"
    return written(value, number["unit"])


def chips(meta: Mapping[str, Any]) -> Markup | None:
    made = [
        tag("li", tag("span", name), " ", clip(plain(value), 100))
        for name, value in islice(meta.items(), 20)
        if plain(value)
    ]
    return tag("ul", made, class_="chips") if made else None


def texts(
    record: Record, row: Mapping[str, Any], number: Number | None
) -> Iterator[tuple[str, Child]]:
    """Terms and texts, the alignment first: it is what the score was made from."""
    asked = record.sample.inputs.get("question")
    if isinstance(asked, str) and asked.strip() and not tokens_of(number):
        options = record.sample.inputs.get("options")
        both = (asked, options if isinstance(options, str) else "")
        yield "Asked", clip("\n".join(each.strip() for each in both if each.strip()), 600)
    if record.error:
        yield "Failed", clip(f"{record.error.kind}: {record.error.message}", 1000)
    yield from answers(record, number)
    if row.get("why") and not record.error:
        yield "Unreadable", str(row["why"])


def answers(
    record: Record, number: Number | None, who: str = "Answer", most: int = MOST_SCORES
) -> Iterator[tuple[str, Child]]:
    """The reference and what was said, as an alignment where words are compared."""
    tokens = tokens_of(number)
    single = record.outputs[0] if len(record.outputs) == 1 else None
    if tokens and isinstance(single, Generation) and isinstance(record.sample.target, str):
        yield "Compared", aligned(record.sample.target, single.text, tokens)
    said = transcript.lines(record)
    if record.sample.target is not None and not any(line.who == "Reference" for line in said):
        yield "Reference", clip(samples_table.target_text(record.sample.target))
    if said:
        yield from ((line.who, clip(line.text)) for line in said)
        return
    for at, output in enumerate(record.outputs):
        name = who if len(record.outputs) == 1 else f"{who} {at + 1}"
        yield name, _told(output, record.sample.target, most)


def _told(output: Any, target: Any, most: int) -> Child:
    if isinstance(output, Generation):
        return clip(output.text) if output.text.strip() else tag("span", "empty", class_="quiet")
    if isinstance(output, Prediction):
        return _values(output, target, most)
    return clip(str(asdict(output)) if isinstance(output, Likelihood) else str(output), 1000)


def _values(output: Prediction, target: Any, most: int) -> Markup:
    """The highest class scores as bars, the due one in bold; other numbers as they are."""
    ranked = [(str(name), float(value)) for name, value in output.values.items()]
    plain_numbers = output.scale == "continuous"
    if not plain_numbers:
        ranked.sort(key=lambda item: -item[1])
    highest = max((abs(value) for _, value in ranked), default=0.0) or 1.0
    made: list[Markup] = []
    for name, value in ranked[:most]:
        due = isinstance(target, str) and alike(target, name)
        width = 0 if plain_numbers else 100 * max(0.0, value) / highest
        made += [
            tag("span", english(name), title=name, class_="due" if due else None),
            tag("span", tag("i", style=f"width:{width:.1f}%")),
            tag("span", f"{value:.4g}"),
        ]
    return tag("div", made, class_="bars")


def cards(path: Path, rows: Any, number: Number | None, most: int, words: str = "") -> None:
    """The first of these samples, a card each."""
    if not len(rows):
        components.say("No sample is like that.")
        return
    if words:
        components.say(words)
    for _, row in rows.head(most).iterrows():
        card(path, row, number)
