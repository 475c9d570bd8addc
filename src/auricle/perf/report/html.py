"""Render `report.html` of a load test: one file that works offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from auricle.perf.report.load_charts import draw_load_charts
from auricle.perf.report.point_section import ChartData, render_point, render_table
from auricle.perf.report.tables import (
    INTERRUPTED_NOTICE,
    Summary,
    drop_column,
    format_header,
    format_number,
    format_repeats,
    format_row,
    format_search,
    select_columns,
    used_definitions,
)
from auricle.report.html_format import format_count
from auricle.report.markup import Markup, join_markup, tag
from auricle.report.templating import CONTENT_SECURITY_POLICY, load_asset

PointWithChartData: TypeAlias = tuple[Summary, ChartData | None]
Section: TypeAlias = tuple[str, str, Markup]

MAX_UNFOLDED_POINTS = 3
"""Number of load points above which their sections are folded."""
MAX_OVERVIEW_COLUMNS = 10
"""Most measure columns in the table of all points."""


def render_page(about: Mapping[str, Any], points: Sequence[PointWithChartData]) -> str:
    """Render the page from the summaries of load points and their chart data."""
    summaries = [summary for summary, _ in points]
    sections = _sections(points, summaries)
    body = tag(
        "body",
        tag("a", "Skip to results", href="#main", class_="skip"),
        _header(about, summaries, sections),
        tag("main", [tag("section", tag("h2", title), content, id=anchor) for anchor, title, content in sections],
            id="main"),
        _footer(about, summaries),
    )  # fmt: skip
    page = join_markup(Markup("<!doctype html>\n"), tag("html", _head(about), body, lang="en"))
    return page.encode("utf-8", "replace").decode() + "\n"


def _head(about: Mapping[str, Any]) -> Markup:
    names = [str(about[name]) for name in ("task", "model") if about.get(name)]
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=CONTENT_SECURITY_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"auricle {about.get('auricle', '')}"),
        tag("title", " · ".join([*names, "load test"])),
        tag(
            "style",
            [load_asset(name) for name in ("report/page.css", "report/plots/plots.css", "perf/report/page.css")],
        ),
    )


# --- header ---------------------------------------------------------------------------------


def _header(about: Mapping[str, Any], summaries: Sequence[Summary], sections: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", title, href=f"#{anchor}")) for anchor, title, _ in sections]
    links.append(tag("li", tag("a", "Definitions", href="#method")))
    notices = [INTERRUPTED_NOTICE] * bool(about.get("interrupted"))
    notices += [
        f"{summary['load']} is not valid: {reason}"
        for summary in summaries
        for reason in summary["validity"]["reasons"]
    ]
    notices += [format_search(result) for result in about.get("searches", ())]
    notices += [format_repeats(repeats) for repeats in about.get("spreads", ())]
    return tag(
        "header",
        tag("p", tag("bdi", str(about.get("model", ""))), class_="model"),
        tag("h1", tag("bdi", str(about.get("task", "Load test")))),
        tag("div", _headline(summaries), _facts(summaries), class_="headline"),
        [tag("p", notice, class_="notice") for notice in notices],
        tag("nav", tag("ul", links), aria_label="Sections"),
        class_="top",
    )


def _headline(summaries: Sequence[Summary]) -> Markup:
    """Render the highest throughput of several points, or the median TTFT or latency of one."""
    title, figure, detail = "No result", "–", "no request succeeded"
    if len(summaries) > 1:
        best = max(summaries, key=lambda summary: summary["run"]["req_s"]["value"] or 0.0)
        title, detail = "Highest throughput", f"at {best['load']}"
        figure = f"{format_number(best['run']['req_s']['value'] or 0.0)}/s"
    elif summaries:
        measure = "ttft_s" if summaries[0]["measures"]["ttft_s"]["n"] else "latency_s"
        title = "Median time to first token" if measure == "ttft_s" else "Median latency"
        statistics = summaries[0]["measures"][measure]
        figure = f"{format_number(statistics['p50'])} s"
        detail = _format_interval(statistics["intervals"]["p50"]) or f"at {summaries[0]['load']}"
    return tag(
        "p",
        tag("b", title),
        tag("strong", figure, class_="figure"),
        tag("span", detail, class_="interval"),
        class_="first",
    )


def _format_interval(interval: Sequence[float] | None) -> str:
    return f"95 % interval {format_number(interval[0])} – {format_number(interval[1])}" if interval else ""


def _facts(summaries: Sequence[Summary]) -> Markup:
    counts = [summary["counts"]["window"] for summary in summaries]
    hours = [summary["run"]["audio_hours"]["value"] or 0.0 for summary in summaries]
    facts = [
        ("Load points", format_count(len(summaries))),
        ("Requests", format_count(sum(sum(by_status.values()) for by_status in counts))),
        ("Failed", format_count(sum(by_status["failed"] for by_status in counts))),
        ("Cancelled", format_count(sum(by_status["cancelled"] for by_status in counts))),
        ("Measured for", f"{sum(summary['window']['length_s'] for summary in summaries):,.0f} s"),
    ]
    if any(hours):
        facts.append(("Audio sent", f"{sum(hours):.2g} h"))
    return tag(
        "dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts],
        class_="facts",
    )  # fmt: skip


# --- sections ---------------------------------------------------------------------------------


def _sections(points: Sequence[PointWithChartData], summaries: Sequence[Summary]) -> list[Section]:
    if not points:
        return []
    sections = [("points", "Load points", _overview(summaries))]
    if len(points) > 1:
        sections.append(("frontier", "Load curves", draw_load_charts(summaries)))
    folded = len(points) > MAX_UNFOLDED_POINTS
    details = [render_point(summary, chart_data, folded=folded) for summary, chart_data in points]
    return [*sections, ("requests", "Load points in detail", join_markup(*details))]


def _overview(summaries: Sequence[Summary]) -> Markup:
    columns = select_columns(summaries)
    while len(columns) > MAX_OVERVIEW_COLUMNS and (fewer := drop_column(columns)) != columns:
        columns = fewer
    header = format_header(columns)
    definitions = ["", "", "", *(column.definition.text for column in columns), "Whether the measurement is valid."]
    cells = [
        tag("th", title, scope="col", class_="number" if index else None, title=definition or None)
        for index, (title, definition) in enumerate(zip(header, definitions, strict=True))
    ]
    return render_table(cells, [format_row(summary, columns) for summary in summaries])


# --- footer --------------------------------------------------------------------------------------


def _footer(about: Mapping[str, Any], summaries: Sequence[Summary]) -> Markup:
    pairs = [("Created", about.get("created")), ("Auricle version", about.get("auricle")), *about.get("facts", ())]
    method = summaries[0]["method"] if summaries else {}
    notes = [f"{name.replace('_', ' ').capitalize()}: {text}." for name, text in method.items()]
    return tag(
        "footer",
        tag("h2", "Definitions"),
        _definitions_table(summaries),
        [tag("p", note) for note in notes],
        tag("h3", "About this measurement"),
        tag("dl", [_fact(name, str(text)) for name, text in pairs if text], class_="about"),
        id="method",
    )


def _fact(name: str, text: str) -> Markup:
    return tag("div", tag("dt", name), tag("dd", tag("bdi", text)))


def _definitions_table(summaries: Sequence[Summary]) -> Markup:
    rows = [
        tag("tr", tag("th", tag("code", name), scope="row"), [tag("td", text) for text in definition])
        for name, definition in used_definitions(summaries).items()
    ]
    header = [tag("th", title, scope="col") for title in ("Name", "Unit", "Definition", "Undefined when")]
    table = tag("table", tag("thead", tag("tr", header)), tag("tbody", rows))
    return tag("div", table, class_="wide meaning")
