"""Compute the numbers of a run, with intervals and bounds, from sums by bucket."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from auricle.core.signature import MetricSignature, Signature
from auricle.core.user_code import UserCall
from auricle.metrics.base import Aggregator, Array, Details, Metric, Stats, SupportsWeights
from auricle.metrics.capabilities import Bounded, ReadsReply
from auricle.metrics.intervals import Interval, compute_interval
from auricle.metrics.jackknife import choose_scale, estimate_from_replicates
from auricle.metrics.scales import BoundedScale, Scale
from auricle.runs.metrics import Number
from auricle.runs.scores import READINGS, REFUSED, TRUNCATED, UNREAD
from auricle.scoring.clusters import renumber_clusters
from auricle.scoring.score_table import list_readings, resolve_contexts
from auricle.scoring.shards.running_column import RunningColumn, restore_stats
from auricle.scoring.shards.running_sums import RunningSums
from auricle.scoring.shards.sum_columns import SumColumns
from auricle.scoring.summary import finish_group, replace_non_finite

MAX_REPLICATES = 1024
"""Buckets without each of which a slow aggregator is computed again; more are joined."""
MAX_EXPANDED = 1_000_000
"""Statistics that are listed one by one, with repetitions, to describe them."""


def compute_numbers(sums: RunningSums, context: Signature) -> list[Number]:
    """Compute each metric over all samples, then by subset, then by every other field.

    Args:
        sums: The sums of the run.
        context: What was measured; each number's signature is this one with its own metric.
    """
    cells = [("", "all", 0), *((field, *cell) for field in sums.fields for cell in sums.list_cells(field))]
    metrics = [column.metric for column in sums.columns.values()]
    numbers = []
    for field, value, cell in cells:
        group = [number for column in sums.columns.values() for number in _compute(sums, column, cell)]
        named = [replace(number, field=field, group=value) for number in group]
        numbers += finish_group(named, metrics)
    return [replace(number, signature=replace(context, metric=number.signature.metric)) for number in numbers]


def _compute(sums: RunningSums, column: RunningColumn, cell: int) -> list[Number]:
    """Return the number of a group; none if there is none."""
    if column.refusal_reason or not column.count(cell, "scored") or (cell and column.is_sampled):
        return []
    call = UserCall(f"the metric {column.metric.name}")
    try:
        with call:
            metric = resolve_contexts(column.metric, column.contexts)
            summary = summarise_column(column, metric, cell, _choose_unit(column, cell, sums.cluster))
            if summary is None:
                return []
            return [_make_number(column, metric, cell, summary)]
    except Exception as error:  # noqa: BLE001 - a metric may raise anything
        column.refusal_reason = f"its aggregation raised {call.describe(error)}"
        return []


def _choose_unit(column: RunningColumn, cell: int, cluster: str) -> str:
    """Return the field that the samples of a group are clustered by; with a single cluster, samples are the units."""
    return cluster if cluster and len(column.list_totals(cell, cluster)) > 1 else ""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The number of a group with its interval, its bounds and its details."""

    value: float
    interval: Interval
    cluster: str
    bounds: Callable[[str], tuple[float, float] | None]
    """Returns the numbers if all failed or all unread samples were worst, and best; None if there are none."""
    details: Details


def summarise_column(column: RunningColumn, metric: Metric, cell: int, cluster: str) -> ColumnSummary | None:
    """Compute the number of a group; None if its aggregator has none, which needs no mention."""
    columns = SumColumns.find(metric.aggregate)
    if columns is not None:
        return _summarise_sums(column, columns, cell, cluster)
    if (
        column.is_sampled
        or not isinstance(metric.aggregate, SupportsWeights)
        or hasattr(metric.aggregate, "compute_interval")
    ):
        return _summarise_sample(column, metric, cluster) if cell == 0 else None
    return _summarise_distinct(column, metric, cell, cluster)


# --- sums ------------------------------------------------------------------------------------


def _summarise_sums(column: RunningColumn, columns: SumColumns, cell: int, cluster: str) -> ColumnSummary:
    units = column.list_totals(cell, cluster)
    totals = units.sum(axis=0)
    samples = None if cluster else column.count(cell, "scored")
    scale = columns.choose_scale(units, column.range, samples=samples)
    value = columns.finish(totals)
    with np.errstate(invalid="ignore"):  # between infinite values
        without = columns.finish_each(totals - units) if len(units) > 1 else np.full(len(units), math.nan)
    interval = bucket_interval(value, without, scale, cluster=cluster, samples=column.count(cell, "scored"))
    bounds = partial(_bound, column.list_lost(cell), totals, columns.finish)
    return ColumnSummary(value, interval, cluster, bounds, columns.describe(totals))


def bucket_interval(value: float, without: Array, scale: Scale, *, cluster: str, samples: int) -> Interval:
    """Return the interval of a number from its values without each bucket."""
    estimate = estimate_from_replicates(value, without, scale)
    is_known = math.isfinite(estimate.value) and (math.isfinite(estimate.error) or not scale.needs_error)
    low, high = scale.interval(estimate) if is_known else (math.nan, math.nan)
    if not scale.needs_error:  # it is that of independent samples
        return Interval(low, high, scale.name, samples)
    return Interval(low, high, name_bucket_method(scale.name, cluster), len(without))


def name_bucket_method(name: str, cluster: str) -> str:
    """Return the name of a method whose units are buckets of samples or of clusters."""
    return f"{'cluster-' if cluster else ''}bucket-{name}"


def _bound(
    lost: Mapping[str, Array], totals: Array, finish: Callable[[Array], float], kind: str
) -> tuple[float, float] | None:
    if f"{kind}_worst" not in lost and f"{kind}_best" not in lost:
        return None
    read = totals - lost["unread_scored"] if kind == "unread" and "unread_scored" in lost else totals
    nothing = np.zeros_like(totals)
    return finish(read + lost.get(f"{kind}_worst", nothing)), finish(read + lost.get(f"{kind}_best", nothing))


# --- counts of distinct statistics -----------------------------------------------------------


def _summarise_distinct(column: RunningColumn, metric: Metric, cell: int, cluster: str) -> ColumnSummary | None:
    aggregate = metric.aggregate
    assert isinstance(aggregate, SupportsWeights)
    stats, buckets = column.list_distinct(), column.list_bucket_totals(cell, cluster)
    counts = buckets.sum(axis=0)
    counts = np.pad(counts, (0, len(stats) - len(counts)))
    occurring = np.flatnonzero(counts)
    explain = getattr(aggregate, "explain_absence", None)
    if explain and explain(_take(stats, occurring)) is not None:
        return None
    finish = partial(_finish_weighted, aggregate, stats)
    units = _join_buckets(buckets)
    units = np.pad(units, ((0, 0), (0, len(counts) - units.shape[1])))
    value_of = aggregate.prepare_weighted(_take(stats, occurring))
    without = np.array([value_of((counts - unit)[occurring]) for unit in units])
    value = value_of(counts[occurring])
    interval = bucket_interval(
        value, without, _choose_distinct_scale(stats, aggregate), cluster=cluster, samples=int(counts.sum())
    )
    lost = {kind: np.pad(row, (0, len(counts) - len(row))) for kind, row in column.list_lost(cell).items()}
    details = _describe_distinct(metric, stats, counts, is_overall=cell == 0)
    return ColumnSummary(value, interval, cluster, partial(_bound, lost, counts, finish), details)


def _finish_weighted(aggregate: SupportsWeights, stats: Stats, counts: Array) -> float:
    occurring = np.flatnonzero(counts)
    return float(aggregate.prepare_weighted(_take(stats, occurring))(counts[occurring]))


def _join_buckets(buckets: Array) -> Array:
    """Return the sums of the buckets that are not empty, with several joined if there are many."""
    factor = max(1, len(buckets) // MAX_REPLICATES)
    joined: Array = buckets.reshape(-1, factor, buckets.shape[1]).sum(axis=1)
    return joined[joined.any(axis=1)]


def _choose_distinct_scale(stats: Stats, aggregate: Aggregator) -> Scale:
    scale = choose_scale(stats, aggregate, np.zeros(len(stats), dtype=np.int64))
    # The numbers of trials and samples would be those of distinct statistics.
    return replace(scale, most_trials=math.inf, samples=0) if isinstance(scale, BoundedScale) else scale


def _describe_distinct(metric: Metric, stats: Stats, counts: Array, *, is_overall: bool) -> Details:
    weighted: Callable[[Stats, Array], Details] | None = getattr(metric.aggregate, "details_weighted", None)
    occurring = np.flatnonzero(counts)
    if weighted is not None:
        return weighted(_take(stats, occurring), counts[occurring])
    if counts.sum() > MAX_EXPANDED:
        return {}
    repeated = _take(stats, np.repeat(np.arange(len(counts)), counts.astype(np.int64)))
    return {**metric.details(repeated), **(metric.plot_data(repeated) if is_overall else {})}


def _take(stats: Stats, indices: Any) -> Stats:
    return stats[indices] if isinstance(stats, np.ndarray) else [stats[index] for index in indices.tolist()]


# --- a uniform sample ------------------------------------------------------------------------


def _summarise_sample(column: RunningColumn, metric: Metric, cluster: str) -> ColumnSummary | None:
    sample = column.sample
    stats = restore_stats(sample.labels, is_numeric=column.is_numeric)
    explain = getattr(metric.aggregate, "explain_absence", None)
    if explain and explain(stats) is not None:
        return None
    clusters = None
    if cluster and cluster in sample.buckets:
        own = np.arange(len(sample.labels)) + (1 << 16)  # a sample without a value is a cluster of its own
        clusters = renumber_clusters(np.where(sample.buckets[cluster] >= 0, sample.buckets[cluster], own))
    interval = compute_interval(stats, metric.aggregate, clusters=clusters)
    details = {**metric.details(stats), **metric.plot_data(stats)}
    if len(stats) < column.scored:
        note = f"{metric.title} is computed from {len(stats):,} of {column.scored:,} samples, chosen by digests of ids."
        details["notes"] = [*details.get("notes", ()), note]
    value = float(metric.aggregate(stats))
    return ColumnSummary(value, interval, "" if clusters is None else cluster, lambda _: (math.nan, math.nan), details)


# --- numbers ---------------------------------------------------------------------------------


def _make_number(column: RunningColumn, metric: Metric, cell: int, summary: ColumnSummary) -> Number:
    count = partial(column.count, cell)
    failed = count("failed")
    worst, best = (summary.bounds("failed") if count("bounded") else None) or (summary.value, summary.value)
    unread = summary.bounds("unread") if count("unread_bounded") else None
    wrong, right = unread or (math.nan, math.nan)
    return Number(
        metric=metric.name,
        title=metric.title,
        value=_defined(summary.value),
        low=_defined(summary.interval.low),
        high=_defined(summary.interval.high),
        interval=summary.interval.method,
        cluster=summary.interval.members or summary.cluster,
        units=summary.interval.units,
        scored=count("scored"),
        total=count("members") - count("not_applicable"),
        failed=failed,
        unbounded=failed - count("bounded"),
        not_applicable=count("not_applicable"),
        worst=_defined(worst),
        best=_defined(best),
        **_count_readings(column, cell),
        unread_wrong=_defined(wrong),
        unread_right=_defined(right),
        higher_is_better=metric.higher_is_better,
        optimum=metric.optimum,
        unit=metric.unit,
        plot=metric.plot,
        right_or_wrong=metric.right_or_wrong,
        signature=Signature(MetricSignature.parse(metric.signature)),
        details=replace_non_finite(dict(summary.details)),
    )


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _count_readings(column: RunningColumn, cell: int) -> dict[str, Any]:
    """Count how the answers of a group were read."""
    metric = column.metric
    unreadable, refused, truncated = (column.count(cell, name) for name in ("unreadable", "declined", TRUNCATED))
    counts: dict[str, Any] = {"unreadable": unreadable, "refused": refused, "truncated": truncated}
    if metric.unreadable == "wrong" and isinstance(metric, Bounded):
        counts["counted_wrong"] = unreadable + refused + truncated
    by_strength = {name: column.count(cell, name) for name in READINGS}
    was_read = any(column.count(0, name) for name in READINGS)
    if not isinstance(metric, ReadsReply) or not (was_read or unreadable or refused or truncated):
        return counts
    readings = by_strength | {UNREAD: unreadable, REFUSED: refused, TRUNCATED: truncated}
    return {**counts, "readings": {name: readings[name] for name in list_readings(metric)}}
