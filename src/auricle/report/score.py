"""From records to stats: what each sample adds to each metric, or why it adds nothing.

A million samples pass through here, so what is kept is numbers in arrays; texts stay in
the journal, and per-sample stats go to `scores.jsonl` as they are made.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from auricle.codec import dumps
from auricle.errors import SpecError, Unreadable, Unsuited, told
from auricle.metrics.answers import Answers
from auricle.metrics.base import Framed, Metric
from auricle.metrics.several import reads_several, unsaid
from auricle.types import Generation, Record, Stat
from auricle.verdicts import Verdicts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_GROUPS = 50  # a meta field with more values than this is an identifier, not a breakdown
MOST_ASKED_FOR = 1000  # groups of a field that was asked for by name
MOST_EXAMPLES = 20
MOST_WORST = 50
MOST_OF_A_VERDICT = 500  # characters of it in `scores.jsonl`; all of it is in `verdicts.jsonl`
GROUPABLE = (str, int, float, bool, type(None))


class Stats:
    """Stats in the order they came: numbers packed in an array, anything else in a list."""

    def __init__(self) -> None:
        self._numbers = array("d")
        self._objects: list[Any] = []
        self._width: int | None = None  # numbers a stat has; 0 where a stat is not all numbers

    def append(self, result: Any) -> Stat:
        """Keep a metric's result as a stat; all stats of a metric are of one shape."""
        if type(result) is float and self._width == 1:  # as nearly all of them are
            self._numbers.append(result)
            return result
        if type(result) is tuple and len(result) == self._width:
            self._numbers.extend(array("d", result))
            return result
        stat = shaped(result)
        width = _width(stat)
        if self._width is None:
            self._width = width
        elif width != self._width:  # it could not be summed with those before it
            raise TypeError(f"the stat {stat!r} is of another shape than the metric's stats so far")
        if width == 0:
            self._objects.append(stat)
        else:
            numbers = [stat] if isinstance(stat, (int, float)) else cast("Sequence[float]", stat)
            self._numbers.extend(array("d", numbers))
        return stat

    def __getitem__(self, which: NDArray[np.int64]) -> Any:
        """The stats at these places: rows of numbers, or a list."""
        import numpy as np

        if self._width:
            whole = np.frombuffer(self._numbers, dtype=np.float64).reshape(-1, self._width)
            return (whole[:, 0] if self._width == 1 else whole)[which]
        return [self._objects[at] for at in which]


@dataclass
class Column:
    """A metric's stats and the samples they belong to, by place in the scoreboard."""

    metric: Metric
    places: array[int] = field(default_factory=lambda: array("q"))
    stats: Stats = field(default_factory=Stats)
    unreadable: array[int] = field(default_factory=lambda: array("q"))
    reasons: Counter[str] = field(default_factory=Counter)
    lost: array[int] = field(default_factory=lambda: array("q"))
    worst: Stats = field(default_factory=Stats)
    best: Stats = field(default_factory=Stats)
    refused: str = ""
    unsuited: bool = False
    """Was it refused because it is for other models than this?"""
    others: array[int] = field(default_factory=lambda: array("q"))
    """Samples it is not about."""
    frames: set[Hashable] = field(default_factory=set)

    @cached_property
    def plain(self) -> bool:
        """Does it need nothing but a sample and its outputs, however many?"""
        return self.metric.asks is None and reads_several(self.metric.score)

    @cached_property
    def framed(self) -> Framed | None:
        fold = self.metric.fold
        inner = fold.fold if isinstance(fold, Answers) else fold
        return inner if isinstance(inner, Framed) else None

    def refuse(self, error: SpecError) -> None:
        self.refused, self.unsuited = str(error), isinstance(error, Unsuited)

    def watch(self, record: Record) -> None:
        """Note what the fold's details need to know and no stat tells."""
        assert self.framed
        self.frames.add(self.framed.frame(record.sample, *record.outputs))

    def settled(self) -> Metric:
        """The metric, its fold told of all that was noted."""
        if not self.framed or not self.frames:
            return self.metric
        told, fold = self.framed.within(self.frames), self.metric.fold
        return replace(self.metric, fold=fold.around(told) if isinstance(fold, Answers) else told)

    def unread(self, place: int, record: Record) -> Stat | None:
        """Count an unreadable answer; it is worth the worst there is, or left out."""
        self.unreadable.append(place)
        if self.metric.unreadable == "unscored" or self.metric.bounds is None:
            return None
        return self.stats.append(self.metric.bounds(record.sample)[0])

    def note(self, reason: str) -> None:
        """Count a reason; once there are many different ones, only those already known."""
        if reason in self.reasons or len(self.reasons) < MOST_EXAMPLES:
            self.reasons[reason] += 1


@dataclass
class Field:
    """One meta field: a small code a sample, -1 where the sample has none."""

    codes: array[int]
    values: dict[str, int] = field(default_factory=dict)

    def add(self, value: Any, most: int) -> bool:
        """Note a value; False when there are too many for a breakdown."""
        name = value if isinstance(value, str) else _told(value)
        code = self.values.setdefault(name, len(self.values))
        self.codes.append(code)
        return len(self.values) <= most


class Scoreboard:
    """Everything the numbers are made of."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        cluster: str = "",
        most_worst: int = MOST_WORST,
        verdicts: Verdicts | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.by = by
        self.columns = [Column(metric) for metric in metrics]
        self.rows = array("q")
        self.failed: array[int] = array("q")
        self.fields: dict[str, Field] = {}
        self.verdicts = verdicts
        self.cluster = cluster
        self.clusters = Field(array("q"))
        self.clustered = False
        self.empty = 0
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, list[Record]] = {}
        self._dropped: set[str] = set()
        self._most_worst = most_worst
        self._worst: list[tuple[float, int, Record]] = []

    @property
    def total(self) -> int:
        return len(self.rows)

    def add(self, record: Record) -> dict[str, Any]:
        """Score one record; its line for `scores.jsonl`."""
        place = len(self.rows)
        self.rows.append(record.row)
        self._group(place, record)
        if record.error:
            self._fail(place, record)
            return {"id": record.sample.id, "row": record.row, "failed": record.error.kind}
        self.empty += _is_empty(record)
        line: dict[str, Any] = {"id": record.sample.id, "row": record.row, "stats": {}}
        for column in self.columns:
            self._score(column, place, record, line)
        return line

    def worst(self) -> list[str]:
        """Ids of the samples that did worst on the first metric, worst first."""
        return [record.sample.id for record in self.worst_records()]

    def worst_records(self) -> list[Record]:
        return [record for *_, record in sorted(self._worst, reverse=True)]

    def _score(self, column: Column, place: int, record: Record, line: dict[str, Any]) -> None:
        if column.refused:
            return
        stat, why = self._stat(column, place, record, line)
        name = column.metric.name
        if why:
            column.note(why)
            line.setdefault("unreadable", {})[name] = why
        if stat is not None:
            if column.framed:
                column.watch(record)
            column.places.append(place)
            line["stats"][name] = stat
            if column is self.columns[0]:
                self._note_worst(column.metric.badness(stat), record)

    def _stat(
        self, column: Column, place: int, record: Record, line: dict[str, Any]
    ) -> tuple[Stat | None, str]:
        """What a record adds to a metric, or why it cannot be read; neither where it is passed."""
        metric = column.metric
        try:
            if metric.applies is not None and not metric.applies(record.sample):
                result = None
            elif column.plain:  # what `result` would do, without the call
                result = metric.score(record.sample, *record.outputs)
            else:
                result = self.result(metric, record, line)
            if result is None and metric.applies:  # such answers are none of its business
                column.others.append(place)
                return None, ""
            return column.stats.append(result), ""
        except SpecError as error:
            column.refuse(error)
            return None, ""
        except Unreadable as error:
            return column.unread(place, record), str(error)
        except Exception as error:  # noqa: BLE001 - told as the sample's reason, never as a number
            return None, f"{type(error).__name__}: {told(error)}"

    def result(self, metric: Metric, record: Record, line: dict[str, Any]) -> Any:
        """What a metric makes of a record; what a judge said of it goes into the line."""
        outputs = record.outputs
        if len(outputs) > 1 and not reads_several(metric.score):
            raise unsaid(len(outputs))
        if metric.asks is None:
            return metric.score(record.sample, *outputs)
        if self.verdicts is None:
            raise SpecError("needs a judge: auricle score RUN --judge MODEL")
        texts = self.verdicts.texts(metric, record)
        if not metric.applies and texts:
            clipped = [text[-MOST_OF_A_VERDICT:] for text in texts]
            line.setdefault("verdicts", {})[metric.name] = clipped
        return metric.score(record.sample, *outputs, verdicts=texts)

    def _note_worst(self, badness: float, record: Record) -> None:
        full = len(self._worst) >= self._most_worst
        if full and badness < self._worst[0][0]:
            return
        entry = (badness, -record.row, record)  # the earlier of two equals is shown first
        if not full:
            heapq.heappush(self._worst, entry)
        elif entry > self._worst[0]:
            heapq.heapreplace(self._worst, entry)

    def _fail(self, place: int, record: Record) -> None:
        assert record.error
        self.failed.append(place)
        self.failures[record.error.kind] += 1
        examples = self.examples.setdefault(record.error.kind, [])
        if len(examples) < MOST_EXAMPLES:
            examples.append(record)
        if record.sample.target is None:
            return
        for column in self.columns:
            if column.metric.applies and not column.metric.applies(record.sample):
                column.others.append(place)
            elif column.metric.bounds:
                worst, best = column.metric.bounds(record.sample)
                column.lost.append(place)
                column.worst.append(worst)
                column.best.append(best)

    def _group(self, place: int, record: Record) -> None:
        meta = record.sample.meta
        if self.cluster:
            self.clustered |= self.cluster in meta
            self.clusters.add(meta.get(self.cluster, record.sample.id), 1)
        for name, value in meta.items():
            if name in self._dropped or not isinstance(value, GROUPABLE):
                continue
            if self.by and name not in self.by:
                continue
            column = self.fields.get(name)
            if column is None:
                column = self.fields[name] = Field(array("q"))
            if place > len(column.codes):
                column.codes.extend([-1] * (place - len(column.codes)))
            if not column.add(value, MOST_GROUPS if not self.by else MOST_ASKED_FOR):
                self._dropped.add(name)
                del self.fields[name]

    def close(self) -> None:
        """Give every field a code for the samples that came after its last value."""
        for column in self.fields.values():
            column.codes.extend([-1] * (self.total - len(column.codes)))


def shaped(stat: Any) -> Stat:
    """A metric's result as a number or a tuple; numbers of other libraries as Python's own."""
    if hasattr(stat, "item") and getattr(stat, "ndim", 0) == 0:
        stat = stat.item()
    if isinstance(stat, (int, float)):
        return stat
    if isinstance(stat, (list, tuple)):
        return tuple(stat)
    raise TypeError(f"a metric returns a number or a tuple, not {type(stat).__name__}")


def _width(stat: Stat) -> int:
    if isinstance(stat, (int, float)):
        return 1
    return len(stat) if all(isinstance(each, (int, float)) for each in stat) else 0


def scored(records: Iterable[Record], board: Scoreboard) -> Iterator[bytes]:
    """Score records; yields the lines of `scores.jsonl`."""
    for record in records:
        yield dumps(board.add(record))
    board.close()


def _is_empty(record: Record) -> bool:
    last = record.outputs[-1] if record.outputs else None
    return isinstance(last, Generation) and not last.text.strip()


def _told(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
