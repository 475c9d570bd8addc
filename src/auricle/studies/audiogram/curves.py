"""Summarise a metric under the conditions of a family: threshold, area under the curve and degradation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from auricle.metrics.base import Array
from auricle.runs.metrics import FamilyFacts
from auricle.studies.audiogram.level_curves import Crossings, LevelAxis, compute_areas, compute_excess, find_crossings

MIN_POINTS = 3
"""Fewest levels of a curve, with that of the clean number if there is one, for a threshold."""
EXTRA_ERRORS = 0.01
"""What is added to twice the clean error rate, so that a model without errors has a threshold, too."""
CLEAN_COLUMN = 0

Summary: TypeAlias = Callable[[Array], Array]
"""Maps numbers, one column per part and one row per replicate, to one value per row."""


@dataclass(frozen=True)
class MetricScale:
    """What is needed to know of a metric to decide when a model stops working.

    Args:
        higher_is_better: The direction of the metric.
        unit: Its unit.
        chance: What guessing would score.
    """

    higher_is_better: bool
    unit: str
    chance: float = 0.0

    @property
    def is_error_rate(self) -> bool:
        return self.unit == "share" and not self.higher_is_better

    def to_badness(self, values: Array) -> Array:
        """Return numbers of which higher ones are worse."""
        return -values if self.higher_is_better else values

    def compute_criteria(self, clean: Array) -> Array:
        """Return the number at which a model has stopped working, for each clean number.

        That is twice the clean error rate plus one percentage point, or where half of the distance to chance is lost.
        It is undefined for a model that is not better than chance.
        """
        if self.higher_is_better:
            return np.where(clean > self.chance, (clean + self.chance) / 2, np.nan)
        if self.is_error_rate:
            return 2 * clean + EXTRA_ERRORS
        return np.where(clean > 0, 2 * clean, np.nan)

    def describe_criterion(self) -> str:
        """Describe the criterion for people."""
        if self.higher_is_better:
            return f"half of the distance to chance ({self.chance:.3g}) is lost"
        return "twice the clean error rate + 1 pp" if self.is_error_rate else "twice the clean number"


@dataclass(frozen=True)
class FamilyCurve:
    """A metric under the conditions of one family, as functions of the numbers of all parts.

    Args:
        family: The family.
        columns: The column of each of its parts; that of the clean part is `CLEAN_COLUMN`.
        scale: The metric.
    """

    family: FamilyFacts
    columns: Sequence[int]
    scale: MetricScale

    @property
    def has_axis(self) -> bool:
        """Whether the family has levels to interpolate between."""
        return len(self._point_columns) > 1

    @property
    def has_threshold(self) -> bool:
        return len(self._point_columns) >= MIN_POINTS

    @property
    def axis(self) -> LevelAxis:
        clean = [] if self.family.clean_level is None else [self.family.clean_level]
        return LevelAxis((*clean, *self.family.levels), self.family.is_logarithmic)

    @property
    def _point_columns(self) -> list[int]:
        """The columns of the points of the curve, which the clean number is one of if it has a level."""
        if not self.family.levels:
            return []
        clean = [] if self.family.clean_level is None else [CLEAN_COLUMN]
        return [*clean, *self.columns]

    def compute_degradation(self, values: Array) -> Array:
        """Return how much worse the numbers of the family are than the clean one, as the mean over its levels."""
        badness = self.scale.to_badness(values)
        degradation: Array = badness[:, self.columns].mean(axis=1) - badness[:, CLEAN_COLUMN]
        return degradation

    def compute_relative_degradation(self, values: Array) -> Array:
        """Return the degradation as a share of the clean number; NaN if that is not positive."""
        clean = values[:, CLEAN_COLUMN]
        undefined = np.full(len(clean), np.nan)
        shares: Array = np.divide(self.compute_degradation(values), clean, out=undefined, where=clean > 0)
        return shares

    def compute_area(self, values: Array) -> Array:
        """Return the area under the curve, divided by its width."""
        return compute_areas(self.axis, values[:, self._point_columns], is_error_rate=self.scale.is_error_rate)

    def find_thresholds(self, values: Array) -> Crossings:
        """Find the level at which the model stops working."""
        return find_crossings(self.axis, *self._weigh_points(values))

    def compute_excess(self, values: Array) -> Array:
        """Return by how much the curve is worse than its criterion, in small steps from the first level to the last."""
        return compute_excess(*self._weigh_points(values))

    def _weigh_points(self, values: Array) -> tuple[Array, Array, list[float]]:
        """Return how bad the points are, the criterion, and the weight of each point."""
        criteria = self.scale.compute_criteria(values[:, CLEAN_COLUMN])
        badness = self.scale.to_badness(values[:, self._point_columns])
        return badness, self.scale.to_badness(criteria), [1.0] * badness.shape[1]  # all levels have the same samples

    def compute_threshold(self, values: Array) -> Array:
        """Return the threshold; infinite if it is beyond the levels that were tested."""
        return self.find_thresholds(values).levels
