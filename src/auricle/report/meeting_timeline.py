"""The timeline of a meeting: turns of the reference above those of the answer, with errors in colour."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from auricle.report.meeting_turns import DESCRIPTIONS, MeetingTimeline, format_clock
from auricle.report.segment_timeline import TimelineStyle, draw_segment_timeline

LEGEND = {"right": "right", "missed": "missed", "added": "false alarm", "confused": "speaker confused"}
STYLE = TimelineStyle(LEGEND, DESCRIPTIONS, pixels_per_second=18.0, format_tick=format_clock)
CAPTION = "For each speaker, the turns of the reference are above those of the answer."


def draw_meeting_timeline(
    timeline: MeetingTimeline, name: str, embed: Callable[[Markup, str], Markup] = lambda svg, _: svg
) -> Markup:
    """Draw the figure of a meeting, with a table of its errors.

    Args:
        timeline: What to draw.
        name: Name of the recording, for the description.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    caption = " ".join(filter(None, (CAPTION, timeline.excerpt)))
    return draw_segment_timeline(timeline, STYLE, (f"Speakers of {name}", caption), embed)
