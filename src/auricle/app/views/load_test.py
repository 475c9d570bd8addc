"""Results of a load test: validity, throughput and latency, and details of each load point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.app.workspace import check_run_file, is_file_inside_run
from auricle.perf.measures import REQUEST_DEFINITIONS, RUN_DEFINITIONS, Definition
from auricle.perf.report import tables as perf_tables
from auricle.perf.report.chart_data import Chart, PointCharts, build_load_charts, build_point_charts
from auricle.report.axis_labels import shorten_labels
from auricle.report.text_format import truncate
from auricle.runs.perf_files import REQUESTS_FILE, SUMMARY_FILE, LoadPointSummary, PerfSummary, read_perf_summary

MAX_TABLE_COLUMNS = 8
MAX_REQUESTS_BYTES = 500_000_000
"""Size limit for a load point's `requests.jsonl`; the charts of a larger one are left out."""
Points = Sequence[LoadPointSummary]


def draw_load_test(path: Path) -> None:
    """Draw one load test, validity first."""
    summary = load_summary(path)
    _draw_validity(summary)
    if not summary.points:
        return
    st.header("Load points", anchor=False)
    overview = perf_tables.build_overview(summary.points, MAX_TABLE_COLUMNS)
    components.draw_table(overview.titles, overview.rows)
    notes = ((point.load, outcome) for point in summary.points for outcome in perf_tables.format_outcomes(point))
    components.draw_notes(*_merge_notes(notes))
    if len(summary.points) > 1:
        st.header("Throughput and latency", anchor=False)
        _draw_charts(build_load_charts(summary.points), show_points=True)
    _draw_point(path, summary.points)
    with st.expander("Definitions", icon=":material/menu_book:"):
        definitions = perf_tables.build_definitions_table(summary.points)
        components.draw_table(definitions.titles, definitions.rows, len(definitions.titles))


def load_summary(path: Path) -> PerfSummary:
    """Return the content of `summary.json`; cached until the file changes."""
    return _load_summary(str(path), run_data.fingerprint(path, SUMMARY_FILE))


@st.cache_data(max_entries=32, show_spinner=False)
def _load_summary(path: str, fingerprint: run_data.Fingerprint) -> PerfSummary:
    check_run_file(Path(path) / SUMMARY_FILE)
    return read_perf_summary(Path(path))


# --- all load points ---------------------------------------------------------------------------


def _draw_validity(summary: PerfSummary) -> None:
    """Draw whether the load points are valid, and the notes."""
    points = summary.points
    if summary.interrupted:
        st.warning("Interrupted: results cover the time before the interruption.", icon=":material/pause:")
    problems = [f"{point.load}: {reason}" for point in points for reason in point.validity.reasons]
    if problems:
        items = "".join(f"\n- {escape_markdown(problem)}" for problem in problems)
        st.error(f"Some load points are not valid:\n{items}", icon=":material/error:")
    elif points:
        subject = "All load points are" if len(points) > 1 else "The load point is"
        st.success(
            f"{subject} valid: the planned load was sent and the load generator kept up.", icon=":material/verified:"
        )
    else:
        st.warning("No load point was measured.", icon=":material/warning:")
    components.draw_notes(
        *perf_tables.describe_series(summary),
        *_merge_notes((point.load, note) for point in points for note in point.notes),
    )


def _merge_notes(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Return each note once, after the loads it applies to."""
    loads_by_note: dict[str, list[str]] = {}
    for load, note in notes:
        loads_by_note.setdefault(note, []).append(load)
    return [truncate(f"{', '.join(loads)}: {note}", 400) for note, loads in loads_by_note.items()]


def _draw_charts(line_charts: Sequence[Chart], *, show_points: bool) -> None:
    """Draw charts two by two."""
    for chart in components.iter_in_columns(line_charts):
        rows = [
            (series.name, x, y, label)
            for series in chart.series
            for (x, y), label in zip(series.points, series.labels or [""] * len(series.points), strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["name", "x", "y", "label"])
        st.markdown(f"**{chart.title}**")
        lines = charts.line_chart(frame, chart.x_label, chart.y_label, show_points=show_points)
        draw_chart(lines, alt=chart.title)
        components.draw_notes(chart.caption)


# --- one load point ----------------------------------------------------------------------------------


def _draw_point(path: Path, points: Points) -> None:
    """Draw the time course and the measures of one load point."""
    st.header("Load point details", anchor=False)
    names = shorten_labels([point.load for point in points])
    name = st.selectbox("Load point", names, key=f"{path}-point")
    point = points[names.index(str(name))]
    components.draw_notes(perf_tables.describe_window(point))
    if point_charts := _load_charts(path, point):
        lines = [chart for chart in point_charts.charts if chart.series[0].style != "dots"]
        _draw_charts(lines, show_points=False)
    _draw_measures(point)


def _load_charts(path: Path, point: LoadPointSummary) -> PointCharts | None:
    """Return the charts of a load point, or None if its requests are missing, too many or outside the run."""
    folder = path / point.folder
    file = folder / REQUESTS_FILE
    is_inside = folder.parent == path and folder.resolve().is_relative_to(path.resolve()) and is_file_inside_run(file)
    if not is_inside or file.stat().st_size > MAX_REQUESTS_BYTES:
        return None
    return _read_charts(str(file), run_data.fingerprint(folder, file.name))


@st.cache_data(max_entries=16, show_spinner="Reading requests …")
def _read_charts(file: str, fingerprint: run_data.Fingerprint) -> PointCharts:
    from auricle.perf.request_records import RequestColumns

    return build_point_charts(RequestColumns.read(Path(file)))


def _draw_measures(point: LoadPointSummary) -> None:
    st.markdown("**Per request**")
    _draw_defined(perf_tables.build_measures_table(point), REQUEST_DEFINITIONS)
    st.markdown("**Per load point**")
    _draw_defined(perf_tables.build_run_table(point), RUN_DEFINITIONS)
    if point.failures:
        failures = perf_tables.build_failures_table(point)
        rows = [[truncate(error, 300), *numbers] for error, *numbers in failures.rows]
        components.draw_table(failures.titles, rows)


def _draw_defined(table: perf_tables.Table, definitions: Mapping[str, Definition]) -> None:
    """Draw a table of measures with their definitions."""
    definition = Markup('<div class="definition">{}</div>')
    texts = {entry.heading: f"{name}: {entry.text}" for name, entry in definitions.items()}
    rows = [[name, *numbers, definition.format(texts[name])] for name, *numbers in table.rows]
    components.draw_table(["Measure", *table.titles[1:], "Definition"], rows, 1, 1)
