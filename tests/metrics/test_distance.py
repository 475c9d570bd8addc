"""Distances from zero, for metrics that are best there."""

import numpy as np
import pytest

from auricle.metrics import mean
from auricle.metrics.base import Metric
from auricle.metrics.distance import DistanceFromZero, find_closer
from auricle.metrics.intervals import compare_paired


def make_metric(optimum: str = "zero") -> Metric:
    return Metric("bias", lambda *_: 0.0, mean, higher_is_better=False, optimum=optimum)


def draw(centre: float, seed: int = 0, size: int = 40) -> list[float]:
    noise: list[float] = np.random.default_rng(seed).standard_normal(size).tolist()
    return [centre + 0.01 * value for value in noise]


def decide(a: list[float], b: list[float], optimum: str = "zero") -> bool | None:
    return find_closer(make_metric(optimum), lambda aggregate: compare_paired(a, b, aggregate))


def test_the_distance_is_the_absolute_value_of_the_whole_number() -> None:
    assert DistanceFromZero(mean)([-0.3, 0.1]) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("a", "b", "closer"),
    [(-0.1, 0.003, True), (0.1, 0.02, True), (-0.02, -0.1, False), (0.02, -0.1, False), (-0.1, 0.1, None)],
)
def test_the_number_closer_to_zero_is_better_whatever_its_sign(a: float, b: float, closer: bool | None) -> None:
    assert decide(draw(a), draw(b, seed=1)) is closer


def test_other_metrics_have_no_distance() -> None:
    assert decide(draw(0.1), draw(0.0, seed=1), "") is None
    assert decide(draw(0.1), draw(0.0, seed=1), "none") is None


def test_equal_distances_on_both_sides_are_rarely_called_closer() -> None:
    verdicts = [decide(draw(-0.02, seed), draw(0.02, seed + 1000)) for seed in range(200)]
    assert sum(verdict is not None for verdict in verdicts) <= 20
