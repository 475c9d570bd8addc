"""Aggregate statistics into results with counts, intervals, bounds and signatures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from auricle.core.signature import MetricSignature, Signature
from auricle.core.user_code import UserCall
from auricle.metrics.base import Aggregator, Codes, Mask, Metric
from auricle.metrics.capabilities import Bounded, ReadsReply
from auricle.metrics.dominance import describe_dominance
from auricle.metrics.intervals import compute_interval
from auricle.runs.metrics import Number
from auricle.runs.scores import READINGS, REFUSED, TRUNCATED, UNREAD
from auricle.scoring.clusters import renumber_clusters
from auricle.scoring.score_table import LostStats, MetricColumn, ScoreTable, list_readings


@dataclass(frozen=True, slots=True)
class Group:
    """Samples with one value of a metadata field, or all samples."""

    field: str
    value: str
    members: Mask


@dataclass(frozen=True, slots=True)
class ScoredSamples:
    """A score table with the data position and the cluster of each of its samples."""

    table: ScoreTable
    data_order: Codes
    clusters: Codes | None


def summarise(score_table: ScoreTable, context: Signature | None = None, *, overall_only: bool = False) -> list[Number]:
    """Compute each metric over all samples, then by subset, then by every other field.

    Args:
        score_table: The statistics of all samples.
        context: What was measured; each number's signature is this one with its own metric.
        overall_only: Whether to leave out subsets and fields.
    """
    scored = ScoredSamples(score_table, _data_order(score_table), score_table.clusters.codes())
    numbers = [
        number
        for group in islice(iterate_groups(score_table), 1 if overall_only else None)
        for number in finish_group(_compute_numbers(scored, group), [column.metric for column in score_table.columns])
    ]
    if context is None:
        return numbers
    return [replace(number, signature=replace(context, metric=number.signature.metric)) for number in numbers]


def _data_order(score_table: ScoreTable) -> Codes:
    """Return the data position of each sample in the score table."""
    order = np.argsort(_as_array(score_table.rows), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank


def iterate_groups(score_table: ScoreTable) -> Iterator[Group]:
    """Yield the groups: all samples first, then subsets, then other fields by name."""
    yield Group("", "all", np.ones(score_table.total, dtype=bool))
    for name in sorted(score_table.fields, key=lambda each: (each != "subset", each)):
        codes = np.frombuffer(score_table.fields[name].codes, dtype=np.int64)
        values = score_table.fields[name].values
        if name != "subset" and not 1 < len(values) < score_table.total:
            continue
        for value, code in sorted(values.items(), key=lambda item: natural_sort_key(item[0])):
            yield Group(name, value, codes == code)


def natural_sort_key(text: str) -> tuple[int, float, str]:
    """Return a sort key with numbers in numeric order, before words."""
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0.0, text


def finish_group(numbers: list[Number], metrics: Sequence[Metric]) -> list[Number]:
    """Complete the numbers of one group, which may share a confusion matrix."""
    return _remove_repeated_matrices(_add_ceilings(numbers, metrics))


def _add_ceilings(numbers: list[Number], metrics: Sequence[Metric]) -> list[Number]:
    """Add the highest possible value to results that unmatched labels limit."""
    matrices = [each.details["matrix"] for each in numbers if "matrix" in each.details]
    if not matrices or not matrices[0]["ceiling"] < 1.0:
        return numbers
    capped = {metric.name for metric in metrics if getattr(metric, "has_label_ceiling", False)}
    ceiling = {"ceiling": matrices[0]["ceiling"]}
    return [replace(each, details={**each.details, **ceiling}) if each.metric in capped else each for each in numbers]


def _remove_repeated_matrices(numbers: list[Number]) -> list[Number]:
    """Keep a confusion matrix only with the first result that is computed from it."""
    matrices: list[Any] = []
    kept = []
    for number in numbers:
        details = number.details
        if (matrix := details.get("matrix")) in matrices:
            shared = ("matrix", "classes", "notes")
            kept.append(replace(number, details={key: item for key, item in details.items() if key not in shared}))
            continue
        matrices += [matrix] if matrix else []
        kept.append(number)
    return kept


def _compute_numbers(scored: ScoredSamples, group: Group) -> list[Number]:
    numbers = []
    for column in scored.table.columns:
        places = _as_array(column.indices)
        which = np.flatnonzero(group.members[places])
        if column.refusal_reason or not len(which):
            continue
        which = which[np.argsort(scored.data_order[places[which]], kind="stable")]
        call = UserCall(f"the metric {column.metric.name}")
        try:
            with call:
                if (reason := _explain_absence(column, column.stats[which])) is not None:
                    column.refusal_reason = column.refusal_reason if group.field else reason
                    continue
                numbers.append(_compute_number(scored, group, column, column.stats[which], places[which]))
        except Exception as error:  # noqa: BLE001 - a metric may raise anything
            column.refusal_reason = f"its aggregation raised {call.describe(error)}"
    return numbers


def _explain_absence(column: MetricColumn, stats: Any) -> str | None:
    """Return why an aggregator has no number for some statistics; empty if that needs no mention, None if it has."""
    explain: Callable[[Any], str | None] | None = getattr(column.metric.aggregate, "explain_absence", None)
    return explain(stats) if explain else None


def _compute_number(scored: ScoredSamples, group: Group, column: MetricColumn, stats: Any, indices: Codes) -> Number:
    metric, members = column.resolved_metric(), _applicable_members(column, group.members)
    # With a single cluster, samples are the units.
    clusters = renumber_clusters(None if scored.clusters is None else scored.clusters[indices])
    spread = compute_interval(stats, metric.aggregate, clusters=clusters)
    value = float(metric.aggregate(stats))
    worst, best = _compute_bounds(column.failed, metric.aggregate, stats, members) or (value, value)
    unread_wrong, unread_right = _bound_unread(column, stats, indices, members) or (math.nan, math.nan)
    failed = int(members[_as_array(scored.table.failed)].sum())
    details = {**metric.details(stats), **describe_dominance(stats, metric.aggregate)}
    if not group.field:
        details |= metric.plot_data(stats)
    if spread.reason:
        note = f"{metric.title} has no interval: {spread.reason}."
        details["notes"] = [*details.get("notes", ()), note]
    return Number(
        metric=metric.name,
        title=metric.title,
        field=group.field,
        group=group.value,
        value=_defined(value),
        low=_defined(spread.low),
        high=_defined(spread.high),
        interval=spread.method,
        cluster=spread.members or ("" if clusters is None else scored.table.clusters.field),
        units=spread.units,
        scored=len(indices),
        total=int(members.sum()),
        failed=failed,
        unbounded=failed - int(members[_as_array(column.failed.indices)].sum()),
        not_applicable=int(group.members[_as_array(column.not_applicable)].sum()),
        worst=_defined(worst),
        best=_defined(best),
        **_count_readings(column, members),
        unread_wrong=_defined(unread_wrong),
        unread_right=_defined(unread_right),
        higher_is_better=metric.higher_is_better,
        optimum=metric.optimum,
        unit=metric.unit,
        plot=metric.plot,
        right_or_wrong=metric.right_or_wrong,
        signature=Signature(MetricSignature.parse(metric.signature)),
        details=replace_non_finite(details),
    )


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None


def replace_non_finite(value: Any) -> Any:
    """Replace NaN and infinity in a value of JSON types by None."""
    if isinstance(value, float):
        return _defined(value)
    if isinstance(value, dict):
        return {name: replace_non_finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [replace_non_finite(item) for item in value]
    return value


def _applicable_members(column: MetricColumn, members: Mask) -> Mask:
    """Return the members of a group that a metric applies to."""
    if not column.not_applicable:
        return members
    applicable = members.copy()
    applicable[_as_array(column.not_applicable)] = False
    return applicable


def _compute_bounds(
    lost: LostStats, aggregate: Aggregator, stats: Sequence[Any], members: Mask
) -> tuple[float, float] | None:
    """Compute the value if every lost statistic had been worst, and best; None if none was lost."""
    which = np.flatnonzero(members[_as_array(lost.indices)])
    if not len(which):
        return None
    return float(aggregate([*stats, *lost.worst[which]])), float(aggregate([*stats, *lost.best[which]]))


def _count_readings(column: MetricColumn, members: Mask) -> dict[str, Any]:
    """Count how the answers of a group were read."""
    not_read = (column.unreadable, column.refused, column.truncated)
    unreadable, refused, truncated = (int(members[_as_array(indices)].sum()) for indices in not_read)
    counts = {"unreadable": unreadable, "refused": refused, "truncated": truncated}
    if column.metric.unreadable == "wrong" and isinstance(column.metric, Bounded):
        counts["counted_wrong"] = unreadable + refused + truncated
    if not isinstance(column.metric, ReadsReply) or not (column.read or unreadable or refused or truncated):
        return counts
    strengths = np.frombuffer(column.strengths, dtype=np.int8)[members[_as_array(column.read)]]
    by_strength = np.bincount(strengths, minlength=len(READINGS)).tolist()
    readings = dict(zip(READINGS, by_strength, strict=True)) | {
        UNREAD: unreadable,
        REFUSED: refused,
        TRUNCATED: truncated,
    }
    return {**counts, "readings": {name: readings[name] for name in list_readings(column.metric)}}


def _bound_unread(column: MetricColumn, stats: Any, indices: Codes, members: Mask) -> tuple[float, float] | None:
    """Compute the value if every unreadable answer were wrong, and right."""
    unread = _as_array(column.unread.indices)
    if not members[unread].any():
        return None
    read_stats = [stat for stat, is_unread in zip(stats, np.isin(indices, unread), strict=True) if not is_unread]
    return _compute_bounds(column.unread, column.metric.aggregate, read_stats, members)


def _as_array(indices: Any) -> Codes:
    return np.frombuffer(indices, dtype=np.int64) if len(indices) else np.empty(0, dtype=np.int64)
