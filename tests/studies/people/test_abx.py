"""d' of ABX tests: known values of the model, and the inverse."""

import math

import pytest

from auricle.studies.people.abx import correct_share, dprime_of_share, share_of_dprime


@pytest.mark.parametrize(("dprime", "share"), [(0.0, 0.5), (1.0, 0.5997), (2.0, 0.7877), (4.0, 0.975)])
def test_a_share_follows_from_dprime(dprime: float, share: float) -> None:
    assert share_of_dprime(dprime) == pytest.approx(share, abs=5e-5)


@pytest.mark.parametrize("dprime", [-2.5, -0.3, 0.0, 0.7, 1.9, 5.0])
def test_dprime_is_found_again_from_its_share(dprime: float) -> None:
    share = share_of_dprime(abs(dprime))
    assert dprime_of_share(share if dprime >= 0 else 1 - share) == pytest.approx(dprime, abs=1e-6)


def test_a_perfect_listener_has_a_finite_dprime() -> None:
    assert math.isfinite(dprime_of_share(correct_share(10, 10)))
    assert correct_share(10, 10) == pytest.approx(10.5 / 11)
    assert math.isnan(dprime_of_share(correct_share(0, 0)))
