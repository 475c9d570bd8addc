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
from auricle.core.types import Generation, Likelihood, Prediction, Record, list_parts
from auricle.metrics.label_alignment import display_label as english
from auricle.metrics.label_alignment import labels_match
from auricle.report import transcript
from auricle.report.html_format import typeset_number
from auricle.report.markup import Child, Markup, join_markup, tag
from auricle.report.sample_cards import join_tokens, token_separator
from auricle.report.sample_view import MAX_TOKENS, Edit, align_tokens, format_json_value, truncate
from auricle.text import PROFILES, split_mixed, split_words

MAX_SECONDS = 60.0
MAX_PLAYERS = 4
MAX_SCORES = 5
MAX_AUDIO_BYTES = 500_000_000
Number = Mapping[str, Any]


# --- sounds ----------------------------------------------------------------------------------


def draw_players(path: Path, record: Record) -> None:
    """A player for each sound, of those that lie where this app may read."""
    for name, sound in islice(iter_audio(path, record), MAX_PLAYERS):
        file = workspace.current_workspace().resolve_audio(sound.uri) if sound.uri else None
        if file is None:
            components.draw_notes(f"{name}: not played. It lies outside the folders this app may read.")
            continue
        try:
            content = _encode_clip(str(file), sound.start, sound.end, run_data.fingerprint(file.parent, file.name))
        except (SampleError, OSError) as error:
            components.draw_notes(f"{name}: cannot be played: {truncate(str(error), 300)}")
            continue
        if name != "audio":
            components.draw_notes(name)
        st.audio(content, format="audio/wav")


def iter_audio(path: Path, record: Record) -> Iterator[tuple[str, Audio]]:
    """What was listened to, by name, and what was said aloud."""
    for name, value in record.sample.inputs.items():
        for part in list_parts(value):
            if isinstance(part, Audio):
                yield name, part
    for output in record.outputs:
        if isinstance(output, Generation) and output.audio:
            yield "said aloud", Audio(str(path / output.audio.uri))


@st.cache_data(max_entries=64, show_spinner=False)
def _encode_clip(file: str, start: float, end: float | None, _fingerprint: run_data.Fingerprint) -> bytes:
    if Path(file).stat().st_size > MAX_AUDIO_BYTES:
        raise OSError("the file is too large")
    return Audio(file, start, end).segment(0.0, MAX_SECONDS).encode("wav")


# --- differences of words --------------------------------------------------------------------


def select_tokenizer(number: Number | None) -> Callable[[str], Sequence[str]] | None:
    """How an error rate sees a text, told by its signature; None where words are not compared."""
    if number is None or "substitutions" not in number["details"]:
        return None
    told = number["signature"]
    named = (name for name, each in PROFILES.items() if each.signature in told)
    normalise = PROFILES[max(named, key=len, default="basic")]
    named_splits: Mapping[str, Callable[[str], Sequence[str]]] = {"cer": list, "mer": split_mixed}
    split = named_splits.get(number["metric"].partition(".")[0], split_words)
    return lambda text: split(normalise(text))


def build_alignment(reference: str, answer: str, tokenize: Callable[[str], Sequence[str]]) -> Markup:
    """Both texts in one line: what was lost struck through, what was added underlined."""
    sides = [list(tokenize(text))[:MAX_TOKENS] for text in (reference, answer)]
    letters = all(len(token) == 1 for side in sides for token in side)
    made: list[Child] = []
    before = ""
    for edit in align_tokens(*sides):
        first = (edit.reference or edit.answer)[0]
        made += ["" if letters else token_separator(before, first), _edit_markup(edit, letters)]
        before = (edit.answer or edit.reference)[-1]
    return join_markup(*made)


def _edit_markup(edit: Edit, is_character_level: bool) -> Markup:
    gone, new = (join_tokens(side, is_character_level) for side in (edit.reference, edit.answer))
    if edit.kind == "equal":
        return join_markup(gone)
    return join_markup(
        tag("del", gone) if gone else None, " " if gone and new else None, tag("ins", new) if new else None
    )


# --- the card ---------------------------------------------------------------------------------


def draw_card(path: Path, row: Mapping[str, Any], number: Number | None = None) -> None:
    """All about one sample of a run's table."""
    record = run_data.load_record(path, int(row["offset"]))
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.draw_markup(
                tag("p", tag("strong", record.sample.id)),
                _outcome_markup(row, number),
                build_metadata_chips(record.sample.meta),
            )
            draw_players(path, record)
        with right:
            components.draw_markup(components.build_definition_list(build_card_rows(record, row, number)))


def _outcome_markup(row: Mapping[str, Any], number: Number | None) -> Markup | None:
    if row["outcome"] != "answered":
        return tag("p", str(row["outcome"]), class_="wrong")
    told = format_score(row, number)
    if not told:
        return None
    return tag("p", told, class_=told if told in ("right", "wrong") else "quiet")


def format_score(row: Mapping[str, Any], number: Number | None) -> str:
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
    return typeset_number(value, number["unit"])


def build_metadata_chips(meta: Mapping[str, Any]) -> Markup | None:
    made = [
        tag("li", tag("span", name), " ", truncate(format_json_value(value), 100))
        for name, value in islice(meta.items(), 20)
        if format_json_value(value)
    ]
    return tag("ul", made, class_="chips") if made else None


def build_card_rows(record: Record, row: Mapping[str, Any], number: Number | None) -> Iterator[tuple[str, Child]]:
    """Terms and texts, the alignment first: it is what the score was made from."""
    asked = record.sample.inputs.get("question")
    if isinstance(asked, str) and asked.strip() and not select_tokenizer(number):
        options = record.sample.inputs.get("options")
        both = (asked, options if isinstance(options, str) else "")
        yield "Asked", truncate("\n".join(each.strip() for each in both if each.strip()), 600)
    if record.error:
        yield "Failed", truncate(f"{record.error.kind}: {record.error.message}", 1000)
    yield from build_answer_rows(record, number)
    if row.get("why") and not record.error:
        yield "Unreadable", str(row["why"])


def build_answer_rows(
    record: Record, number: Number | None, label: str = "Answer", max_scores: int = MAX_SCORES
) -> Iterator[tuple[str, Child]]:
    """The reference and what was said, as an alignment where words are compared."""
    tokens = select_tokenizer(number)
    single = record.outputs[0] if len(record.outputs) == 1 else None
    if tokens and isinstance(single, Generation) and isinstance(record.sample.target, str):
        yield "Compared", build_alignment(record.sample.target, single.text, tokens)
    said = transcript.transcript_lines(record)
    if record.sample.target is not None and not any(line.speaker == "Reference" for line in said):
        yield "Reference", truncate(samples_table.format_target(record.sample.target))
    if said:
        yield from ((line.speaker, truncate(line.text)) for line in said)
        return
    for at, output in enumerate(record.outputs):
        name = label if len(record.outputs) == 1 else f"{label} {at + 1}"
        yield name, _format_output(output, record.sample.target, max_scores)


def _format_output(output: Any, target: Any, max_scores: int) -> Child:
    if isinstance(output, Generation):
        return truncate(output.text) if output.text.strip() else tag("span", "empty", class_="quiet")
    if isinstance(output, Prediction):
        return _build_score_bars(output, target, max_scores)
    return truncate(str(asdict(output)) if isinstance(output, Likelihood) else str(output), 1000)


def _build_score_bars(output: Prediction, target: Any, max_scores: int) -> Markup:
    """The highest class scores as bars, the due one in bold; other numbers as they are."""
    ranked = [(str(name), float(value)) for name, value in output.values.items()]
    plain_numbers = output.scale == "continuous"
    if not plain_numbers:
        ranked.sort(key=lambda item: -item[1])
    highest = max((abs(value) for _, value in ranked), default=0.0) or 1.0
    made: list[Markup] = []
    for name, value in ranked[:max_scores]:
        due = isinstance(target, str) and labels_match(target, name)
        width = 0 if plain_numbers else 100 * max(0.0, value) / highest
        made += [
            tag("span", english(name), title=name, class_="due" if due else None),
            tag("span", tag("i", style=f"width:{width:.1f}%")),
            tag("span", f"{value:.4g}"),
        ]
    return tag("div", made, class_="bars")


def draw_cards(path: Path, rows: Any, number: Number | None, max_cards: int, caption: str = "") -> None:
    """The first of these samples, a card each."""
    if not len(rows):
        components.draw_notes("No sample is like that.")
        return
    if caption:
        components.draw_notes(caption)
    for _, row in rows.head(max_cards).iterrows():
        draw_card(path, row, number)
