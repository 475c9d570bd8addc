"""Quantiles and tails, compared with scipy."""

import math

import pytest
from scipy import stats

from auricle.metrics.distributions import (
    binomial_mid_p_limit,
    chi_square_tail,
    gamma_quantile,
    normal_quantile,
    t_quantile,
    t_two_sided,
)

DEGREES = [1, 1.5, 2, 3, 4.7, 9, 30, 199, 9_999, 100_000]


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("probability", [0.001, 0.025, 0.2, 0.6, 0.9, 0.975, 0.9999])
def test_quantiles_of_t_equal_scipy_s(probability: float, degrees: float) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-9)


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("statistic", [0.0, 1e-5, 0.1, -1.0, 2.0, 3.5, 12.0, 1000.0])
def test_tails_of_t_equal_scipy_s(statistic: float, degrees: float) -> None:
    expected = 2 * stats.t.sf(abs(statistic), degrees)
    assert t_two_sided(statistic, degrees) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("shape", [0.001, 0.1, 0.5, 1, 3.3, 10, 200, 9_999, 10_001, 1e6])
@pytest.mark.parametrize("probability", [0.001, 0.025, 0.5, 0.975, 0.999])
def test_quantiles_of_gamma_equal_scipy_s(probability: float, shape: float) -> None:
    expected = stats.gamma.ppf(probability, shape)
    assert gamma_quantile(probability, shape) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("trials", [1, 2, 10, 300, 100_000])
@pytest.mark.parametrize("place", [0.001, 0.3, 0.5, 0.97, 1.0])
def test_mid_p_limits_have_the_tail_of_the_binomial_distribution(place: float, trials: int) -> None:
    hits = max(1, round(place * trials))
    share = binomial_mid_p_limit(0.025, hits, trials)
    tail = stats.binom.sf(hits, trials, share) + stats.binom.pmf(hits, trials, share) / 2
    assert tail == pytest.approx(0.025, rel=1e-7)


def test_the_mid_p_limit_of_no_hits_is_zero() -> None:
    assert binomial_mid_p_limit(0.025, 0, 10) == 0.0


def test_t_with_very_many_degrees_of_freedom_is_normal() -> None:
    assert t_quantile(0.975, math.inf) == normal_quantile(0.975) == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)
    assert t_two_sided(2.0, math.inf) == pytest.approx(2 * stats.norm.sf(2.0), rel=1e-12)
    assert t_two_sided(math.inf, 5) == 0.0


def test_the_median_of_t_is_zero() -> None:
    assert t_quantile(0.5, 3) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 3, 9])
@pytest.mark.parametrize("statistic", [0.0, 0.1, 3.0, 16.0])
def test_tails_of_chi_square_equal_scipy_s(statistic: float, degrees: int) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(stats.chi2.sf(statistic, degrees), abs=1e-12)
