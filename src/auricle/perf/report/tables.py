"""One row a load point: on a terminal, and flat for a spreadsheet."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from auricle.perf.definitions import COST_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS

Summary: TypeAlias = Mapping[str, Any]
MISSING = "–"
MIN_WIDTH = 60
MIN_SHOWN_VALUE = 0.001  # below which digits are told as "less"


class TableColumn(NamedTuple):
    """A number of a load point: a statistic of a measure, or of the run if none is named."""

    title: str
    name: str
    statistic: str = ""

    def read_value(self, summary: Summary) -> float | None:
        part = summary["measures" if self.statistic else "run"].get(self.name)
        found: float | None = part[self.statistic or "value"] if part else None
        return found

    @property
    def unit(self) -> str:
        return (REQUEST_DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name].unit


def _percentile_columns(title: str, name: str, *statistics: str) -> Iterator[TableColumn]:
    return (TableColumn(f"{title} {each}", name, each) for each in statistics)


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
    TableColumn("kept", "slo_attainment"),
)
"""What a reader looks at first; a column nobody has a number for is left out."""
COLUMN_DROP_ORDER = (
    *("RTF p95", "TPOT p50", "from due p50", "first audio p95", "TTFT p95", "latency p95"),
    *("in flight", "goodput/s", "sent/s", "offered/s", "gen RTF p95", "TTFT p50", "tok/s"),
)
"""What is left out first where there is no room."""


def format_number(value: float | None, unit: str = "") -> str:
    """Three digits, and no powers of ten."""
    if value is None:
        return MISSING
    if unit == "share":
        return f"{100 * value:.3g} %"
    if 0 < abs(value) < MIN_SHOWN_VALUE:
        return f"<{MIN_SHOWN_VALUE:g}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def select_columns(summaries: Sequence[Summary]) -> list[TableColumn]:
    """Those of `SHOWN` that some point has a number for."""
    return [
        shown
        for shown in TABLE_COLUMNS
        if any(shown.read_value(each) is not None and _is_informative(shown, each) for each in summaries)
    ]


def drop_column(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """One column less, if there is one to spare."""
    titles = {each.title for each in columns}
    least = next((each for each in COLUMN_DROP_ORDER if each in titles), None)
    return [each for each in columns if each.title != least]


def _is_informative(column: TableColumn, summary: Summary) -> bool:
    """A rate of sending says nothing where nothing was due."""
    return column.name != "achieved_rate" or summary["run"]["offered_rate"]["value"] is not None


def format_header(columns: Sequence[TableColumn]) -> list[str]:
    return ["load", "ok", "failed", *(_title_with_unit(each) for each in columns), "valid"]


def _title_with_unit(column: TableColumn) -> str:
    return f"{column.title}, s" if column.unit == "s" else column.title


def format_row(summary: Summary, columns: Sequence[TableColumn]) -> list[str]:
    counts = summary["counts"]["window"]
    told = [format_number(each.read_value(summary), each.unit) for each in columns]
    valid = "yes" if summary["validity"]["valid"] else "no"
    return [summary["load"], f"{counts['ok']:,}", f"{counts['failed']:,}", *told, valid]


# --- the terminal ---------------------------------------------------------------------------


def format_measurement(document: Mapping[str, Any]) -> str:
    """All that a terminal says of a measurement."""
    width = shutil.get_terminal_size((120, 24)).columns
    lines = format_summaries(document["points"], width=max(width, MIN_WIDTH))
    lines += [format_search(each) for each in document.get("searches", ())]
    lines += [format_repeats(each) for each in document.get("spreads", ())]
    if document.get("interrupted"):
        lines.append("Interrupted: what is told is of what was measured before.")
    return "\n".join(lines)


MEASURE_LONGER_HINT = "measure longer, with --duration or --count"


def format_search(search_result: Mapping[str, Any]) -> str:
    """What a search came to."""
    best, beyond = search_result["best"], search_result["beyond"]
    unjudged = {each["value"] for each in search_result["tried"] if not {True, False} & {*each["met"]}}
    if best is None and beyond in unjudged:
        said = f"no load could be judged; {MEASURE_LONGER_HINT}"
    elif best is None and unjudged:
        said = f"{format_number(beyond)} broke what was promised, and less could not be judged; {MEASURE_LONGER_HINT}"
    elif best is None:
        said = "not even the lowest load kept what was promised"
    elif beyond is None:
        said = f"{format_number(best)} still kept what was promised; try higher"
    else:
        failed = f"could not be judged; {MEASURE_LONGER_HINT}" if beyond in unjudged else "did not"
        said = f"{format_number(best)} kept what was promised, {format_number(beyond)} {failed}"
    return f"{search_result['search']}: {said}."


def format_repeats(repeats: Mapping[str, Any]) -> str:
    """How far the repeats of one load lie apart."""
    told = [
        f"{name} {format_number(each['mean'])} ± {format_number(each['std'])}"
        f" ({format_number(each['min'])} … {format_number(each['max'])})"
        for name, each in repeats["numbers"].items()
    ]
    return f"{repeats['load']}, {repeats['repeats']} times, mean ± sd: {'; '.join(told)}."


def format_summaries(
    summaries: Sequence[Summary], *, width: int | None = None, with_definitions: bool = False
) -> list[str]:
    """A table, what speaks against it, what was promised; on demand, what its words mean."""
    if not summaries:
        return ["No load point was measured."]
    columns = select_columns(summaries)
    while True:
        lines = _align_columns(format_header(columns), [format_row(each, columns) for each in summaries])
        fewer = drop_column(columns)
        if width is None or len(lines[2]) <= width or fewer == columns:
            break
        columns = fewer
    lines += [line for each in summaries for line in format_remarks(each)]
    return lines + (format_definitions(columns) if with_definitions else [])


def _align_columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Titles of two words over two lines, so that numbers stand close."""
    above, below = zip(*(_split_title(title) for title in titles), strict=True)
    whole = [above, below, *rows]
    widths = [max(len(each[at]) for each in whole) for at in range(len(titles))]

    def line(cells: Sequence[str]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        return "  ".join(padded).rstrip()

    return [line(above), line(below), "  ".join("─" * width for width in widths), *map(line, rows)]


def _split_title(title: str) -> tuple[str, str]:
    first, _, last = title.rpartition(" ")
    if title.endswith(", s"):
        first, _, last = first.rpartition(" ")
        last = f"{last} s".replace(", s", " s")
    return first.removesuffix(","), last


def format_remarks(summary: Summary) -> list[str]:
    """Why a point is not to be believed, what else to know, and which promises were kept."""
    load = summary["load"]
    told = [f"{load} is not valid: {each}" for each in summary["validity"]["reasons"]]
    told += [f"{load}: {each}" for each in summary["notes"]]
    for kind in summary["failures"]:
        told.append(f"{load}: {kind['count']:,} failed with {kind['examples'][0]}")
    return told + [f"{load}: {each}" for each in format_outcomes(summary)]


def format_outcomes(summary: Summary) -> list[str]:
    """Which promises were kept, how good the answers were, and what they cost."""
    return [*format_slos(summary), *format_accuracies(summary), *format_costs(summary)]


def format_costs(summary: Summary) -> list[str]:
    """What this load costs, where that is known."""
    hour, sound, requests = (summary["run"].get(name, {}).get("value") for name in COST_MEASURES)
    if hour is None:
        return []
    unit = summary["currency"]
    told = f"{format_number(hour)} {unit} an hour"
    if sound is not None:
        told += f", {format_number(sound)} {unit} for an hour of sound"
    return [f"{told}, {format_number(requests)} {unit} for a thousand requests."]


def format_accuracies(summary: Summary) -> list[str]:
    """How good the answers were that were timed, where they were scored."""
    return [
        f"{each['metric']} {format_number(each['value'])}"
        f" ({format_number(each['low'])} … {format_number(each['high'])}) over {each['scored']:,} answers."
        for each in summary.get("accuracy", ())
    ]


def format_slos(summary: Summary) -> list[str]:
    """What was promised, and what came of it."""
    made = (summary["slo"] or {}).get("promises", ())
    return [f"{each['slo']} {_format_slo_outcome(each, summary)}" for each in made]


def _format_slo_outcome(slo: Mapping[str, Any], summary: Summary) -> str:
    if slo["of"] == "request":
        share = summary["run"]["slo_attainment"]["value"]
        return f"of each request: {format_number(share, 'share')} kept all that was promised so."
    said = {True: "was met", False: "was not met", None: "cannot be judged"}[slo["met"]]
    return f"{said}: {format_number(slo['value'])}."


def format_definitions(columns: Sequence[TableColumn]) -> list[str]:
    """What each number of the table is, once."""
    known = {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}
    found = []
    for name in dict.fromkeys(each.name for each in columns):
        titles = ", ".join(each.title for each in columns if each.name == name)
        unit = f" [{known[name].unit}]" if known[name].unit else ""
        found.append(f"{titles}: {name}{unit} = {known[name].text}.")
    return found


# --- the spreadsheet ------------------------------------------------------------------------

CSV_BASE_COLUMNS = (
    *("load", "valid", "window", "window_start_s", "window_end_s", "requests"),
    *("ok", "failed", "cancelled", "slo_met", "saturated"),
)
CSV_STATISTICS = ("n", "mean", "std", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
CSV_RUN_COLUMNS = tuple(
    f"{name}{end}" for name in RUN_DEFINITIONS for end in ("", "_low", "_high")
)  # fmt: skip
CSV_COLUMNS = (
    *CSV_BASE_COLUMNS,
    *CSV_RUN_COLUMNS,
    *(f"{name}_{each}" for name in REQUEST_DEFINITIONS for each in CSV_STATISTICS),
)
"""The same columns whatever was measured, so that files of several runs fit below each other."""


def render_csv(summaries: Sequence[Summary]) -> bytes:
    """One row a load point; what is unknown is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flatten_summary(each) for each in summaries)
    return text.getvalue().encode()


def flatten_summary(summary: Summary) -> dict[str, Any]:
    """A point's numbers by one name each."""
    window, found = summary["window"], {"load": summary["load"], **summary["counts"]["window"]}
    found |= {
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
        found |= {name: number["value"], f"{name}_low": low, f"{name}_high": high}
    for name, measure in summary["measures"].items():
        found |= {f"{name}_{each}": measure[each] for each in CSV_STATISTICS}
    return found
