"""`report.html` of a load test: one file that says what was found, and fetches nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report.load_charts import draw_load_charts
from auricle.perf.report.point_section import ChartData, render_point, render_table
from auricle.perf.report.tables import (
    Summary,
    TableColumn,
    drop_column,
    format_header,
    format_number,
    format_repeats,
    format_row,
    format_search,
    select_columns,
)
from auricle.report import plots
from auricle.report.html_format import format_count
from auricle.report.markup import Markup, join_markup, tag
from auricle.report.run_html import CONTENT_SECURITY_POLICY, load_asset

PointWithChartData: TypeAlias = tuple[Summary, ChartData | None]
Section: TypeAlias = tuple[str, str, Markup]

MAX_UNFOLDED_POINTS = 3
"""Load points more than which are folded."""
MAX_OVERVIEW_COLUMNS = 10
"""Columns of the table of all points, beside what every point has."""


def render_page(about: Mapping[str, Any], points: Sequence[PointWithChartData]) -> str:
    """The whole page, from summaries and, for pictures, what `course` made of their requests."""
    summaries = [summary for summary, _ in points]
    sections = _sections(points, summaries)
    body = tag(
        "body",
        tag("a", "Skip to the numbers", href="#main", class_="skip"),
        _header(about, summaries, sections),
        tag("main", [tag("section", tag("h2", name), made, id=at) for at, name, made in sections],
            id="main"),
        _footer(about, summaries),
    )  # fmt: skip
    page = join_markup(Markup("<!doctype html>\n"), tag("html", _head(about), body, lang="en"))
    return page.encode("utf-8", "replace").decode() + "\n"


def _head(about: Mapping[str, Any]) -> Markup:
    own = files("auricle.perf.report").joinpath("page.css").read_text(encoding="utf-8")
    named = [str(about[name]) for name in ("task", "model") if about.get(name)]
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=CONTENT_SECURITY_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"auricle {about.get('auricle', '')}"),
        tag("title", " · ".join([*named, "load test"])),
        tag("style", load_asset("page.css"), plots.load_stylesheet(), Markup(own)),
    )


# --- the head of the page -------------------------------------------------------------------


def _header(about: Mapping[str, Any], summaries: Sequence[Summary], sections: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name, _ in sections]
    links.append(tag("li", tag("a", "Definitions", href="#method")))
    wrong = ["Interrupted: this is about what was measured before."] * bool(about.get("interrupted"))
    wrong += [f"{each['load']} is not valid: {why}" for each in summaries for why in each["validity"]["reasons"]]
    wrong += [format_search(each) for each in about.get("searches", ())]
    wrong += [format_repeats(each) for each in about.get("spreads", ())]
    return tag(
        "header",
        tag("p", tag("bdi", str(about.get("model", ""))), class_="model"),
        tag("h1", tag("bdi", str(about.get("task", "Load test")))),
        tag("div", _headline(summaries), _facts(summaries), class_="headline"),
        [tag("p", sentence, class_="notice") for sentence in wrong],
        tag("nav", tag("ul", links), aria_label="Sections"),
        class_="top",
    )


def _headline(summaries: Sequence[Summary]) -> Markup:
    """Of several points the most that was answered, of one how long it took."""
    name, figure, beside = "No number", "–", "no request ended well"
    rates = [(each["run"]["req_s"]["value"] or 0.0, each) for each in summaries]
    if len(summaries) > 1:
        rate, most = max(rates, key=lambda pair: pair[0])
        name, figure, beside = "Most answered", f"{format_number(rate)}/s", f"under {most['load']}"
    elif summaries:
        first = "ttft_s" if summaries[0]["measures"]["ttft_s"]["n"] else "latency_s"
        said = "Median time to first word" if first == "ttft_s" else "Median latency"
        measured = summaries[0]["measures"][first]
        name, figure = said, f"{format_number(measured['p50'])} s"
        beside = _format_interval(measured["intervals"]["p50"]) or f"under {summaries[0]['load']}"
    return tag(
        "p",
        tag("b", name),
        tag("strong", figure, class_="figure"),
        tag("span", beside, class_="interval"),
        class_="first",
    )


def _format_interval(interval: Sequence[float] | None) -> str:
    return f"95 % interval {format_number(interval[0])} – {format_number(interval[1])}" if interval else ""


def _facts(summaries: Sequence[Summary]) -> Markup:
    counts = [each["counts"]["window"] for each in summaries]
    hours = [each["run"]["audio_hours"]["value"] or 0.0 for each in summaries]
    facts = [
        ("Load points", format_count(len(summaries))),
        ("Requests", format_count(sum(sum(each.values()) for each in counts))),
        ("Failed", format_count(sum(each["failed"] for each in counts))),
        ("Cancelled", format_count(sum(each["cancelled"] for each in counts))),
        ("Measured for", f"{sum(each['window']['length_s'] for each in summaries):,.0f} s"),
    ]
    if any(hours):
        facts.append(("Sound sent", f"{sum(hours):.2g} h"))
    return tag(
        "dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts],
        class_="facts",
    )  # fmt: skip


# --- the sections -----------------------------------------------------------------------------


def _sections(points: Sequence[PointWithChartData], summaries: Sequence[Summary]) -> list[Section]:
    if not points:
        return []
    made = [("points", "Load points", _overview(summaries))]
    if len(points) > 1:
        made.append(("frontier", "How much, how fast", draw_load_charts(summaries)))
    folded = len(points) > MAX_UNFOLDED_POINTS
    each = [render_point(summary, course, folded=folded) for summary, course in points]
    return [*made, ("requests", "Point by point", join_markup(*each))]


def _overview(summaries: Sequence[Summary]) -> Markup:
    columns = select_columns(summaries)
    while len(columns) > MAX_OVERVIEW_COLUMNS and (fewer := drop_column(columns)) != columns:
        columns = fewer
    head = format_header(columns)
    means = ["", "", "", *(_column_definition(each) for each in columns), "Whether to believe it."]
    cells = [
        tag("th", title, scope="col", class_="number" if at else None, title=why or None)
        for at, (title, why) in enumerate(zip(head, means, strict=True))
    ]
    return render_table(cells, [format_row(each, columns) for each in summaries])


def _column_definition(column: TableColumn) -> str:
    known = REQUEST_DEFINITIONS if column.statistic else RUN_DEFINITIONS
    return known[column.name].text


# --- the foot of the page ------------------------------------------------------------------------


def _footer(about: Mapping[str, Any], summaries: Sequence[Summary]) -> Markup:
    pairs = [
        ("Made", about.get("created")),
        ("By", f"auricle {about.get('auricle', '')}".strip()),
        *about.get("facts", ()),
    ]
    method = summaries[0]["method"] if summaries else {}
    ways = [f"{name.replace('_', ' ').capitalize()}: {text}." for name, text in method.items()]
    return tag(
        "footer",
        tag("h2", "Definitions"),
        _definitions_table(summaries),
        [tag("p", way) for way in ways],
        tag("h3", "Made"),
        tag("dl", [_fact(name, str(text)) for name, text in pairs if text], class_="about"),
        id="method",
    )


def _fact(name: str, text: str) -> Markup:
    return tag("div", tag("dt", name), tag("dd", tag("bdi", text)))


def _definitions_table(summaries: Sequence[Summary]) -> Markup:
    """What every number on the page is, and when there is none."""
    said = [name for name in REQUEST_DEFINITIONS if any(each["measures"][name]["n"] for each in summaries)]
    known = {name: REQUEST_DEFINITIONS[name] for name in said} | RUN_DEFINITIONS
    lines = [
        tag("tr", tag("th", tag("code", name), scope="row"), [tag("td", each) for each in definition])
        for name, definition in known.items()
    ]
    heads = [tag("th", title, scope="col") for title in ("Name", "Unit", "Is", "Undefined when")]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", lines))
    return tag("div", table, class_="wide meaning")
