"""The section of a listening check: its controls, by each metric, and the answers by position."""

from __future__ import annotations

from markupsafe import Markup

from auricle.report.run_html import Page, render_if
from auricle.runs.metrics import POSITION_FIELD
from auricle.studies.listening import LISTENING
from auricle.studies.listening.table import format_gain, format_gain_interval, format_headline, list_tables


def render_listening(page: Page) -> Markup | None:
    """Render the controls of a listening check, by each metric, and the answers by position."""
    metrics = page.metrics
    tables = list_tables(metrics) if metrics.purpose == LISTENING else []
    rows = tables[0].rows if tables else ()
    return render_if(
        tables,
        "studies/listening/section.html",
        tables=tables,
        headline=format_headline(metrics),
        format_gain=format_gain,
        format_gain_interval=format_gain_interval,
        others={name: number.title for row in rows for name, number in row.others.items()},
        positions=[number for number in metrics.numbers if number.field == POSITION_FIELD],
    )


render_listening.replaces = ("parts", "breakdowns")  # type: ignore[attr-defined]
