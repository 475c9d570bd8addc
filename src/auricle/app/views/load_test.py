"""Results of a load test: validity, throughput and latency, and details of each load point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.app.workspace import is_file_inside_run, read_json_object
from auricle.core.errors import DataError
from auricle.perf.measure_definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import tables as perf_tables
from auricle.perf.report.chart_data import QUANTILES
from auricle.perf.report.point_section import STATISTICS
from auricle.report.markup import Child, tag
from auricle.report.text_format import truncate

MAX_TABLE_COLUMNS = 8
MAX_REQUESTS_BYTES = 500_000_000
"""Size limit for a load point's `requests.jsonl`; the charts of a larger one are left out."""
LATENCY_LABELS = {
    "latency_s": "latency from send",
    "sched_latency_s": "latency from schedule",
    "ttft_s": "time to first token",
}
PointSummary = Mapping[str, Any]


def draw_load_test(path: Path) -> None:
    """Draw one load test, validity first."""
    summary = load_summary(path)
    points = summary["points"]
    _draw_validity(summary, points)
    if not points:
        return
    _draw_overview(points)
    if len(points) > 1:
        _draw_load_curves(points)
    _draw_point(path, points)
    _draw_definitions(points)


def load_summary(path: Path) -> dict[str, Any]:
    """Return the content of `summary.json`; cached until the file changes."""
    return _load_summary(str(path), run_data.fingerprint(path, "summary.json"))


@st.cache_data(max_entries=32, show_spinner=False)
def _load_summary(path: str, fingerprint: run_data.Fingerprint) -> dict[str, Any]:
    file = Path(path) / "summary.json"
    if not is_file_inside_run(file):
        raise DataError("No summary.json yet: no load point has finished.")
    try:
        summary = read_json_object(file, run_data.MAX_DOCUMENT_BYTES)
    except DataError as error:
        raise DataError(f"{error}. Run `auricle perf RUN` to regenerate it.") from error
    if not isinstance(summary.get("points"), list):
        raise DataError("summary.json is not the summary of a load test.")
    return summary


# --- all load points ---------------------------------------------------------------------------


def _draw_validity(summary: Mapping[str, Any], points: Sequence[PointSummary]) -> None:
    """Draw whether the load points are valid, and the notes."""
    if summary.get("interrupted"):
        st.warning("Interrupted: results cover the time before the interruption.", icon=":material/pause:")
    problems = [f"{point['load']}: {reason}" for point in points for reason in point["validity"]["reasons"]]
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
        *(perf_tables.format_search(search) for search in summary.get("searches", ())),
        *_merge_notes((point["load"], note) for point in points for note in point["notes"]),
    )


def _merge_notes(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Return each note once, after the loads it applies to."""
    loads_by_note: dict[str, list[str]] = {}
    for load, note in notes:
        loads_by_note.setdefault(note, []).append(str(load))
    return [truncate(f"{', '.join(loads)}: {note}", 400) for note, loads in loads_by_note.items()]


def _draw_overview(points: Sequence[PointSummary]) -> None:
    st.subheader("Load points", anchor=False)
    columns = perf_tables.select_columns(points)
    while len(columns) > MAX_TABLE_COLUMNS and (fewer := perf_tables.drop_column(columns)) != columns:
        columns = fewer
    rows = [perf_tables.format_row(point, columns) for point in points]
    components.draw_markup(components.build_table(perf_tables.format_header(columns), rows))
    notes = ((point["load"], outcome) for point in points for outcome in perf_tables.format_outcomes(point))
    components.draw_notes(*_merge_notes(notes))


def _draw_load_curves(points: Sequence[PointSummary]) -> None:
    """Draw latency against throughput, and throughput against load."""
    st.subheader("Throughput and latency", anchor=False)
    rates = _run_values(points, "req_s")
    loads, load_title = _run_values(points, "offered_rate"), "offered requests/s"
    if None in loads:
        loads, load_title = _run_values(points, "in_flight_mean"), "mean requests in flight"
    left, right = st.columns(2)
    with left:
        st.markdown("**Latency against throughput**")
        rows = [
            {"name": percentile, "x": rate, "y": point["measures"]["latency_s"][percentile]}
            for percentile in ("p50", "p95", "p99")
            for rate, point in sorted(zip(rates, points, strict=True), key=lambda pair: pair[0] or 0)
        ]
        _draw_lines(rows, "completed requests/s", "latency (s)")
        components.draw_notes("Where the curves turn upwards, the server is saturated.")
    with right:
        st.markdown("**Throughput against load**")
        lines = {"completed": rates, "within targets (goodput)": _run_values(points, "goodput_req_s")}
        rows = [
            {"name": name, "x": x, "y": y} for name, values in lines.items() for x, y in zip(loads, values, strict=True)
        ]
        _draw_lines(rows, load_title, "requests/s")
        components.draw_notes("Completed requests at each load.")


def _run_values(points: Sequence[PointSummary], name: str) -> list[Any]:
    return [point["run"][name]["value"] for point in points]


def _draw_lines(rows: Sequence[Mapping[str, Any]], x_title: str, y_title: str, *, show_points: bool = True) -> None:
    measured = [row for row in rows if row["x"] is not None and row["y"] is not None]
    if measured:
        draw_chart(
            charts.line_chart(pd.DataFrame(measured), x_title, y_title, show_points=show_points),
            alt=f"{y_title} by {x_title}",
        )
    else:
        components.draw_notes("No data.")


# --- one load point ----------------------------------------------------------------------------------


def _draw_point(path: Path, points: Sequence[PointSummary]) -> None:
    """Draw the time course and the measures of one load point."""
    st.subheader("Load point details", anchor=False)
    names = charts.make_unique([str(point["load"]) for point in points])
    name = st.selectbox("Load point", names, key=f"{path}-point")
    point = points[names.index(str(name))]
    counts, window = point["counts"]["window"], point["window"]
    components.draw_notes(
        f"{window['requests']:,} requests in {perf_tables.format_number(window['length_s'])} s: "
        f"{counts['ok']:,} succeeded, {counts['failed']:,} failed, "
        f"{counts['cancelled']:,} cancelled."
    )
    time_course = _load_time_course(path, point)
    if time_course:
        _draw_time_course(time_course)
    _draw_measures(point)


def _load_time_course(path: Path, point: PointSummary) -> dict[str, Any] | None:
    """Return the data of the charts, or None if the requests are missing, too many or outside the run."""
    folder = path / str(point.get("folder", ""))
    file = folder / "requests.jsonl"
    if folder.parent != path or not is_file_inside_run(file):
        return None
    if not folder.resolve().is_relative_to(path.resolve()) or file.stat().st_size > MAX_REQUESTS_BYTES:
        return None
    return _read_time_course(str(file), run_data.fingerprint(folder, file.name))


@st.cache_data(max_entries=16, show_spinner="Reading requests …")
def _read_time_course(file: str, fingerprint: run_data.Fingerprint) -> dict[str, Any]:
    from auricle.perf.report.chart_data import build_chart_data
    from auricle.perf.request_columns import RequestColumns

    return build_chart_data(RequestColumns.read(Path(file)))


def _draw_time_course(time_course: Mapping[str, Any]) -> None:
    rates, in_flight = time_course["rates"], time_course["in_flight"]
    left, right = st.columns(2)
    with left:
        st.markdown("**Offered and achieved**")
        labels = {"due": "offered", "sent": "sent", "done": "completed"}
        rows = [
            {"name": label, "x": (index + 0.5) * rates["width_s"], "y": value}
            for name, label in labels.items()
            if rates["width_s"] and any(rates[name])
            for index, value in enumerate(rates[name])
        ]
        _draw_lines(rows, "seconds since the start", "requests/s", show_points=False)
    with right:
        st.markdown("**In flight**")
        rows = [
            {"name": "in flight", "x": (index + 0.5) * in_flight["width_s"], "y": value}
            for index, value in enumerate(in_flight["most"])
        ]
        _draw_lines(rows, "seconds since the start", "requests in flight", show_points=False)
    st.markdown("**Latency distribution**")
    rows = [
        {"name": label, "x": value, "y": 100 * share}
        for name, label in LATENCY_LABELS.items()
        for value, share in zip(time_course["spread"].get(name) or (), QUANTILES, strict=False)
    ]
    _draw_lines(rows, "seconds", "% of requests at or below", show_points=False)


def _draw_measures(point: PointSummary) -> None:
    rows: list[list[Child]] = [
        [
            name,
            REQUEST_DEFINITIONS[name].unit,
            f"{measure['n']:,}",
            *(perf_tables.format_number(measure[statistic]) for statistic in STATISTICS[1:]),
            _definition_cell(REQUEST_DEFINITIONS[name].text),
        ]
        for name, measure in point["measures"].items()
        if measure["n"] and name in REQUEST_DEFINITIONS
    ]
    st.markdown("**Per request**")
    components.draw_markup(components.build_table(["Measure", "Unit", *STATISTICS, "Definition"], rows, 2, 1))
    rows = [
        [
            name,
            perf_tables.format_number(measure["value"], RUN_DEFINITIONS[name].unit),
            _format_interval(measure),
            _definition_cell(RUN_DEFINITIONS[name].text),
        ]
        for name, measure in point["run"].items()
        if measure["value"] is not None and name in RUN_DEFINITIONS
    ]
    st.markdown("**Per load point**")
    components.draw_markup(components.build_table(["Measure", "Value", "95 % interval", "Definition"], rows, 1, 1))
    if point["failures"]:
        rows = [[truncate(str(failure["examples"][0]), 300), f"{failure['count']:,}"] for failure in point["failures"]]
        components.draw_markup(components.build_table(["Error", "Requests"], rows))


def _definition_cell(text: str) -> Child:
    return tag("div", text, class_="definition")


def _format_interval(measure: Mapping[str, Any]) -> str:
    ends = measure.get("interval")
    return f"{perf_tables.format_number(ends[0])} – {perf_tables.format_number(ends[1])}" if ends else "–"


def _draw_definitions(points: Sequence[PointSummary]) -> None:
    """Draw the definitions of all measures in an expander."""
    with st.expander("Definitions", icon=":material/menu_book:"):
        measured = [
            name for name in REQUEST_DEFINITIONS if any(point["measures"].get(name, {}).get("n") for point in points)
        ]
        definitions = {name: REQUEST_DEFINITIONS[name] for name in measured} | RUN_DEFINITIONS
        rows: list[list[Child]] = [[name, *definition] for name, definition in definitions.items()]
        components.draw_markup(components.build_table(["Name", "Unit", "Definition", "Undefined when"], rows, 4))
