"""Compare two groups of different samples: two runs, or two values of a metadata field of one run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.value_text import pluralise
from auricle.metrics.base import Codes, Mask, Metric, mean
from auricle.metrics.distance import find_closer
from auricle.metrics.intervals import adjust_holm
from auricle.metrics.jackknife import name_members, resolve_units
from auricle.metrics.unpaired import compare_unpaired
from auricle.scoring.clusters import encode_clusters, renumber_clusters
from auricle.scoring.compare.loading import ABSENT, ComparedRun
from auricle.scoring.compare.metric_rows import ComparisonRow, adjust_p_values
from auricle.scoring.compare.predictions import Shift, list_labels, pooled_effect_size, shared_dimensions
from auricle.scoring.summary import natural_sort_key

MAX_VALUES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Split:
    """Two groups of samples: those with one value of a metadata field, and those with another."""

    field: str
    values: tuple[str, str]

    @classmethod
    def parse(cls, text: str) -> Split:
        """Parse `FIELD=VALUE_A,VALUE_B`."""
        field, equals, values = text.partition("=")
        a, comma, b = values.partition(",")
        if not (field and equals and a and comma and b) or "," in b or a == b:
            raise SpecError(f"Invalid groups {text!r}: expected FIELD=VALUE_A,VALUE_B, such as source=human,generated.")
        return cls(field.strip(), (a.strip(), b.strip()))


@dataclass(frozen=True)
class SampleGroup:
    """The samples of a run that are compared as one group."""

    side: ComparedRun
    members: Mask

    @classmethod
    def select(cls, side: ComparedRun, field: str = "", value: str = "") -> SampleGroup:
        """Select all samples of a run, or those with one value of a metadata field.

        Raises:
            SpecError: if no sample has the value.
        """
        if not field:
            return cls(side, np.ones(len(side.rows), dtype=bool))
        values = np.array(side.fields[field], dtype=object)
        group = cls(side, values == value)
        if not group.members.any():
            available = sorted({each for each in values if each is not None}, key=natural_sort_key)
            shown = ", ".join(available[:MAX_VALUES_SHOWN]) or "none"
            raise SpecError(f"No sample of {side.path} has {field}={value}. Values of {field}: {shown}.")
        return group

    @property
    def answered(self) -> int:
        """Number of samples that did not fail."""
        return int(self.members.sum()) - self.failed

    @property
    def failed(self) -> int:
        return sum(bool(self.members[place]) for place in self.side.failed)

    def restrict(self, field: str, value: str) -> SampleGroup:
        return SampleGroup(self.side, self.members & (np.array(self.side.fields[field], dtype=object) == value))

    def values(self, field: str) -> set[str]:
        """Return the values of a metadata field among the samples."""
        return {value for value, member in zip(self.side.fields[field], self.members, strict=True) if member and value}

    def places(self, metric: Metric) -> Codes:
        """Return the places of the samples that a metric scored."""
        index = np.frombuffer(self.side.scored[metric.name].stat_index, dtype=np.int64)
        return np.flatnonzero((index != ABSENT) & self.members)

    def stats(self, metric: Metric) -> Any:
        scored = self.side.scored[metric.name]
        index = np.frombuffer(scored.stat_index, dtype=np.int64)
        return scored.stats[index[self.places(metric)]]

    def clusters(self, field: str, places: Codes) -> Codes | None:
        """Number the clusters of some samples; return None if they are independent or in one cluster."""
        if not field:
            return None
        values = self.side.fields[field]
        return renumber_clusters(encode_clusters(values[place] for place in places.tolist()))

    def failed_bounds(self, metric: Metric) -> list[tuple[Any, Any]]:
        """Return the worst and best possible statistic of each failed sample."""
        bounds = self.side.scored[metric.name].failed_bounds
        return [bounds[place] for place in bounds if self.members[place]]

    def count_failed(self, metric: Metric) -> int:
        """Return the number of failed samples that a metric applies to, or may apply to."""
        not_applicable = self.side.scored[metric.name].not_applicable
        return sum(bool(self.members[place]) for place in self.side.failed - not_applicable)


Groups = tuple[SampleGroup, SampleGroup]


def build_unpaired_rows(metrics: Sequence[Metric], groups: Groups, by: str, cluster: str) -> list[ComparisonRow]:
    """Compute each metric over all samples, then for each value of the field `by`."""
    whole = [_add_bounds(_build_row(metric, groups, cluster), metric, groups) for metric in metrics]
    parts = [
        replace(_build_row(metric, part, cluster), field=by, group=value)
        for value, part in _split_groups(groups, by)
        for metric in metrics
        if all(len(group.places(metric)) for group in part)
    ]
    return adjust_p_values([*whole, *parts])


def _split_groups(groups: Groups, field: str) -> Iterator[tuple[str, Groups]]:
    if not field:
        return
    a, b = groups
    for value in sorted(a.values(field) & b.values(field), key=natural_sort_key):
        yield value, (a.restrict(field, value), b.restrict(field, value))


def _build_row(metric: Metric, groups: Groups, cluster: str) -> ComparisonRow:
    a, b = (group.stats(metric) for group in groups)
    places = [group.places(metric) for group in groups]
    codes_a, codes_b = (
        resolve_units(stats, metric.aggregate, group.clusters(cluster, at))
        for stats, group, at in zip((a, b), groups, places, strict=True)
    )
    difference = compare_unpaired(a, b, metric.aggregate, (codes_a, codes_b))
    return ComparisonRow(
        *astuple(difference),
        metric=metric.name,
        title=metric.title,
        adjusted=difference.p,
        better=0,
        worse=0,
        cluster=name_members(metric.aggregate, codes_a)
        or (cluster if codes_a is not None or codes_b is not None else ""),
        worst=difference.difference,
        best=difference.difference,
        higher_is_better=metric.higher_is_better,
        optimum=metric.optimum,
        unit=metric.unit,
        signature=metric.signature,
        right_or_wrong=metric.right_or_wrong,
        samples=(len(a), len(b)),
        closer=find_closer(metric, lambda aggregate: compare_unpaired(a, b, aggregate, (codes_a, codes_b))),
    )


def _add_bounds(row: ComparisonRow, metric: Metric, groups: Groups) -> ComparisonRow:
    """Compute the difference if the failed samples had been as bad, and as good, for B as possible."""
    bounds = [group.failed_bounds(metric) for group in groups]
    failed = sum(group.count_failed(metric) for group in groups)
    if not failed:
        return row
    if not any(bounds):
        return replace(row, worst=math.nan, best=math.nan, unbounded=failed)
    stats = [group.stats(metric) for group in groups]

    def value(side: int, end: int) -> float:
        return float(metric.aggregate([*stats[side], *(bound[end] for bound in bounds[side])]))

    worst, best = 0, 1
    return replace(
        row,
        worst=value(1, worst) - value(0, best),
        best=value(1, best) - value(0, worst),
        unbounded=failed - sum(map(len, bounds)),
    )


def compute_unpaired_shifts(groups: Groups, cluster: str) -> list[Shift]:
    """Compute the shift of every dimension that both groups have, over all samples and by true label."""
    a, b = groups
    if not a.side.dimensions or not b.side.dimensions:
        return []
    labels = ["", *list_labels([*_labels(a), *_labels(b)])]
    shifts = [
        shift
        for name in shared_dimensions(a.side, b.side)
        for label in labels
        if (shift := _compute_shift(name, label, groups, cluster)) is not None
    ]
    ps = adjust_holm([shift.p for shift in shifts])
    return [replace(shift, adjusted=p) for shift, p in zip(shifts, ps, strict=True)]


def _labels(group: SampleGroup) -> list[str | None]:
    return [label for label, member in zip(group.side.labels, group.members, strict=True) if member]


def _compute_shift(dimension: str, label: str, groups: Groups, cluster: str) -> Shift | None:
    places = [_dimension_places(group, dimension, label) for group in groups]
    if not all(map(len, places)):
        return None
    before, after = (
        np.array([group.side.dimensions[place][dimension] for place in at.tolist()])
        for group, at in zip(groups, places, strict=True)
    )
    codes_a, codes_b = (group.clusters(cluster, at) for group, at in zip(groups, places, strict=True))
    test = compare_unpaired(before, after, mean, (codes_a, codes_b))
    return Shift(
        *astuple(test),
        dimension=dimension,
        label=label,
        adjusted=test.p,
        cluster=cluster if codes_a is not None or codes_b is not None else "",
        cohens_d=pooled_effect_size(before, after),
        samples=(len(before), len(after)),
    )


def _dimension_places(group: SampleGroup, dimension: str, label: str) -> Codes:
    side = group.side
    places = [
        place
        for place, values in side.dimensions.items()
        if group.members[place]
        and not math.isnan(values.get(dimension, math.nan))
        and label in ("", side.labels[place])
    ]
    return np.array(places, dtype=np.int64)


def describe_groups(groups: Groups, shared: int, *, is_requested: bool) -> Iterator[str]:
    """Describe what the comparison covers, and what it leaves out."""
    if not is_requested:
        yield "No sample is in both runs: they are compared as independent samples."
    elif shared:
        yield (
            f"{pluralise(shared, 'sample')} in both runs, which this comparison does not use as pairs. A paired "
            "comparison is more precise."
        )
    failed = [group.failed for group in groups]
    if any(failed):
        yield f"{pluralise(sum(failed), 'sample')} failed ({failed[0]} in A, {failed[1]} in B): left out."
