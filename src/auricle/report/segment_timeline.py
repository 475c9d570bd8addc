"""A timeline of segments: in each lane the reference above the answer, with errors in colour.

The figure knows nothing of what the segments are: sound events by class, or turns by speaker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from auricle.report.axis_labels import label_width, shorten_label
from auricle.report.html_format import round_ticks
from auricle.report.templating import render

PIXELS_PER_SECOND = 40.0
MIN_WIDTH, MAX_WIDTH = 520.0, 1_100.0
RIGHT, TOP = 18.0, 44.0
BAR_HEIGHT, LANE_GAP = 13.0, 10.0
LEGEND_GAP = 34.0
"""Pixels between the texts of the legend."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a segment, and what it is: `right`, `missed`, `added` or `confused`."""

    start: float
    end: float
    kind: str


@dataclass(frozen=True, slots=True)
class Lane:
    """The segments of one class or speaker."""

    title: str
    reference: tuple[Bar, ...]
    answer: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class SegmentTimeline:
    """What the figure shows."""

    seconds: float
    lanes: tuple[Lane, ...]
    kinds: Mapping[str, str]
    """What each kind of bar is called."""
    caption: str = ""

    @property
    def errors(self) -> list[tuple[str, Bar]]:
        """The parts that are wrong, with the title of their lane, in the order of time."""
        bars = [(lane.title, bar) for lane in self.lanes for bar in (*lane.reference, *lane.answer)]
        return sorted((item for item in bars if item[1].kind != "right"), key=lambda item: (item[1].start, item[0]))


def draw_segment_timeline(
    timeline: SegmentTimeline, name: str, embed: Callable[[Markup, str], Markup] = lambda svg, _: svg
) -> Markup:
    """Draw the figure of a recording, with a table of its errors.

    Args:
        timeline: What to draw.
        name: Name of the recording, for the description.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    width = min(max(PIXELS_PER_SECOND * timeline.seconds, MIN_WIDTH), MAX_WIDTH)
    titles = [shorten_label(lane.title) for lane in timeline.lanes]
    left = label_width(titles) + 16

    def place(at: float) -> float:
        return left + width * min(max(at / timeline.seconds, 0.0), 1.0)

    height = 2 * BAR_HEIGHT + LANE_GAP
    bottom = TOP + height * len(timeline.lanes)
    full_width = left + width + RIGHT
    description = f"Reference and answer of {name} over time"
    rows = zip(timeline.lanes, titles, strict=True)
    ticks = round_ticks(0.0, timeline.seconds, parts=max(4, round(width / 90)))
    drawing = render(
        "report/templates/segment_timeline_drawing.html",
        description=description,
        lanes=[(lane, title, TOP + height * index) for index, (lane, title) in enumerate(rows)],
        place=place,
        ticks=[tick for tick in ticks if 0 <= tick <= timeline.seconds],
        kinds=timeline.kinds,
        legend=_place_legend(timeline.kinds, left),
        left=left,
        top=TOP,
        bottom=bottom,
        bar_height=BAR_HEIGHT,
        full_size=(full_width, bottom + 26),
    )
    return render(
        "report/templates/segment_timeline.html",
        timeline=timeline,
        description=description,
        drawing=embed(drawing, description),
        start=left / full_width,
        span=width / full_width,
    )


def _place_legend(kinds: Mapping[str, str], left: float) -> Sequence[tuple[str, str, float]]:
    """Return kind, text and horizontal place of the entries of the legend."""
    entries, at = [], left
    for kind, text in kinds.items():
        entries.append((kind, text, at))
        at += label_width([text]) + LEGEND_GAP
    return entries
