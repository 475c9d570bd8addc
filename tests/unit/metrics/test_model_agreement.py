"""Agreement of two reward models."""

import math

from auricle.core.types import Prediction
from auricle.metrics.model_agreement import measure_agreement


def ratings(**values: float) -> Prediction:
    return Prediction(values=values, scale="continuous")


def preferring(sides: str) -> list[tuple[Prediction, Prediction]]:
    """Return one pair of ratings per letter, with the higher rating on the side `a` or `b`."""
    return [(ratings(good=float(side == "a")), ratings(good=float(side == "b"))) for side in sides]


def test_models_with_equal_rankings_agree() -> None:
    a = [(ratings(good=x), ratings(good=y)) for x, y in ((1, 2), (4, 3), (5, 5))]
    b = [(ratings(good=10 * x), ratings(good=10 * y)) for x, y in ((1, 2), (4, 3), (5, 5))]
    (agreement,) = measure_agreement(a, b)
    assert (agreement.output, agreement.srcc, agreement.sounds) == ("good", 1.0, 6)
    assert (agreement.alike, agreement.kappa, agreement.pairs) == (1.0, 1.0, 3)


def test_kappa_is_corrected_for_chance() -> None:
    (agreement,) = measure_agreement(preferring("aabb"), preferring("abab"))
    assert (agreement.alike, agreement.kappa) == (0.5, 0.0)


def test_agreement_covers_shared_outputs_and_samples_both_answered() -> None:
    a = [(ratings(good=1.0, fit=2.0),), (ratings(good=2.0),), ()]
    b = [(ratings(good=3.0, loud=1.0),), (ratings(good=4.0),), (ratings(good=1.0),)]
    (agreement,) = measure_agreement(a, b)
    assert (agreement.output, agreement.sounds, agreement.pairs) == ("good", 2, 0)
    assert math.isnan(agreement.alike)
