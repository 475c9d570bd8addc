"""The power of t tests, against scipy's noncentral t distribution."""

import pytest
from scipy import stats

from auricle.metrics.power import t_test_power


@pytest.mark.parametrize("degrees", [1, 2, 5, 20, 300, 9999, 20_000])
@pytest.mark.parametrize("noncentrality", [0.0, 0.5, 2.8, 4.0])
@pytest.mark.parametrize("level", [0.05, 0.001])
def test_power_equals_that_of_the_noncentral_t_distribution(noncentrality: float, degrees: float, level: float) -> None:
    critical = stats.t.isf(level / 2, degrees)
    expected = stats.nct.sf(critical, degrees, noncentrality) + stats.nct.cdf(-critical, degrees, noncentrality)
    assert t_test_power(noncentrality, degrees, level) == pytest.approx(expected, abs=2e-4)
