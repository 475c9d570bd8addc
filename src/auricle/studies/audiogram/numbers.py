"""Compute the numbers of a suite of conditions: each condition against clean, and summaries of each family.

A mean over conditions would say nothing. Instead there is the clean number, that of every condition with its paired
difference to clean, and for each family the level at which the model stops working, the area under the curve and the
degradation. All intervals treat the samples, or their clusters, as units that are drawn for all conditions together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.signature import Signature
from auricle.metrics.base import Metric
from auricle.metrics.intervals import adjust_holm, compare_paired, name_method
from auricle.metrics.joint_replicates import JointReplicates
from auricle.runs.metrics import FAMILY_FIELD, PART_FIELD, FamilyFacts, Metrics, Number
from auricle.runs.suites import SuiteRun
from auricle.scoring.compare.metric_selection import load_metrics
from auricle.scoring.suite_kinds import SuiteNumbers
from auricle.studies.audiogram.curves import MIN_POINTS, FamilyCurve, MetricScale, Summary
from auricle.studies.audiogram.families import list_families
from auricle.studies.audiogram.level_curves import bound_crossing
from auricle.studies.audiogram.report import AREA, CHANGE, DEGRADATION, RELATIVE_DEGRADATION, THRESHOLD, WORST
from auricle.studies.audiogram.scores import ConditionScores, SampleUnits

TITLES = {
    THRESHOLD: "threshold",
    AREA: "area under the curve",
    DEGRADATION: "degradation",
    RELATIVE_DEGRADATION: "relative degradation",
    CHANGE: "change from clean",
    WORST: "worst condition",
}
T_INTERVAL, THRESHOLD_INTERVAL, WORST_INTERVAL = "joint-t", "joint-inverse-t", "worst-condition"
COUNTS = ("scored", "total", "failed", "unreadable", "refused", "truncated", "counted_wrong", "not_applicable")


@dataclass(frozen=True)
class ConditionSuite:
    """A suite of conditions whose clean part was scored.

    Args:
        clean: Name of the part without a condition.
        families: The families of the parts that were scored.
        runs: Run directory and numbers of each scored part.
    """

    clean: str
    families: tuple[FamilyFacts, ...]
    runs: Mapping[str, tuple[Path, Metrics]]

    @classmethod
    def load(cls, suite: SuiteRun, runs: Mapping[str, tuple[Path, Metrics]]) -> ConditionSuite | None:
        """Return the scored parts of a suite; None if the clean part is not among them."""
        clean = next((part.name for part in suite.parts if not part.condition), "")
        scored = {name: run for name, run in runs.items() if run[1].overall}
        conditions = {part.name: part.condition for part in suite.parts if part.condition and part.name in scored}
        return cls(clean, tuple(list_families(conditions)), scored) if clean in scored else None

    @property
    def clean_run(self) -> Path:
        return self.runs[self.clean][0]

    @property
    def clean_metrics(self) -> Metrics:
        return self.runs[self.clean][1]

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that depend on the model, except those that the task no longer has."""
        signatures = {number.metric: number.signature.metric for number in self.clean_metrics.overall}
        loaded = load_metrics((self.clean_run, self.clean_run), signatures)
        return [metric for metric in loaded if not metric.is_model_independent]

    def find_number(self, part: str, metric: str) -> Number | None:
        """Return the number of a part over all samples; None if it has none."""
        numbers = (number for number in self.runs[part][1].overall if number.metric == metric)
        return next((number for number in numbers if number.value is not None), None)

    def list_parts(self, metric: str) -> list[str]:
        """Return the parts that have a number of a metric, the clean one first."""
        names = [self.clean, *(part for family in self.families for part in family.parts)]
        return [part for part in names if self.find_number(part, metric)]

    def list_curves(self, metric: str, chance: float) -> list[FamilyCurve]:
        """Return the curve of each family whose parts all have a number, as columns after the clean number."""
        parts, clean = self.list_parts(metric), self.find_number(self.clean, metric)
        if clean is None:
            return []
        scale = MetricScale(clean.higher_is_better, clean.unit, chance)
        return [
            FamilyCurve(family, range(1, len(family.parts) + 1), scale)
            for family in self.families
            if {*family.parts} <= {*parts}
        ]


def compute_condition_numbers(suite: SuiteRun, runs: Mapping[str, tuple[Path, Metrics]]) -> SuiteNumbers:
    """Compute all numbers of a suite of conditions.

    Args:
        suite: What was run.
        runs: Run directory and numbers of each part that was scored, by its name.
    """
    scored = ConditionSuite.load(suite, runs)
    if scored is None:
        reason = "the part without a condition has no number, which the conditions are compared with."
        return SuiteNumbers((), {"the numbers of the conditions": reason})
    cluster = scored.clean_metrics.task.cluster
    units = SampleUnits.load(scored.clean_run, cluster, scored.metrics)
    paths = {part: path for part, (path, _) in scored.runs.items()}
    scores = ConditionScores.load(paths, [metric.name for metric in scored.metrics], units)
    numbers = [number for number in scored.clean_metrics.overall if number.value is not None]
    not_computed: dict[str, str] = {}
    for metric in scored.metrics:
        builder = NumberBuilder(scored, scores, metric)
        numbers += builder.build()
        not_computed |= builder.explain_missing()
    return SuiteNumbers(numbers, not_computed, scored.families)


class NumberBuilder:
    """Builds the numbers of one metric."""

    def __init__(self, suite: ConditionSuite, scores: ConditionScores, metric: Metric) -> None:
        self._suite = suite
        self._scores = scores
        self._metric = metric
        self._parts = suite.list_parts(metric.name)
        self._clean = suite.find_number(suite.clean, metric.name)
        chance = scores.units.chance_by_metric.get(metric.name, 0.0)
        self._curves = suite.list_curves(metric.name, chance)
        self._replicates_by_family: dict[str, JointReplicates] = {}

    def _resample(self, curve: FamilyCurve) -> JointReplicates:
        """Return the numbers of the clean part and of a family, over the samples that were scored in all of them."""
        name = curve.family.name
        if name not in self._replicates_by_family:
            parts = [self._suite.clean, *curve.family.parts]
            self._replicates_by_family[name] = self._scores.resample(self._metric, parts)
        return self._replicates_by_family[name]

    def build(self) -> Iterator[Number]:
        if self._clean is None:
            return
        for part in self._parts:
            number = self._suite.find_number(part, self._metric.name)
            assert number
            yield replace(number, field=PART_FIELD, group=part, details={}, plot="")
        yield from self._build_changes()
        if len(self._parts) > 1:
            yield self._build_worst()
        for curve in self._curves:
            yield from self._summarise(curve)

    def explain_missing(self) -> dict[str, str]:
        """Explain why families have no threshold."""
        name = self._metric.name + THRESHOLD
        if self._clean is None:
            return {}
        missing = {
            f"{name} of {family.name}": "a condition of this family has no number"
            for family in self._suite.families
            if family.levels and not {*family.parts} <= {*self._parts}
        }
        for curve in self._curves:
            if not curve.family.levels:
                continue
            if not curve.has_threshold:
                missing[f"{name} of {curve.family.name}"] = f"it needs at least {MIN_POINTS} levels"
            elif np.isnan(curve.compute_threshold(self._resample(curve).values)[0]):
                missing[f"{name} of {curve.family.name}"] = "the clean number is not better than chance"
        return missing

    def _build_changes(self) -> Iterator[Number]:
        """Yield the paired difference of each condition to clean, with p-values adjusted over all conditions."""
        conditions = self._parts[1:]
        differences = []
        for part in conditions:
            a, b, clusters = self._scores.pair(self._metric.name, self._suite.clean, part)
            differences.append(compare_paired(a, b, self._metric.aggregate, clusters))
        adjusted = adjust_holm([difference.p for difference in differences])
        for part, difference, adjusted_p in zip(conditions, differences, adjusted, strict=True):
            yield self._make(
                CHANGE,
                (difference.difference, difference.low, difference.high),
                field=PART_FIELD,
                group=part,
                interval=difference.method,
                units=difference.units,
                details={"p": _defined(difference.p), "adjusted_p": _defined(adjusted_p)},
                signature=self._sign(CHANGE, part),
                **self._count([part]),
            )

    def _build_worst(self) -> Number:
        """Return the number of the worst condition; the maximum over conditions is biased upwards."""
        sign = -1 if self._metric.higher_is_better else 1
        samples = self._scores.resample(self._metric, self._parts)
        conditions = JointReplicates(samples.parts[1:], samples.unit_count)
        worst = int(np.nanargmax(sign * conditions.values[0]))
        part = self._parts[1 + worst]
        return self._make(
            WORST,
            (float(conditions.values[0, worst]), *conditions.compute_highest_interval(sign)),
            field=PART_FIELD,
            group=part,
            interval=self._name(WORST_INTERVAL),
            signature=self._sign(WORST, ",".join(self._parts[1:])),
            **self._count([part]),
        )

    def _summarise(self, curve: FamilyCurve) -> Iterator[Number]:
        if curve.has_threshold and not np.isnan(curve.compute_threshold(self._resample(curve).values)[0]):
            yield self._build_threshold(curve)
        if curve.has_axis:
            yield self._build_smooth(curve, AREA, curve.compute_area, self._metric.higher_is_better)
        yield self._build_smooth(curve, DEGRADATION, curve.compute_degradation, is_better_if_higher=False)
        relative = self._build_smooth(
            curve, RELATIVE_DEGRADATION, curve.compute_relative_degradation, is_better_if_higher=False
        )
        if relative.value is not None:
            yield replace(relative, unit="share")

    def _build_smooth(self, curve: FamilyCurve, suffix: str, summary: Summary, is_better_if_higher: bool) -> Number:
        value, low, high = self._resample(curve).compute_interval(summary)
        if suffix == AREA:  # degradations are differences, which have other limits
            low, high = self._resample(curve).clip(low, high)
        return self._make(
            suffix,
            (value, low, high),
            field=FAMILY_FIELD,
            group=curve.family.name,
            interval=self._name(T_INTERVAL),
            units=self._resample(curve).unit_count,
            higher_is_better=is_better_if_higher,
            signature=self._sign(suffix, describe_grid(curve.family)),
            **self._count(curve.family.parts),
        )

    def _build_threshold(self, curve: FamilyCurve) -> Number:
        samples = self._resample(curve)
        crossings = curve.find_thresholds(samples.values)
        level, nearest = float(crossings.levels[0]), float(crossings.nearest[0])
        ends = bound_crossing(curve.axis, *samples.compute_band(curve.compute_excess))
        return self._make(
            THRESHOLD,
            (nearest, *_bound_interval(ends, curve.axis.levels)),
            field=FAMILY_FIELD,
            group=curve.family.name,
            censored="" if math.isfinite(level) else ">" if level > 0 else "<",
            interval=self._name(THRESHOLD_INTERVAL),
            units=samples.unit_count,
            higher_is_better=curve.family.is_harder_if_higher,
            unit=curve.family.unit,
            details={
                "levels": list(curve.axis.levels),
                "criterion": float(curve.scale.compute_criteria(samples.values[:, 0])[0]),
                "rule": curve.scale.describe_criterion(),
            },
            signature=self._sign(THRESHOLD, describe_grid(curve.family)),
            **self._count(curve.family.parts),
        )

    def _make(self, suffix: str, ends: tuple[float, float, float], **fields: Any) -> Number:
        """Return a number of this metric with everything that all of them share."""
        assert self._clean
        value, low, high = map(_defined, ends)
        common = {
            "metric": self._metric.name + suffix,
            "title": f"{self._metric.title} {TITLES[suffix]}",
            "cluster": self._scores.units.cluster,
            "units": self._scores.units.count,
            "higher_is_better": self._metric.higher_is_better,
            "unit": self._metric.unit,
            "details": {},
        }
        return Number(**{**common, **fields, "value": value, "low": low, "high": high, "worst": value, "best": value})

    def _count(self, parts: Sequence[str]) -> dict[str, int]:
        numbers = [number for part in parts if (number := self._suite.find_number(part, self._metric.name))]
        return {count: sum(getattr(number, count) for number in numbers) for count in COUNTS}

    def _name(self, method: str) -> str:
        return name_method(method, bool(self._scores.units.cluster))

    def _sign(self, suffix: str, grid: str) -> Signature:
        """Return the signature of the clean number with the conditions that the number is computed from."""
        assert self._clean
        own = self._clean.signature.metric
        options = (*own.options, *grid.split("."))  # as they are read again: `0.3` contains the separator
        return replace(self._clean.signature, metric=replace(own, name=own.name + suffix, options=options))


def describe_grid(family: FamilyFacts) -> str:
    """Name a family with its levels: `noise at 20, 10, 0 dB`."""
    if not family.levels:
        return family.name
    levels = ", ".join(f"{level:g}" for level in family.levels)
    return f"{family.name} at {levels} {family.unit}".rstrip()


def _bound_interval(ends: tuple[float, float], levels: Sequence[float]) -> tuple[float, float]:
    """Return an interval in which only the outer end may be open: all of `< -5` is at most -5."""
    low, high = ends
    return max(levels) if low == math.inf else low, min(levels) if high == -math.inf else high


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
