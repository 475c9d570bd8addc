"""Correlations compared with scipy, weighted and unweighted."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from auricle.metrics.correlation import ktau, lcc, prepare_ranks, rmse, srcc
from auricle.metrics.intervals import compute_interval

ORACLES = {"srcc": stats.spearmanr, "lcc": stats.pearsonr, "ktau": stats.kendalltau}
AGGREGATORS = {"srcc": srcc, "lcc": lcc, "ktau": ktau}
SIZES = [2, 3, 7, 64, 500]
DISTINCT_COUNTS = [3, 20, 10**9]  # many ties, some ties, no ties


def random_pairs(size: int, distinct_count: int) -> NDArray[np.float64]:
    rng = np.random.default_rng([size, distinct_count])
    x = rng.integers(0, distinct_count, size) / 7
    return np.column_stack([x, rng.integers(0, distinct_count, size) / 3 + x])


def oracle(name: str, x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns about constant inputs
        return ORACLES[name](x, y)[0]


@pytest.mark.parametrize("name", AGGREGATORS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("distinct_count", DISTINCT_COUNTS)
def test_a_correlation_equals_scipy(name: str, size: int, distinct_count: int) -> None:
    pairs = random_pairs(size, distinct_count)
    assert AGGREGATORS[name](pairs) == pytest.approx(oracle(name, *pairs.T), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", AGGREGATORS)
@pytest.mark.parametrize("distinct_count", DISTINCT_COUNTS)
def test_weights_equal_repetition(name: str, distinct_count: int) -> None:
    pairs = random_pairs(200, distinct_count)
    weights = np.random.default_rng(1).integers(0, 4, 200)
    repeated = np.repeat(pairs, weights, axis=0)
    weighted = AGGREGATORS[name].prepare_weighted(pairs)(weights.astype(float))
    assert weighted == pytest.approx(oracle(name, *repeated.T), abs=1e-9)


@pytest.mark.parametrize("name", AGGREGATORS)
def test_an_outlier_without_weight_has_no_influence(name: str) -> None:
    pairs = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (1000.0, -500.0)]
    weighted = AGGREGATORS[name].prepare_weighted(pairs)(np.array([1.0, 1.0, 1.0, 0.0]))
    assert weighted == pytest.approx(AGGREGATORS[name](pairs[:3]))


@pytest.mark.parametrize("name", AGGREGATORS)
def test_a_constant_has_no_correlation(name: str) -> None:
    assert math.isnan(AGGREGATORS[name]([(1e9, 1.0), (1e9, 2.0), (1e9, 3.0)]))
    assert math.isnan(AGGREGATORS[name]([(1.0, 1e9), (2.0, 1e9), (3.0, 1e9)]))
    assert math.isnan(AGGREGATORS[name]([(0.1, 0.1)] * 3))
    assert math.isnan(AGGREGATORS[name]([(1.0, 2.0)]))
    for constant in np.linspace(0.1, 3.0, 30):
        assert math.isnan(AGGREGATORS[name]([(constant, number) for number in range(7)]))
        assert math.isnan(AGGREGATORS[name]([(number, constant) for number in range(7)]))


def test_many_distinct_values_may_be_compared_with_few() -> None:
    rng = np.random.default_rng(3)
    pairs = np.column_stack([rng.integers(0, 20, 60), rng.integers(0, 2, 60)]).astype(float)
    assert ktau(pairs) == pytest.approx(oracle("ktau", *pairs.T))
    assert ktau(pairs[:, ::-1]) == pytest.approx(oracle("ktau", *pairs.T))


def test_values_far_from_zero_keep_their_precision() -> None:
    pairs = random_pairs(100, 50)
    assert lcc(pairs + 1e8) == pytest.approx(lcc(pairs), abs=1e-6)


@pytest.mark.parametrize("pairs", [[(0.1, 0.3), (0.2, 0.6), (0.7, 2.1)], [(0.2, 0.12), (0.9, 0.54), (0.4, 0.24)]])
def test_a_correlation_stays_within_one(pairs: list[tuple[float, float]]) -> None:
    """Rounding errors of the second case would give a little more than one."""
    assert lcc(pairs) <= 1.0
    assert lcc([(x, -y) for x, y in pairs]) >= -1.0


@pytest.mark.parametrize("name", AGGREGATORS)
def test_no_pair_and_a_single_pair_have_no_correlation(name: str) -> None:
    assert math.isnan(AGGREGATORS[name].prepare_weighted([(1.0, 2.0), (2.0, 1.0)])(np.zeros(2)))
    assert math.isnan(AGGREGATORS[name].prepare_weighted([(1.0, 2.0), (2.0, 1.0)])(np.array([1.0, 0.0])))


def test_rmse_is_the_root_of_the_mean_square() -> None:
    assert rmse([4.0, 0.0, 1.0, 4.0]) == 1.5


def test_an_interval_narrows_with_more_samples() -> None:
    few, many = (compute_interval(random_pairs(size, 10**9), srcc) for size in (30, 2000))
    assert few.low < srcc(random_pairs(30, 10**9)) < few.high
    assert many.high - many.low < few.high - few.low
    assert many.method == "wilson"
    assert compute_interval(random_pairs(30, 10**9), lcc).method == "fisher-t"


def test_a_perfect_correlation_of_few_pairs_is_not_certain() -> None:
    interval = compute_interval([(1.0, 2.0), (2.0, 3.0), (3.0, 5.0), (4.0, 6.0), (5.0, 7.0)], srcc)
    assert interval.high == 1.0
    assert -0.5 < interval.low < 0.5


def test_equal_values_share_their_mean_rank() -> None:
    ranks = prepare_ranks(np.array([5.0, 1.0, 5.0, 9.0]))
    assert ranks(np.ones(4)).tolist() == [2.5, 1.0, 2.5, 4.0]
    assert ranks(np.array([2.0, 0.0, 1.0, 1.0]))[[0, 3]].tolist() == [2.0, 4.0]
