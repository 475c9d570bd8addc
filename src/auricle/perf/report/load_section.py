"""One load point on the page: its pictures, its measures, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from auricle.perf.definitions import DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import charts
from auricle.perf.report.charts import figure
from auricle.perf.report.table import Summary, outcomes, written
from auricle.report.markup import Markup, tag, together

Course: TypeAlias = Mapping[str, Any]

STATISTICS = ("n", "mean", "p50", "p90", "p95", "p99", "max")
BRIEF = ("p50", "p95")
WAITS = {"latency_s": "from sent", "sched_latency_s": "from due", "ttft_s": "first word"}
SILENCES = {"underrun_max_s": "longest silence", "min_prebuffer_s": "wait that prevents all"}
BREAKDOWNS = {
    "audio_seconds": "Seconds of sound sent",
    "turn": "Turn",
    "output_tokens": "Output tokens",
}


def point(summary: Summary, course: Course | None, *, folded: bool) -> Markup:
    """All about one; folded where there are many."""
    words = (*summary["notes"], *outcomes(summary))
    said = [tag("p", each, class_="quiet") for each in words]
    pictures = [each for each in _pictures(course) if each] if course else []
    content = together(
        tag("p", _told(summary)),
        said,
        tag("div", pictures, class_="pictures") if pictures else None,
        _measures(summary),
        _run(summary),
        *(_breakdown(summary, field, title) for field, title in BREAKDOWNS.items()),
        _failures(summary),
    )
    name = tag("bdi", summary["load"])
    if folded:
        return tag("details", tag("summary", name), content, class_="point")
    return tag("div", tag("h3", name), content, class_="point")


def _told(summary: Summary) -> str:
    window, counts = summary["window"], summary["counts"]["window"]
    kind = "steady" if window["kind"] == "steady" else "all that was measured"
    return (
        f"{window['requests']:,} requests in {written(window['length_s'])} s ({kind}):"
        f" {counts['ok']:,} ended well, {counts['failed']:,} failed,"
        f" {counts['cancelled']:,} were cancelled."
    )


def _pictures(course: Course) -> Iterator[Markup | None]:
    yield figure(
        charts.timeline(course),
        f"{len(course['bars'])} requests, evenly chosen, in the order in which they began.",
        whole=True,
    )
    width = course["rates"]["width_s"]
    yield figure(charts.rates(course), f"Counted over {written(width)} s at a time.")
    yield figure(charts.flight(course), "Requests sent and not yet done: the most at a time.")
    yield figure(
        charts.cumulated(course, WAITS, "How long requests took"),
        "The share that took no longer. Between “from sent” and “from due” lies what a client"
        " waited before its request could be sent.",
    )
    yield figure(charts.lengths(course), "Short sounds pay most for what every request costs.")
    yield figure(
        charts.cumulated(course, SILENCES, "Silences while playing"),
        "The share of answers whose longest silence is no longer, and the share that would play"
        " without one had the player waited so long after the first sound.",
    )


def _measures(summary: Summary) -> Markup:
    rows = [
        [name, f"{each['n']:,}", *(written(each[which]) for which in STATISTICS[1:])]
        for name, each in summary["measures"].items()
        if each["n"]
    ]
    return ruled(heads("Of a request", *STATISTICS), rows)


def _run(summary: Summary) -> Markup:
    rows = [
        [name, written(each["value"], RUN_DEFINITIONS[name].unit), _ends(each.get("interval"))]
        for name, each in summary["run"].items()
        if each["value"] is not None
    ]
    return ruled(heads("Of the run", "value", "95 % interval"), rows)


def _ends(ends: Sequence[float] | None) -> str:
    return f"{written(ends[0])} – {written(ends[1])}" if ends else "–"


def _breakdown(summary: Summary, field: str, title: str) -> Markup | None:
    """Where there is more than one bucket: medians and 95th percentiles of what it has."""
    buckets = summary["breakdowns"].get(field, [])
    if len(buckets) < 2:
        return None
    names = list(dict.fromkeys(name for each in buckets for name in each["measures"]))
    rows = [
        [each["bucket"], f"{each['ok']:,}", f"{each['failed']:,}", *_brief(each["measures"], names)]
        for each in buckets
    ]
    titles = [f"{name} {which}" for name in names for which in BRIEF]
    return ruled(heads(title, "ok", "failed", *titles), rows)


def _brief(measures: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [written((measures.get(name) or {}).get(which)) for name in names for which in BRIEF]


def _failures(summary: Summary) -> Markup | None:
    if not summary["failures"]:
        return None
    rows = [
        [each["examples"][0], f"{each['count']:,}", written(each["after_p50_s"])]
        for each in summary["failures"]
    ]
    return ruled(heads("Failed with", "requests", "after, median s"), rows)


# --- tables -------------------------------------------------------------------------------------


def heads(*titles: str) -> list[Markup]:
    """Titles of columns, numbers in all but the first."""
    return [
        tag("th", title, scope="col", class_="number" if at else None)
        for at, title in enumerate(titles)
    ]


def ruled(head: Sequence[Markup], rows: Sequence[Sequence[str]]) -> Markup:
    """A table of numbers; a measure's name tells what it is."""
    lines = [
        tag("tr", _named(first), [tag("td", each, class_="number") for each in rest])
        for first, *rest in rows
    ]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", lines))
    return tag("div", table, class_="wide")


def _named(name: str) -> Markup:
    known = DEFINITIONS.get(name) or RUN_DEFINITIONS.get(name)
    return tag("th", tag("bdi", name), scope="row", title=known.text if known else None)
