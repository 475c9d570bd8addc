"""Numbers that are resampled together: the same units in every one of them."""

import math

import numpy as np
import pytest

from auricle.metrics.base import Array, mean, ratio
from auricle.metrics.distributions import t_quantile
from auricle.metrics.intervals import compare_paired, compute_interval
from auricle.metrics.joint_replicates import JointReplicates, UnitStats, percentile_interval, percentile_p_value


def difference(values: Array) -> Array:
    result: Array = values[:, 1] - values[:, 0]
    return result


def make_pair(units: int, size: int, seed: int = 0) -> tuple[JointReplicates, list[Array], np.ndarray]:
    random = np.random.default_rng(seed)
    lengths = random.integers(5, 20, size).astype(float)
    stats = [np.column_stack([random.integers(0, 5, size), lengths]) for _ in range(2)]
    codes = np.arange(size) % units
    return JointReplicates([UnitStats(side, codes, ratio) for side in stats], units), stats, codes


@pytest.mark.parametrize("units", [60, 12])
def test_difference_has_the_interval_of_the_paired_test(units: int) -> None:
    replicates, stats, codes = make_pair(units, 60)
    expected = compare_paired(stats[0], stats[1], ratio, codes if units < 60 else None)
    assert replicates.compute_interval(difference) == pytest.approx((expected.difference, expected.low, expected.high))


def test_draws_spread_as_much_as_the_standard_error() -> None:
    replicates, _, _ = make_pair(60, 60)
    value, low, _ = replicates.compute_interval(difference)
    assert difference(replicates.draws).std() == pytest.approx((value - low) / 2, rel=0.1)


def test_ends_of_a_band_are_those_of_single_intervals() -> None:
    replicates, _, _ = make_pair(12, 60)
    _, *ends = replicates.compute_interval(difference)
    assert np.ravel(replicates.compute_band(lambda values: difference(values)[:, None])) == pytest.approx(ends)


def test_without_any_error_a_band_is_as_wide_as_the_interval_of_none() -> None:
    part = UnitStats(np.column_stack([np.zeros(10), np.full(10, 20.0)]), np.arange(10), ratio)
    low, high = JointReplicates([part, part], 10).compute_band(lambda values: values[:, :1])
    assert (low[0], high[0]) == pytest.approx((-7.38 / 200, 7.38 / 200), abs=1e-4)


def test_highest_number_has_the_interval_of_a_single_one_unless_others_may_be_higher() -> None:
    random = np.random.default_rng(1)
    low, high, rival = (random.binomial(1, share, 60).astype(float) for share in (0.1, 0.8, 0.8))
    alone = JointReplicates([UnitStats(side, np.arange(60), mean) for side in (low, high)], 60)
    expected = compute_interval(high, mean)
    assert alone.compute_highest_interval() == pytest.approx((expected.low, expected.high))
    both = JointReplicates([*alone.parts, UnitStats(rival, np.arange(60), mean)], 60)
    below = both.values.max() - both.compute_highest_interval()[0]
    assert below > high.mean() - expected.low
    inverted = JointReplicates([UnitStats(1 - side, np.arange(60), mean) for side in (low, high)], 60)
    assert inverted.compute_highest_interval(-1) == pytest.approx((1 - expected.high, 1 - expected.low))


def test_an_interval_of_few_units_ends_at_the_limits_of_the_numbers() -> None:
    errors = [np.array([[9.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), np.array([[1.0, 5.0], [7.0, 5.0], [4.0, 5.0]])]
    replicates = JointReplicates([UnitStats(side, np.arange(3), ratio) for side in errors], 3)
    low, high = replicates.compute_highest_interval()
    assert low == 0.0
    assert high > 3
    assert replicates.clip(-1.0, 9.0) == (0.0, 9.0)


def test_draws_are_the_same_in_every_process_and_for_every_part() -> None:
    stats = np.arange(30.0)
    part = UnitStats(stats, np.arange(30), mean)
    draws = JointReplicates([part, part], 30).draws
    assert (draws[:, 0] == draws[:, 1]).all()
    assert (JointReplicates([part], 30).draws[:, 0] == draws[:, 0]).all()


def test_any_function_of_statistics_can_be_resampled() -> None:
    values = [float(value) for value in range(40)]
    codes = np.arange(40)
    slow = JointReplicates([UnitStats(values, codes, lambda stats: sum(stats) / len(stats))], 40)
    fast = JointReplicates([UnitStats(values, codes, mean)], 40)
    np.testing.assert_allclose(slow.without_units, fast.without_units)
    np.testing.assert_allclose(slow.draws, fast.draws[: len(slow.draws)])


def test_many_units_are_grouped() -> None:
    size = 5000
    stats = np.random.default_rng(0).random(size)
    replicates = JointReplicates([UnitStats(stats, np.arange(size), mean)], size)
    value, low, high = replicates.compute_interval(lambda values: values[:, 0])
    assert len(replicates.without_units) == 2000
    assert (high - low) / 2 == pytest.approx(1.96 * stats.std() / math.sqrt(size), rel=0.05)
    assert value == pytest.approx(stats.mean())


def test_one_unit_has_no_interval() -> None:
    replicates = JointReplicates([UnitStats([1.0, 0.0], np.zeros(2, dtype=np.int64), mean)], 1)
    assert np.isnan(replicates.compute_interval(lambda values: values[:, 0])[1:]).all()
    assert np.isnan(replicates.compute_band(lambda values: values)).all()
    assert np.isnan(replicates.compute_highest_interval()).all()


def test_end_of_an_interval_is_open_only_if_more_draws_than_its_tail_are_infinite() -> None:
    draws = np.arange(1000.0)
    few, many = draws.copy(), draws.copy()
    few[:20], many[:30] = -np.inf, -np.inf
    assert percentile_interval(few, 10**8) == pytest.approx((25.0, 974.0), abs=1)
    assert percentile_interval(many, 10**8)[0] == -np.inf
    assert np.isnan(percentile_interval(np.empty(0), 20)).all()


def test_percentiles_of_few_units_are_further_out() -> None:
    draws = np.random.default_rng(0).normal(size=100_000)
    low, high = percentile_interval(draws, 6)
    assert (high - low) / 2 == pytest.approx(t_quantile(0.975, 5) * math.sqrt(6 / 5), rel=0.02)


@pytest.mark.parametrize("units", [6, 20, 10_000])
def test_p_value_is_below_five_per_cent_where_the_interval_excludes_zero(units: int) -> None:
    draws = np.random.default_rng(0).normal(size=2000)
    low, _ = percentile_interval(draws, units)
    assert percentile_p_value(draws - low + 0.05, draws, units) < 0.05
    assert percentile_p_value(draws - low - 0.05, draws, units) > 0.05


def test_p_value_counts_draws_that_may_lie_on_the_other_side() -> None:
    draws = np.full(999, 1.0)
    draws[:9] = -1.0
    assert percentile_p_value(draws, draws, 10**8) == pytest.approx(0.02, rel=0.01)
    uncertain = draws.copy()
    uncertain[:49] = -np.inf
    assert percentile_p_value(uncertain, draws, 10**8) == pytest.approx(0.1, rel=0.01)
    assert math.isnan(percentile_p_value(np.empty(0), np.empty(0), 20))
