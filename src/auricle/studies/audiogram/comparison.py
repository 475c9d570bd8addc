"""Compare two models under the same conditions: thresholds, areas and degradation of each family.

The same samples are drawn for both models and all conditions, so that effects common to them cancel out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from auricle.metrics.base import Array, Metric
from auricle.metrics.intervals import Contrast, Difference, make_difference, name_method
from auricle.metrics.joint_replicates import JointReplicates, percentile_interval, percentile_p_value
from auricle.runs.metrics import FAMILY_FIELD
from auricle.runs.suites import SuiteRun
from auricle.scoring.compare.loading import choose_cluster, load_compared_run
from auricle.scoring.compare.metric_rows import ComparisonRow
from auricle.scoring.compare.pairing import pair_samples
from auricle.scoring.suite_kinds import PartRuns, SuiteRows
from auricle.studies.audiogram.curves import FamilyCurve, Summary
from auricle.studies.audiogram.numbers import T_INTERVAL, TITLES, ConditionSuite, describe_grid
from auricle.studies.audiogram.report import AREA, DEGRADATION, RELATIVE_DEGRADATION, THRESHOLD, format_level
from auricle.studies.audiogram.scores import ConditionScores, SampleUnits

PERCENTILE_INTERVAL = "joint-percentile"


def compare_families(
    suites: tuple[SuiteRun, SuiteRun], runs: tuple[PartRuns, PartRuns], metrics: Sequence[str], cluster: str | None
) -> SuiteRows:
    """Compare the summaries of all families that both suites have with the same levels.

    Args:
        suites: What was run.
        runs: Run directory and numbers of each part, of the parts that both suites have.
        metrics: Names of the metrics to compare.
        cluster: Metadata field whose values are independent, or `none`. Default: that which both were scored by.
    """
    a, b = (ConditionSuite.load(suite, side) for suite, side in zip(suites, runs, strict=True))
    notes = list(_describe_missing(suites))
    if a is None or b is None:
        return SuiteRows([], {"the families": "a suite has no number without a condition."}, notes)
    pair = FamilyPair.load((a, b), metrics, cluster)
    refused: dict[str, str] = {}
    rows = [row for metric in pair.metrics for row in pair.compare(metric, refused)]
    return SuiteRows(rows, refused, notes)


def _describe_missing(suites: tuple[SuiteRun, SuiteRun]) -> Iterator[str]:
    """Name the conditions that only one of the suites has."""
    names = [{part.name: None for part in suite.parts} for suite in suites]
    for letter, own, other in (("A", names[0], names[1]), ("B", names[1], names[0])):
        if missing := [name for name in own if name not in other]:
            yield f"Only {letter} was run under these conditions: {', '.join(missing)}."


@dataclass(frozen=True)
class FamilyPair:
    """Two suites of conditions with the statistics of the samples that both have."""

    suites: tuple[ConditionSuite, ConditionSuite]
    scores: tuple[ConditionScores, ConditionScores]
    metrics: Sequence[Metric]

    @classmethod
    def load(
        cls, suites: tuple[ConditionSuite, ConditionSuite], names: Sequence[str], cluster: str | None
    ) -> FamilyPair:
        """Pair the samples of the clean parts, which have the same ids under all conditions."""
        field = choose_cluster(cluster, [suite.clean_metrics for suite in suites])
        sides = [load_compared_run(suite.clean_run, suite.clean_metrics, (), ()) for suite in suites]
        pairs = pair_samples(sides[0], sides[1])
        ids_a, ids_b = (list(side.index_by_id) for side in sides)
        own_ids = {ids_b[there]: ids_a[here] for here, there in zip(pairs.a, pairs.b, strict=True)}
        metrics = [metric for metric in suites[0].metrics if metric.name in names]
        units = SampleUnits.load(suites[0].clean_run, field, metrics).restrict({*own_ids.values()})
        kept = {sample: sample for sample in units.unit_by_id}
        a, b = (
            ConditionScores.load({part: run[0] for part, run in suite.runs.items()}, names, units, ids)
            for suite, ids in zip(suites, (kept, own_ids), strict=True)
        )
        return cls(suites, (a.restrict(b), b.restrict(a)), metrics)

    def compare(self, metric: Metric, refused: dict[str, str]) -> Iterator[ComparisonRow]:
        """Yield the differences of a metric; what cannot be compared is added to `refused`."""
        chance = self.scores[0].units.chance_by_metric.get(metric.name, 0.0)
        curves_b = {curve.family.name: curve for curve in self.suites[1].list_curves(metric.name, chance)}
        for curve in self.suites[0].list_curves(metric.name, chance):
            other = curves_b.get(curve.family.name)
            if other is None or other.family != curve.family:
                continue
            yield from self._compare_family(metric, curve, refused)

    def _compare_family(self, metric: Metric, curve: FamilyCurve, refused: dict[str, str]) -> Iterator[ComparisonRow]:
        parts = [self.suites[0].clean, *curve.family.parts]
        (side_a, count), (side_b, _) = (scores.collect(metric, parts) for scores in self.scores)
        both = JointReplicates([*side_a, *side_b], count)
        if not count:
            refused[f"{metric.name} of {curve.family.name}"] = "no sample was scored in both under all conditions."
            return
        build = FamilyRows(metric, curve, both, self.scores[0].units.cluster, len(side_a[0].stats))
        if curve.has_threshold:
            try:
                yield build.compare_thresholds()
            except ValueError as error:
                refused[f"{metric.name}{THRESHOLD} of {curve.family.name}"] = str(error)
        if curve.has_axis:
            yield build.compare_smooth(AREA, curve.compute_area)
        yield build.compare_smooth(DEGRADATION, curve.compute_degradation)
        yield build.compare_smooth(RELATIVE_DEGRADATION, curve.compute_relative_degradation)


@dataclass(frozen=True)
class FamilyRows:
    """Builds the rows of one family and metric.

    Args:
        metric: The metric.
        curve: The family.
        both: The numbers of A under all conditions of the family, then those of B.
        cluster: Metadata field whose values are the units; empty if samples are.
        count: Number of paired samples.
    """

    metric: Metric
    curve: FamilyCurve
    both: JointReplicates
    cluster: str
    count: int

    def compare_smooth(self, suffix: str, summary: Summary) -> ComparisonRow:
        estimate = self.both.estimate(lambda values: summary(self._side(values, 1)) - summary(self._side(values, 0)))
        a, b = (float(summary(self._side(self.both.values, side))[0]) for side in (0, 1))
        contrast = Contrast(estimate, name_method(T_INTERVAL, bool(self.cluster)), 0.0)
        unit = "share" if suffix == RELATIVE_DEGRADATION else self.metric.unit
        is_better_if_higher = self.metric.higher_is_better if suffix == AREA else False
        return self._build(suffix, make_difference((a, b), contrast, self.count), is_better_if_higher, unit)

    def compare_thresholds(self) -> ComparisonRow:
        """Compare the levels at which the models stop working.

        Raises:
            ValueError: if one of them is beyond the levels that were tested, or undefined.
        """
        a, b = (float(self.curve.compute_threshold(self._side(self.both.values, side))[0]) for side in (0, 1))
        for letter, level in (("A", a), ("B", b)):
            if problem := self._explain_undefined(level):
                raise ValueError(f"in {letter}, {problem}.")
        lowest, highest = self._draw_threshold_differences()
        units = self.both.unit_count
        low, _ = percentile_interval(lowest, units)
        _, high = percentile_interval(highest, units)
        difference = Difference(
            value_a=a,
            value_b=b,
            difference=b - a,
            low=low,
            high=high,
            p=percentile_p_value(lowest, highest, units),
            n=self.count,
            method=name_method(PERCENTILE_INTERVAL, bool(self.cluster)),
            detectable=math.nan,
            units=units,
        )
        return self._build(THRESHOLD, difference, self.curve.family.is_harder_if_higher, self.curve.family.unit)

    def _explain_undefined(self, level: float) -> str:
        levels, unit = self.curve.axis.levels, self.curve.family.unit
        if math.isnan(level):
            return "the clean number is not better than chance"
        if math.isinf(level):
            limit = format_level(max(levels) if level > 0 else min(levels), unit)
            return f"it is beyond the levels that were tested ({'>' if level > 0 else '<'} {limit})"
        return ""

    def _draw_threshold_differences(self) -> tuple[Array, Array]:
        """Return the lowest and the highest difference that each draw allows; they differ beyond the levels."""
        if self.both.unit_count < 2:
            return np.empty(0), np.empty(0)
        ends = [self._bound(self.curve.compute_threshold(self._side(self.both.draws, side))) for side in (0, 1)]
        (low_a, high_a), (low_b, high_b) = ends
        lowest, highest = low_b - high_a, high_b - low_a
        defined = ~(np.isnan(lowest) | np.isnan(highest))
        return lowest[defined], highest[defined]

    def _bound(self, thresholds: Array) -> tuple[Array, Array]:
        levels = self.curve.axis.levels
        low = np.where(thresholds == np.inf, max(levels), thresholds)
        high = np.where(thresholds == -np.inf, min(levels), thresholds)
        return low, high

    def _side(self, values: Array, side: int) -> Array:
        width = values.shape[1] // 2
        return values[:, side * width : (side + 1) * width]

    def _build(self, suffix: str, difference: Difference, is_better_if_higher: bool, unit: str) -> ComparisonRow:
        return ComparisonRow(
            *astuple(difference),
            metric=f"{self.metric.name}{suffix}",
            title=f"{self.metric.title} {TITLES[suffix]}",
            field=FAMILY_FIELD,
            group=self.curve.family.name,
            adjusted=difference.p,
            better=0,
            worse=0,
            cluster=self.cluster,
            worst=difference.difference,
            best=difference.difference,
            higher_is_better=is_better_if_higher,
            unit=unit,
            signature=f"{self.metric.name}{suffix}:{self.metric.version}.{describe_grid(self.curve.family)}",
            right_or_wrong=False,
        )
