"""The statistics of a metric as columns of numbers that can be added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auricle.metrics.base import Aggregator, Array, Details, MeanAggregator, Stats, SumAggregator, stats_to_matrix
from auricle.metrics.multi_answer import AnswerAggregator
from auricle.metrics.scales import Scale, choose_mean_scale


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The range of the numbers whose mean a metric is, on which the scale of the mean depends."""

    low: float
    high: float
    is_whole: bool

    def join(self, other: NumberRange) -> NumberRange:
        """Return the range of the numbers of both."""
        return NumberRange(min(self.low, other.low), max(self.high, other.high), self.is_whole and other.is_whole)


class SumColumns:
    """The columns of a metric whose number depends only on sums, and the number of their totals.

    There is a column for each number of a statistic, for each of the aggregator's details, and one that counts. Samples
    with several answers have the sums over their answers, and columns that count answers.

    Args:
        inner: Aggregator of the statistics of answers.
        answers: Aggregator of samples with several answers, if there are any.
    """

    def __init__(self, inner: SumAggregator, answers: AnswerAggregator | None = None) -> None:
        self._inner = inner
        self._answers = answers

    @classmethod
    def find(cls, aggregate: Aggregator) -> SumColumns | None:
        """Return the columns of an aggregator; None if its number depends on more than sums."""
        if hasattr(aggregate, "compute_interval"):
            return None
        if isinstance(aggregate, SumAggregator):
            return cls(aggregate)
        if isinstance(aggregate, AnswerAggregator) and isinstance(aggregate.inner, SumAggregator):
            return cls(aggregate.inner, aggregate)
        return None

    def make_rows(self, stats: Stats) -> Array:
        """Return the columns of statistics, one row each."""
        if self._answers is None:
            return self._make_inner_rows(stats)
        lengths = np.array([len(answer_stats) for _, answer_stats in stats])
        rows = self._make_inner_rows(self._answers.unwrap(stats))
        if self._answers.equal_sample_weights:  # the number weights answers, its details do not
            rows = np.column_stack([rows / np.repeat(lengths, lengths)[:, None], rows])
        samples = np.repeat(np.arange(len(lengths)), lengths)
        sums = [np.bincount(samples, weights=column, minlength=len(lengths)) for column in rows.T]
        return np.column_stack([*sums, lengths, [count for count, _ in stats]])

    def _make_inner_rows(self, stats: Stats) -> Array:
        rows = stats_to_matrix(stats)
        return np.column_stack([rows[:, :-1], self._inner.detail_columns(stats), rows[:, -1:]])

    def measure_range(self, stats: Stats) -> NumberRange | None:
        """Return the range of the numbers whose mean is computed; None for other aggregators."""
        if self._answers is not None:
            stats = self._answers.unwrap(stats)
        if not isinstance(self._inner, MeanAggregator) or not len(stats):
            return None
        numbers = self._inner.get_numerators(stats)
        return NumberRange(float(numbers.min()), float(numbers.max()), not (numbers % 1).any())

    def finish_each(self, totals: Array) -> Array:
        """Return the number of each row of totals."""
        return self._inner.finish_each(self._split(totals)[0])

    def finish(self, totals: Array) -> float:
        """Return the number of some totals."""
        return float(self.finish_each(totals[None])[0])

    def describe(self, totals: Array) -> Details:
        """Return what is reported with the number of some totals."""
        inner, extra = self._split(totals[None], is_for_details=True)
        details = dict(self._inner.describe_totals(inner[0], extra[0]))
        if self._answers is None:
            return details
        if not self._answers.is_single_stat:
            details["answers"] = int(totals[-2])
        return {**details, self._answers.count_name: int(totals[-1])}

    def choose_scale(self, totals: Array, numbers: NumberRange | None, *, samples: int | None) -> Scale:
        """Return the scale of the number.

        Args:
            totals: The totals of each unit.
            numbers: Range of the numbers of which the mean is computed, if it is one.
            samples: Number of samples if these are independent; None if clusters of them are.
        """
        if numbers is None:
            rows = self._split(totals)[0][:, :-1]
            return self._inner.choose_scale(rows, np.arange(len(rows)))
        assert isinstance(self._inner, MeanAggregator)
        has_one_answer = self._answers is None or self._answers.is_single_stat
        trials = samples if samples and numbers.is_whole and has_one_answer else 0
        return choose_mean_scale(numbers.low, numbers.high, self._inner.limits, trials)

    def _split(self, totals: Array, *, is_for_details: bool = False) -> tuple[Array, Array]:
        """Return the columns that the inner aggregator sums, and those of its details."""
        inner = totals if self._answers is None else totals[:, :-2]
        if self._answers is not None and self._answers.equal_sample_weights:
            half = inner.shape[1] // 2
            inner = inner[:, half:] if is_for_details else inner[:, :half]
        width = inner.shape[1] - self._detail_width - 1
        columns = [*range(width), inner.shape[1] - 1]
        return inner[:, columns], inner[:, width:-1]

    @property
    def _detail_width(self) -> int:
        return int(self._inner.detail_columns(np.zeros((1, MAX_COLUMNS))).shape[1])


MAX_COLUMNS = 64
"""Columns of a statistic of zeros from which the number of columns of details is known."""


def list_labels(stats: Stats) -> Sequence[Any]:
    """Return statistics as values of JSON."""
    return stats.tolist() if isinstance(stats, np.ndarray) else list(stats)
