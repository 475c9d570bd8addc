"""Format load points as text for a terminal and as CSV, with one row per point."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from auricle.perf.measure_definitions import COST_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS, Definition

Summary: TypeAlias = Mapping[str, Any]
MISSING = "–"
MIN_WIDTH = 60
MIN_SHOWN_VALUE = 0.001  # smaller values are shown as "<0.001"
STATISTICS = ("n", "mean", "p50", "p90", "p95", "p99", "max")
"""Statistics of a measure in the Markdown and HTML reports."""
INTERRUPTED_NOTICE = "Interrupted: only what was measured before the interruption is shown."


class TableColumn(NamedTuple):
    """A column of the overview: a statistic of a request measure, or a run measure if `statistic` is empty."""

    title: str
    name: str
    statistic: str = ""

    def read_value(self, summary: Summary) -> float | None:
        entry = summary["measures" if self.statistic else "run"].get(self.name)
        value: float | None = entry[self.statistic or "value"] if entry else None
        return value

    @property
    def definition(self) -> Definition:
        return (REQUEST_DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name]


def _percentile_columns(title: str, name: str, *statistics: str) -> Iterator[TableColumn]:
    return (TableColumn(f"{title} {statistic}", name, statistic) for statistic in statistics)


TABLE_COLUMNS = (
    TableColumn("req/s", "req_s"),
    TableColumn("offered/s", "offered_rate"),
    TableColumn("sent/s", "achieved_rate"),
    TableColumn("in flight", "in_flight_mean"),
    *_percentile_columns("TTFT", "ttft_s", "p50", "p95", "p99"),
    *_percentile_columns("first audio", "ttfa_s", "p50", "p95"),
    *_percentile_columns("latency", "latency_s", "p50", "p95", "p99"),
    *_percentile_columns("from due", "sched_latency_s", "p50", "p99"),
    TableColumn("TPOT p50", "tpot_s", "p50"),
    TableColumn("tok/s", "tok_out_s"),
    TableColumn("RTFx", "audio_in_x"),
    TableColumn("RTF p95", "rtf", "p95"),
    TableColumn("gen RTF p95", "gen_rtf", "p95"),
    TableColumn("stall p95", "underrun_max_s", "p95"),
    TableColumn("goodput/s", "goodput_req_s"),
    TableColumn("SLO met", "slo_attainment"),
)
"""Columns of the overview; a column without any number is left out."""
COLUMN_DROP_ORDER = (
    *("RTF p95", "TPOT p50", "from due p50", "first audio p95", "TTFT p95", "latency p95"),
    *("in flight", "goodput/s", "sent/s", "offered/s", "gen RTF p95", "TTFT p50", "tok/s"),
)
"""Columns to leave out, in this order, if there is not enough room."""


def format_number(value: float | None, unit: str = "") -> str:
    """Format a number with three digits and without an exponent."""
    if value is None:
        return MISSING
    if unit == "share":
        return f"{100 * value:.3g} %"
    if 0 < abs(value) < MIN_SHOWN_VALUE:
        return f"<{MIN_SHOWN_VALUE:g}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_interval(interval: Sequence[float] | None, unit: str = "") -> str:
    """Format the bounds of an interval."""
    return " … ".join(format_number(bound, unit) for bound in interval) if interval else MISSING


def select_columns(summaries: Sequence[Summary]) -> list[TableColumn]:
    """Return the columns of `TABLE_COLUMNS` for which a point has a number."""
    return [
        column
        for column in TABLE_COLUMNS
        if any(column.read_value(summary) is not None and _is_informative(column, summary) for summary in summaries)
    ]


def drop_column(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Return the columns without the least important one; all of them if none can be left out."""
    titles = {column.title for column in columns}
    dropped = next((title for title in COLUMN_DROP_ORDER if title in titles), None)
    return [column for column in columns if column.title != dropped]


def _is_informative(column: TableColumn, summary: Summary) -> bool:
    """Return whether a number is worth showing; the achieved rate is not without an offered rate."""
    return column.name != "achieved_rate" or summary["run"]["offered_rate"]["value"] is not None


def format_header(columns: Sequence[TableColumn]) -> list[str]:
    return ["load", "ok", "failed", *(_title_with_unit(column) for column in columns), "valid"]


def _title_with_unit(column: TableColumn) -> str:
    return f"{column.title}, s" if column.definition.unit == "s" else column.title


def format_row(summary: Summary, columns: Sequence[TableColumn]) -> list[str]:
    counts = summary["counts"]["window"]
    numbers = [format_number(column.read_value(summary), column.definition.unit) for column in columns]
    valid = "yes" if summary["validity"]["valid"] else "no"
    return [summary["load"], f"{counts['ok']:,}", f"{counts['failed']:,}", *numbers, valid]


def used_definitions(summaries: Sequence[Summary]) -> dict[str, Definition]:
    """Return the definitions of all run measures and of the request measures that have values."""
    used = [name for name in REQUEST_DEFINITIONS if any(summary["measures"][name]["n"] for summary in summaries)]
    return {name: REQUEST_DEFINITIONS[name] for name in used} | RUN_DEFINITIONS


def describe_window(summary: Summary) -> str:
    """Describe the window of a load point and its requests in one sentence."""
    window, counts = summary["window"], summary["counts"]["window"]
    kind = "steady window" if window["kind"] == "steady" else "whole measured phase"
    return (
        f"{window['requests']:,} requests in {format_number(window['length_s'])} s ({kind}):"
        f" {counts['ok']:,} succeeded, {counts['failed']:,} failed,"
        f" {counts['cancelled']:,} were cancelled."
    )


# --- terminal -------------------------------------------------------------------------------


def format_measurement(document: Mapping[str, Any]) -> str:
    """Format a measurement for a terminal."""
    width = shutil.get_terminal_size((120, 24)).columns
    lines = format_summaries(document["points"], width=max(width, MIN_WIDTH))
    lines += [format_search(result) for result in document.get("searches", ())]
    lines += [format_repeats(repeats) for repeats in document.get("spreads", ())]
    if document.get("interrupted"):
        lines.append(INTERRUPTED_NOTICE)
    return "\n".join(lines)


MEASURE_LONGER_HINT = "measure longer, with --duration or --count"


def format_search(search_result: Mapping[str, Any]) -> str:
    """Format the result of a search as a sentence."""
    best, beyond = search_result["best"], search_result["beyond"]
    inconclusive = {trial["value"] for trial in search_result["tried"] if not {True, False} & {*trial["met"]}}
    if best is None and beyond in inconclusive:
        outcome = f"no load could be judged; {MEASURE_LONGER_HINT}"
    elif best is None and inconclusive:
        outcome = f"{format_number(beyond)} missed the SLOs, and lower loads could not be judged; {MEASURE_LONGER_HINT}"
    elif best is None:
        outcome = "even the lowest load missed the SLOs"
    elif beyond is None:
        outcome = f"{format_number(best)}, the highest load, met the SLOs; raise high="
    else:
        failure = f"could not be judged; {MEASURE_LONGER_HINT}" if beyond in inconclusive else "missed them"
        outcome = f"{format_number(best)} met the SLOs, {format_number(beyond)} {failure}"
    return f"{search_result['search']}: {outcome}."


def format_repeats(repeats: Mapping[str, Any]) -> str:
    """Format the variation between repeats of a load as a sentence."""
    numbers = [
        f"{name} {format_number(number['mean'])} ± {format_number(number['std'])}"
        f" ({format_interval((number['min'], number['max']))})"
        for name, number in repeats["numbers"].items()
    ]
    return f"{repeats['load']}, {repeats['repeats']} repeats, mean ± sd: {'; '.join(numbers)}."


def format_summaries(summaries: Sequence[Summary], *, width: int | None = None) -> list[str]:
    """Format a table of load points that fits into `width`, followed by remarks on each."""
    if not summaries:
        return ["No load point was measured."]
    columns = select_columns(summaries)
    while True:
        lines = _align_columns(format_header(columns), [format_row(summary, columns) for summary in summaries])
        fewer_columns = drop_column(columns)
        if width is None or len(lines[2]) <= width or fewer_columns == columns:
            break
        columns = fewer_columns
    return lines + [line for summary in summaries for line in format_remarks(summary)]


def _align_columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Align a table; titles of several words take two lines, to keep columns narrow."""
    above, below = zip(*(_split_title(title) for title in titles), strict=True)
    widths = [max(map(len, column)) for column in zip(above, below, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        name, *numbers = zip(cells, widths, strict=True)
        padded = [name[0].ljust(name[1]), *(cell.rjust(width) for cell, width in numbers)]
        return "  ".join(padded).rstrip()

    return [line(above), line(below), "  ".join("─" * width for width in widths), *map(line, rows)]


def _split_title(title: str) -> tuple[str, str]:
    first, _, last = title.rpartition(" ")
    if title.endswith(", s"):
        first, _, last = first.rpartition(" ")
        last = f"{last} s".replace(", s", " s")
    return first.removesuffix(","), last


def format_remarks(summary: Summary) -> list[str]:
    """Return why a point is not valid, its notes, failures, SLOs, metrics and costs."""
    load = summary["load"]
    remarks = [f"{load} is not valid: {reason}" for reason in summary["validity"]["reasons"]]
    remarks += [f"{load}: {note}" for note in summary["notes"]]
    for failure in summary["failures"]:
        remarks.append(f"{load}: {failure['count']:,} failed with {failure['examples'][0]}")
    return remarks + [f"{load}: {outcome}" for outcome in format_outcomes(summary)]


def format_outcomes(summary: Summary) -> list[str]:
    """Return sentences on the SLOs, the metrics and the costs of a load point."""
    return [*format_slos(summary), *format_accuracies(summary), *format_costs(summary)]


def format_costs(summary: Summary) -> list[str]:
    """Return a sentence on the cost of a load point; none if the cost is unknown."""
    hour, audio_hour, requests = (summary["run"].get(name, {}).get("value") for name in COST_MEASURES)
    if hour is None:
        return []
    unit = summary["currency"]
    parts = [f"{format_number(hour)} {unit} per hour"]
    if audio_hour is not None:
        parts.append(f"{format_number(audio_hour)} {unit} per hour of audio")
    return [f"{', '.join(parts)}, {format_number(requests)} {unit} per thousand requests."]


def format_accuracies(summary: Summary) -> list[str]:
    """Return a sentence on each metric of a load point."""
    return [
        f"{number['metric']} {format_number(number['value'])}"
        f" ({format_interval((number['low'], number['high']))}) over {number['scored']:,} answers."
        for number in summary.get("accuracy", ())
    ]


def format_slos(summary: Summary) -> list[str]:
    """Return a sentence on each SLO of a load point."""
    slos = (summary["slo"] or {}).get("promises", ())
    return [f"{slo['slo']} {_format_slo_outcome(slo, summary)}" for slo in slos]


def _format_slo_outcome(slo: Mapping[str, Any], summary: Summary) -> str:
    if slo["of"] == "request":
        share = summary["run"]["slo_attainment"]["value"]
        return f"per request: {format_number(share, 'share')} of the requests met all per-request SLOs."
    verdict = {True: "was met", False: "was not met", None: "cannot be judged"}[slo["met"]]
    return f"{verdict}: {format_number(slo['value'])}."


# --- CSV ------------------------------------------------------------------------------------

CSV_BASE_COLUMNS = (
    *("load", "valid", "window", "window_start_s", "window_end_s", "requests"),
    *("ok", "failed", "cancelled", "slo_met", "saturated"),
)
CSV_STATISTICS = ("n", "mean", "std", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
CSV_RUN_COLUMNS = tuple(f"{name}{suffix}" for name in RUN_DEFINITIONS for suffix in ("", "_low", "_high"))
CSV_COLUMNS = (
    *CSV_BASE_COLUMNS,
    *CSV_RUN_COLUMNS,
    *(f"{name}_{statistic}" for name in REQUEST_DEFINITIONS for statistic in CSV_STATISTICS),
)
"""Always the same columns, so that files of several measurements can be concatenated."""


def render_csv(summaries: Sequence[Summary]) -> bytes:
    """Render one row per load point; unknown values are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flatten_summary(summary) for summary in summaries)
    return text.getvalue().encode()


def flatten_summary(summary: Summary) -> dict[str, Any]:
    """Flatten a load point's summary into one value per CSV column."""
    window, row = summary["window"], {"load": summary["load"], **summary["counts"]["window"]}
    row |= {
        "valid": summary["validity"]["valid"],
        "window": window["kind"],
        "window_start_s": window["start_s"],
        "window_end_s": window["end_s"],
        "requests": window["requests"],
        "slo_met": (summary["slo"] or {}).get("met"),
        "saturated": summary["saturation"]["saturated"],
    }
    for name, number in summary["run"].items():
        low, high = number.get("interval") or (None, None)
        row |= {name: number["value"], f"{name}_low": low, f"{name}_high": high}
    for name, measure in summary["measures"].items():
        row |= {f"{name}_{statistic}": measure[statistic] for statistic in CSV_STATISTICS}
    return row
