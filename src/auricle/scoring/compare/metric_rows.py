"""The difference between two runs, metric by metric, with intervals and p-values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from auricle.core.direction import Directed, Direction
from auricle.metrics.base import Array, Codes, Mask, Metric
from auricle.metrics.capabilities import Stratified
from auricle.metrics.distance import find_closer
from auricle.metrics.intervals import Difference, adjust_holm, compare_paired
from auricle.metrics.jackknife import name_members, resolve_units
from auricle.metrics.power import Design, estimate_design
from auricle.scoring.clusters import encode_clusters, renumber_clusters
from auricle.scoring.compare.loading import ABSENT, ComparedRun, MetricStats
from auricle.scoring.compare.pairing import Pairs
from auricle.scoring.summary import natural_sort_key

SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow(Directed, Difference):
    """The difference in one metric, over all pairs or those with one value of a metadata field."""

    metric: str
    title: str
    """The metric's name for people."""
    field: str = ""
    group: str = "all"
    adjusted: float
    """The p-value adjusted for all tests of the table; see `adjust_p_values`."""
    better: int
    """Number of pairs in which B is better than A."""
    worse: int
    """Number of pairs in which B is worse; in the others both score the same."""
    cluster: str = ""
    """Metadata field whose values are the independent units; empty if pairs or samples are."""
    worst: float
    """The difference if every failed sample had been as bad for B as possible."""
    best: float
    """The difference if every failed sample had been as good for B as possible."""
    unbounded: int = 0
    """Failed samples of which the worst and best score are unknown, so that `worst` and `best` leave them out."""
    higher_is_better: bool
    optimum: str = ""
    unit: str
    signature: str
    right_or_wrong: bool
    """Whether the metric counts each sample as right or wrong."""
    samples: tuple[int, int] | None = None
    """Number of samples of A and of B if they are not paired."""
    closer: bool | None = None
    """Whether B is closer to zero than A, for metrics that are best at zero; None if the samples do not decide it."""

    @property
    def change(self) -> str:
        """How B compares with A: better or worse, or only higher or lower if neither is known to be better."""
        if self.direction is not Direction.ZERO:
            return self.direction.compare(self.value_b, self.value_a)
        if self.closer is None:
            return Direction.NONE.compare(self.value_b, self.value_a)
        return "better (closer to zero)" if self.closer else "worse (further from zero)"

    @property
    def is_tie(self) -> bool:
        """Whether both runs have the same number and no pair differs."""
        return self.difference == 0 and not self.better and not self.worse

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval leaves no difference out."""
        return self.low > 0 or self.high < 0

    @property
    def is_significant(self) -> bool:
        """Whether there is a difference, according to both the interval and the adjusted p-value."""
        return self.adjusted < SIGNIFICANCE_LEVEL and self.excludes_zero

    @property
    def is_borderline(self) -> bool:
        """Whether the interval and the adjusted p-value differ in whether there is a difference."""
        has_low_p = self.adjusted < SIGNIFICANCE_LEVEL and self.difference != 0
        return not math.isnan(self.low) and has_low_p != self.excludes_zero


@dataclass(frozen=True)
class PairClusters:
    """The cluster of each pair."""

    field: str
    codes: Codes | None

    @classmethod
    def encode(cls, side: ComparedRun, pairs: Pairs, field: str) -> PairClusters:
        """Number the values of a metadata field of A; without a field, pairs are independent."""
        return cls(field, encode_clusters(side.fields[field][place] for place in pairs.a) if field else None)

    def restrict(self, pairs: Codes) -> PairClusters:
        """Return the clusters of some pairs, numbered from 0; none if they are independent or in one cluster."""
        codes = None if self.codes is None else renumber_clusters(self.codes[pairs])
        return PairClusters("" if codes is None else self.field, codes)


@dataclass(frozen=True)
class PairedStats:
    """The statistics of a metric in both runs, for pairs scored in both, in data order."""

    metric: Metric
    a: Any
    b: Any
    pairs: Codes
    """Codes into all pairs."""
    change: Array
    """How much worse B is than A in each pair; negative if better."""

    @cached_property
    def is_right_or_wrong(self) -> bool:
        return self.metric.right_or_wrong and bool(np.isin(self.change, (-1.0, 0.0, 1.0)).all())


def pair_stats(metric: Metric, a: ComparedRun, b: ComparedRun, pairs: Pairs) -> PairedStats:
    """Collect the statistics of all pairs that are scored in both runs."""
    at_a, at_b = (_stat_indices(side.scored[metric.name]) for side in (a, b))
    which_a, which_b = at_a[pairs.a], at_b[pairs.b]
    both = np.flatnonzero((which_a != ABSENT) & (which_b != ABSENT))
    stats_a = a.scored[metric.name].stats[which_a[both]]
    stats_b = b.scored[metric.name].stats[which_b[both]]
    return PairedStats(metric, stats_a, stats_b, both, _measure_changes(metric, stats_a, stats_b))


def _stat_indices(scored: MetricStats) -> Codes:
    return np.asarray(scored.stat_index, dtype=np.int64)


def _measure_changes(metric: Metric, a: Any, b: Any) -> Array:
    """Compute how much worse each pair became: a sample is better or worse only if its own number is.

    Samples are ranked by more than that, such as their silence, so that the worst are listed first.
    """
    change = _badness_changes(metric, a, b)
    if not metric.has_own_badness or not hasattr(metric.aggregate, "value_each") or not len(a):
        return change
    before, after = (
        np.array([metric.direction.cost(value) for value in metric.aggregate.value_each(stats).tolist()])
        for stats in (a, b)
    )
    with np.errstate(invalid="ignore"):  # between infinite values
        own = after - before
        return np.where(np.isnan(own) | (own * change > 0), change, own)


def _badness_changes(metric: Metric, a: Any, b: Any) -> Array:
    """Compute by how much the rank of each pair changed. Equal pairs are skipped, because ranking is slow."""
    change = np.zeros(len(a))
    if not len(a):
        return change
    if isinstance(metric, Stratified):
        return np.subtract(metric.rate_stats(b, b), metric.rate_stats(a, a))
    if isinstance(a, np.ndarray):
        unequal = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1))
        a, b = a[unequal].tolist(), b[unequal].tolist()
    else:
        unequal = np.array([at for at, each in enumerate(a) if each != b[at]], dtype=np.int64)
        a, b = [a[at] for at in unequal], [b[at] for at in unequal]
    for at, before, after in zip(unequal, a, b, strict=True):
        change[at] = metric.badness(after) - metric.badness(before)
    return change


def build_rows(
    paired_stats: Sequence[PairedStats], sides: tuple[ComparedRun, ComparedRun], pairs: Pairs, by: str, cluster: str
) -> list[ComparisonRow]:
    """Compute each metric over all pairs, then for each value of the field `by`."""
    all_pairs = np.ones(len(pairs.a), dtype=bool)
    clusters = PairClusters.encode(sides[0], pairs, cluster)
    whole = [_add_bounds(_build_row(each, all_pairs, clusters), each, sides, pairs) for each in paired_stats]
    parts = [
        replace(_build_row(each, members, clusters), field=by, group=group)
        for group, members in iterate_groups(sides[0], pairs, by)
        for each in paired_stats
        if members[each.pairs].any()
    ]
    return adjust_p_values([*whole, *parts])


def adjust_p_values(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Adjust the p-values of a table by serial gatekeeping.

    The first metric over all samples that differs is tested alone, at the full level. The other tests share it by
    Holm's method, and none of them is significant unless the first is: their p-values are at least that of the first.
    """
    first = find_first_test(rows)
    gate = first.p if first else 0.0
    others = adjust_holm([math.nan if row is first else row.p for row in rows])
    return [
        replace(row, adjusted=gate if row is first else math.nan if math.isnan(p) else max(gate, p))
        for row, p in zip(rows, others, strict=True)
    ]


def find_first_test(rows: Sequence[ComparisonRow]) -> ComparisonRow | None:
    """Return the test that comes before the others of a table: the first metric over all samples that has one.

    A metric that is the same in both runs, such as a share of failures where nothing failed, lets the next one pass.
    """
    tests = [row for row in rows if not row.field and not math.isnan(row.p)]
    return next((row for row in tests if not row.is_tie), tests[0] if tests else None)


def _build_row(paired_stats: PairedStats, members: Mask, clusters: PairClusters) -> ComparisonRow:
    metric = paired_stats.metric
    which = np.flatnonzero(members[paired_stats.pairs])
    clusters = clusters.restrict(paired_stats.pairs[which])
    a, b = _take(paired_stats.a, which), _take(paired_stats.b, which)
    units = resolve_units(a, metric.aggregate, clusters.codes)
    difference = compare_paired(a, b, metric.aggregate, units)
    return ComparisonRow(
        *astuple(difference),
        metric=metric.name,
        title=metric.title,
        adjusted=difference.p,
        better=int((paired_stats.change[which] < 0).sum()),
        worse=int((paired_stats.change[which] > 0).sum()),
        cluster=name_members(metric.aggregate, units) or clusters.field,
        worst=difference.difference,
        best=difference.difference,
        higher_is_better=metric.higher_is_better,
        optimum=metric.optimum,
        unit=metric.unit,
        signature=metric.signature,
        right_or_wrong=paired_stats.is_right_or_wrong,
        closer=find_closer(metric, lambda aggregate: compare_paired(a, b, aggregate, units)),
    )


def estimate_designs(
    rows: Sequence[ComparisonRow], paired_stats: Sequence[PairedStats], side: ComparedRun, pairs: Pairs, cluster: str
) -> Iterator[Design | None]:
    """Estimate the design of each row, as a plan with both runs as pilots does.

    None if samples share members, such as the speakers of trials, which a plan does not count.
    """
    clusters = PairClusters.encode(side, pairs, cluster)
    by_metric = {each.metric.name: each for each in paired_stats}
    for row in rows:
        each = by_metric[row.metric]
        values = [side.fields[row.field][place] for place in pairs.a[each.pairs]] if row.field else []
        which = np.flatnonzero([value == row.group for value in values]) if row.field else np.arange(len(each.pairs))
        a, b, aggregate = _take(each.a, which), _take(each.b, which), each.metric.aggregate
        codes = clusters.restrict(each.pairs[which]).codes
        has_members = name_members(aggregate, resolve_units(a, aggregate, codes))
        yield None if has_members else estimate_design([(a, codes), (b, codes)], aggregate)


def _take(stats: Any, indices: Codes) -> Any:
    return stats[indices] if isinstance(stats, np.ndarray) else [stats[at] for at in indices]


def iterate_groups(side: ComparedRun, pairs: Pairs, field: str) -> Iterator[tuple[str, Mask]]:
    """Return each value of a metadata field with its pairs, in natural order."""
    if not field:
        return
    values = np.array([side.fields[field][place] for place in pairs.a], dtype=object)
    for value in sorted({each for each in values if each is not None}, key=natural_sort_key):
        yield value, values == value


def _add_bounds(
    row: ComparisonRow, paired_stats: PairedStats, sides: tuple[ComparedRun, ComparedRun], pairs: Pairs
) -> ComparisonRow:
    """Compute the difference if the failed samples had been as bad, and as good, for B as possible."""
    scored_a, scored_b = (side.scored[paired_stats.metric.name] for side in sides)
    failed = [(a, b) for a, b in pairs.failed if a not in scored_a.not_applicable and b not in scored_b.not_applicable]
    ends = [(_bound_sample(scored_a, a), _bound_sample(scored_b, b)) for a, b in failed]
    extra = [(a, b) for a, b in ends if a and b]
    if not failed:
        return row
    if not extra:
        return replace(row, worst=math.nan, best=math.nan, unbounded=len(failed))

    def value(stats: Any, side: int, end: int) -> float:
        return float(paired_stats.metric.aggregate([*stats, *(pair[side][end] for pair in extra)]))

    worst, best = 0, 1
    return replace(
        row,
        worst=value(paired_stats.b, 1, worst) - value(paired_stats.a, 0, best),
        best=value(paired_stats.b, 1, best) - value(paired_stats.a, 0, worst),
        unbounded=len(failed) - len(extra),
    )


def _bound_sample(scored: MetricStats, place: int) -> tuple[Any, Any] | None:
    """Return the worst and best statistic of a sample: its own, if it was scored."""
    at = scored.stat_index[place]
    if at == ABSENT:
        return scored.failed_bounds.get(place)
    own = scored.stats[np.array([at])][0]
    return own, own
