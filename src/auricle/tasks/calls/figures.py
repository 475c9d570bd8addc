"""The timeline of a call: who spoke when, how long answers took, what overlapped, and what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from markupsafe import Markup

from auricle.core.calls import CallRecording, Event, EventKind, Span
from auricle.core.errors import SampleError
from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.report.axis_labels import CHARACTER_WIDTH, measure_text
from auricle.report.figures import Embed, FigureSource, keep_drawing
from auricle.report.html_format import round_ticks
from auricle.report.sample_view import SampleView
from auricle.report.templating import render
from auricle.tasks.calls.metrics.turns import Exchange, Interval, Overlap, list_exchanges, list_overlaps

if TYPE_CHECKING:
    from auricle.media import Audio

WAVEFORM_RATE = 8_000
BIN_SECONDS = 0.05
"""Duration of the parts of a waveform that are drawn with one height."""
PIXELS_PER_SECOND = 36.0
MIN_WIDTH, MAX_WIDTH = 520.0, 2_400.0
LEFT, RIGHT = 62.0, 18.0
LANE_HEIGHT, GAP_HEIGHT, TOP = 44.0, 34.0, 22.0
MARK_GAP = 6.0
"""Pixels between a mark and its text."""
MIN_UNDERRUN = 0.04
"""Shortest underrun in seconds that is marked; shorter ones are not audible."""
MARK_TEXTS = {
    EventKind.TOOL_CALL: "tool",
    EventKind.PLAYBACK_FLUSHED: "cut off",
    EventKind.UNDERRUN: "underrun",
    EventKind.ERROR: "error",
    EventKind.DROPPED: "connection lost",
}
"""Events that are marked below the lanes."""

Waveform: TypeAlias = tuple[float, ...]
"""Highest level in each part of `BIN_SECONDS`, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A distance in time that is written between the lanes."""

    start: float
    end: float
    text: str
    description: str
    is_overlap: bool = False
    """Whether both sides speak in it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An event that is marked below the lanes."""

    at: float
    text: str
    description: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table beside the figure."""

    at: float
    side: str
    what: str


@dataclass(frozen=True, slots=True)
class CallTimeline:
    """What the figure of a call shows."""

    seconds: float
    caller: tuple[Span, ...]
    agent: tuple[Span, ...]
    brackets: tuple[Bracket, ...]
    marks: tuple[Mark, ...]
    rows: tuple[Row, ...]
    waveforms: tuple[Waveform, ...] = ()
    """Of the caller and of the agent, if the audio was recorded."""

    @property
    def overlaps(self) -> list[Interval]:
        """The intervals in which both speak."""
        common = (
            (max(first.start, second.start), min(first.end, second.end))
            for first in self.caller
            for second in self.agent
        )
        return [(start, end) for start, end in common if start < end]

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        return draw_timeline(self, name, embed)


def build_timeline(recording: CallRecording, audio: Audio | None = None) -> CallTimeline:
    """Collect what the figure of a call shows.

    Args:
        recording: The call.
        audio: Its sound with two channels, if waveforms are to be drawn.
    """
    exchanges, overlaps = list_exchanges(recording), list_overlaps(recording)
    return CallTimeline(
        seconds=recording.seconds,
        caller=recording.caller,
        agent=recording.agent,
        brackets=(*_list_answer_brackets(exchanges), *_list_stop_brackets(overlaps)),
        marks=tuple(_list_marks(recording)),
        rows=tuple(sorted(_list_rows(recording, exchanges), key=lambda row: row.at)),
        waveforms=_measure_waveforms(audio) if audio else (),
    )


def _list_answer_brackets(exchanges: Sequence[Exchange]) -> Iterator[Bracket]:
    for exchange in exchanges:
        seconds = exchange.voice_to_voice
        if seconds is None or exchange.answer is None:
            continue
        text = format_seconds(seconds)
        start, end = sorted((exchange.turn.end, exchange.answer.start))
        yield Bracket(start, end, text, f"The agent answers after {text}.", is_overlap=seconds < 0)


def _list_stop_brackets(overlaps: Sequence[Overlap]) -> Iterator[Bracket]:
    for overlap in overlaps:
        if overlap.stop_seconds is not None:
            text = format_seconds(overlap.stop_seconds)
            description = f"The agent stops after {text}."
            yield Bracket(overlap.turn.start, overlap.agent.end, text, description, is_overlap=True)


def _list_marks(recording: CallRecording) -> Iterator[Mark]:
    for event in recording.select(*MARK_TEXTS):
        if event.kind is EventKind.UNDERRUN and (event.seconds or 0.0) < MIN_UNDERRUN:
            continue
        name = str(event.data.get("name", "")) if event.kind is EventKind.TOOL_CALL else ""
        yield Mark(event.at, name or MARK_TEXTS[event.kind], f"{_describe_event(event)} at {event.at:.2f} s")


def _describe_event(event: Event) -> str:
    details = event.text or ", ".join(f"{name}: {value}" for name, value in event.data.items())
    return f"{MARK_TEXTS[event.kind]}: {details}" if details else MARK_TEXTS[event.kind]


def _list_rows(recording: CallRecording, exchanges: Sequence[Exchange]) -> Iterator[Row]:
    """List who spoke and what happened, as the text alternative of the figure."""
    latencies = {exchange.answer.start: exchange.voice_to_voice for exchange in exchanges if exchange.answer}
    for span in recording.caller:
        yield Row(span.start, "Caller", f"{span.kind}: {span.text}" if span.text else span.kind)
    for span in recording.agent:
        latency = latencies.get(span.start)
        answers = f", {format_seconds(latency)} after the caller" if latency is not None else ""
        text = f": {span.text}" if span.text else ""
        yield Row(span.start, "Agent", f"speaks for {span.seconds:.1f} s{answers}{text}")
    for exchange in exchanges:
        if exchange.answer is None:
            yield Row(exchange.turn.end, "Agent", "does not answer")
    for mark in _list_marks(recording):
        yield Row(mark.at, "Event", mark.description)


def format_seconds(seconds: float) -> str:
    """Format a latency.

    >>> format_seconds(-0.254)
    '−0.25 s'
    """
    return f"{seconds:.2f} s".replace("-", "−")


def _measure_waveforms(audio: Audio) -> tuple[Waveform, ...]:
    """Return the levels of both channels over time."""
    import numpy as np

    samples = audio.decode(WAVEFORM_RATE, mono=False)
    if samples.ndim == 1:
        samples = samples[:, None]
    size = round(WAVEFORM_RATE * BIN_SECONDS)
    count = len(samples) // size
    peaks = np.abs(samples[: count * size]).reshape(count, size, samples.shape[1]).max(axis=1)
    highest = np.maximum(peaks.max(axis=0, initial=0.0), 1e-6)
    return tuple(tuple(np.round(channel, 3).tolist()) for channel in (peaks / highest).T)


def draw_timeline(timeline: CallTimeline, name: str, embed: Embed = keep_drawing) -> Markup:
    """Draw the figure of a call, with a table of the same.

    Args:
        timeline: What to draw.
        name: Name of the call, for the description.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    seconds = max(timeline.seconds, 1.0)
    width = min(max(PIXELS_PER_SECOND * seconds, MIN_WIDTH), MAX_WIDTH)

    def place(at: float) -> float:
        return LEFT + width * min(max(at / seconds, 0.0), 1.0)

    agent_top = TOP + LANE_HEIGHT + GAP_HEIGHT
    lanes = [
        ("Caller", timeline.caller, TOP, timeline.waveforms[:1]),
        ("Agent", timeline.agent, agent_top, timeline.waveforms[1:2]),
    ]
    full_width = LEFT + width + RIGHT
    description = f"Timeline of {name}"
    drawing = render(
        "tasks/calls/call_timeline_drawing.html",
        timeline=timeline,
        description=description,
        lanes=[(title, spans, top, _draw_waveform(waves, top, place)) for title, spans, top, waves in lanes],
        place=place,
        marks=list(_place_marks(timeline.marks, place, full_width)),
        ticks=[tick for tick in round_ticks(0.0, seconds, parts=max(4, round(width / 90))) if 0 <= tick <= seconds],
        left=LEFT,
        width=width,
        top=TOP,
        lane_height=LANE_HEIGHT,
        middle=TOP + LANE_HEIGHT + GAP_HEIGHT / 2,
        bottom=agent_top + LANE_HEIGHT,
        full_size=(full_width, agent_top + LANE_HEIGHT + 46),
    )
    return render(
        "tasks/calls/call_timeline.html",
        timeline=timeline,
        description=description,
        drawing=embed(drawing, description),
        start=LEFT / full_width,
        span=width / full_width,
    )


def _place_marks(
    marks: Sequence[Mark], place: Callable[[float], float], width: float
) -> Iterator[tuple[Mark, float, str]]:
    """Yield each mark with the place of its text, and on which side of it that is; empty if there is no space."""
    limit = width
    for mark in reversed(marks):
        at, text_width = place(mark.at), MARK_GAP + CHARACTER_WIDTH * measure_text(mark.text)
        if at + text_width <= limit:
            yield mark, at + MARK_GAP, "start"
        elif limit == width:  # the last one: the call may end with it
            yield mark, at - MARK_GAP, "end"
            at -= text_width
        else:
            yield mark, at, ""
        limit = min(limit, at)


def _draw_waveform(waves: Sequence[Waveform], top: float, place: Callable[[float], float]) -> str:
    """Return the outline of a waveform as the path of an SVG; empty if there is none."""
    if not waves or not any(waves[0]):
        return ""
    centre, half = top + LANE_HEIGHT / 2, LANE_HEIGHT / 2 - 4
    points = [(place(index * BIN_SECONDS), half * level) for index, level in enumerate(waves[0])]
    upper = " ".join(f"{x:.1f},{centre - height:.1f}" for x, height in points)
    lower = " ".join(f"{x:.1f},{centre + height:.1f}" for x, height in reversed(points))
    return f"M {upper} L {lower} Z"


class CallFigures(FigureSource):
    """Shows the timeline of a call, with waveforms if its recording can be read."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        if not is_page or (call := record.call) is None:
            return view
        try:
            timeline = build_timeline(call, call.audio)
        except (SampleError, OSError):
            timeline = build_timeline(call)
        return replace(view, figures=(*view.figures, timeline))
