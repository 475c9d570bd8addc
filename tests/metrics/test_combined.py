"""Combined numbers: coverage of their intervals, size of their tests, and agreement with simpler methods."""

import doctest
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from auricle.metrics import combined
from auricle.metrics.base import Array, MeanAggregator, mean, ratio
from auricle.metrics.combined import PairedPartStats, PartStats, compare_combined, compute_combined_interval
from auricle.metrics.intervals import compare_paired, compute_interval

REPETITIONS = 120


def draw_shares(rng: np.random.Generator, count: int, share: float) -> Array:
    return (rng.random(count) < share).astype(np.float64)


def draw_errors(rng: np.random.Generator, count: int, rate: float) -> Array:
    lengths = rng.integers(4, 15, count)
    return np.column_stack([rng.binomial(lengths, rate), lengths]).astype(np.float64)


def measure_coverage(make: Callable[[], list[PartStats]], truth: float, repetitions: int = REPETITIONS) -> float:
    covered = (compute_combined_interval(make()) for _ in range(repetitions))
    return sum(interval.low <= truth <= interval.high for interval in covered) / repetitions


@pytest.mark.parametrize(
    ("shares", "counts", "weights"),
    [
        ((0.9, 0.6), (12, 40), (0.5, 0.5)),
        ((0.98, 0.95, 0.99), (10, 10, 10), (1 / 3, 1 / 3, 1 / 3)),
        ((0.5,) * 8, (8,) * 8, (1 / 8,) * 8),
        ((0.8, 0.3, 0.6), (200, 500, 90), (0.5, 0.2, 0.3)),
        ((0.7, 0.7), (10, 1000), (0.9, 0.1)),
    ],
)
def test_interval_of_combined_shares_covers_the_truth(
    shares: tuple[float, ...], counts: tuple[int, ...], weights: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(5)

    def make() -> list[PartStats]:
        drawn = zip(counts, shares, weights, strict=True)
        return [PartStats(draw_shares(rng, count, share), mean, weight) for count, share, weight in drawn]

    truth = sum(share * weight for share, weight in zip(shares, weights, strict=True))
    assert measure_coverage(make, truth, 1000) > 0.93


@pytest.mark.parametrize(("count", "parts"), [(40, 2), (6, 8)])
@pytest.mark.thorough
def test_interval_of_combined_error_rates_covers_the_truth(count: int, parts: int) -> None:
    rng = np.random.default_rng(6)
    coverage = measure_coverage(
        lambda: [PartStats(draw_errors(rng, count, 0.2), ratio, 1 / parts) for _ in range(parts)], 0.2
    )
    assert coverage > 0.92


def test_interval_keeps_clusters() -> None:
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(15), 6)

    def make(*, clustered: bool) -> list[PartStats]:
        effects = [rng.normal(1, 0.5, 15)[clusters] + rng.normal(0, 0.2, 90) for _ in range(2)]
        return [PartStats(stats, mean, 0.5, clusters if clustered else None) for stats in effects]

    assert measure_coverage(lambda: make(clustered=True), 1.0) > 0.9
    assert measure_coverage(lambda: make(clustered=False), 1.0) < 0.7  # samples of a cluster are alike


def test_interval_is_not_degenerate_if_all_are_hits() -> None:
    interval = compute_combined_interval([PartStats([1.0] * 12, mean, 0.5), PartStats([1.0] * 12, mean, 0.5)])
    assert interval.high == 1.0
    assert 0.8 < interval.low < 0.9


def test_part_with_one_sample_leaves_the_interval_undefined() -> None:
    interval = compute_combined_interval([PartStats([2.0], mean, 0.5), PartStats([1.0, 3.0], mean, 0.5)])
    assert math.isnan(interval.low)
    assert interval.method == "mover"


def test_interval_of_one_part_is_close_to_its_own() -> None:
    errors = draw_errors(np.random.default_rng(8), 80, 0.3)
    whole, alone = compute_combined_interval([PartStats(errors, ratio, 1.0)]), compute_interval(errors, ratio)
    assert (whole.low, whole.high) == pytest.approx((alone.low, alone.high), abs=0.001)


def test_weights_are_fixed() -> None:
    """A part with weight 0.9 decides the interval, however many samples the others have."""
    rng = np.random.default_rng(9)
    heavy, light = rng.normal(0, 1, 50), rng.normal(0, 1, 5000)
    interval = compute_combined_interval([PartStats(heavy, mean, 0.9), PartStats(light, mean, 0.1)])
    alone = compute_interval(heavy, mean)
    assert interval.high - interval.low == pytest.approx(0.9 * (alone.high - alone.low), rel=0.15)


@pytest.mark.parametrize("counts", [(20, 60), (10, 10, 10), (8,) * 8])
@pytest.mark.thorough
def test_paired_test_of_shares_rarely_rejects_equal_models(counts: tuple[int, ...]) -> None:
    rng = np.random.default_rng(10)
    rejected = covered = 0
    for _ in range(1000):
        parts = []
        for count in counts:
            changed = rng.choice([-1, 0, 1], count, p=[0.1, 0.8, 0.1])
            a = np.where(changed == 0, draw_shares(rng, count, 0.7), (changed < 0).astype(np.float64))
            parts.append(PairedPartStats(a, a + changed, mean, 1 / len(counts)))
        difference = compare_combined(parts)
        rejected += difference.p < 0.05
        covered += difference.low <= 0 <= difference.high
        assert (difference.p < 0.05) == (not difference.low <= 0 <= difference.high)  # one procedure
    assert rejected <= 65
    assert covered >= 935


@pytest.mark.thorough
def test_paired_test_of_error_rates_rarely_rejects_equal_models() -> None:
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(REPETITIONS):
        parts = [
            PairedPartStats(draw_errors(rng, count, 0.2), draw_errors(rng, count, 0.2), ratio, 1 / 3)
            for count in (12, 30, 15)
        ]
        rejected += compare_combined(parts).p < 0.05
    assert rejected / REPETITIONS < 0.09


def test_paired_comparison_is_more_precise_than_the_interval_of_either_side() -> None:
    rng = np.random.default_rng(12)
    hard = [rng.gamma(2, 1, 40) for _ in range(2)]
    parts = [PairedPartStats(values, values + 0.2 + rng.normal(0, 0.05, 40), mean, 0.5) for values in hard]
    difference = compare_combined(parts)
    assert difference.low < 0.2 < difference.high
    assert difference.p < 0.001
    own = compute_combined_interval([PartStats(values, mean, 0.5) for values in hard])
    assert difference.high - difference.low < (own.high - own.low) / 5
    assert difference.method == "stratified-t"


def test_comparison_of_one_part_of_shares_has_the_interval_of_bonett_and_price() -> None:
    rng = np.random.default_rng(13)
    a, b = draw_shares(rng, 50, 0.5), draw_shares(rng, 50, 0.7)
    whole, alone = compare_combined([PairedPartStats(a, b, mean, 1.0)]), compare_paired(a, b, mean)
    assert (whole.low, whole.high, whole.difference) == pytest.approx((alone.low, alone.high, alone.difference))


def test_equal_pairs_have_no_significant_difference_and_an_interval() -> None:
    same = [1.0, 0.0, 1.0, 1.0]
    difference = compare_combined([PairedPartStats(same, same, mean, 0.5), PairedPartStats(same, same, mean, 0.5)])
    assert (difference.difference, difference.p) == (0.0, 1.0)
    assert difference.low < 0 < difference.high


def test_ratings_in_a_suite_keep_to_their_scale_and_are_never_certain() -> None:
    rating = MeanAggregator(limits=(1.0, 5.0))
    perfect, mixed = [5.0] * 10, [4.0, 5.0] * 5
    interval = compute_combined_interval([PartStats(perfect, rating, 0.5), PartStats(mixed, rating, 0.5)])
    assert interval.low < 4.5
    assert interval.high <= 5.0
    same = compare_combined([PairedPartStats(perfect, perfect, rating, 1.0)])
    other = PairedPartStats(mixed, mixed[::-1], rating, 0.5)
    both = compare_combined([PairedPartStats(perfect, perfect, rating, 0.5), other])
    alone = compare_combined([replace(other, weight=1.0)])
    assert same.method == "no-variance"
    assert both.high - both.low > (alone.high - alone.low) / 2


def test_comparison_without_pairs_is_undefined() -> None:
    parts = [PairedPartStats([], [], mean, 0.5), PairedPartStats([1.0], [0.0], mean, 0.5)]
    assert math.isnan(compare_combined(parts).difference)
    one = compare_combined([PairedPartStats([1.5], [0.0], mean, 1.0)])
    assert (one.difference, one.method) == (-1.5, "stratified-t")
    assert math.isnan(one.p)


def test_paired_clusters_are_the_independent_units() -> None:
    rng = np.random.default_rng(14)
    clusters = np.repeat(np.arange(10), 5)
    shift = rng.normal(0, 1, 10)[clusters]
    a = rng.normal(0, 1, 50)
    alone = compare_combined([PairedPartStats(a, a + shift, mean, 1.0)])
    clustered = compare_combined([PairedPartStats(a, a + shift, mean, 1.0, clusters)])
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)


def test_example_in_the_docstring_runs() -> None:
    assert doctest.testmod(combined).failed == 0
