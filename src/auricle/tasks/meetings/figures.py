"""The timeline of a meeting: turns of the reference above those of the answer, with errors in colour."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.report.figures import Embed, FigureSource, keep_drawing, list_figures
from auricle.report.run_html import Page, render_if
from auricle.report.sample_view import SampleView
from auricle.report.segment_timeline import TimelineStyle, draw_segment_timeline
from auricle.report.transcript import TranscriptLine
from auricle.tasks.meetings.metrics.turns import REFERENCE_FIELD
from auricle.tasks.meetings.turns_figure import (
    DESCRIPTIONS,
    MeetingTimeline,
    build_meeting_timeline,
    find_window,
    format_clock,
)

LEGEND = {"right": "right", "missed": "missed", "added": "false alarm", "confused": "speaker confused"}
STYLE = TimelineStyle(LEGEND, DESCRIPTIONS, pixels_per_second=18.0, format_tick=format_clock)
CAPTION = "For each speaker, the turns of the reference are above those of the answer."


def draw_meeting_timeline(timeline: MeetingTimeline, name: str, embed: Embed = keep_drawing) -> Markup:
    """Draw the figure of a meeting, with a table of its errors.

    Args:
        timeline: What to draw.
        name: Name of the recording, for the description.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    caption = " ".join(filter(None, (CAPTION, timeline.excerpt)))
    return draw_segment_timeline(timeline, STYLE, (f"Speakers of {name}", caption), embed)


class MeetingFigure(NamedTuple):
    """The figure of a meeting."""

    timeline: MeetingTimeline

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        return draw_meeting_timeline(self.timeline, name, embed)


class MeetingFigures(FigureSource):
    """Shows who speaks when in a figure instead of among the metadata."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        if not is_page:
            return view
        meta = {name: value for name, value in (view.meta or {}).items() if name != REFERENCE_FIELD}
        view = replace(view, meta=meta)
        timeline = build_meeting_timeline(record)
        if timeline is None:
            return view
        view = replace(view, figures=(*view.figures, MeetingFigure(timeline)))
        if view.target or view.answer:
            return view
        lines = zip(("Reference", "Answer"), timeline.summaries, strict=True)  # there are no words to show
        return replace(view, target=None, transcript=tuple(TranscriptLine(side, text) for side, text in lines))

    def find_window(self, record: Record) -> tuple[float, float] | None:
        return find_window(record)


def render_recordings(page: Page) -> Markup | None:
    """Render the errors of the worst recordings of meetings."""
    recordings = [(name, figure.timeline) for name, figure in list_figures(page.samples, MeetingFigure)]
    return render_if(recordings, "tasks/meetings/recordings.html", recordings=recordings)
