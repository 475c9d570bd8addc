"""Correlations, weighed and not: scipy is the oracle."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auricle.metrics.correlation import ktau, lcc, rmse, srcc
from auricle.metrics.statistics import choose_rounds, compute_interval

ORACLES = {"srcc": stats.spearmanr, "lcc": stats.pearsonr, "ktau": stats.kendalltau}
FOLDS = {"srcc": srcc, "lcc": lcc, "ktau": ktau}
SIZES = [2, 3, 7, 64, 500]
VALUES = [3, 20, 10**9]  # how many different ones: many ties, some, none


def table(size: Any, values: Any) -> Any:
    dice = np.random.default_rng([size, values])
    x = dice.integers(0, values, size) / 7
    return np.column_stack([x, dice.integers(0, values, size) / 3 + x])


def asked(name: Any, x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inputs that do not vary
        return ORACLES[name](x, y)[0]


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("values", VALUES)
def test_a_correlation_is_scipys(name: Any, size: Any, values: Any) -> None:
    found = table(size, values)
    assert FOLDS[name](found) == pytest.approx(asked(name, *found.T), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("values", VALUES)
def test_weighing_is_repeating(name: Any, values: Any) -> None:
    found = table(200, values)
    weights = np.random.default_rng(1).integers(0, 4, 200)
    repeated = np.repeat(found, weights, axis=0)
    weighed = FOLDS[name].prepare_weighted(found)(weights.astype(float))
    assert weighed == pytest.approx(asked(name, *repeated.T), abs=1e-9)


@pytest.mark.parametrize("name", FOLDS)
def test_what_does_not_vary_has_no_correlation(name: Any) -> None:
    assert math.isnan(FOLDS[name]([(1e9, 1.0), (1e9, 2.0), (1e9, 3.0)]))
    assert math.isnan(FOLDS[name]([(0.1, 0.1)] * 3))
    assert math.isnan(FOLDS[name]([(1.0, 2.0)]))


def test_values_far_from_zero_lose_no_digits() -> None:
    found = table(100, 50)
    assert lcc(found + 1e8) == pytest.approx(lcc(found), abs=1e-6)


def test_a_correlation_stays_within_one() -> None:
    assert lcc([(0.1, 0.3), (0.2, 0.6), (0.7, 2.1)]) <= 1.0


def test_rmse_is_the_root_of_the_mean_square() -> None:
    assert rmse([4.0, 0.0, 1.0, 4.0]) == 1.5


def test_an_interval_holds_the_value_and_narrows_with_more_samples() -> None:
    few, many = (compute_interval(table(size, 10**9), srcc) for size in (30, 2000))
    assert few.low < srcc(table(30, 10**9)) < few.high
    assert many.high - many.low < few.high - few.low
    assert many.method == "bootstrap:1000"


def test_large_data_gets_fewer_rounds_where_they_cost() -> None:
    assert choose_rounds(ktau, 3_000) == choose_rounds(lcc, 10**6) == 1000
    assert choose_rounds(ktau, 10**6) == 100
