"""Gaps between groups of samples: how much worse one accent, microphone or noise level is than the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auricle.core.direction import Directed
from auricle.core.errors import SpecError
from auricle.metrics.base import SupportsWeights
from auricle.metrics.group_gaps import GroupDifference, compare_group
from auricle.metrics.intervals import adjust_holm
from auricle.metrics.jackknife import take_stats
from auricle.metrics.power import SIGNIFICANCE_LEVEL
from auricle.runs.metrics import Metrics, Number
from auricle.scoring.grouped_stats import GroupedStats, group_table, list_automatic_slices, load_groups
from auricle.scoring.score_table import ScoreTable
from auricle.scoring.sound_slices import ABSENT, SoundTable

MAX_VALUES = 20
"""Values of a field beyond which its groups are not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Directed):
    """The number of a group minus that of all other samples with a value of the field."""

    metric: str
    title: str
    field: str
    group: str
    value: float
    others: float
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    """p value adjusted by Holm's method over all groups of all fields of the table."""
    detectable: float
    """The smallest gap that is found with 80 % power, as one of the tests of the table."""
    n: int
    """Scored samples of the group."""
    units: int
    """Independent units of the group or of the others, whichever are fewer."""
    method: str
    cluster: str
    higher_is_better: bool
    optimum: str = ""
    unit: str

    @property
    def is_significant(self) -> bool:
        return self.adjusted < SIGNIFICANCE_LEVEL

    @property
    def is_worse(self) -> bool:
        return self.direction.is_better(self.value, self.others) is False


@dataclass(frozen=True, slots=True)
class _Test:
    """A comparison and the gaps that it decides: two if there are only two groups, as one mirrors the other."""

    comparison: GroupDifference | None
    gaps: tuple[Gap, ...]


def compute_gaps(grouped: GroupedStats, fields: Sequence[str] = ()) -> list[Gap]:
    """Compare each group of each field with all other samples that have a value of the field.

    Args:
        grouped: Statistics of a metric, and the groups of samples.
        fields: The fields to compare. Default: all with 2 to 20 values.

    Returns:
        Gaps in the order of fields and groups; interval and p value are NaN for groups with too few units.
    """
    tests = [test for field in fields or grouped.groupings for test in _test_groups(grouped, field)]
    adjusted = adjust_holm([test.comparison.difference.p if test.comparison else math.nan for test in tests])
    count = sum(test.comparison is not None for test in tests)
    return [
        replace(gap, adjusted=p, detectable=test.comparison.find_detectable(count)) if test.comparison else gap
        for test, p in zip(tests, adjusted, strict=True)
        for gap in test.gaps
    ]


def compute_report_groups(
    table: ScoreTable, signals: SoundTable, numbers: Sequence[Number]
) -> tuple[list[Number], list[Gap]]:
    """Compute what a report shows of groups besides the numbers by metadata.

    Args:
        table: The statistics of all samples.
        signals: The measures of the same samples in the same order.
        numbers: The numbers of the run.

    Returns:
        Numbers by signal, and the gaps between groups by the first metric. These are left out for an aggregator about
        which nothing is known: its bootstraps would take minutes.
    """
    overall = {number.metric: number for number in numbers if not number.field}
    taken = {number.field for number in numbers}
    slices = [name for name in list_automatic_slices(signals, [*overall.values()]) if name not in taken]
    sliced: list[Number] = []
    gaps: list[Gap] = []
    for place, column in enumerate(table.columns):
        is_first = column.metric.name == next(iter(overall), "")
        if column.metric.name not in overall or not (slices or is_first):
            continue
        grouped = group_table(table, place, signals, slices)
        sliced += [number for name in slices for number in grouped.compute_numbers(name, overall[column.metric.name])]
        if is_first and isinstance(grouped.metric.aggregate, SupportsWeights):
            gaps = compute_gaps(grouped, [name for name in grouped.groupings if name in taken or name in slices])
    return sliced, gaps


def load_gaps(path: Path, metrics: Metrics, fields: Sequence[str] = (), metric: str = "") -> list[Gap]:
    """Compute the gaps between groups of a run from its stored statistics.

    Args:
        path: Run directory.
        metrics: The metrics of the run.
        fields: Metadata fields, and slices by signal. Default: all metadata fields with few values.
        metric: Name of the metric. Default: the first.

    Raises:
        SpecError: if the run has no such metric, or its statistics cannot be aggregated again.
    """
    number = next((number for number in metrics.overall if metric in ("", number.metric)), None)
    if number is None:
        names = ", ".join(number.metric for number in metrics.overall) or "none"
        raise SpecError(f"{path} has no metric {metric!r}. Metrics: {names}.")
    grouped = load_groups(path, metrics).group(path, number)
    if grouped is None:
        raise SpecError(
            f"The groups of {path} cannot be compared by {number.metric}: the metric is not available here."
        )
    return compute_gaps(grouped, [field for field in fields or metrics.fields if field in grouped.groupings])


def _test_groups(grouped: GroupedStats, field: str) -> Iterator[_Test]:
    names, codes = grouped.groupings[field].names, grouped.codes(field)
    known = (codes != ABSENT).nonzero()[0]
    stats, codes = take_stats(grouped.stats, known), codes[known]
    clusters = grouped.scored_clusters()
    # A gap of one speaker is about this speaker, whose samples are then the units.
    clusters = None if clusters is None or field == grouped.cluster else clusters[known]
    present = [code for code in range(len(names)) if (codes == code).any()]
    if not 1 < len(present) <= MAX_VALUES:
        return
    aggregate = grouped.metric.aggregate
    is_pair = len(present) == 2
    for code in present[:1] if is_pair else present:
        members = codes == code
        comparison = compare_group(stats, members, aggregate, clusters)
        gap = Gap(
            metric=grouped.metric.name,
            title=grouped.metric.title,
            field=field,
            group=names[code],
            value=float(aggregate(take_stats(stats, members.nonzero()[0]))),
            others=float(aggregate(take_stats(stats, (~members).nonzero()[0]))),
            difference=math.nan,
            low=math.nan,
            high=math.nan,
            p=math.nan,
            adjusted=math.nan,
            detectable=math.nan,
            n=int(members.sum()),
            units=0,
            method="",
            cluster="" if clusters is None else grouped.cluster,
            higher_is_better=grouped.metric.higher_is_better,
            optimum=grouped.metric.optimum,
            unit=grouped.metric.unit,
        )
        gap = replace(gap, difference=gap.value - gap.others)
        if comparison:
            test = comparison.difference
            gap = replace(
                gap, low=test.low, high=test.high, p=test.p, units=comparison.estimate.units, method=test.method
            )
        mirrored = [_mirror(gap, names[present[1]], len(stats) - gap.n)] if is_pair else []
        yield _Test(comparison, (gap, *mirrored))


def _mirror(gap: Gap, group: str, n: int) -> Gap:
    """Return the gap of the other one of two groups."""
    return replace(
        gap,
        group=group,
        value=gap.others,
        others=gap.value,
        difference=-gap.difference,
        low=-gap.high,
        high=-gap.low,
        n=n,
    )
