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

from auricle.core.errors import SpecError, Unreadable, Unsuited, describe
from auricle.core.types import Record, Stat
from auricle.metrics.answer_aggregation import AnswerAggregator
from auricle.metrics.base import Metric, SupportsContexts
from auricle.metrics.multi_answer import accepts_multiple_outputs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_REASONS = 20

ScoreLine: TypeAlias = dict[str, Any]
"""A sample's line for `scores.jsonl`."""
ScoreEntry: TypeAlias = tuple[int, Record, ScoreLine]
"""A sample's place in the scoreboard, what became of it, and its line."""


class StatArray:
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
        stat = normalise_stat(result)
        width = _stat_width(stat)
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

    def __getitem__(self, indices: NDArray[np.int64]) -> Any:
        """The stats at these places: rows of numbers, or a list."""
        import numpy as np

        if self._width:
            whole = np.frombuffer(self._numbers, dtype=np.float64).reshape(-1, self._width)
            return (whole[:, 0] if self._width == 1 else whole)[indices]
        return [self._objects[at] for at in indices]


@dataclass
class MetricColumn:
    """A metric's stats and the samples they belong to, by place in the scoreboard."""

    metric: Metric
    indices: array[int] = field(default_factory=lambda: array("q"))
    stats: StatArray = field(default_factory=StatArray)
    unreadable: array[int] = field(default_factory=lambda: array("q"))
    reasons: Counter[str] = field(default_factory=Counter)
    failed_indices: array[int] = field(default_factory=lambda: array("q"))
    worst_stats: StatArray = field(default_factory=StatArray)
    best_stats: StatArray = field(default_factory=StatArray)
    refusal_reason: str = ""
    is_unsuited: bool = False
    """Was it refused because it is for other models than this?"""
    not_applicable: array[int] = field(default_factory=lambda: array("q"))
    """Samples it is not about."""
    contexts: set[Hashable] = field(default_factory=set)

    @cached_property
    def _is_simple(self) -> bool:
        """Does it need nothing but a sample and its outputs, however many?"""
        return self.metric.judge_requests is None and accepts_multiple_outputs(self.metric.score)

    @cached_property
    def _contextual_aggregator(self) -> SupportsContexts | None:
        fold = self.metric.aggregate
        inner = fold.inner if isinstance(fold, AnswerAggregator) else fold
        return inner if isinstance(inner, SupportsContexts) else None

    def add(self, entries: Sequence[ScoreEntry], score_record: Callable[..., Any]) -> None:
        """Take in what each record adds; `result` makes it where a plain call does not do."""
        metric, applies, keep = self.metric, self.metric.applies, self.stats.append
        make = _call_score if self._is_simple else score_record
        for place, record, line in entries:
            try:
                concerned = applies is None or applies(record.sample)
                made = make(metric, record, line) if concerned else None
                if made is None and applies:  # such answers are none of its business
                    self.not_applicable.append(place)
                    continue
                stat = keep(made)
            except SpecError as error:
                self.refuse(error)
                return
            except Unreadable as error:
                self._add_unreadable(place, record, line, str(error))
            except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
                self._add_reason(line, f"{type(error).__name__}: {describe(error)}")
            else:
                self._add_stat(place, record, line, stat)

    def _add_stat(self, index: int, record: Record, line: ScoreLine, stat: Stat) -> None:
        if self._contextual_aggregator:
            self._add_context(record)
        self.indices.append(index)
        line["stats"][self.metric.name] = stat

    def refuse(self, error: SpecError) -> None:
        self.refusal_reason, self.is_unsuited = str(error), isinstance(error, Unsuited)

    def _add_context(self, record: Record) -> None:
        """Note what the fold's details need to know and no stat tells."""
        assert self._contextual_aggregator
        self.contexts.add(self._contextual_aggregator.extract_context(record.sample, *record.outputs))

    def resolved_metric(self) -> Metric:
        """The metric, its fold told of all that was noted."""
        if not self._contextual_aggregator or not self.contexts:
            return self.metric
        told, fold = self._contextual_aggregator.with_contexts(self.contexts), self.metric.aggregate
        return replace(self.metric, aggregate=fold.with_inner(told) if isinstance(fold, AnswerAggregator) else told)

    def _add_unreadable(self, index: int, record: Record, line: ScoreLine, reason: str) -> None:
        """Count an unreadable answer; it is worth the worst there is, or left out."""
        self.unreadable.append(index)
        self._add_reason(line, reason)
        if self.metric.unreadable == "wrong" and self.metric.bounds is not None:
            worst = self.stats.append(self.metric.bounds(record.sample)[0])
            self._add_stat(index, record, line, worst)

    def _add_reason(self, line: ScoreLine, reason: str) -> None:
        """Tell a reason and count it; once there are many, only those already known."""
        line.setdefault("unreadable", {})[self.metric.name] = reason
        if reason in self.reasons or len(self.reasons) < MAX_REASONS:
            self.reasons[reason] += 1


@dataclass
class MetaField:
    """One meta field: a small code a sample, -1 where the sample has none."""

    codes: array[int]
    values: dict[str, int] = field(default_factory=dict)

    def add(self, value: Any, limit: int) -> bool:
        """Note a value; False when there are too many for a breakdown."""
        name = value if isinstance(value, str) else _format_group(value)
        code = self.values.setdefault(name, len(self.values))
        self.codes.append(code)
        return len(self.values) <= limit


def _call_score(metric: Metric, record: Record, _: ScoreLine) -> Any:
    return metric.score(record.sample, *record.outputs)


def normalise_stat(stat: Any) -> Stat:
    """A metric's result as a number or a tuple; numbers of other libraries as Python's own."""
    if hasattr(stat, "item") and getattr(stat, "ndim", 0) == 0:
        stat = stat.item()
    if isinstance(stat, (int, float)):
        return stat
    if isinstance(stat, (list, tuple)):
        return tuple(stat)
    raise TypeError(f"a metric returns a number or a tuple, not {type(stat).__name__}")


def _stat_width(stat: Stat) -> int:
    if isinstance(stat, (int, float)):
        return 1
    return len(stat) if all(isinstance(each, (int, float)) for each in stat) else 0


def _format_group(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
