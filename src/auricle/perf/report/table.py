"""One row a load point: on a terminal, and flat for a spreadsheet."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from auricle.perf.definitions import COSTS, DEFINITIONS, RUN_DEFINITIONS

Summary: TypeAlias = Mapping[str, Any]
NONE = "–"
NARROWEST = 60
LEAST = 0.001  # below which digits are told as "less"


class Shown(NamedTuple):
    """A number of a load point: a statistic of a measure, or of the run if none is named."""

    title: str
    name: str
    statistic: str = ""

    def of(self, summary: Summary) -> float | None:
        part = summary["measures" if self.statistic else "run"].get(self.name)
        found: float | None = part[self.statistic or "value"] if part else None
        return found

    @property
    def unit(self) -> str:
        return (DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name].unit


def _percentiles(title: str, name: str, *statistics: str) -> Iterator[Shown]:
    return (Shown(f"{title} {each}", name, each) for each in statistics)


SHOWN = (
    Shown("req/s", "req_s"),
    Shown("offered/s", "offered_rate"),
    Shown("sent/s", "achieved_rate"),
    Shown("in flight", "in_flight_mean"),
    *_percentiles("TTFT", "ttft_s", "p50", "p95", "p99"),
    *_percentiles("first audio", "ttfa_s", "p50", "p95"),
    *_percentiles("latency", "latency_s", "p50", "p95", "p99"),
    *_percentiles("from due", "sched_latency_s", "p50", "p99"),
    Shown("TPOT p50", "tpot_s", "p50"),
    Shown("tok/s", "tok_out_s"),
    Shown("RTFx", "audio_in_x"),
    Shown("RTF p95", "rtf", "p95"),
    Shown("gen RTF p95", "gen_rtf", "p95"),
    Shown("stall p95", "underrun_max_s", "p95"),
    Shown("goodput/s", "goodput_req_s"),
    Shown("kept", "slo_attainment"),
)
"""What a reader looks at first; a column nobody has a number for is left out."""
SPARE = (
    *("RTF p95", "TPOT p50", "from due p50", "first audio p95", "TTFT p95", "latency p95"),
    *("in flight", "goodput/s", "sent/s", "offered/s", "gen RTF p95", "TTFT p50", "tok/s"),
)
"""What is left out first where there is no room."""


def written(value: float | None, unit: str = "") -> str:
    """Three digits, and no powers of ten."""
    if value is None:
        return NONE
    if unit == "share":
        return f"{100 * value:.3g} %"
    if 0 < abs(value) < LEAST:
        return f"<{LEAST:g}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def columns_of(summaries: Sequence[Summary]) -> list[Shown]:
    """Those of `SHOWN` that some point has a number for."""
    return [
        shown
        for shown in SHOWN
        if any(shown.of(each) is not None and _says(shown, each) for each in summaries)
    ]


def leaner(columns: Sequence[Shown]) -> list[Shown]:
    """One column less, if there is one to spare."""
    titles = {each.title for each in columns}
    least = next((each for each in SPARE if each in titles), None)
    return [each for each in columns if each.title != least]


def _says(shown: Shown, summary: Summary) -> bool:
    """A rate of sending says nothing where nothing was due."""
    return shown.name != "achieved_rate" or summary["run"]["offered_rate"]["value"] is not None


def header(columns: Sequence[Shown]) -> list[str]:
    return ["load", "ok", "failed", *(_titled(each) for each in columns), "valid"]


def _titled(shown: Shown) -> str:
    return f"{shown.title}, s" if shown.unit == "s" else shown.title


def row(summary: Summary, columns: Sequence[Shown]) -> list[str]:
    counts = summary["counts"]["window"]
    told = [written(each.of(summary), each.unit) for each in columns]
    valid = "yes" if summary["validity"]["valid"] else "no"
    return [summary["load"], f"{counts['ok']:,}", f"{counts['failed']:,}", *told, valid]


# --- the terminal ---------------------------------------------------------------------------


def told(document: Mapping[str, Any]) -> str:
    """All that a terminal says of a measurement."""
    width = shutil.get_terminal_size((120, 24)).columns
    lines = terminal(document["points"], width=max(width, NARROWEST))
    lines += [found(each) for each in document.get("searches", ())]
    lines += [spread(each) for each in document.get("spreads", ())]
    if document.get("interrupted"):
        lines.append("Interrupted: what is told is of what was measured before.")
    return "\n".join(lines)


LONGER = "measure longer, with --duration or --count"


def found(search: Mapping[str, Any]) -> str:
    """What a search came to."""
    best, beyond = search["best"], search["beyond"]
    unjudged = {each["value"] for each in search["tried"] if not {True, False} & {*each["met"]}}
    if best is None and beyond in unjudged:
        said = f"no load could be judged; {LONGER}"
    elif best is None and unjudged:
        said = f"{written(beyond)} broke what was promised, and less could not be judged; {LONGER}"
    elif best is None:
        said = "not even the lowest load kept what was promised"
    elif beyond is None:
        said = f"{written(best)} still kept what was promised; try higher"
    else:
        failed = f"could not be judged; {LONGER}" if beyond in unjudged else "did not"
        said = f"{written(best)} kept what was promised, {written(beyond)} {failed}"
    return f"{search['search']}: {said}."


def spread(repeats: Mapping[str, Any]) -> str:
    """How far the repeats of one load lie apart."""
    told = [
        f"{name} {written(each['mean'])} ± {written(each['std'])}"
        f" ({written(each['min'])} … {written(each['max'])})"
        for name, each in repeats["numbers"].items()
    ]
    return f"{repeats['load']}, {repeats['repeats']} times, mean ± sd: {'; '.join(told)}."


def terminal(
    summaries: Sequence[Summary], *, width: int | None = None, definitions: bool = False
) -> list[str]:
    """A table, what speaks against it, what was promised; on demand, what its words mean."""
    if not summaries:
        return ["No load point was measured."]
    columns = columns_of(summaries)
    while True:
        lines = _aligned(header(columns), [row(each, columns) for each in summaries])
        fewer = leaner(columns)
        if width is None or len(lines[2]) <= width or fewer == columns:
            break
        columns = fewer
    lines += [line for each in summaries for line in remarks(each)]
    return lines + (meanings(columns) if definitions else [])


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Titles of two words over two lines, so that numbers stand close."""
    above, below = zip(*(_broken(title) for title in head), strict=True)
    whole = [above, below, *rows]
    widths = [max(len(each[at]) for each in whole) for at in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        return "  ".join(padded).rstrip()

    return [line(above), line(below), "  ".join("─" * width for width in widths), *map(line, rows)]


def _broken(title: str) -> tuple[str, str]:
    first, _, last = title.rpartition(" ")
    if title.endswith(", s"):
        first, _, last = first.rpartition(" ")
        last = f"{last} s".replace(", s", " s")
    return first.removesuffix(","), last


def remarks(summary: Summary) -> list[str]:
    """Why a point is not to be believed, what else to know, and which promises were kept."""
    load = summary["load"]
    told = [f"{load} is not valid: {each}" for each in summary["validity"]["reasons"]]
    told += [f"{load}: {each}" for each in summary["notes"]]
    for kind in summary["failures"]:
        told.append(f"{load}: {kind['count']:,} failed with {kind['examples'][0]}")
    return told + [f"{load}: {each}" for each in outcomes(summary)]


def outcomes(summary: Summary) -> list[str]:
    """Which promises were kept, how good the answers were, and what they cost."""
    return [*promises(summary), *accuracies(summary), *costs(summary)]


def costs(summary: Summary) -> list[str]:
    """What this load costs, where that is known."""
    hour, sound, requests = (summary["run"].get(name, {}).get("value") for name in COSTS)
    if hour is None:
        return []
    unit = summary["currency"]
    told = f"{written(hour)} {unit} an hour"
    if sound is not None:
        told += f", {written(sound)} {unit} for an hour of sound"
    return [f"{told}, {written(requests)} {unit} for a thousand requests."]


def accuracies(summary: Summary) -> list[str]:
    """How good the answers were that were timed, where they were scored."""
    return [
        f"{each['metric']} {written(each['value'])}"
        f" ({written(each['low'])} … {written(each['high'])}) over {each['scored']:,} answers."
        for each in summary.get("accuracy", ())
    ]


def promises(summary: Summary) -> list[str]:
    """What was promised, and what came of it."""
    made = (summary["slo"] or {}).get("promises", ())
    return [f"{each['slo']} {_verdict(each, summary)}" for each in made]


def _verdict(promise: Mapping[str, Any], summary: Summary) -> str:
    if promise["of"] == "request":
        share = summary["run"]["slo_attainment"]["value"]
        return f"of each request: {written(share, 'share')} kept all that was promised so."
    said = {True: "was met", False: "was not met", None: "cannot be judged"}[promise["met"]]
    return f"{said}: {written(promise['value'])}."


def meanings(columns: Sequence[Shown]) -> list[str]:
    """What each number of the table is, once."""
    known = {**DEFINITIONS, **RUN_DEFINITIONS}
    found = []
    for name in dict.fromkeys(each.name for each in columns):
        titles = ", ".join(each.title for each in columns if each.name == name)
        unit = f" [{known[name].unit}]" if known[name].unit else ""
        found.append(f"{titles}: {name}{unit} = {known[name].text}.")
    return found


# --- the spreadsheet ------------------------------------------------------------------------

BASE = (
    *("load", "valid", "window", "window_start_s", "window_end_s", "requests"),
    *("ok", "failed", "cancelled", "slo_met", "saturated"),
)
STATISTICS = ("n", "mean", "std", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
BOUNDED = tuple(
    f"{name}{end}" for name in RUN_DEFINITIONS for end in ("", "_low", "_high")
)  # fmt: skip
FLAT = (*BASE, *BOUNDED, *(f"{name}_{each}" for name in DEFINITIONS for each in STATISTICS))
"""The same columns whatever was measured, so that files of several runs fit below each other."""


def summary_csv(summaries: Sequence[Summary]) -> bytes:
    """One row a load point; what is unknown is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FLAT, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat(each) for each in summaries)
    return text.getvalue().encode()


def flat(summary: Summary) -> dict[str, Any]:
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
        found |= {f"{name}_{each}": measure[each] for each in STATISTICS}
    return found
