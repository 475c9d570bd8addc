"""The influence of each unit, and standard errors from influences."""

import math
from statistics import fmean

import numpy as np
import pytest
from scipy.stats import pearsonr, skew

from auricle.metrics import jackknife
from auricle.metrics.base import Stats, SumAggregator, mean, ratio
from auricle.metrics.correlation import lcc, srcc
from auricle.metrics.jackknife import (
    compute_with_draws,
    count_units,
    estimate_difference,
    estimate_number,
    limit_groups,
    standard_error,
    unit_influences,
)
from auricle.metrics.judge import KappaAggregator
from auricle.metrics.scales import REAL
from auricle.tasks.labels.metrics import uar

RNG = np.random.default_rng(3)


def test_the_standard_error_of_a_mean_is_the_usual_one() -> None:
    values = RNG.normal(size=30)
    influences = unit_influences(values, mean)
    assert influences == pytest.approx((values - values.mean()) / 30)
    assert standard_error(influences) == pytest.approx(values.std(ddof=1) / math.sqrt(30))


def test_influences_of_every_kind_of_aggregator_are_what_changes_without_a_unit() -> None:
    pairs = [(0.1, 0.2), (0.5, 0.1), (0.9, 0.8), (0.9, 0.8), (0.3, 0.4)]
    without = [pearsonr(*zip(*(pairs[:at] + pairs[at + 1 :]), strict=True)).statistic for at in range(5)]
    expected = 4 / 5 * (fmean(without) - np.array(without))
    assert unit_influences(pairs, lcc) == pytest.approx(expected)
    assert unit_influences(np.array(pairs), lcc) == pytest.approx(expected)
    assert unit_influences(pairs, lambda stats: lcc(stats)) == pytest.approx(expected)
    assert unit_influences(np.array(pairs), lambda stats: lcc(stats)) == pytest.approx(expected)


def test_clusters_are_left_out_as_a_whole() -> None:
    stats = np.column_stack([RNG.binomial(10, 0.2, 12), np.full(12, 10)]).astype(float)
    clusters = np.array([0, 1, 2, 3] * 3)
    sums = np.array([stats[clusters == speaker].sum(axis=0) for speaker in range(4)])
    expected = unit_influences(sums, ratio)
    assert len(expected) == 4
    assert unit_influences(stats, ratio, clusters) == pytest.approx(expected)
    assert unit_influences(stats, lambda rows: ratio(rows), clusters) == pytest.approx(expected)
    pairs = stats + RNG.normal(size=stats.shape)
    expected = unit_influences(pairs, lambda rows: srcc(rows), clusters)
    assert unit_influences(pairs, srcc, clusters) == pytest.approx(expected)


def test_many_units_are_left_out_in_random_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.sort(RNG.normal(size=4000))  # sorted: groups of neighbours would give far too small an error
    exact = values.std(ddof=1) / math.sqrt(4000)
    assert standard_error(unit_influences(values, mean)) == pytest.approx(exact)

    def plain_mean(stats: Stats) -> float:
        return float(np.mean(stats))

    for aggregate in (SumAggregator(lambda totals: float(totals[0] / totals[-1])), plain_mean):
        influences = unit_influences(values, aggregate)
        assert len(influences) == 1000
        assert standard_error(influences) == pytest.approx(exact, rel=0.1)
    monkeypatch.setattr(jackknife, "COMPUTATION_BUDGET", 1)
    assert len(unit_influences(values, plain_mean)) == 100


@pytest.mark.parametrize(
    ("size", "cost", "rounds"), [(1, 1, 1000), (20_000, 1, 1000), (20_001, 1, 999), (200_000, 1, 100), (10_000, 4, 500)]
)
def test_a_slow_aggregator_is_called_less_often_on_much_data(size: int, cost: int, rounds: int) -> None:
    def median(stats: Stats) -> float:
        return float(np.median(stats))

    assert limit_groups(median, size * cost) == rounds
    median.cost = cost  # type: ignore[attr-defined]
    assert limit_groups(median, size) == rounds


def test_a_function_that_jumps_gets_the_error_of_a_bootstrap() -> None:
    values = RNG.normal(size=(300, 41))
    errors = [estimate_number(row, lambda stats: float(np.median(stats)), None, REAL).error for row in values[:20]]
    assert np.mean(errors) == pytest.approx(np.median(values, axis=1).std(), rel=0.35)


def test_draws_of_clusters_are_of_whole_clusters() -> None:
    clusters = np.array([0, 0, 0, 1, 1, 2])
    values = compute_with_draws([0.0, 0.0, 0.0, 1.0, 1.0, 5.0], lambda stats: float(stats.count(0.0) % 3), clusters)
    assert not values.any()


def test_an_estimate_of_paired_draws_uses_the_same_draws_for_both_sides() -> None:
    values = RNG.normal(size=30)
    estimate = estimate_difference((values, values + 1), lambda stats: float(np.median(stats)), None)
    assert (estimate.value, estimate.error) == pytest.approx((1.0, 0.0), abs=1e-12)


def test_skewness_is_that_of_the_units() -> None:
    values = np.array([0.0] * 9 + [10.0])
    estimate = estimate_number(values, mean, None, REAL)
    assert estimate.skewness == pytest.approx(skew(values, bias=False) / math.sqrt(10))


def test_a_number_that_is_undefined_without_a_unit_has_no_influence_of_it() -> None:
    influences = unit_influences([("a", "a"), ("a", "a")], lambda stats: math.nan)
    assert np.isnan(influences).all()
    assert math.isnan(standard_error(influences))
    partly = np.array([math.nan, 1.0, -1.0])
    assert standard_error(partly) == pytest.approx(2.0)


def test_one_unit_has_no_standard_error() -> None:
    assert math.isnan(standard_error(unit_influences([1.0], mean)))
    assert math.isnan(standard_error(unit_influences([1.0, 2.0], mean, np.array([0, 0]))))


def test_units_are_samples_or_clusters() -> None:
    assert count_units([1.0, 2.0, 3.0], None) == 3
    assert count_units([1.0, 2.0, 3.0], np.array([0, 1, 0])) == 2
    assert count_units([], np.array([], dtype=np.int64)) == 0


def test_equal_labels_share_one_computation() -> None:
    stats = [("a", "a"), ("b", "a"), ("b", "b"), ("a", "a"), ("b", "b"), ("a", "b")]
    expected = unit_influences(stats, lambda rows: uar.aggregate(rows))
    assert unit_influences(stats, uar.aggregate) == pytest.approx(expected)


def test_one_unit_has_no_influence_of_its_own() -> None:
    """Without it there is nothing to compute a number from."""
    assert np.isnan(unit_influences([(1.0, 1.0)], KappaAggregator(quadratic=False))).tolist() == [True]
