"""The gate under simulation: how often it calls equal models worse, and whether its power is what it predicts."""

import numpy as np
import pytest

from auricle.scoring.gate import Margin, Verdict, decide
from tests.support.gates import predict_units, simulate_comparison

ROUNDS = 400
PASSED = (Verdict.BETTER, Verdict.NOT_WORSE)


def rate_of(verdicts: tuple[Verdict, ...], units: int, loss: float, margin: float, per_speaker: int | None) -> float:
    rng = np.random.default_rng(units)
    comparisons = (simulate_comparison(rng, units, loss, per_speaker=per_speaker) for _ in range(ROUNDS))
    gates = (decide(comparison, [Margin("", 100 * margin)]) for comparison in comparisons)
    return sum(gate.verdict in verdicts for gate in gates) / ROUNDS


def test_equal_models_are_rarely_called_worse() -> None:
    for samples in (30, 200):
        assert rate_of((Verdict.WORSE,), samples, 0.0, 0.0, None) <= 0.05


@pytest.mark.parametrize(("pilot", "per_speaker"), [(100, None), (24, 20)])
def test_the_power_is_what_the_gate_predicts(pilot: int, per_speaker: int | None) -> None:
    loss = 0.01
    units = predict_units(np.random.default_rng(7), pilot, loss, per_speaker=per_speaker)
    assert abs(rate_of((Verdict.WORSE,), units, loss, 0.0, per_speaker) - 0.8) <= 0.06
    assert rate_of(PASSED, units, 0.0, loss, per_speaker) >= 0.72  # more, as errors of equal models vary less
