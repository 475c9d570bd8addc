"""Write the reports of a measurement next to its summary.json."""

from __future__ import annotations

from pathlib import Path

from auricle.core.files import write_atomically
from auricle.perf.report.chart_data import PointCharts, build_point_charts
from auricle.perf.report.html import render_page
from auricle.perf.report.markdown import render_markdown
from auricle.perf.report.tables import render_csv
from auricle.perf.request_columns import RequestColumns
from auricle.runs.perf_files import REQUESTS_FILE, PerfSummary


def write_reports(folder: Path, summary: PerfSummary) -> None:
    """Write `summary.md`, `summary.csv` and `report.html` from a summary."""
    charts = [_load_charts(folder / point.folder / REQUESTS_FILE) for point in summary.points]
    write_atomically(folder / "summary.md", render_markdown(summary).encode())
    write_atomically(folder / "summary.csv", render_csv(summary.points))
    write_atomically(folder / "report.html", render_page(summary, charts).encode())


def _load_charts(path: Path) -> PointCharts | None:
    """Build the charts of a point; None if its requests were deleted."""
    return build_point_charts(RequestColumns.read(path)) if path.exists() else None
