"""The statistics of a metric for all samples, in compact arrays.

Runs may have a million samples; their texts stay in the journal.
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
from auricle.metrics.base import Metric, SupportsContexts
from auricle.metrics.multi_answer import AnswerAggregator
from auricle.runs.scores import ScoreLine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_REASONS = 20

ScoreEntry: TypeAlias = tuple[int, Record, ScoreLine]
"""A sample's index in the score table, its record, and its line."""


class StatArray:
    """Statistics in order: numbers in a packed array, anything else in a list."""

    def __init__(self) -> None:
        self._numbers = array("d")
        self._objects: list[Any] = []
        self._width: int | None = None  # numbers per statistic; 0 if statistics are not all numbers

    def append(self, result: Any) -> Stat:
        """Append a statistic; all statistics of a metric must have the same shape."""
        if type(result) is float and self._width == 1:  # the common case
            self._numbers.append(result)
            return result
        if type(result) is tuple and len(result) == self._width:
            self._numbers.extend(array("d", result))
            return result
        stat = normalise_stat(result)
        width = _stat_width(stat)
        if self._width is None:
            self._width = width
        elif width != self._width:  # it cannot be aggregated with the others
            raise TypeError(f"the statistic {stat!r} has another shape than the previous ones")
        if width == 0:
            self._objects.append(stat)
        else:
            numbers = [stat] if isinstance(stat, (int, float)) else cast("Sequence[float]", stat)
            self._numbers.extend(array("d", numbers))
        return stat

    def __getitem__(self, indices: NDArray[np.int64]) -> Any:
        """Return the statistics at these indices, as rows of numbers or a list."""
        import numpy as np

        if self._width:
            whole = np.frombuffer(self._numbers, dtype=np.float64).reshape(-1, self._width)
            return (whole[:, 0] if self._width == 1 else whole)[indices]
        return [self._objects[at] for at in indices]


@dataclass
class MetricColumn:
    """The statistics of a metric and the samples they belong to, by index in the score table."""

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
    """Whether the metric does not apply to this kind of model."""
    not_applicable: array[int] = field(default_factory=lambda: array("q"))
    """Number of samples the metric does not apply to."""
    contexts: set[Hashable] = field(default_factory=set)

    @cached_property
    def _contextual_aggregator(self) -> SupportsContexts | None:
        fold = self.metric.aggregate
        inner = fold.inner if isinstance(fold, AnswerAggregator) else fold
        return inner if isinstance(inner, SupportsContexts) else None

    def add(self, entries: Sequence[ScoreEntry], score_record: Callable[..., Any]) -> None:
        """Add the statistics of these records; `score_record` computes those of judged and of several answers."""
        metric, applies, keep = self.metric, self.metric.applies, self.stats.append
        score, is_judged = metric.score, metric.judge_requests is not None
        for place, record, line in entries:
            try:
                made = None
                if applies is None or applies(record.sample):
                    needs_more = is_judged or len(record.outputs) != 1
                    made = score_record(metric, record, line) if needs_more else score(record.sample, *record.outputs)
                if made is None and applies:  # the metric does not apply to this answer
                    self.not_applicable.append(place)
                    continue
                stat = keep(made)
            except SpecError as error:
                self.refuse(error)
                return
            except Unreadable as error:
                self._add_unreadable(place, record, line, str(error))
            except Exception as error:  # noqa: BLE001 - a metric may raise anything
                self._add_reason(line, f"{type(error).__name__}: {describe(error)}")
            else:
                self._add_stat(place, record, line, stat)

    def _add_stat(self, index: int, record: Record, line: ScoreLine, stat: Stat) -> None:
        if self._contextual_aggregator:
            self._add_context(record)
        self.indices.append(index)
        line.stats[self.metric.name] = stat

    def refuse(self, error: SpecError) -> None:
        self.refusal_reason, self.is_unsuited = str(error), isinstance(error, Unsuited)

    def _add_context(self, record: Record) -> None:
        """Record context that the aggregator's details need."""
        assert self._contextual_aggregator
        self.contexts.add(self._contextual_aggregator.extract_context(record.sample, *record.outputs))

    def resolved_metric(self) -> Metric:
        """Return the metric with the recorded context."""
        if not self._contextual_aggregator or not self.contexts:
            return self.metric
        aggregator, fold = self._contextual_aggregator.with_contexts(self.contexts), self.metric.aggregate
        return replace(
            self.metric, aggregate=fold.with_inner(aggregator) if isinstance(fold, AnswerAggregator) else aggregator
        )

    def _add_unreadable(self, index: int, record: Record, line: ScoreLine, reason: str) -> None:
        """Count an unreadable answer; it scores worst or is left out, as the metric declares."""
        self.unreadable.append(index)
        self._add_reason(line, reason)
        if self.metric.unreadable == "wrong" and self.metric.bounds is not None:
            worst = self.stats.append(self.metric.bounds(record.sample)[0])
            self._add_stat(index, record, line, worst)

    def _add_reason(self, line: ScoreLine, reason: str) -> None:
        """Count a reason; after many distinct reasons, count only known ones."""
        line.unreadable = {**line.unreadable, self.metric.name: reason}
        if reason in self.reasons or len(self.reasons) < MAX_REASONS:
            self.reasons[reason] += 1


@dataclass
class MetaField:
    """One metadata field as an integer code per sample; -1 if the sample has no value."""

    codes: array[int]
    values: dict[str, int] = field(default_factory=dict)

    def add(self, value: Any, limit: int) -> bool:
        """Add a value; return False if there are too many for a breakdown."""
        name = value if isinstance(value, str) else _format_group(value)
        code = self.values.setdefault(name, len(self.values))
        self.codes.append(code)
        return len(self.values) <= limit


def normalise_stat(stat: Any) -> Stat:
    """Convert a metric's result to a Python number or tuple."""
    if hasattr(stat, "item") and getattr(stat, "ndim", 0) == 0:
        stat = stat.item()
    if isinstance(stat, (int, float)):
        return stat
    if isinstance(stat, (list, tuple)):
        return tuple(stat)
    raise TypeError(f"a metric must return a number or a tuple, not {type(stat).__name__}")


def _stat_width(stat: Stat) -> int:
    if isinstance(stat, (int, float)):
        return 1
    return len(stat) if all(isinstance(each, (int, float)) for each in stat) else 0


def _format_group(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
