"""Power, sample sizes and designs: against textbook formulas, and against simulated comparisons."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from auricle.metrics.base import mean, ratio
from auricle.metrics.distributions import t_quantile
from auricle.metrics.intervals import compare_paired
from auricle.metrics.power import Design, assume_design, estimate_design, rate_variance, t_test_power

REPETITIONS = 3000
TOLERANCE = 0.03


# --- power and sizes ----------------------------------------------------------------------


def test_without_a_difference_the_power_is_the_level() -> None:
    assert t_test_power(0.0, 12, level=0.01) == pytest.approx(0.01, abs=1e-4)
    assert Design(variance=1.0, level=0.1).compute_power(0.0, 30) == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize("difference", [0.02, 0.3, 5.0])
def test_the_units_needed_are_the_fewest_with_this_power(difference: float, is_paired: bool) -> None:
    design = Design(variance=0.25, is_paired=is_paired)
    units = design.count_units(difference, 0.8)
    assert units is not None
    assert design.compute_power(difference, units) >= 0.8
    assert units == 2 or design.compute_power(difference, units - 1) < 0.8


def test_a_classical_sample_size() -> None:
    # Two groups, effect size 0.5, power 0.8: 64 in each, as in every table.
    assert Design(variance=2.0, is_paired=False).count_units(0.5, 0.8) == 64
    # The same effect within pairs: 34 pairs.
    assert Design(variance=1.0).count_units(0.5, 0.8) == 34


def test_the_detectable_difference_has_the_planned_power() -> None:
    design = Design(variance=0.1)
    difference = design.find_detectable(60, 0.9)
    assert design.compute_power(difference, 60) == pytest.approx(0.9, abs=1e-6)
    assert math.isnan(design.find_detectable(1, 0.9))
    assert design.compute_power(design.find_detectable(2, 0.3), 2) == pytest.approx(0.3, abs=1e-6)


def test_scores_that_never_vary_show_every_difference() -> None:
    design = Design(variance=0.0)
    assert (design.compute_power(0.1, 5), design.compute_power(0.0, 5)) == (1.0, 0.05)
    assert design.find_detectable(5, 0.8) == 0.0
    assert estimate_design([([1.0, 1.0, 1.0, 1.0], np.array([0, 0, 1, 1]))], mean).correlation == 0.0


@pytest.mark.parametrize(("is_paired", "degrees"), [(True, 4), (False, 8)])
def test_few_units_leave_few_degrees_of_freedom(is_paired: bool, degrees: int) -> None:
    design = Design(variance=2.0, is_paired=is_paired)
    assert design.compute_power(1.0, 5) == pytest.approx(t_test_power(math.sqrt(5 / 2), degrees))


def test_a_cluster_of_one_sample_is_a_sample() -> None:
    scores = np.random.default_rng(2).normal(size=20)
    design = estimate_design([(scores, np.arange(20))], mean)
    assert (design.correlation, design.per_cluster, design.design_effect) == (0.0, 1.0, 1.0)
    assert design == estimate_design([(scores, None)], mean)


def test_what_cannot_be_detected_needs_no_finite_number() -> None:
    assert Design(variance=1.0).count_units(1e-9, 0.8) is None
    assert Design(variance=1.0).compute_power(1.0, 1) == 0.0


def test_a_stricter_level_needs_more() -> None:
    strict, usual = (Design(variance=1.0, level=level).count_units(0.3, 0.8) for level in (0.01, 0.05))
    assert strict is not None
    assert usual is not None
    assert strict > 1.4 * usual


def test_samples_of_a_cluster_that_are_alike_add_little() -> None:
    design = Design(variance=1.0, correlation=0.5, per_cluster=11)
    assert design.design_effect == 6.0
    assert design.unit_variance == pytest.approx(6 / 11)
    assert Design(variance=1.0, correlation=1.0, per_cluster=50).unit_variance == pytest.approx(1.0)
    assert Design(variance=1.0, correlation=0.0, per_cluster=50).unit_variance == pytest.approx(1 / 50)


# --- variances ----------------------------------------------------------------------------


def test_a_paired_pilot_gives_the_variance_of_the_differences() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=50), rng.normal(size=50)
    design = estimate_design([(a, None), (b, None)], mean)
    assert design.variance == pytest.approx(np.var(b - a, ddof=1))
    assert design.design_effect == 1.0


def test_an_unpaired_pilot_gives_the_sum_of_the_variances() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=50), 2 * rng.normal(size=80)
    design = estimate_design([(a, None), (b, None)], mean, is_paired=False)
    assert design.variance == pytest.approx(np.var(a, ddof=1) + np.var(b, ddof=1))


def test_one_pilot_is_the_worst_case_or_has_a_stated_correlation() -> None:
    scores = np.random.default_rng(1).normal(size=50)
    worst = estimate_design([(scores, None)], mean)
    assert worst.variance == pytest.approx(2 * np.var(scores, ddof=1))
    assert estimate_design([(scores, None)], mean, model_correlation=0.75).variance == pytest.approx(worst.variance / 4)
    assert estimate_design([(scores, None)], mean, is_paired=False, model_correlation=0.75).variance == worst.variance


def test_the_correlation_within_clusters_is_recovered() -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(900), rng.integers(5, 16, 900))
    scores = math.sqrt(0.2) * rng.normal(size=900)[clusters] + math.sqrt(0.8) * rng.normal(size=len(clusters))
    design = estimate_design([(scores, clusters)], mean)
    assert design.correlation == pytest.approx(0.2, abs=0.03)
    assert design.per_cluster == pytest.approx(10, abs=0.4)
    assert design.imbalance == pytest.approx(1.1, abs=0.02)
    assert design.variance == pytest.approx(2.0, rel=0.1)


def test_clusters_that_differ_less_than_chance_count_as_independent() -> None:
    scores = np.tile([0.0, 1.0], 30)
    assert estimate_design([(scores, np.repeat(np.arange(30), 2))], mean).correlation == 0.0


def test_the_variance_of_a_pilot_is_uncertain_the_more_so_the_smaller_it_is() -> None:
    rng = np.random.default_rng(5)
    small, large = (estimate_design([(rng.normal(size=size), None)], mean) for size in (20, 800))
    assert small.relative_error > 3 * large.relative_error > 0
    assert large.relative_error == pytest.approx(math.sqrt(2 / 800), rel=0.3)
    assert small.at_confidence_end(-1).variance < small.variance < small.at_confidence_end(1).variance


def test_rates_have_the_variance_of_their_distribution() -> None:
    assert rate_variance(0.2) == pytest.approx(0.16)
    assert rate_variance(0.1, words=12) == pytest.approx(0.1 / 12)
    assert rate_variance(0.1, words=12, dispersion=2) == pytest.approx(0.2 / 12)
    assert assume_design(0.16).variance == pytest.approx(0.32)
    assert assume_design(0.16, model_correlation=0.5).variance == pytest.approx(0.16)
    assert assume_design(0.16, model_correlation=0.5, is_paired=False).variance == pytest.approx(0.32)


# --- simulated comparisons ------------------------------------------------------------------


def detect(numerator: Any, denominator: Any) -> float:
    """Return the share of rows in which a t test finds the ratio of sums, here a difference, to be other than zero."""
    units = numerator.shape[1]
    value = numerator.sum(axis=1) / denominator.sum(axis=1)
    residuals = (numerator - value[:, None] * denominator) / denominator.mean(axis=1)[:, None]
    error = np.sqrt((residuals**2).sum(axis=1) / (units - 1) / units)
    return float((np.abs(value) > t_quantile(0.975, units - 1) * error).mean())


def average(designs: list[Design]) -> Design:
    """Return what many pilots show together, so that the variance is known almost exactly."""
    variance, correlation = (fmean(getattr(design, name) for design in designs) for name in ("variance", "correlation"))
    return replace(designs[0], variance=variance, correlation=correlation)


def test_the_stated_power_of_a_word_error_rate_is_the_simulated_one() -> None:
    rng = np.random.default_rng(7)

    def draw(rows: int, units: int, difference: float) -> tuple[Any, Any, Any]:
        words = rng.integers(4, 21, (rows, units)).astype(np.float64)
        difficulty = rng.gamma(1.0, 1.0, (rows, units))
        a, b = (rng.poisson(rate * words * difficulty).astype(np.float64) for rate in (0.1, 0.1 + difference))
        return a, b, words

    pilots = [
        [(np.column_stack([errors, words]), None) for errors in (a, b)]
        for a, b, words in zip(*draw(40, 1000, 0.02), strict=True)
    ]
    design = average([estimate_design(pair, ratio) for pair in pilots])
    units = design.count_units(0.02, 0.8)
    assert units is not None
    a, b, words = draw(1500, units, 0.02)
    assert detect(b - a, words) == pytest.approx(0.8, abs=TOLERANCE)


@pytest.mark.parametrize("has_clusters", [False, True])
def test_the_stated_power_of_a_mean_rating_is_the_simulated_one(has_clusters: bool) -> None:
    rng = np.random.default_rng(11)
    size = 8 if has_clusters else 1

    def draw(rows: int, units: int) -> Any:
        """Return differences of ratings by cluster, of which speakers explain a third."""
        speakers = math.sqrt(1 / 3) * rng.normal(size=(rows, units, 1))
        return 0.25 + speakers + math.sqrt(2 / 3) * rng.normal(size=(rows, units, size))

    clusters = np.repeat(np.arange(1000), size) if has_clusters else None
    pilots = draw(10, 1000).reshape(10, -1)
    design = average([estimate_design([(0 * pilot, clusters), (pilot, clusters)], mean) for pilot in pilots])
    units = design.count_units(0.25, 0.8)
    assert units is not None
    means = draw(REPETITIONS, units).mean(axis=2)
    assert detect(means, np.ones_like(means)) == pytest.approx(0.8, abs=TOLERANCE)


@pytest.mark.thorough
def test_the_stated_power_of_an_accuracy_is_that_of_compare() -> None:
    rng = np.random.default_rng(13)

    def draw(units: int) -> tuple[Any, Any]:
        draws = rng.random(units)
        a = (draws < 0.72).astype(np.float64)
        return a, np.where((draws < 0.06) | ((draws > 0.72) & (draws < 0.84)), 1.0 - a, a)  # 6 % lost, 12 % gained

    pilots = [[(stats, None) for stats in draw(1000)] for _ in range(10)]
    design = average([estimate_design(pair, mean) for pair in pilots])
    units = design.count_units(0.06, 0.8)
    assert units is not None
    detected = sum(compare_paired(*draw(units), mean).p <= 0.05 for _ in range(1500))
    assert detected / 1500 == pytest.approx(0.8, abs=TOLERANCE)


@pytest.mark.thorough
def test_the_stated_power_with_clusters_is_that_of_compare() -> None:
    rng = np.random.default_rng(17)
    size = 6

    def draw(speakers: int) -> tuple[Any, Any, Any]:
        clusters = np.repeat(np.arange(speakers), size)
        a = rng.normal(size=len(clusters))
        return a, a + 0.3 + 0.5 * rng.normal(size=speakers)[clusters] + 0.8 * rng.normal(size=len(clusters)), clusters

    pilots = [draw(500) for _ in range(20)]
    design = average([estimate_design([(a, clusters), (b, clusters)], mean) for a, b, clusters in pilots])
    speakers = design.count_units(0.3, 0.8)
    assert speakers is not None
    comparisons = [compare_paired(a, b, mean, clusters) for a, b, clusters in (draw(speakers) for _ in range(1500))]
    detected = sum(comparison.p <= 0.05 for comparison in comparisons)
    assert detected / 1500 == pytest.approx(design.compute_power(0.3, speakers), abs=TOLERANCE)
