"""How a model served under load: whether to believe it, what more load costs, point by point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.core.errors import DataError
from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import tables as reported
from auricle.perf.report.chart_data import QUANTILES
from auricle.perf.report.point_section import STATISTICS
from auricle.report.markup import Child, tag
from auricle.report.sample_view import truncate

MAX_TABLE_COLUMNS = 8
MAX_REQUESTS_BYTES = 500_000_000  # bytes of a point's requests that are read for pictures
LATENCY_LABELS = {"latency_s": "from sent", "sched_latency_s": "from due", "ttft_s": "first word"}
PointSummary = Mapping[str, Any]


def draw_load_test(path: Path) -> None:
    """All about one measurement, validity first."""
    found = load_summary(path)
    points = found["points"]
    _draw_validity(found, points)
    if not points:
        return
    _draw_overview(points)
    if len(points) > 1:
        _draw_load_curves(points)
    _draw_point(path, points)
    _draw_definitions(points)


def load_summary(path: Path) -> dict[str, Any]:
    """What `summary.json` says, if it is as this package writes it."""
    return _load_summary(str(path), run_data.fingerprint(path, "summary.json"))


@st.cache_data(max_entries=32, show_spinner=False)
def _load_summary(path: str, _fingerprint: run_data.Fingerprint) -> dict[str, Any]:
    file = Path(path) / "summary.json"
    if not samples_table.is_file_inside_run(file):
        raise DataError("There is no summary.json yet: nothing was measured to its end.")
    if file.stat().st_size > run_data.MAX_DOCUMENT_BYTES:
        raise DataError("summary.json is too large to be one.")
    try:
        found = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise DataError("summary.json is torn or no JSON; `auricle perf RUN` makes it again.") from error
    if not isinstance(found, dict) or not isinstance(found.get("points"), list):
        raise DataError("summary.json does not describe a measurement.")
    return found


# --- all points ---------------------------------------------------------------------------


def _draw_validity(summary: Mapping[str, Any], points: Sequence[PointSummary]) -> None:
    """Whether to believe any of it, before anything else is said."""
    if summary.get("interrupted"):
        st.warning("Interrupted: this is about what was measured before.", icon=":material/pause:")
    wrong = [f"{each['load']} is not valid: {why}" for each in points for why in each["validity"]["reasons"]]
    if wrong:
        told = "".join(f"\n- {escape_markdown(sentence)}" for sentence in wrong)
        st.error(f"Not all of this can be believed.{told}", icon=":material/error:")
    elif points:
        many = "All load points are" if len(points) > 1 else "The load point is"
        st.success(
            f"{many} valid: the load was offered as planned, and the senders kept up.", icon=":material/verified:"
        )
    else:
        st.warning("No load point was measured.", icon=":material/warning:")
    components.draw_notes(
        *(reported.format_search(each) for each in summary.get("searches", ())),
        *_merge_notes((each["load"], note) for each in points for note in each["notes"]),
    )


def _merge_notes(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Sentences with the loads they hold for, each told once."""
    whose: dict[str, list[str]] = {}
    for load, sentence in notes:
        whose.setdefault(sentence, []).append(str(load))
    return [truncate(f"{', '.join(loads)}: {sentence}", 400) for sentence, loads in whose.items()]


def _draw_overview(points: Sequence[PointSummary]) -> None:
    st.subheader("Load points", anchor=False)
    columns = reported.select_columns(points)
    while len(columns) > MAX_TABLE_COLUMNS and (fewer := reported.drop_column(columns)) != columns:
        columns = fewer
    rows = [reported.format_row(each, columns) for each in points]
    components.draw_markup(components.build_table(reported.format_header(columns), rows))
    told = ((each["load"], sentence) for each in points for sentence in reported.format_outcomes(each))
    components.draw_notes(*_merge_notes(told))


def _draw_load_curves(points: Sequence[PointSummary]) -> None:
    """What more load costs."""
    st.subheader("How much, how fast", anchor=False)
    rate = [each["run"]["req_s"]["value"] for each in points]
    offered = [each["run"]["offered_rate"]["value"] for each in points]
    loads = offered if None not in offered else [each["run"]["in_flight_mean"]["value"] for each in points]
    across = "requests offered a second" if None not in offered else "in flight, on average"
    left, right = st.columns(2)
    with left:
        st.markdown("**Latency against throughput**")
        rows = [
            {"name": which, "x": x, "y": each["measures"]["latency_s"][which]}
            for which in ("p50", "p95", "p99")
            for x, each in sorted(zip(rate, points, strict=True), key=lambda pair: pair[0] or 0)
        ]
        _draw_lines(rows, "requests answered a second", "latency, s")
        components.draw_notes("Where the lines turn upwards, more load buys no more.")
    with right:
        st.markdown("**Throughput against load**")
        kept = [each["run"]["goodput_req_s"]["value"] for each in points]
        rows = [{"name": "answered", "x": x, "y": y} for x, y in zip(loads, rate, strict=True)]
        rows += [{"name": "promises kept", "x": x, "y": y} for x, y in zip(loads, kept, strict=True)]
        _draw_lines(rows, across, "requests a second")
        components.draw_notes("What came back for what was asked.")


def _draw_lines(rows: Sequence[Mapping[str, Any]], x_title: str, y_title: str, *, show_points: bool = True) -> None:
    known = [each for each in rows if each["x"] is not None and each["y"] is not None]
    if known:
        draw_chart(
            charts.line_chart(pd.DataFrame(known), x_title, y_title, show_points=show_points),
            alt=f"{y_title} by {x_title}",
        )
    else:
        components.draw_notes("Nothing of this was measured.")


# --- one point ----------------------------------------------------------------------------------


def _draw_point(path: Path, points: Sequence[PointSummary]) -> None:
    """The course of one load point, and its measures."""
    st.subheader("Point by point", anchor=False)
    names = charts.make_unique([str(each["load"]) for each in points])
    name = st.selectbox("Load", names, key=f"{path}-point")
    point = points[names.index(str(name))]
    counts, window = point["counts"]["window"], point["window"]
    components.draw_notes(
        f"{window['requests']:,} requests in {reported.format_number(window['length_s'])} s: "
        f"{counts['ok']:,} ended well, {counts['failed']:,} failed, "
        f"{counts['cancelled']:,} were cancelled."
    )
    course = _load_time_course(path, point)
    if course:
        _draw_time_course(course)
    _draw_measures(point)


def _load_time_course(path: Path, point: PointSummary) -> dict[str, Any] | None:
    """What pictures need; None where the requests are not there, or not the run's own."""
    folder = path / str(point.get("folder", ""))
    file = folder / "requests.jsonl"
    if folder.parent != path or not samples_table.is_file_inside_run(file):
        return None
    if not folder.resolve().is_relative_to(path.resolve()) or file.stat().st_size > MAX_REQUESTS_BYTES:
        return None
    return _read_time_course(str(file), run_data.fingerprint(folder, file.name))


@st.cache_data(max_entries=16, show_spinner="Reading requests …")
def _read_time_course(file: str, _fingerprint: run_data.Fingerprint) -> dict[str, Any]:
    from auricle.perf.report.chart_data import build_chart_data
    from auricle.perf.request_columns import RequestColumns

    return build_chart_data(RequestColumns.read(Path(file)))


def _draw_time_course(course: Mapping[str, Any]) -> None:
    rates, flight = course["rates"], course["in_flight"]
    left, right = st.columns(2)
    with left:
        st.markdown("**Offered and achieved**")
        names = {"due": "offered", "sent": "sent", "done": "answered"}
        rows = [
            {"name": said, "x": (at + 0.5) * rates["width_s"], "y": value}
            for name, said in names.items()
            if rates["width_s"] and any(rates[name])
            for at, value in enumerate(rates[name])
        ]
        _draw_lines(rows, "seconds since the start", "requests a second", show_points=False)
    with right:
        st.markdown("**In flight**")
        rows = [
            {"name": "in flight", "x": (at + 0.5) * flight["width_s"], "y": value}
            for at, value in enumerate(flight["most"])
        ]
        _draw_lines(rows, "seconds since the start", "requests in flight", show_points=False)
    st.markdown("**How long requests took**")
    rows = [
        {"name": said, "x": value, "y": 100 * share}
        for name, said in LATENCY_LABELS.items()
        for value, share in zip(course["spread"].get(name) or (), QUANTILES, strict=False)
    ]
    _draw_lines(rows, "seconds", "% of requests that took no longer", show_points=False)


def _draw_measures(point: PointSummary) -> None:
    rows: list[list[Child]] = [
        [
            name,
            REQUEST_DEFINITIONS[name].unit,
            f"{each['n']:,}",
            *(reported.format_number(each[which]) for which in STATISTICS[1:]),
            _definition_cell(REQUEST_DEFINITIONS[name].text),
        ]
        for name, each in point["measures"].items()
        if each["n"] and name in REQUEST_DEFINITIONS
    ]
    st.markdown("**Of each request**")
    components.draw_markup(components.build_table(["Measure", "Unit", *STATISTICS, "Is"], rows, 2, 1))
    rows = [
        [
            name,
            reported.format_number(each["value"], RUN_DEFINITIONS[name].unit),
            _format_interval(each),
            _definition_cell(RUN_DEFINITIONS[name].text),
        ]
        for name, each in point["run"].items()
        if each["value"] is not None and name in RUN_DEFINITIONS
    ]
    st.markdown("**Of the whole point**")
    components.draw_markup(components.build_table(["Measure", "Value", "95 % interval", "Is"], rows, 1, 1))
    if point["failures"]:
        failed: list[list[Child]] = [
            [truncate(str(each["examples"][0]), 300), f"{each['count']:,}"] for each in point["failures"]
        ]
        components.draw_markup(components.build_table(["Failed with", "Requests"], failed))


def _definition_cell(text: str) -> Child:
    return tag("div", text, class_="means")


def _format_interval(measure: Mapping[str, Any]) -> str:
    ends = measure.get("interval")
    return f"{reported.format_number(ends[0])} – {reported.format_number(ends[1])}" if ends else "–"


def _draw_definitions(points: Sequence[PointSummary]) -> None:
    """What every number on the page is, and when there is none."""
    with st.expander("Definitions", icon=":material/menu_book:"):
        known = [
            name for name in REQUEST_DEFINITIONS if any(each["measures"].get(name, {}).get("n") for each in points)
        ]
        told = {name: REQUEST_DEFINITIONS[name] for name in known} | RUN_DEFINITIONS
        rows: list[list[Child]] = [[name, *each] for name, each in told.items()]
        components.draw_markup(components.build_table(["Name", "Unit", "Is", "Undefined when"], rows, 4))
