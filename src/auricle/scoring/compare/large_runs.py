"""Compare two runs that do not fit into memory, from their sums.

A sample is in the same bucket in both runs, so buckets are the pairs: what a hard sample adds to both cancels out. The
differences are those of the published numbers, over the samples that each run scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial

import numpy as np

from auricle.core.errors import SpecError
from auricle.metrics.base import Array, Metric, SupportsWeights
from auricle.metrics.intervals import Contrast, Difference, make_difference
from auricle.metrics.jackknife import estimate_from_replicates
from auricle.metrics.scales import REAL
from auricle.runs.metrics import Metrics, Number
from auricle.scoring.compare.metric_rows import ComparisonRow, adjust_p_values
from auricle.scoring.compare.pairing import PairCounts
from auricle.scoring.shards.running_column import restore_stats
from auricle.scoring.shards.stored_sums import StoredSums
from auricle.scoring.shards.sum_columns import SumColumns
from auricle.scoring.shards.sum_numbers import MAX_REPLICATES, name_bucket_method

BUCKET_NOTE = (
    "Both runs are too large to be compared sample by sample. Differences are those of the published numbers, and "
    "buckets of samples are the pairs."
)
NOT_FROM_SUMS = "it is not a function of sums, so it cannot be compared between runs that do not fit into memory"
UNEVEN_SHARE = 0.001


@dataclass(frozen=True, slots=True)
class LargeRuns:
    """Two large runs: their numbers and their sums.

    Args:
        results: The numbers.
        sums: The sums.
        cluster: Metadata field whose buckets are the pairs; empty for buckets of samples.
    """

    results: tuple[Metrics, Metrics]
    sums: tuple[StoredSums, StoredSums]
    cluster: str = ""

    def build_rows(self, metrics: Sequence[Metric], by: str = "") -> tuple[list[ComparisonRow], dict[str, str]]:
        """Compare metrics over all samples, then for each value of the field `by`; return what cannot be compared."""
        chosen = [metric for metric in metrics if all(side.has_metric(metric.name) for side in self.sums)]
        refused = {metric.name: NOT_FROM_SUMS for metric in metrics if metric not in chosen}
        groups = [("", "all"), *((by, value) for value in self._list_common_values(by))]
        rows = [self._build_row(metric, *group) for group in groups for metric in chosen if self._has(metric, *group)]
        return adjust_p_values(rows), refused

    def _list_common_values(self, by: str) -> list[str]:
        if not by:
            return []
        first, second = (side.list_values(by) for side in self.sums)
        common = [value for value in first if value in second]
        if not common:
            raise SpecError(f"The two runs have no numbers by the metadata field {by!r} in common.")
        return common

    def _has(self, metric: Metric, field: str, value: str) -> bool:
        return all(_find_number(side, metric, field, value) for side in self.results)

    def _build_row(self, metric: Metric, field: str, value: str) -> ComparisonRow:
        a, b = (_find_number(side, metric, field, value) for side in self.results)
        assert a is not None
        assert b is not None
        unit = self.cluster if all(side.has_unit(metric.name, self.cluster) for side in self.sums) else ""
        totals = [side.list_totals(metric.name, unit, field, value) for side in self.sums]
        difference = self._compare(metric, totals, min(a.scored, b.scored), unit)
        worst, best = _subtract(b.worst, a.best), _subtract(b.best, a.worst)
        return ComparisonRow(
            *astuple(difference),
            metric=metric.name,
            title=metric.title,
            field=field,
            group=value,
            adjusted=difference.p,
            better=0,
            worse=0,
            cluster=unit,
            worst=difference.difference if worst is None else worst,
            best=difference.difference if best is None else best,
            unbounded=a.unbounded + b.unbounded,
            higher_is_better=metric.higher_is_better,
            optimum=metric.optimum,
            unit=metric.unit,
            signature=metric.signature,
            right_or_wrong=metric.right_or_wrong,
            samples=(a.scored, b.scored),
        )

    def _compare(self, metric: Metric, totals: Sequence[Array], n: int, unit: str) -> Difference:
        columns = SumColumns.find(metric.aggregate)
        if columns is not None:
            sides = [(totals[0], columns.finish_each), (totals[1], columns.finish_each)]
        else:
            sides = [
                (_join(table), partial(_finish_counts, metric, side))
                for table, side in zip(totals, self.sums, strict=True)
            ]
        return compare_buckets(sides[0], sides[1], n, name_bucket_method("paired-t", unit))


FinishEach = Callable[[Array], Array]


def compare_buckets(a: tuple[Array, FinishEach], b: tuple[Array, FinishEach], n: int, method: str) -> Difference:
    """Compare two numbers by their sums in the same buckets.

    Args:
        a: Sums of each bucket in A, and the number of each row of sums.
        b: The same in B.
        n: Number of pairs of samples.
        method: Name of the method.
    """
    occupied = a[0].any(axis=1) | b[0].any(axis=1)
    values, without = [], []
    for rows, finish_each in (a, b):
        total = rows.sum(axis=0)
        values.append(float(finish_each(total[None])[0]))
        with np.errstate(invalid="ignore"):  # between infinite values
            without.append(finish_each(total - rows[occupied]))
    estimate = estimate_from_replicates(values[1] - values[0], without[1] - without[0], REAL)
    return make_difference((values[0], values[1]), Contrast(estimate, method, 0.0), n)


def _finish_counts(metric: Metric, side: StoredSums, counts: Array) -> Array:
    """Return the number of each row of counts of distinct statistics."""
    aggregate = metric.aggregate
    assert isinstance(aggregate, SupportsWeights)
    labels = side.labels(metric.name)
    assert labels is not None
    value = aggregate.prepare_weighted(restore_stats(labels, is_numeric=side.is_numeric(metric.name)))
    return np.array([value(row) for row in counts])


def _join(buckets: Array) -> Array:
    """Join neighbouring buckets of an aggregator that is slow."""
    factor = max(1, len(buckets) // MAX_REPLICATES)
    joined: Array = buckets.reshape(-1, factor, buckets.shape[1]).sum(axis=1)
    return joined


def _find_number(side: Metrics, metric: Metric, field: str, value: str) -> Number | None:
    return next(
        (
            number
            for number in side.numbers
            if (number.metric, number.field, number.group) == (metric.name, field, value)
        ),
        None,
    )


def _subtract(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def count_pairs(results: tuple[Metrics, Metrics]) -> PairCounts:
    """Count samples; which of them both runs answered is not known."""
    a, b = (side.outcomes for side in results)
    count = min(a.answered, b.answered)
    return PairCounts(
        count=count,
        only_a=max(0, a.total - b.total),
        only_b=max(0, b.total - a.total),
        changed=0,
        corrected=0,
        failed_a=a.failed,
        failed_b=b.failed,
        coverage=count / max(a.total, b.total, 1),
    )


def describe_uneven(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return a note if the runs scored different numbers of samples, which are then part of the difference."""
    uneven = [
        row for row in rows if row.samples and abs(row.samples[0] - row.samples[1]) > UNEVEN_SHARE * max(row.samples)
    ]
    if not uneven or not uneven[0].samples:
        return []
    a, b = uneven[0].samples
    return [f"{uneven[0].title} is over {a:,} samples in A and {b:,} in B; differences include those between samples."]
