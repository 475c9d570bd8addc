"""A sample as a card: question, reference, answer, score, metadata and audio players."""

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
from auricle.metrics.label_alignment import display_label, labels_match
from auricle.report import transcript
from auricle.report.html_format import NumberDocument, typeset_number
from auricle.report.markup import Child, Markup, join_markup, tag
from auricle.report.sample_cards import join_tokens, token_separator
from auricle.report.sample_view import MAX_TOKENS, Edit, align_tokens, format_json_value
from auricle.report.text_format import truncate
from auricle.text import PROFILES, split_mixed, split_words

MAX_SECONDS = 60.0
MAX_PLAYERS = 4
MAX_SCORES = 5
MAX_AUDIO_BYTES = 500_000_000
ALIGNMENT_TERM = "Alignment"


# --- audio -----------------------------------------------------------------------------------


def draw_players(path: Path, record: Record) -> None:
    """Draw a player for each audio input or output, if the app may read the file."""
    for name, audio in islice(iter_audio(path, record), MAX_PLAYERS):
        file = workspace.current_workspace().resolve_audio(audio.uri) if audio.uri else None
        if file is None:
            components.draw_notes(f"{name}: not playable; the file is outside the folders the app may read.")
            continue
        try:
            content = _encode_clip(str(file), audio.start, audio.end, run_data.fingerprint(file.parent, file.name))
        except (SampleError, OSError) as error:
            components.draw_notes(f"{name}: playback failed: {truncate(str(error), 300)}")
            continue
        if name != "audio":
            components.draw_notes(name)
        st.audio(content, format="audio/wav")


def iter_audio(path: Path, record: Record) -> Iterator[tuple[str, Audio]]:
    """Yield the audio inputs and outputs of a sample, with their names."""
    for name, value in record.sample.inputs.items():
        for part in list_parts(value):
            if isinstance(part, Audio):
                yield name, part
    for output in record.outputs:
        if isinstance(output, Generation) and output.audio:
            yield "spoken output", Audio(str(path / output.audio.uri))


@st.cache_data(max_entries=64, show_spinner=False)
def _encode_clip(file: str, start: float, end: float | None, fingerprint: run_data.Fingerprint) -> bytes:
    if Path(file).stat().st_size > MAX_AUDIO_BYTES:
        raise OSError("the file is too large")
    return Audio(file, start, end).segment(0.0, MAX_SECONDS).encode("wav")


# --- word alignment ----------------------------------------------------------------------------


def select_tokenizer(number: NumberDocument | None) -> Callable[[str], Sequence[str]] | None:
    """Return the tokeniser of an error rate, from its signature; None for other metrics."""
    if number is None or "substitutions" not in number["details"]:
        return None
    matching = (name for name, profile in PROFILES.items() if profile.signature in number["signature"])
    normalise = PROFILES[max(matching, key=len, default="basic")]
    splitters: Mapping[str, Callable[[str], Sequence[str]]] = {"cer": list, "mer": split_mixed}
    split = splitters.get(number["metric"].partition(".")[0], split_words)
    return lambda text: split(normalise(text))


def build_alignment(reference: str, answer: str, tokenize: Callable[[str], Sequence[str]]) -> Markup:
    """Build both texts on one line: deletions struck through, insertions underlined."""
    sides = [list(tokenize(text))[:MAX_TOKENS] for text in (reference, answer)]
    is_character_level = all(len(token) == 1 for side in sides for token in side)
    parts: list[Child] = []
    previous = ""
    for edit in align_tokens(*sides):
        first = (edit.reference or edit.answer)[0]
        separator = "" if is_character_level else token_separator(previous, first)
        parts += [separator, _edit_markup(edit, is_character_level)]
        previous = (edit.answer or edit.reference)[-1]
    return join_markup(*parts)


def _edit_markup(edit: Edit, is_character_level: bool) -> Markup:
    deleted, inserted = (join_tokens(side, is_character_level) for side in (edit.reference, edit.answer))
    if edit.kind == "equal":
        return join_markup(deleted)
    return join_markup(
        tag("del", deleted) if deleted else None,
        " " if deleted and inserted else None,
        tag("ins", inserted) if inserted else None,
    )


# --- the card ---------------------------------------------------------------------------------


def draw_card(path: Path, row: Mapping[str, Any], number: NumberDocument | None = None) -> None:
    """Draw the card of one row of the samples table."""
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


def _outcome_markup(row: Mapping[str, Any], number: NumberDocument | None) -> Markup | None:
    if row["outcome"] != "answered":
        return tag("p", str(row["outcome"]), class_="incorrect")
    score = format_score(row, number)
    if not score:
        return None
    return tag("p", score, class_=score if score in ("correct", "incorrect") else "muted")


def format_score(row: Mapping[str, Any], number: NumberDocument | None) -> str:
    """Format the score of a sample; empty if the metric did not score it."""
    if number is None:
        return ""
    value = row.get(f"stat.{number['metric']}")
    if value is None or value != value:  # NaN: not scored by this metric
        return ""
    reference = row.get(f"reference.{number['metric']}")
    if reference is not None and number["unit"] != "share":
        return f"error {abs(value - reference):.3g}"
    if value in (0.0, 1.0) and number["higher_is_better"] and number["unit"] == "share":
        return "correct" if value else "incorrect"
    return typeset_number(value, number["unit"])


def build_metadata_chips(meta: Mapping[str, Any]) -> Markup | None:
    chips = [
        tag("li", tag("span", name), " ", truncate(format_json_value(value), 100))
        for name, value in islice(meta.items(), 20)
        if format_json_value(value)
    ]
    return tag("ul", chips, class_="chips") if chips else None


def build_card_rows(
    record: Record, row: Mapping[str, Any], number: NumberDocument | None
) -> Iterator[tuple[str, Child]]:
    """Yield the rows of a card as pairs of term and text."""
    question = record.sample.inputs.get("question")
    if isinstance(question, str) and question.strip() and not select_tokenizer(number):
        options = record.sample.inputs.get("options")
        texts = (question, options if isinstance(options, str) else "")
        yield "Question", truncate("\n".join(text.strip() for text in texts if text.strip()), 600)
    if record.error:
        yield "Error", truncate(f"{record.error.kind}: {record.error.message}", 1000)
    yield from build_answer_rows(record, number)
    if row.get("reason") and not record.error:
        yield "Could not be parsed", str(row["reason"])


def build_answer_rows(
    record: Record, number: NumberDocument | None, label: str = "Answer", max_scores: int = MAX_SCORES
) -> Iterator[tuple[str, Child]]:
    """Yield the reference and the answers, after their alignment if the metric compares words."""
    tokenize = select_tokenizer(number)
    single_output = record.outputs[0] if len(record.outputs) == 1 else None
    if tokenize and isinstance(single_output, Generation) and isinstance(record.sample.target, str):
        yield ALIGNMENT_TERM, build_alignment(record.sample.target, single_output.text, tokenize)
    lines = transcript.transcript_lines(record)
    if record.sample.target is not None and not any(line.speaker == "Reference" for line in lines):
        yield "Reference", truncate(samples_table.format_target(record.sample.target))
    if lines:
        yield from ((line.speaker, truncate(line.text)) for line in lines)
        return
    for position, output in enumerate(record.outputs, 1):
        name = label if len(record.outputs) == 1 else f"{label} {position}"
        yield name, _format_output(output, record.sample.target, max_scores)


def _format_output(output: Any, target: Any, max_scores: int) -> Child:
    if isinstance(output, Generation):
        return truncate(output.text) if output.text.strip() else tag("span", "(empty)", class_="muted")
    if isinstance(output, Prediction):
        return _build_score_bars(output, target, max_scores)
    return truncate(str(asdict(output)) if isinstance(output, Likelihood) else str(output), 1000)


def _build_score_bars(output: Prediction, target: Any, max_scores: int) -> Markup:
    """Build bars of the highest class scores, the expected class in bold; continuous values have no bars."""
    ranked = [(str(name), float(value)) for name, value in output.values.items()]
    is_continuous = output.scale == "continuous"
    if not is_continuous:
        ranked.sort(key=lambda item: -item[1])
    highest = max((abs(value) for _, value in ranked), default=0.0) or 1.0
    cells: list[Markup] = []
    for name, value in ranked[:max_scores]:
        is_expected = isinstance(target, str) and labels_match(target, name)
        width = 0 if is_continuous else 100 * max(0.0, value) / highest
        cells += [
            tag("span", display_label(name), title=name, class_="expected" if is_expected else None),
            tag("span", tag("i", style=f"width:{width:.1f}%")),
            tag("span", f"{value:.4g}"),
        ]
    return tag("div", cells, class_="bars")


def draw_cards(path: Path, rows: Any, number: NumberDocument | None, max_cards: int, caption: str = "") -> None:
    """Draw a card for each of the first `max_cards` samples."""
    if not len(rows):
        components.draw_notes("No matching samples.")
        return
    if caption:
        components.draw_notes(caption)
    for _, row in rows.head(max_cards).iterrows():
        draw_card(path, row, number)
