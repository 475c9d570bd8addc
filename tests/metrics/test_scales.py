"""Intervals on each scale: known cases and limits."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, t

from auricle.metrics.scales import (
    CORRELATION,
    FISHER,
    NONNEGATIVE,
    REAL,
    SHARE,
    SHARE_DIFFERENCE,
    BoundedScale,
    Estimate,
    HitScale,
    LogScale,
    RateScale,
    RealScale,
    Scale,
    mid_p_interval,
    wilson_interval,
)

LOG = LogScale()
ESTIMATE = Estimate(value=0.4, error=0.05, skewness=0.0, degrees=9, units=10)


def test_a_symmetric_number_has_student_s_interval() -> None:
    half = t.ppf(0.975, 9) * 0.05
    assert REAL.interval(ESTIMATE) == pytest.approx((0.4 - half, 0.4 + half))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_of_a_skewed_number_is_longer_on_one_side(sign: int) -> None:
    low, high = REAL.interval(replace(ESTIMATE, skewness=sign * 0.3))
    half = t.ppf(0.975, 9) * 0.05
    shorter, longer = (0.4 - low, high - 0.4)[::sign]
    assert shorter == pytest.approx(half)
    assert longer > 1.2 * half


def test_an_interval_ends_at_the_lowest_possible_number() -> None:
    assert NONNEGATIVE.interval(replace(ESTIMATE, error=0.5))[0] == 0.0


def test_an_interval_ends_at_the_highest_possible_number() -> None:
    assert RealScale(highest=1.0).interval(replace(ESTIMATE, error=0.5))[1] == 1.0
    assert LogScale(lowest=1.0).interval(replace(ESTIMATE, value=0.1, error=0.5))[0] == 1.0


def test_a_logarithm_has_an_interval_of_factors() -> None:
    low, high = LOG.interval(replace(ESTIMATE, value=math.log(20), error=0.1))
    assert (low * high) ** 0.5 == pytest.approx(20)
    assert LOG.interval(replace(ESTIMATE, value=700.0, error=100.0))[1] == math.inf


def test_a_bounded_number_has_wilson_s_interval_of_its_effective_trials() -> None:
    trials = 0.4 * 0.6 / 0.05**2 * (1.959964 / t.ppf(0.975, 9)) ** 2
    assert SHARE.interval(ESTIMATE) == pytest.approx(wilson_interval(0.4, trials), rel=1e-6)
    most = BoundedScale(most_trials=10)
    assert most.interval(ESTIMATE)[0] < SHARE.interval(ESTIMATE)[0]


def test_a_correlation_has_student_s_interval_of_fisher_s_transformation() -> None:
    estimate = replace(ESTIMATE, value=float(FISHER.transform(np.array([0.8]))[0]), error=0.3)
    half = t.ppf(0.975, 9) * 0.3
    low, high = math.tanh(math.atanh(0.8) - half), math.tanh(math.atanh(0.8) + half)
    assert FISHER.interval(estimate) == pytest.approx((low, high))


def test_a_correlation_of_one_is_not_certain() -> None:
    (value,) = FISHER.transform(np.array([1.0]))
    low, high = FISHER.interval(replace(ESTIMATE, value=float(value), error=0.0))
    assert low < 0.5
    assert high == 1.0


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_a_number_at_its_limit_is_not_certain(value: float) -> None:
    low, high = CORRELATION.interval(replace(ESTIMATE, value=value, error=0.0))
    assert high - low > 0.3
    assert value in (low, high)


def test_a_number_that_all_units_agree_on_is_not_certain() -> None:
    """Rounding leaves a tiny standard error, from which no number of trials follows."""
    agreed = Estimate(value=0.1, error=1e-17, skewness=0.0, degrees=5, units=6)
    low, high = SHARE.interval(agreed)
    assert low < 0.05
    assert high > 0.3
    assert SHARE.interval(replace(agreed, error=0.0)) == (low, high)


def test_a_rate_of_many_errors_has_the_interval_of_fay_and_feuer() -> None:
    estimate = Estimate(value=0.1, error=0.01, skewness=0.0, degrees=math.inf, units=1000)
    scale = RateScale(step=1e-4, erroneous_units=10**9)  # so many that the estimated variance decides alone
    events = 0.1**2 / 0.01**2
    expected = (chi2.ppf(0.025, 2 * events) / 2 / events / 10, chi2.ppf(0.975, 2 * events + 2) / 2 / events / 10)
    assert scale.interval(estimate) == pytest.approx(expected, rel=1e-6)


def test_a_rate_without_errors_has_the_exact_upper_end_of_errors_in_pairs() -> None:
    none = Estimate(value=0.0, error=0.0, skewness=0.0, degrees=math.inf, units=500)
    low, high = RateScale(step=1 / 5000, erroneous_units=0).interval(none)
    assert low == 0.0
    assert high == pytest.approx(-math.log(0.025) * 2 / 5000)


def test_a_rate_of_few_erroneous_units_is_less_certain() -> None:
    """Ninety utterances without errors show little about how the errors of the other ten occur."""
    estimate = Estimate(value=0.02, error=math.sqrt(4e-5), skewness=0.0, degrees=99, units=100)
    few, many = (RateScale(1 / 1000, count).interval(estimate) for count in (2, 50))
    assert few[1] > many[1]
    assert few[0] < many[0]


@pytest.mark.parametrize("scale", [REAL, LOG, SHARE, SHARE_DIFFERENCE, FISHER, RateScale(0.01, 2)])
def test_fewer_degrees_of_freedom_give_longer_intervals(scale: Scale) -> None:
    few, many = (scale.interval(replace(ESTIMATE, degrees=degrees)) for degrees in (3, 300))
    assert few[0] < many[0] < 0.4 or scale is LOG
    assert few[1] - few[0] > many[1] - many[0]


def test_a_share_of_hits_needs_no_standard_error() -> None:
    scale = HitScale(12)
    assert scale.interval(replace(ESTIMATE, value=0.25, error=math.nan)) == mid_p_interval(3, 12)
    assert scale.unchanged_bound(20) == mid_p_interval(0, 20)[1]
    assert not scale.needs_error


def test_a_difference_of_shares_stays_in_its_range_and_is_never_certain() -> None:
    assert SHARE_DIFFERENCE.interval(ESTIMATE) == REAL.interval(ESTIMATE)
    assert SHARE_DIFFERENCE.interval(replace(ESTIMATE, value=0.99, error=0.5))[1] == 1.0
    assert SHARE_DIFFERENCE.interval(replace(ESTIMATE, value=-0.99, error=0.5))[0] == -1.0
    low, high = SHARE_DIFFERENCE.interval(Estimate(value=0.0, error=0.0, skewness=0.0, degrees=1e9, units=20))
    assert (-low, high) == pytest.approx((wilson_interval(0.0, 20)[1],) * 2, rel=1e-4)
    assert SHARE_DIFFERENCE.unchanged_bound(20) == wilson_interval(0.0, 20)[1]


def test_how_large_a_difference_may_be_if_nothing_differs() -> None:
    assert REAL.unchanged_bound(20) == LOG.unchanged_bound(20) == 0.0
    assert SHARE.unchanged_bound(20) == wilson_interval(0.0, 20)[1] == CORRELATION.unchanged_bound(20) / 2
    assert RateScale(1 / 200, 3).unchanged_bound(20) == pytest.approx(-math.log(0.025) * 2 / 200)
