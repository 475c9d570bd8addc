"""Compare two measurements: differences in their setup, then in their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from auricle.perf.measure_definitions import COST_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.recompute import is_measurement, read_summary
from auricle.perf.report.tables import format_interval, format_number

__all__ = ["build_comparison", "format_comparison", "is_measurement"]

Document: TypeAlias = Mapping[str, Any]
IntervalBounds: TypeAlias = Sequence[float] | None

IGNORED_CONFIG_KEYS = ("loads", "slo", "max_errors", "stop_saturated", "bill")
"""Options that may differ without making the numbers of a load point incomparable."""


class ComparedNumber(NamedTuple):
    """A compared number: a run measure, or a statistic of a request measure."""

    name: str
    statistic: str = ""
    higher_is_better: bool = False

    def read_value(self, point: Document) -> tuple[float | None, IntervalBounds]:
        if self.statistic:
            entry = point["measures"].get(self.name) or {}
            interval: IntervalBounds = (entry.get("intervals") or {}).get(self.statistic)
            return entry.get(self.statistic), interval
        entry = point["run"].get(self.name) or {}
        return entry.get("value"), entry.get("interval")

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
    *(ComparedNumber(name, p) for name in (*LOWER_IS_BETTER_MEASURES, "underrun_max_s") for p in ("p50", "p95")),
    ComparedNumber("slo_attainment", higher_is_better=True),
    ComparedNumber("failed_share"),
    *(ComparedNumber(name) for name in COST_MEASURES),
)


def build_comparison(a: Path, b: Path) -> dict[str, Any]:
    """Compare measurement B with baseline A; differences in setup are listed but do not exclude any number."""
    first, second = read_summary(a), read_summary(b)
    pairs, only = _pair_points(first["points"], second["points"])
    return {
        "schema": 1,
        "a": _describe_side(a, first),
        "b": _describe_side(b, second),
        "differs": [*_find_setup_differences(first, second), *_find_window_differences(pairs)],
        "points": [_compare_point(*pair) for pair in pairs],
        "only_a": only[0],
        "only_b": only[1],
    }


def _describe_side(folder: Path, document: Document) -> dict[str, Any]:
    about = document["about"]
    names = {"task": document["task"], "model": document["model"], "created": about["created"]}
    return {"folder": str(folder), **names}


def _find_setup_differences(a: Document, b: Document) -> Iterator[dict[str, Any]]:
    """Yield differences in data, requests, measurement options and machine."""
    setup_a, setup_b = _flatten_setup(a), _flatten_setup(b)
    for name in dict.fromkeys([*setup_a, *setup_b]):
        if setup_a.get(name) != setup_b.get(name):
            yield {"what": name, "a": setup_a.get(name), "b": setup_b.get(name)}


def _flatten_setup(document: Document) -> dict[str, Any]:
    """Describe how a measurement was made, by names that a reader understands."""
    about = document["about"]
    spec, config = about["spec"], about["wanted"]
    setup = {
        "task": document["task"],
        "data": about.get("revision"),
        "limit": spec.get("limit"),
        "inferencer": about["inferencer"],
        "model": spec.get("model"),
    }
    for name in ("task_args", "model_args"):
        setup |= {f"{name[:-5]}: {key}": value for key, value in (spec.get(name) or {}).items()}
    setup |= {name: value for name, value in config.items() if name not in IGNORED_CONFIG_KEYS}
    setup |= {"machine": about["platform"], "cores": about["cores"]}
    setup |= about["versions"]
    return setup


PointPair: TypeAlias = tuple[str, Document, Document]


def _pair_points(a: Sequence[Document], b: Sequence[Document]) -> tuple[list[PointPair], tuple[list[str], list[str]]]:
    """Pair points of the same load; repeats of a load are paired in order."""
    points_a, points_b = (dict(zip(_number_repeated_loads(points), points, strict=True)) for points in (a, b))
    pairs = [(name, points_a[name], points_b[name]) for name in points_a if name in points_b]
    only_a = [name for name in points_a if name not in points_b]
    return pairs, (only_a, [name for name in points_b if name not in points_a])


def _number_repeated_loads(points: Sequence[Document]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for point in points:
        seen[point["load"]] += 1
        nth = seen[point["load"]]
        names.append(point["load"] if nth == 1 else f"{point['load']} ({nth})")
    return names


def _find_window_differences(pairs: Sequence[PointPair]) -> Iterator[dict[str, Any]]:
    """Yield points of which one has a steady window and the other does not, whatever the option was."""
    for load, point_a, point_b in pairs:
        kind_a, kind_b = point_a["window"]["kind"], point_b["window"]["kind"]
        if kind_a != kind_b:
            yield {"what": f"window of {load}", "a": kind_a, "b": kind_b}


def _compare_point(load: str, point_a: Document, point_b: Document) -> dict[str, Any]:
    rows = [
        _compare_number(number, *number.read_value(point_a), *number.read_value(point_b)) for number in COMPARED_NUMBERS
    ]
    rows = [row for row in rows if row["a"] is not None or row["b"] is not None]
    return {
        "load": load,
        "valid": [point["validity"]["valid"] for point in (point_a, point_b)],
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
    """Compare two values; `apart` is whether their intervals are disjoint, None unless both have one."""
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
    """Compare the metrics that both points have."""
    numbers_b = {number["metric"]: number for number in point_b.get("accuracy", ())}
    for number in point_a.get("accuracy", ()):
        if number["metric"] in numbers_b:
            yield {
                "name": number["metric"],
                "unit": "",
                "higher_is_better": number["higher_is_better"],
                **_compare_values(*_value_and_interval(number), *_value_and_interval(numbers_b[number["metric"]])),
            }


def _value_and_interval(number: Document) -> tuple[float | None, IntervalBounds]:
    interval = (number["low"], number["high"])
    return number["value"], None if None in interval else interval


# --- terminal output ------------------------------------------------------------------------


def format_comparison(document: Document) -> list[str]:
    """Format a comparison for a terminal: differences in setup, then one table per common load."""
    lines = [_format_side(name, document[name]) for name in ("a", "b")]
    if document["differs"]:
        lines += ["", "Different setup:"]
        lines += [
            f"  {difference['what']}: {_shorten(difference['a'])} in A, {_shorten(difference['b'])} in B"
            for difference in document["differs"]
        ]
    for point in document["points"]:
        lines += ["", *_format_table(point)]
    for name in ("a", "b"):
        if document[f"only_{name}"]:
            lines += ["", f"Only in {name.upper()}: {', '.join(document[f'only_{name}'])}"]
    if not document["points"]:
        lines += ["", "The measurements have no load in common."]
    return lines


def _format_side(name: str, about: Document) -> str:
    description = f"{about['task']} · {about['model']}, {about['created']}"
    return f"{name.upper()}  {about['folder']}  ({description})"


def _shorten(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _format_table(point: Document) -> list[str]:
    head = [point["load"], "A", "95 % interval", "B", "95 % interval", "B / A", ""]
    rows = [head, *(_format_row(row) for row in point["rows"])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(_pad_cells(row, widths)).rstrip() for row in rows]
    invalid = [side for side, valid in zip("AB", point["valid"], strict=True) if not valid]
    return [*lines, *(f"{point['load']} is not valid in {side}; see its summary for the reasons." for side in invalid)]


def _pad_cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if 0 < index < len(widths) - 1 else cell.ljust(width)


def _format_row(row: Document) -> list[str]:
    unit = row["unit"]
    ratio = "–" if row["ratio"] is None else f"{row['ratio']:.3g}"
    sides = [[format_number(row[side], unit), format_interval(row[f"{side}_interval"], unit)] for side in ("a", "b")]
    return [row["name"], *sides[0], *sides[1], ratio, _format_verdict(row)]


def _format_verdict(row: Document) -> str:
    """State which side is better, only if the intervals are disjoint."""
    if not row["apart"]:
        return "" if row["apart"] is None else "intervals overlap"
    return "B is better" if (row["b"] > row["a"]) == row["higher_is_better"] else "B is worse"
