"""A timeline of segments: in each lane the reference above the answer, with errors in colour.

The figure does not know what the segments are: turns of speakers, or sound events of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from markupsafe import Markup

from auricle.report.axis_labels import label_width, shorten_label
from auricle.report.html_format import round_ticks
from auricle.report.templating import render

MIN_WIDTH, MAX_WIDTH = 520.0, 1_100.0
RIGHT, TOP = 18.0, 44.0
BAR_HEIGHT, LANE_GAP = 13.0, 10.0
LEGEND_GAP = 34.0
"""Pixels between the texts of the legend."""


class Bar(NamedTuple):
    """A part of a segment."""

    start: float
    end: float
    kind: str
    """Its colour: `right`, `missed`, `added`, `confused` or `unscored`."""


class Row(NamedTuple):
    """A line of the table of errors."""

    at: float
    side: str
    what: str


class DrawnLane(Protocol):
    """The segments of one speaker or class."""

    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def reference(self) -> str | None:
        """Its name in the reference."""

    @property
    def answer(self) -> str | None:
        """Its name in the answer."""

    @property
    def reference_bars(self) -> Sequence[Bar]: ...
    @property
    def answer_bars(self) -> Sequence[Bar]: ...


class DrawnTimeline(Protocol):
    """What the figure and the table beside it show."""

    @property
    def start(self) -> float:
        """Where the drawn part begins, in seconds."""

    @property
    def seconds(self) -> float: ...
    @property
    def lanes(self) -> Sequence[DrawnLane]: ...
    @property
    def rows(self) -> Sequence[Row]: ...


@dataclass(frozen=True, slots=True)
class TimelineStyle:
    """How the segments of a kind of task are drawn and described."""

    legend: Mapping[str, str]
    """What each kind of bar is called."""
    descriptions: Mapping[str, str]
    """The same for tooltips."""
    pixels_per_second: float
    format_tick: Callable[[float], str] = "{:g} s".format


def draw_segment_timeline(
    timeline: DrawnTimeline,
    style: TimelineStyle,
    texts: tuple[str, str],
    embed: Callable[[Markup, str], Markup] = lambda svg, _: svg,
) -> Markup:
    """Draw the figure of a recording, with a table of its errors.

    Args:
        timeline: What to draw.
        style: How to draw it.
        texts: Description of the figure, and its caption.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    width = min(max(style.pixels_per_second * timeline.seconds, MIN_WIDTH), MAX_WIDTH)
    left = label_width([lane.title for lane in timeline.lanes]) + 16

    def place(at: float) -> float:
        return left + width * min(max((at - timeline.start) / timeline.seconds, 0.0), 1.0)

    height = 2 * BAR_HEIGHT + LANE_GAP
    bottom, full_width = TOP + height * len(timeline.lanes), left + width + RIGHT
    end = timeline.start + timeline.seconds
    ticks = round_ticks(timeline.start, end, parts=max(4, round(width / 90)))
    description, caption = texts
    drawing = render(
        "report/templates/segment_timeline_drawing.html",
        description=description,
        lanes=[(lane, shorten_label(lane.title), TOP + height * index) for index, lane in enumerate(timeline.lanes)],
        place=place,
        ticks=[(tick, style.format_tick(tick)) for tick in ticks if timeline.start <= tick <= end],
        descriptions=style.descriptions,
        legend=list(_place_legend(style.legend, left)),
        left=left,
        top=TOP,
        bottom=bottom,
        bar_height=BAR_HEIGHT,
        full_size=(full_width, bottom + 26),
    )
    return render(
        "report/templates/segment_timeline.html",
        timeline=timeline,
        caption=caption,
        description=description,
        drawing=embed(drawing, description),
        start=left / full_width,
        span=width / full_width,
    )


def _place_legend(legend: Mapping[str, str], left: float) -> Iterator[tuple[str, str, float]]:
    """Yield kind, text and horizontal place of the entries of the legend."""
    at = left
    for kind, text in legend.items():
        yield kind, text, at
        at += label_width([text]) + LEGEND_GAP
