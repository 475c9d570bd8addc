"""How a model served under load: whether to believe it, what more load costs, point by point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import chart, plain
from auricle.app.views import charts, components
from auricle.core.errors import DataError
from auricle.perf.definitions import DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import table as reported
from auricle.perf.report.chart_data import SHARES
from auricle.perf.report.load_section import STATISTICS
from auricle.report.markup import Child, tag
from auricle.report.worst_samples import clip

WIDEST = 8
MOST_REQUESTS = 500_000_000  # bytes of a point's requests that are read for pictures
WAITS = {"latency_s": "from sent", "sched_latency_s": "from due", "ttft_s": "first word"}
Summary = Mapping[str, Any]


def serving(path: Path) -> None:
    """All about one measurement, validity first."""
    found = summary(path)
    points = found["points"]
    _validity(found, points)
    if not points:
        return
    _overview(points)
    if len(points) > 1:
        _frontier(points)
    _point(path, points)
    _definitions(points)


def summary(path: Path) -> dict[str, Any]:
    """What `summary.json` says, if it is as this package writes it."""
    return _summary(str(path), run_data.stamp(path, "summary.json"))


@st.cache_data(max_entries=32, show_spinner=False)
def _summary(path: str, _stamp: run_data.Stamp) -> dict[str, Any]:
    file = Path(path) / "summary.json"
    if not samples_table.is_own(file):
        raise DataError("There is no summary.json yet: nothing was measured to its end.")
    if file.stat().st_size > run_data.MOST_DOCUMENT:
        raise DataError("summary.json is too large to be one.")
    try:
        found = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise DataError(
            "summary.json is torn or no JSON; `auricle perf RUN` makes it again."
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("points"), list):
        raise DataError("summary.json does not describe a measurement.")
    return found


# --- all points ---------------------------------------------------------------------------


def _validity(found: Mapping[str, Any], points: Sequence[Summary]) -> None:
    """Whether to believe any of it, before anything else is said."""
    if found.get("interrupted"):
        st.warning("Interrupted: this is about what was measured before.", icon=":material/pause:")
    wrong = [
        f"{each['load']} is not valid: {why}"
        for each in points
        for why in each["validity"]["reasons"]
    ]
    if wrong:
        told = "".join(f"\n- {plain(sentence)}" for sentence in wrong)
        st.error(f"Not all of this can be believed.{told}", icon=":material/error:")
    elif points:
        many = "All load points are" if len(points) > 1 else "The load point is"
        st.success(
            f"{many} valid: the load was offered as planned, and the senders kept up.",
            icon=":material/verified:",
        )
    else:
        st.warning("No load point was measured.", icon=":material/warning:")
    components.say(
        *(reported.found(each) for each in found.get("searches", ())),
        *_gathered((each["load"], note) for each in points for note in each["notes"]),
    )


def _gathered(said: Iterable[tuple[str, str]]) -> list[str]:
    """Sentences with the loads they hold for, each told once."""
    whose: dict[str, list[str]] = {}
    for load, sentence in said:
        whose.setdefault(sentence, []).append(str(load))
    return [clip(f"{', '.join(loads)}: {sentence}", 400) for sentence, loads in whose.items()]


def _overview(points: Sequence[Summary]) -> None:
    st.subheader("Load points", anchor=False)
    columns = reported.columns_of(points)
    while len(columns) > WIDEST and (fewer := reported.leaner(columns)) != columns:
        columns = fewer
    rows = [reported.row(each, columns) for each in points]
    components.show(components.table(reported.header(columns), rows))
    told = ((each["load"], sentence) for each in points for sentence in reported.outcomes(each))
    components.say(*_gathered(told))


def _frontier(points: Sequence[Summary]) -> None:
    """What more load costs."""
    st.subheader("How much, how fast", anchor=False)
    rate = [each["run"]["req_s"]["value"] for each in points]
    offered = [each["run"]["offered_rate"]["value"] for each in points]
    loads = (
        offered
        if None not in offered
        else [each["run"]["in_flight_mean"]["value"] for each in points]
    )
    across = "requests offered a second" if None not in offered else "in flight, on average"
    left, right = st.columns(2)
    with left:
        st.markdown("**Latency against throughput**")
        rows = [
            {"name": which, "x": x, "y": each["measures"]["latency_s"][which]}
            for which in ("p50", "p95", "p99")
            for x, each in sorted(zip(rate, points, strict=True), key=lambda pair: pair[0] or 0)
        ]
        _drawn(rows, "requests answered a second", "latency, s")
        components.say("Where the lines turn upwards, more load buys no more.")
    with right:
        st.markdown("**Throughput against load**")
        kept = [each["run"]["goodput_req_s"]["value"] for each in points]
        rows = [{"name": "answered", "x": x, "y": y} for x, y in zip(loads, rate, strict=True)]
        rows += [
            {"name": "promises kept", "x": x, "y": y} for x, y in zip(loads, kept, strict=True)
        ]
        _drawn(rows, across, "requests a second")
        components.say("What came back for what was asked.")


def _drawn(rows: Sequence[Mapping[str, Any]], across: str, up: str, *, marks: bool = True) -> None:
    known = [each for each in rows if each["x"] is not None and each["y"] is not None]
    if known:
        chart(charts.lines(pd.DataFrame(known), across, up, marks=marks), alt=f"{up} by {across}")
    else:
        components.say("Nothing of this was measured.")


# --- one point ----------------------------------------------------------------------------------


def _point(path: Path, points: Sequence[Summary]) -> None:
    """The course of one load point, and its measures."""
    st.subheader("Point by point", anchor=False)
    names = charts.distinct([str(each["load"]) for each in points])
    name = st.selectbox("Load", names, key=f"{path}-point")
    point = points[names.index(str(name))]
    counts, window = point["counts"]["window"], point["window"]
    components.say(
        f"{window['requests']:,} requests in {reported.written(window['length_s'])} s: "
        f"{counts['ok']:,} ended well, {counts['failed']:,} failed, "
        f"{counts['cancelled']:,} were cancelled."
    )
    course = _course_of(path, point)
    if course:
        _course(course)
    _measures(point)


def _course_of(path: Path, point: Summary) -> dict[str, Any] | None:
    """What pictures need; None where the requests are not there, or not the run's own."""
    folder = path / str(point.get("folder", ""))
    file = folder / "requests.jsonl"
    if folder.parent != path or not samples_table.is_own(file):
        return None
    if not folder.resolve().is_relative_to(path.resolve()) or file.stat().st_size > MOST_REQUESTS:
        return None
    return _read_course(str(file), run_data.stamp(folder, file.name))


@st.cache_data(max_entries=16, show_spinner="Reading requests …")
def _read_course(file: str, _stamp: run_data.Stamp) -> dict[str, Any]:
    from auricle.perf.columns import Columns
    from auricle.perf.report.chart_data import course

    return course(Columns.read(Path(file)))


def _course(course: Mapping[str, Any]) -> None:
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
        _drawn(rows, "seconds since the start", "requests a second", marks=False)
    with right:
        st.markdown("**In flight**")
        rows = [
            {"name": "in flight", "x": (at + 0.5) * flight["width_s"], "y": value}
            for at, value in enumerate(flight["most"])
        ]
        _drawn(rows, "seconds since the start", "requests in flight", marks=False)
    st.markdown("**How long requests took**")
    rows = [
        {"name": said, "x": value, "y": 100 * share}
        for name, said in WAITS.items()
        for value, share in zip(course["spread"].get(name) or (), SHARES, strict=False)
    ]
    _drawn(rows, "seconds", "% of requests that took no longer", marks=False)


def _measures(point: Summary) -> None:
    rows: list[list[Child]] = [
        [
            name,
            DEFINITIONS[name].unit,
            f"{each['n']:,}",
            *(reported.written(each[which]) for which in STATISTICS[1:]),
            _meaning(DEFINITIONS[name].text),
        ]
        for name, each in point["measures"].items()
        if each["n"] and name in DEFINITIONS
    ]
    st.markdown("**Of each request**")
    components.show(components.table(["Measure", "Unit", *STATISTICS, "Is"], rows, 2, 1))
    rows = [
        [
            name,
            reported.written(each["value"], RUN_DEFINITIONS[name].unit),
            _ends(each),
            _meaning(RUN_DEFINITIONS[name].text),
        ]
        for name, each in point["run"].items()
        if each["value"] is not None and name in RUN_DEFINITIONS
    ]
    st.markdown("**Of the whole point**")
    components.show(components.table(["Measure", "Value", "95 % interval", "Is"], rows, 1, 1))
    if point["failures"]:
        failed: list[list[Child]] = [
            [clip(str(each["examples"][0]), 300), f"{each['count']:,}"]
            for each in point["failures"]
        ]
        components.show(components.table(["Failed with", "Requests"], failed))


def _meaning(text: str) -> Child:
    return tag("div", text, class_="means")


def _ends(measure: Mapping[str, Any]) -> str:
    ends = measure.get("interval")
    return f"{reported.written(ends[0])} – {reported.written(ends[1])}" if ends else "–"


def _definitions(points: Sequence[Summary]) -> None:
    """What every number on the page is, and when there is none."""
    with st.expander("Definitions", icon=":material/menu_book:"):
        known = [
            name
            for name in DEFINITIONS
            if any(each["measures"].get(name, {}).get("n") for each in points)
        ]
        told = {name: DEFINITIONS[name] for name in known} | RUN_DEFINITIONS
        rows: list[list[Child]] = [[name, *each] for name, each in told.items()]
        components.show(components.table(["Name", "Unit", "Is", "Undefined when"], rows, 4))
