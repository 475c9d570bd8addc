"""One run as far as a comparison needs it: numbers in arrays, texts left in the journal."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError
from auricle.core.serialization import digest, dumps
from auricle.core.types import Output, Prediction, Record
from auricle.metrics.base import Metric
from auricle.report.columns import Stats
from auricle.runs.run_directory import Run

ABSENT = -1
NESTED = {list, type(None)}


@dataclass
class Scored:
    """A metric's stats, and for each place in the run which of them is its own."""

    stats: Stats
    at: array[int]
    lost: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """The worst and the best a failed sample could have had, by its place."""
    unreadable: int = 0
    count: int = 0


@dataclass
class Side:
    """A run's samples by place: who they are, what they are about, and how each was scored."""

    run: Run
    document: Mapping[str, Any]
    place: dict[str, int] = field(default_factory=dict)
    rows: array[int] = field(default_factory=lambda: array("q"))
    keys: list[str] = field(default_factory=list)
    targets: array[int] = field(default_factory=lambda: array("Q"))
    failed: set[int] = field(default_factory=set)
    fields: dict[str, list[str | None]] = field(default_factory=dict)
    """Meta fields that were asked for, as text."""
    labels: list[str | None] = field(default_factory=list)
    """Targets that are words, where outputs are dimensions."""
    dimensions: dict[int, Mapping[str, float]] = field(default_factory=dict)
    told: dict[int, tuple[Output, ...]] = field(default_factory=dict)
    """All outputs of samples whose outputs are dimensions: of two sounds, two."""
    scored: dict[str, Scored] = field(default_factory=dict)
    classes: int = 0
    """How many outputs are shares or scores of classes."""

    @property
    def path(self) -> Path:
        return self.run.path


def read(
    path: Path, document: Mapping[str, Any], metrics: Sequence[Metric], fields: Sequence[str]
) -> Side:
    """What a comparison by these metrics and fields needs of a run; each file is read once."""
    side = Side(Run.load(path), document, fields={name: [] for name in fields if name})
    losses: dict[int, Record] = {}
    for record in side.run.records():
        place = _place(side, record)
        if record.error:
            side.failed.add(place)
            losses[place] = record
    for metric in metrics:
        side.scored[metric.name] = Scored(Stats(), array("q", [ABSENT]) * len(side.rows))
        _lose(side.scored[metric.name], metric, losses)
    for line in _lines(path / "scores.jsonl"):
        _score(side, line)
    return side


def _place(side: Side, record: Record) -> int:
    """Note a record; its place."""
    place = len(side.rows)
    sample = record.sample
    side.place[sample.id] = place
    side.rows.append(record.row)
    side.keys.append(record.key)
    side.targets.append(digest(_told(sample.target)))
    for name, values in side.fields.items():
        values.append(_told(sample.meta[name]) if name in sample.meta else None)
    last = record.outputs[-1] if record.outputs else None
    continuous = isinstance(last, Prediction) and last.scale == "continuous"
    side.classes += isinstance(last, Prediction) and not continuous
    side.labels.append(sample.target if isinstance(sample.target, str) else None)
    if isinstance(last, Prediction) and continuous:
        side.dimensions[place] = last.values
        side.told[place] = record.outputs
    return place


def _told(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else dumps(value).decode().strip()


def _lose(scored: Scored, metric: Metric, losses: Mapping[int, Record]) -> None:
    if metric.bounds is None:
        return
    for place, record in losses.items():
        about = metric.applies is None or metric.applies(record.sample)
        if about and record.sample.target is not None:
            scored.lost[place] = metric.bounds(record.sample)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as lines:
            yield from map(orjson.loads, lines)
    except (FileNotFoundError, orjson.JSONDecodeError) as error:
        raise DataError(
            f"{path} is missing or damaged: `auricle score {path.parent}` makes it anew."
        ) from error


def _score(side: Side, line: Mapping[str, Any]) -> None:
    place = side.place.get(line["id"])
    if place is None or "stats" not in line:
        return
    for name, scored in side.scored.items():
        scored.unreadable += name in line.get("unreadable", ())
        if name in line["stats"]:
            scored.stats.append(restored(line["stats"][name]))
            scored.at[place] = scored.count
            scored.count += 1


def restored(stat: Any) -> Any:
    """A stat as its metric made it: JSON knows no tuples, and writes NaN as null."""
    if type(stat) is not list:
        return math.nan if stat is None else stat
    if not NESTED & set(map(type, stat)):  # as nearly all of them are
        return tuple(stat)
    if any(each is None for each in stat) and not any(isinstance(each, str) for each in stat):
        return tuple(math.nan if each is None else _frozen(each) for each in stat)
    return tuple(map(_frozen, stat))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@dataclass(frozen=True)
class Pairs:
    """Which samples of two runs are the same, and what became of the rest."""

    a: Any
    """Places in A, in the order of the data, and beside them"""
    b: Any
    """those in B. Both runs answered these."""
    only_a: int
    only_b: int
    changed: int
    """Of one id and another content: no pair."""
    corrected: int
    """Of one content and another reference: no pair."""
    failed_a: int
    failed_b: int
    lost: tuple[tuple[int, int], ...]
    """Places of those that are the same and failed in A, in B or in both."""

    @property
    def count(self) -> int:
        return len(self.a)


def pair(a: Side, b: Side) -> Pairs:
    """Match samples by id, and only if they are about the same and have the same reference."""
    import numpy as np

    found, lost, counts = [], [], Counter[str]()
    for sample, here in a.place.items():
        there = b.place.get(sample, ABSENT)
        if there == ABSENT:
            counts["only_a"] += 1
        elif a.keys[here] != b.keys[there]:
            counts["changed"] += 1
        elif a.targets[here] != b.targets[there]:
            counts["corrected"] += 1
        elif here in a.failed or there in b.failed:
            lost.append((here, there))
        else:
            found.append((a.rows[here], here, there))
    both = np.array(sorted(found), dtype=np.int64).reshape(-1, 3)
    return Pairs(
        both[:, 1],
        both[:, 2],
        only_a=counts["only_a"],
        only_b=sum(sample not in a.place for sample in b.place),
        changed=counts["changed"],
        corrected=counts["corrected"],
        failed_a=sum(here in a.failed for here, _ in lost),
        failed_b=sum(there in b.failed for _, there in lost),
        lost=tuple(lost),
    )
