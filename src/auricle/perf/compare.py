"""Two measurements beside each other: what differs in how they were made, then in what they show.

compared(a, b) -> dict      as JSON has it
lines(document) -> list[str]      for a terminal
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import orjson

from auricle.core.errors import DataError
from auricle.perf.definitions import COST_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report.tables import format_number

Document: TypeAlias = Mapping[str, Any]
IntervalBounds: TypeAlias = Sequence[float] | None

MANIFEST, SUMMARY = "perf.json", "summary.json"
IGNORED_CONFIG_KEYS = ("loads", "slo", "max_errors", "stop_saturated", "bill")
"""What may differ of a plan without making numbers of one load strangers."""


class ComparedNumber(NamedTuple):
    """A number that is compared: of the run, or a statistic of a measure of requests."""

    name: str
    statistic: str = ""
    higher_is_better: bool = False

    def read_value(self, point: Document) -> tuple[float | None, IntervalBounds]:
        if self.statistic:
            part = point["measures"].get(self.name) or {}
            ends: IntervalBounds = (part.get("intervals") or {}).get(self.statistic)
            return part.get(self.statistic), ends
        part = point["run"].get(self.name) or {}
        return part.get("value"), part.get("interval")

    @property
    def title(self) -> str:
        return f"{self.name} {self.statistic}".strip()

    @property
    def unit(self) -> str:
        return (REQUEST_DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name].unit


HIGHER_IS_BETTER_MEASURES = ("req_s", "tok_out_s", "audio_in_x", "audio_out_x", "goodput_req_s")
LOWER_IS_BETTER_MEASURES = ("ttft_s", "ttfa_s", "latency_s", "sched_latency_s", "tpot_s", "rtf", "gen_rtf")
COMPARED_NUMBERS = (
    *(ComparedNumber(name, higher_is_better=True) for name in HIGHER_IS_BETTER_MEASURES),
    *(ComparedNumber(name, each) for name in (*LOWER_IS_BETTER_MEASURES, "underrun_max_s") for each in ("p50", "p95")),
    ComparedNumber("slo_attainment", higher_is_better=True),
    ComparedNumber("failed_share"),
    *(ComparedNumber(name) for name in COST_MEASURES),
)


def is_measurement(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def build_comparison(a: Path, b: Path) -> dict[str, Any]:
    """A is the baseline. What was not made alike is told first; nothing is left out for it."""
    first, second = _read_summary(a), _read_summary(b)
    pairs, only = _pair_points(first["points"], second["points"])
    return {
        "schema": 1,
        "a": _describe_side(a, first),
        "b": _describe_side(b, second),
        "differs": [*_find_setup_differences(first, second), *_find_window_differences(pairs)],
        "points": [_compare_point(load, one, two) for load, one, two in pairs],
        "only_a": only[0],
        "only_b": only[1],
    }


def _read_summary(folder: Path) -> dict[str, Any]:
    path = folder / SUMMARY
    if not path.exists():
        raise DataError(f"{folder} has no {SUMMARY}: no load point of it came to an end.")
    document: dict[str, Any] = orjson.loads(path.read_bytes())
    return document


def _describe_side(folder: Path, document: Document) -> dict[str, Any]:
    about = document["about"]
    names = {"task": document["task"], "model": document["model"], "created": about["created"]}
    return {"folder": str(folder), **names}


def _find_setup_differences(a: Document, b: Document) -> Iterator[dict[str, Any]]:
    """In the data, in what was asked, and in how it was measured and where."""
    sides = [_flatten_setup(each) for each in (a, b)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, two = (side.get(name) for side in sides)
        if one != two:
            yield {"what": name, "a": one, "b": two}


def _flatten_setup(document: Document) -> dict[str, Any]:
    """How a measurement was made, by names a reader knows."""
    about = document["about"]
    spec, wanted = about["spec"], about["wanted"]
    found = {
        "task": document["task"],
        "data": about.get("revision"),
        "limit": spec.get("limit"),
        "asked by": about["inferencer"],
        "model": spec.get("model"),
    }
    for name in ("task_args", "model_args"):
        found |= {f"{name[:-5]}: {key}": value for key, value in (spec.get(name) or {}).items()}
    found |= {name: value for name, value in wanted.items() if name not in IGNORED_CONFIG_KEYS}
    found |= {"machine": about["platform"], "cores": about["cores"]}
    found |= about["versions"]
    return found


PointPair: TypeAlias = tuple[str, Document, Document]


def _pair_points(a: Sequence[Document], b: Sequence[Document]) -> tuple[list[PointPair], tuple[list[str], list[str]]]:
    """Points of one load; where it was played several times, the first with the first."""
    one, two = (dict(zip(_number_repeated_loads(points), points, strict=True)) for points in (a, b))
    both = [(name, one[name], two[name]) for name in one if name in two]
    return both, ([name for name in one if name not in two], [n for n in two if n not in one])


def _number_repeated_loads(points: Sequence[Document]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for point in points:
        seen[point["load"]] += 1
        nth = seen[point["load"]]
        names.append(point["load"] if nth == 1 else f"{point['load']} ({nth})")
    return names


def _find_window_differences(pairs: Sequence[PointPair]) -> Iterator[dict[str, Any]]:
    """A steady window beside a whole run is not the same rule, whatever was asked for."""
    for load, one, two in pairs:
        kinds = [each["window"]["kind"] for each in (one, two)]
        if kinds[0] != kinds[1]:
            yield {"what": f"window of {load}", "a": kinds[0], "b": kinds[1]}


def _compare_point(load: str, point_a: Document, point_b: Document) -> dict[str, Any]:
    rows = [_compare_number(each, *each.read_value(point_a), *each.read_value(point_b)) for each in COMPARED_NUMBERS]
    rows = [row for row in rows if row["a"] is not None or row["b"] is not None]
    return {
        "load": load,
        "valid": [each["validity"]["valid"] for each in (point_a, point_b)],
        "rows": [*rows, *_compare_accuracies(point_a, point_b)],
    }


def _compare_number(
    number: ComparedNumber, a: float | None, a_interval: IntervalBounds, b: float | None, b_interval: IntervalBounds
) -> dict[str, Any]:
    return {
        "name": number.title,
        "unit": number.unit,
        "higher_is_better": number.higher_is_better,
        **_compare_values(a, a_interval, b, b_interval),
    }


def _compare_values(
    a: float | None, a_interval: IntervalBounds, b: float | None, b_interval: IntervalBounds
) -> dict[str, Any]:
    """`apart`: the intervals do not touch; None where there are not two."""
    return {
        "a": a,
        "b": b,
        "a_interval": a_interval,
        "b_interval": b_interval,
        "ratio": b / a if a and b is not None else None,
        "apart": (a_interval[1] < b_interval[0] or b_interval[1] < a_interval[0])
        if a_interval and b_interval
        else None,
    }


def _compare_accuracies(point_a: Document, point_b: Document) -> Iterator[dict[str, Any]]:
    """What the answers were worth, beside how fast they came."""
    others = {each["metric"]: each for each in point_b.get("accuracy", ())}
    for mine in point_a.get("accuracy", ()):
        other = others.get(mine["metric"])
        if other is None:
            continue
        values = [_value_and_interval(each) for each in (mine, other)]
        yield {
            "name": mine["metric"],
            "unit": "",
            "higher_is_better": mine["higher_is_better"],
            **_compare_values(*values[0], *values[1]),
        }


def _value_and_interval(number: Document) -> tuple[float | None, IntervalBounds]:
    ends = (number["low"], number["high"])
    return number["value"], None if None in ends else ends


# --- the terminal ---------------------------------------------------------------------------


def format_comparison(document: Document) -> list[str]:
    """What differs in how they were made, then a table for each load that both have."""
    told = [_format_side(name, document[name]) for name in ("a", "b")]
    if document["differs"]:
        told += ["", "Not made alike:"]
        told += [
            f"  {each['what']}: {_shorten(each['a'])} in A, {_shorten(each['b'])} in B" for each in document["differs"]
        ]
    for point in document["points"]:
        told += ["", *_format_table(point)]
    for name in ("a", "b"):
        if document[f"only_{name}"]:
            told += ["", f"Only in {name.upper()}: {', '.join(document[f'only_{name}'])}"]
    if not document["points"]:
        told += ["", "No load was played in both."]
    return told


def _format_side(name: str, about: Document) -> str:
    words = f"{about['task']} · {about['model']}, {about['created']}"
    return f"{name.upper()}  {about['folder']}  ({words})"


def _shorten(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _format_table(point: Document) -> list[str]:
    head = [point["load"], "A", "95 % interval", "B", "95 % interval", "B / A", ""]
    rows = [head, *(_format_row(row) for row in point["rows"])]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    told = ["  ".join(_pad_cells(row, widths)).rstrip() for row in rows]
    wrong = [side for side, valid in zip("AB", point["valid"], strict=True) if not valid]
    return [*told, *(f"{each}'s {point['load']} is not valid, as its summary tells." for each in wrong)]


def _pad_cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if 0 < at < len(widths) - 1 else cell.ljust(width)


def _format_row(row: Document) -> list[str]:
    unit = row["unit"]
    ratio = "–" if row["ratio"] is None else f"{row['ratio']:.3g}"
    sides = [[format_number(row[side], unit), _format_interval(row[f"{side}_interval"], unit)] for side in ("a", "b")]
    return [row["name"], *sides[0], *sides[1], ratio, _format_verdict(row)]


def _format_interval(interval: IntervalBounds, unit: str) -> str:
    return " … ".join(format_number(end, unit) for end in interval) if interval else "–"


def _format_verdict(row: Document) -> str:
    """Only what the intervals bear out."""
    if not row["apart"]:
        return "" if row["apart"] is None else "intervals overlap"
    return "B is better" if (row["b"] > row["a"]) == row["higher_is_better"] else "B is worse"
