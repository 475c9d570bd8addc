"""The timeline of a recording with sound events: true events above detections, for each class that occurs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from auricle.core.errors import AuricleError
from auricle.core.types import Generation, Record
from auricle.metrics.base import Metric
from auricle.report.figures import Embed, FigureSource, keep_drawing
from auricle.report.sample_view import SampleView
from auricle.report.segment_timeline import Bar, Row, TimelineStyle, draw_segment_timeline
from auricle.tasks.sound_events.metrics.event_lists import Span, Spans, compare_classes

KINDS = {"right": "right", "missed": "missed", "added": "false alarm", "confused": "wrong class"}
CAPTION = "For each class, true events are above detections{threshold}."
STYLE = TimelineStyle(KINDS, KINDS, pixels_per_second=40.0)
MAX_LANES = 30
MAX_ROWS = 200
"""Most lines of the table of errors."""
MAX_LISTED = 12
"""Events that a text lists."""


@dataclass(frozen=True, slots=True)
class EventLane:
    """The true events and the detections of one class."""

    title: str
    reference_bars: tuple[Bar, ...]
    answer_bars: tuple[Bar, ...]

    @property
    def description(self) -> str:
        return self.title

    @property
    def reference(self) -> str:
        return self.title

    @property
    def answer(self) -> str:
        return self.title


@dataclass(frozen=True, slots=True)
class EventTimeline:
    """What the figure and the table of a recording show."""

    seconds: float
    lanes: tuple[EventLane, ...]
    caption: str
    start: float = 0.0

    @property
    def rows(self) -> list[Row]:
        """The errors in the order of time."""
        sides = (("Reference", "reference_bars"), ("Answer", "answer_bars"))
        rows = [
            Row(bar.start, side, f"{lane.title}: {KINDS[bar.kind]} until {bar.end:.2f} s")
            for lane in self.lanes
            for side, bars in sides
            for bar in getattr(lane, bars)
            if bar.kind != "right"
        ]
        return sorted(rows)[:MAX_ROWS]

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        return draw_event_timeline(self, name, embed)


def draw_event_timeline(timeline: EventTimeline, name: str, embed: Embed = keep_drawing) -> Markup:
    """Draw the figure of a recording, with a table of its errors.

    Args:
        timeline: What to draw.
        name: Name of the recording, for the description.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    return draw_segment_timeline(timeline, STYLE, (f"Events of {name}", timeline.caption), embed)


def build_event_timeline(record: Record, metric: Metric | None) -> EventTimeline | None:
    """Return what the figure of a recording shows; None unless it is one of sound event detection.

    Args:
        record: A sample and its answer.
        metric: The metric by which it is shown; its threshold decides which scored segments are detections.
    """
    classes = _compare(record, metric)
    if classes is None:
        return None
    lanes = [_make_lane(label, classes) for label, sides in classes.items() if any(sides)]
    ends = [end for sides in classes.values() for spans in sides for _, end in spans]
    threshold = getattr(metric, "threshold", None)
    stated = "" if threshold is None or not _has_scores(record) else f", from a score of {threshold:g} on"
    return EventTimeline(
        max([record.audio_seconds or 0.0, *ends, 1.0]),
        tuple(sorted(lanes, key=lambda lane: lane.title)[:MAX_LANES]),
        CAPTION.format(threshold=stated),
    )


def describe_events(record: Record, metric: Metric | None) -> tuple[str, str] | None:
    """Return the true events and the detections of a recording as texts."""
    classes = _compare(record, metric)
    if classes is None:
        return None
    return _list_events(classes, 0), _list_events(classes, 1)


def _compare(record: Record, metric: Metric | None) -> Mapping[str, tuple[Spans, Spans]] | None:
    output = record.outputs[-1] if record.outputs else None
    threshold = getattr(metric, "threshold", None)
    if threshold is None or not isinstance(output, Generation):
        return None
    try:
        return compare_classes(record.sample, output, threshold, record.audio_seconds)
    except AuricleError:  # the target has no events, or the answer cannot be read
        return None


def _has_scores(record: Record) -> bool:
    output = record.outputs[-1]
    segments = output.segments if isinstance(output, Generation) else None
    return any(segment.score is not None for segment in segments or ())


def _list_events(classes: Mapping[str, tuple[Spans, Spans]], side: int) -> str:
    events = sorted((*span, label) for label, sides in classes.items() for span in sides[side])
    texts = [f"{label} {start:.2f}–{end:.2f} s" for start, end, label in events[:MAX_LISTED]]
    if len(events) > MAX_LISTED:
        texts.append(f"… {len(events) - MAX_LISTED} further")
    return ", ".join(texts) or "no event"


def _make_lane(label: str, classes: Mapping[str, tuple[Spans, Spans]]) -> EventLane:
    truth, detections = classes[label]
    others = [span for name, sides in classes.items() if name != label for span in sides[0]]
    return EventLane(
        label,
        tuple(_split(truth, [("right", detections)], "missed")),
        tuple(_split(detections, [("right", truth), ("confused", others)], "added")),
    )


def _split(spans: Spans, layers: Sequence[tuple[str, Spans]], rest: str) -> Iterator[Bar]:
    """Yield the parts of spans that a layer covers, by the first one that does, and the rest."""
    borders = sorted({border for _, layer in layers for span in layer for border in span})
    for start, end in spans:
        inner = [border for border in borders if start < border < end]
        kinds = [_find_kind(part, layers, rest) for part in zip([start, *inner], [*inner, end], strict=True)]
        edges = [start, *inner, end]
        first = 0
        for index, kind in enumerate(kinds):
            if index + 1 == len(kinds) or kinds[index + 1] != kind:
                yield Bar(edges[first], edges[index + 1], kind)
                first = index + 1


def _find_kind(part: Span, layers: Sequence[tuple[str, Spans]], rest: str) -> str:
    middle = (part[0] + part[1]) / 2
    return next((kind for kind, layer in layers if any(start <= middle < end for start, end in layer)), rest)


class EventFigures(FigureSource):
    """Shows events in a figure and in short texts instead of as lists of times."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        texts = describe_events(record, metric)
        timeline = build_event_timeline(record, metric)
        if texts is None or timeline is None:
            return view
        return replace(view, target=texts[0], answer=texts[1], figures=(*view.figures, timeline))
