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
from auricle.perf.definitions import COSTS, DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report.table import written

Document: TypeAlias = Mapping[str, Any]
Ends: TypeAlias = Sequence[float] | None

MANIFEST, SUMMARY = "perf.json", "summary.json"
NOT_ASKED = ("loads", "slo", "max_errors", "stop_saturated", "bill")
"""What may differ of a plan without making numbers of one load strangers."""


class Looked(NamedTuple):
    """A number that is compared: of the run, or a statistic of a measure of requests."""

    name: str
    statistic: str = ""
    higher_is_better: bool = False

    def of(self, point: Document) -> tuple[float | None, Ends]:
        if self.statistic:
            part = point["measures"].get(self.name) or {}
            ends: Ends = (part.get("intervals") or {}).get(self.statistic)
            return part.get(self.statistic), ends
        part = point["run"].get(self.name) or {}
        return part.get("value"), part.get("interval")

    @property
    def title(self) -> str:
        return f"{self.name} {self.statistic}".strip()

    @property
    def unit(self) -> str:
        return (DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name].unit


MORE = ("req_s", "tok_out_s", "audio_in_x", "audio_out_x", "goodput_req_s")
LESS = ("ttft_s", "ttfa_s", "latency_s", "sched_latency_s", "tpot_s", "rtf", "gen_rtf")
LOOKED = (
    *(Looked(name, higher_is_better=True) for name in MORE),
    *(Looked(name, each) for name in (*LESS, "underrun_max_s") for each in ("p50", "p95")),
    Looked("slo_attainment", higher_is_better=True),
    Looked("failed_share"),
    *(Looked(name) for name in COSTS),
)


def is_measurement(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def compared(a: Path, b: Path) -> dict[str, Any]:
    """A is the baseline. What was not made alike is told first; nothing is left out for it."""
    first, second = _read(a), _read(b)
    pairs, only = _paired(first["points"], second["points"])
    return {
        "schema": 1,
        "a": _about(a, first),
        "b": _about(b, second),
        "differs": [*_differences(first, second), *_windows(pairs)],
        "points": [_point(load, one, two) for load, one, two in pairs],
        "only_a": only[0],
        "only_b": only[1],
    }


def _read(folder: Path) -> dict[str, Any]:
    path = folder / SUMMARY
    if not path.exists():
        raise DataError(f"{folder} has no {SUMMARY}: no load point of it came to an end.")
    document: dict[str, Any] = orjson.loads(path.read_bytes())
    return document


def _about(folder: Path, document: Document) -> dict[str, Any]:
    about = document["about"]
    names = {"task": document["task"], "model": document["model"], "created": about["created"]}
    return {"folder": str(folder), **names}


def _differences(a: Document, b: Document) -> Iterator[dict[str, Any]]:
    """In the data, in what was asked, and in how it was measured and where."""
    sides = [_made(each) for each in (a, b)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, two = (side.get(name) for side in sides)
        if one != two:
            yield {"what": name, "a": one, "b": two}


def _made(document: Document) -> dict[str, Any]:
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
    found |= {name: value for name, value in wanted.items() if name not in NOT_ASKED}
    found |= {"machine": about["platform"], "cores": about["cores"]}
    found |= about["versions"]
    return found


Pair: TypeAlias = tuple[str, Document, Document]


def _paired(
    a: Sequence[Document], b: Sequence[Document]
) -> tuple[list[Pair], tuple[list[str], list[str]]]:
    """Points of one load; where it was played several times, the first with the first."""
    one, two = (dict(zip(_names(points), points, strict=True)) for points in (a, b))
    both = [(name, one[name], two[name]) for name in one if name in two]
    return both, ([name for name in one if name not in two], [n for n in two if n not in one])


def _names(points: Sequence[Document]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for point in points:
        seen[point["load"]] += 1
        nth = seen[point["load"]]
        names.append(point["load"] if nth == 1 else f"{point['load']} ({nth})")
    return names


def _windows(pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """A steady window beside a whole run is not the same rule, whatever was asked for."""
    for load, one, two in pairs:
        kinds = [each["window"]["kind"] for each in (one, two)]
        if kinds[0] != kinds[1]:
            yield {"what": f"window of {load}", "a": kinds[0], "b": kinds[1]}


def _point(load: str, one: Document, two: Document) -> dict[str, Any]:
    rows = [_row(each, *each.of(one), *each.of(two)) for each in LOOKED]
    rows = [row for row in rows if row["a"] is not None or row["b"] is not None]
    return {
        "load": load,
        "valid": [each["validity"]["valid"] for each in (one, two)],
        "rows": [*rows, *_accuracies(one, two)],
    }


def _row(looked: Looked, a: float | None, at: Ends, b: float | None, bt: Ends) -> dict[str, Any]:
    return {
        "name": looked.title,
        "unit": looked.unit,
        "higher_is_better": looked.higher_is_better,
        **_sides(a, at, b, bt),
    }


def _sides(a: float | None, at: Ends, b: float | None, bt: Ends) -> dict[str, Any]:
    """`apart`: the intervals do not touch; None where there are not two."""
    return {
        "a": a,
        "b": b,
        "a_interval": at,
        "b_interval": bt,
        "ratio": b / a if a and b is not None else None,
        "apart": (at[1] < bt[0] or bt[1] < at[0]) if at and bt else None,
    }


def _accuracies(one: Document, two: Document) -> Iterator[dict[str, Any]]:
    """What the answers were worth, beside how fast they came."""
    others = {each["metric"]: each for each in two.get("accuracy", ())}
    for mine in one.get("accuracy", ()):
        other = others.get(mine["metric"])
        if other is None:
            continue
        values = [_known(each) for each in (mine, other)]
        yield {
            "name": mine["metric"],
            "unit": "",
            "higher_is_better": mine["higher_is_better"],
            **_sides(*values[0], *values[1]),
        }


def _known(number: Document) -> tuple[float | None, Ends]:
    ends = (number["low"], number["high"])
    return number["value"], None if None in ends else ends


# --- the terminal ---------------------------------------------------------------------------


def lines(document: Document) -> list[str]:
    """What differs in how they were made, then a table for each load that both have."""
    told = [_side(name, document[name]) for name in ("a", "b")]
    if document["differs"]:
        told += ["", "Not made alike:"]
        told += [
            f"  {each['what']}: {_brief(each['a'])} in A, {_brief(each['b'])} in B"
            for each in document["differs"]
        ]
    for point in document["points"]:
        told += ["", *_table(point)]
    for name in ("a", "b"):
        if document[f"only_{name}"]:
            told += ["", f"Only in {name.upper()}: {', '.join(document[f'only_{name}'])}"]
    if not document["points"]:
        told += ["", "No load was played in both."]
    return told


def _side(name: str, about: Document) -> str:
    words = f"{about['task']} · {about['model']}, {about['created']}"
    return f"{name.upper()}  {about['folder']}  ({words})"


def _brief(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _table(point: Document) -> list[str]:
    head = [point["load"], "A", "95 % interval", "B", "95 % interval", "B / A", ""]
    rows = [head, *(_cells(row) for row in point["rows"])]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    told = ["  ".join(_padded(row, widths)).rstrip() for row in rows]
    wrong = [side for side, valid in zip("AB", point["valid"], strict=True) if not valid]
    return [
        *told,
        *(f"{each}'s {point['load']} is not valid, as its summary tells." for each in wrong),
    ]


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if 0 < at < len(widths) - 1 else cell.ljust(width)


def _cells(row: Document) -> list[str]:
    unit = row["unit"]
    ratio = "–" if row["ratio"] is None else f"{row['ratio']:.3g}"
    sides = [
        [written(row[side], unit), _ends(row[f"{side}_interval"], unit)] for side in ("a", "b")
    ]
    return [row["name"], *sides[0], *sides[1], ratio, _verdict(row)]


def _ends(ends: Ends, unit: str) -> str:
    return " … ".join(written(end, unit) for end in ends) if ends else "–"


def _verdict(row: Document) -> str:
    """Only what the intervals bear out."""
    if not row["apart"]:
        return "" if row["apart"] is None else "intervals overlap"
    return "B is better" if (row["b"] > row["a"]) == row["higher_is_better"] else "B is worse"
