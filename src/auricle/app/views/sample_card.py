"""A sample as a card: question, reference, answer, score, metadata and audio players."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from auricle.app import run_data, workspace
from auricle.app.theme import Palette, apply_player_script, current_palette
from auricle.app.views import components
from auricle.app.views.drawings import build_layout, embed_drawing
from auricle.app.waveforms import TimedWord, build_strip, mark_wrong_words, read_timed_words
from auricle.core.calls import CallRecording
from auricle.core.errors import MissingExtra, SampleError
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Outcome, Prediction, Record, list_parts
from auricle.media import Audio
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Profiled
from auricle.metrics.catalogue import METRICS
from auricle.report.figures import draw_figures
from auricle.report.html_format import typeset_number
from auricle.report.sample_view import Edit, SampleView, build_sample_views
from auricle.report.templating import render
from auricle.report.text_format import truncate
from auricle.runs.metrics import Number
from auricle.tasks.calls.figures import build_timeline, draw_timeline
from auricle.tasks.meetings.figures import draw_meeting_timeline
from auricle.tasks.meetings.turns_figure import build_meeting_timeline, find_window
from auricle.tasks.timestamps.timed_words import WORDS_FIELD

MAX_SECONDS = 60.0
MAX_CALL_SECONDS = 600.0
MAX_PLAYERS = 6
MAX_FIELDS = 20
MAX_AUDIO_BYTES = 500_000_000
STRIP_RATE = 16_000


# --- audio -----------------------------------------------------------------------------------


def draw_players(path: Path, record: Record, edits: Sequence[Edit] | None = None) -> None:
    """Draw a player for each audio input or output, if the app may read the file.

    With the edits of an alignment, which may be none, the waveform and spectrogram of the input are drawn, too.
    """
    if call := record.call:
        draw_call(call, record.sample.id)
        return
    window = find_window(record)
    for name, audio in islice(iter_audio(path, record), MAX_PLAYERS):
        recording = workspace.current_workspace().resolve_recording(audio)
        if recording is None:
            components.draw_notes(f"{name}: not playable; the file is outside the folders the app may read.")
            continue
        recording = recording.segment(*window) if window else recording
        file = Path(recording.uri)
        clip = recording, run_data.fingerprint(file.parent, file.name)
        try:
            content = _encode_clip(*clip)
            strip = None if edits is None else _build_strip(*clip, current_palette(), _find_words(record, edits))
        except (SampleError, OSError) as error:
            components.draw_notes(f"{name}: playback failed: {truncate(str(error), 300)}")
            continue
        captions = [*([name] if name != "audio" else []), *([str(audio.perturbation)] if audio.perturbation else [])]
        if captions:
            components.draw_notes(", ".join(captions))
        st.audio(content, format="audio/wav")
        if strip:
            components.draw_markup(strip)
    if meeting := build_meeting_timeline(record):
        components.draw_markup(build_layout(), draw_meeting_timeline(meeting, record.sample.id, embed_drawing))


def draw_call(call: CallRecording, name: str) -> None:
    """Draw the player of a call, if the app may read its recording, and its timeline."""
    audio = call.audio and workspace.current_workspace().resolve_recording(call.audio)
    try:
        if audio:
            st.audio(audio.segment(0.0, MAX_CALL_SECONDS).encode("wav", mono=False), format="audio/wav")
        timeline = build_timeline(call, audio or None)
    except (SampleError, OSError) as error:
        components.draw_notes(f"Playback failed: {truncate(str(error), 300)}")
        timeline = build_timeline(call)
    components.draw_markup(build_layout(), draw_timeline(timeline, name, embed_drawing))


def _find_words(record: Record, edits: Sequence[Edit]) -> tuple[TimedWord, ...]:
    """Return the words of the sample that have times; those with errors are marked."""
    return tuple(mark_wrong_words(read_timed_words(record.sample.meta, MAX_SECONDS), edits))


def iter_audio(path: Path, record: Record) -> Iterator[tuple[str, Audio]]:
    """Yield the audio inputs and outputs of a sample, with their names."""
    for name, value in record.sample.inputs.items():
        for part in list_parts(value):
            if isinstance(part, Audio):
                yield name, part
    for output in record.outputs:
        if isinstance(output, Generation) and output.audio:
            yield "spoken output", Audio(str(path / output.audio.uri))


def _identify(audio: Audio) -> str:
    """Return what distinguishes a recording from others while its files stay the same, for the cache."""
    return dumps(audio).decode()


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs={Audio: _identify})
def _encode_clip(audio: Audio, fingerprint: run_data.Fingerprint) -> bytes:
    if Path(audio.uri).stat().st_size > MAX_AUDIO_BYTES:
        raise OSError("the file is too large")
    return audio.segment(0.0, MAX_SECONDS).encode("wav")


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs={Audio: _identify})
def _build_strip(
    audio: Audio, fingerprint: run_data.Fingerprint, palette: Palette, words: tuple[TimedWord, ...]
) -> Markup:
    samples = audio.segment(0.0, MAX_SECONDS).decode(STRIP_RATE)
    return build_strip(samples, STRIP_RATE, palette, words)


# --- the card ---------------------------------------------------------------------------------


class Answer(NamedTuple):
    """The answer of a run to a sample: the name of the run, its folder, and the row of its table."""

    name: str
    path: Path
    row: Mapping[str, Any]


def draw_open_sample(answers: Sequence[Answer], number: Number | None) -> None:
    """Draw the open sample over the full width, with waveform and spectrogram, and a switch between its answers."""
    with st.container(border=True, key="open-sample"):
        apply_player_script()
        above = st.container()  # filled when it is known whose answer is shown
        chosen = _choose_answer(answers)
        record = run_data.load_record(chosen.path, int(chosen.row["offset"]))
        views = build_views(record, number)
        with above:
            components.draw_markup(
                Markup("<p><strong>{}</strong></p>").format(answers[0].row["id"]),
                _outcome_markup(chosen.row, number),
                build_metadata_chips(views[0]),
            )
            draw_players(chosen.path, record, views[0].diff)
        _draw_texts(record, views, chosen.row)


def _choose_answer(answers: Sequence[Answer]) -> Answer:
    """Draw the switch between two answers, below the player that they share."""
    if len(answers) == 1:
        return answers[0]
    names = [answer.name for answer in answers]
    name = st.segmented_control("Answer of", names, default=names[0], required=True, key="answer-of")
    return next((answer for answer in answers if answer.name == name), answers[0])


def draw_card(path: Path, row: Mapping[str, Any], number: Number | None = None) -> None:
    """Draw the card of one row of the samples table."""
    record = run_data.load_record(path, int(row["offset"]))
    views = build_views(record, number)
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.draw_markup(
                Markup("<p><strong>{}</strong></p>").format(record.sample.id),
                _outcome_markup(row, number),
                build_metadata_chips(views[0]),
            )
            draw_players(path, record)
        with right:
            _draw_texts(record, views, row)


def _draw_texts(record: Record, views: Sequence[SampleView], row: Mapping[str, Any]) -> None:
    reason = "" if record.error else row.get("reason")
    components.draw_markup(render("app/templates/card.html", views=views, error=record.error, reason=reason))
    if views[0].figures:
        components.draw_markup(build_layout(), draw_figures(views[0], embed_drawing))


def _outcome_markup(row: Mapping[str, Any], number: Number | None) -> Markup | None:
    if row["outcome"] not in (Outcome.ANSWERED, Outcome.EMPTY):
        return Markup('<p class="incorrect">{}</p>').format(row["outcome"])
    score = format_score(row, number)
    css_class = score if score in ("correct", "incorrect") else "muted"
    return Markup('<p class="{}">{}</p>').format(css_class, score) if score else None


def format_score(row: Mapping[str, Any], number: Number | None) -> str:
    """Format the score of a sample; empty if the metric did not score it."""
    if number is None:
        return ""
    value = row.get(f"stat.{number.metric}")
    if value is None or value != value:  # NaN: not scored by this metric
        return ""
    inserted = row.get(f"silence.{number.metric}", math.nan)
    if not math.isnan(inserted):  # the reference is empty, so there is nothing that the errors could be a share of
        return f"{inserted:.0f} inserted on silence"
    reference = row.get(f"reference.{number.metric}")
    if reference is not None and number.unit != "share":
        return f"error {abs(value - reference):.3g}"
    if value in (0.0, 1.0) and number.right_or_wrong:
        return "correct" if value == float(number.higher_is_better) else "incorrect"
    return typeset_number(value, number.unit)


def build_metadata_chips(view: SampleView) -> Markup:
    fields = {name: text for name, text in (view.meta or {}).items() if name != WORDS_FIELD}
    return render("app/templates/chips.html", fields=dict(islice(fields.items(), MAX_FIELDS)))


def build_views(record: Record, number: Number | None) -> list[SampleView]:
    """Prepare a sample for display, aligned with its reference if the metric compares words.

    Several predictions, such as those of a pair, have a view each.
    """
    metric = _find_metric(number) if isinstance(record.sample.target, str) else None
    is_pair = len(record.outputs) > 1 and all(isinstance(output, Prediction) for output in record.outputs)
    records = [replace(record, outputs=(output,)) for output in record.outputs] if is_pair else [record]
    return build_sample_views(records, metric, {record.sample.id: None}, audio=False)  # the table has the score


def _find_metric(number: Number | None) -> Metric | None:
    """Return the error rate that computed a number, with its text normaliser; None for other metrics."""
    name = number.signature.metric.name if number else ""
    if number is None or "substitutions" not in number.details or name not in METRICS.builtin:
        return None
    try:
        metric: Metric = METRICS.get(name)
    except MissingExtra:
        return None
    profile = number.signature.metric.profile
    return metric.with_profile(profile) if profile and isinstance(metric, Profiled) else metric


def draw_cards(path: Path, rows: Any, number: Number | None, max_cards: int, caption: str = "") -> None:
    """Draw a card for each of the first `max_cards` samples."""
    if caption or not len(rows):
        components.draw_notes(caption or "No matching samples.")
    for _, row in rows.head(max_cards).iterrows():
        draw_card(path, row, number)
