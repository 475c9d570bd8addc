"""The timeline of a meeting: turns of the reference above those of the answer, with errors in colour."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from auricle.report.axis_labels import label_width, shorten_label
from auricle.report.html_format import round_ticks
from auricle.report.meeting_turns import DESCRIPTIONS, MeetingTimeline, format_clock
from auricle.report.templating import render

PIXELS_PER_SECOND = 18.0
MIN_WIDTH, MAX_WIDTH = 520.0, 1_100.0
RIGHT, TOP = 18.0, 44.0
BAR_HEIGHT, LANE_GAP = 13.0, 10.0
LEGEND = (("right", "right"), ("missed", "missed"), ("added", "false alarm"), ("confused", "speaker confused"))
LEGEND_STEP = 118.0
"""Pixels between the entries of the legend."""


def draw_meeting_timeline(
    timeline: MeetingTimeline, name: str, embed: Callable[[Markup, str], Markup] = lambda svg, _: svg
) -> Markup:
    """Draw the figure of a meeting, with a table of its errors.

    Args:
        timeline: What to draw.
        name: Name of the recording, for the description.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    width = min(max(PIXELS_PER_SECOND * timeline.seconds, MIN_WIDTH), MAX_WIDTH)
    left = label_width([lane.title for lane in timeline.lanes]) + 16

    def place(at: float) -> float:
        return left + width * min(max((at - timeline.start) / timeline.seconds, 0.0), 1.0)

    height = 2 * BAR_HEIGHT + LANE_GAP
    lanes = [(lane, shorten_label(lane.title), TOP + height * index) for index, lane in enumerate(timeline.lanes)]
    bottom = TOP + height * len(lanes)
    end = timeline.start + timeline.seconds
    ticks = round_ticks(timeline.start, end, parts=max(4, round(width / 90)))
    description = f"Speakers of {name}"
    drawing = render(
        "report/templates/meeting_timeline_drawing.html",
        description=description,
        lanes=lanes,
        place=place,
        ticks=[(tick, format_clock(tick)) for tick in ticks if timeline.start <= tick <= end],
        descriptions=DESCRIPTIONS,
        legend=[(kind, text, left + LEGEND_STEP * index) for index, (kind, text) in enumerate(LEGEND)],
        left=left,
        top=TOP,
        bottom=bottom,
        bar_height=BAR_HEIGHT,
        full_size=(left + width + RIGHT, bottom + 26),
    )
    full_width = left + width + RIGHT
    return render(
        "report/templates/meeting_timeline.html",
        timeline=timeline,
        description=description,
        drawing=embed(drawing, description),
        start=left / full_width,
        span=width / full_width,
    )
