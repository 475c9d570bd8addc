"""What a metric makes of samples, kept as numbers in arrays.

A million samples pass through here; their texts stay in the journal.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from auricle.core.errors import SpecError, Unreadable, Unsuited, told
from auricle.core.types import Record, Stat
from auricle.metrics.answer_aggregation import Answers
from auricle.metrics.base import Framed, Metric
from auricle.metrics.multi_answer import reads_several

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_REASONS = 20

Line: TypeAlias = dict[str, Any]
"""A sample's line for `scores.jsonl`."""
Entry: TypeAlias = tuple[int, Record, Line]
"""A sample's place in the scoreboard, what became of it, and its line."""


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
    def _is_plain(self) -> bool:
        """Does it need nothing but a sample and its outputs, however many?"""
        return self.metric.asks is None and reads_several(self.metric.score)

    @cached_property
    def _framed(self) -> Framed | None:
        fold = self.metric.fold
        inner = fold.fold if isinstance(fold, Answers) else fold
        return inner if isinstance(inner, Framed) else None

    def add(self, entries: Sequence[Entry], result: Callable[..., Any]) -> None:
        """Take in what each record adds; `result` makes it where a plain call does not do."""
        metric, applies, keep = self.metric, self.metric.applies, self.stats.append
        make = _plainly if self._is_plain else result
        for place, record, line in entries:
            try:
                concerned = applies is None or applies(record.sample)
                made = make(metric, record, line) if concerned else None
                if made is None and applies:  # such answers are none of its business
                    self.others.append(place)
                    continue
                stat = keep(made)
            except SpecError as error:
                self.refuse(error)
                return
            except Unreadable as error:
                self._unread(place, record, line, str(error))
            except Exception as error:  # noqa: BLE001 - told as the sample's reason, never as a number
                self._note(line, f"{type(error).__name__}: {told(error)}")
            else:
                self._take(place, record, line, stat)

    def _take(self, place: int, record: Record, line: Line, stat: Stat) -> None:
        if self._framed:
            self._watch(record)
        self.places.append(place)
        line["stats"][self.metric.name] = stat

    def refuse(self, error: SpecError) -> None:
        self.refused, self.unsuited = str(error), isinstance(error, Unsuited)

    def _watch(self, record: Record) -> None:
        """Note what the fold's details need to know and no stat tells."""
        assert self._framed
        self.frames.add(self._framed.frame(record.sample, *record.outputs))

    def settled(self) -> Metric:
        """The metric, its fold told of all that was noted."""
        if not self._framed or not self.frames:
            return self.metric
        told, fold = self._framed.within(self.frames), self.metric.fold
        return replace(self.metric, fold=fold.around(told) if isinstance(fold, Answers) else told)

    def _unread(self, place: int, record: Record, line: Line, why: str) -> None:
        """Count an unreadable answer; it is worth the worst there is, or left out."""
        self.unreadable.append(place)
        self._note(line, why)
        if self.metric.unreadable == "wrong" and self.metric.bounds is not None:
            worst = self.stats.append(self.metric.bounds(record.sample)[0])
            self._take(place, record, line, worst)

    def _note(self, line: Line, reason: str) -> None:
        """Tell a reason and count it; once there are many, only those already known."""
        line.setdefault("unreadable", {})[self.metric.name] = reason
        if reason in self.reasons or len(self.reasons) < MOST_REASONS:
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


def _plainly(metric: Metric, record: Record, _: Line) -> Any:
    return metric.score(record.sample, *record.outputs)


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


def _told(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
