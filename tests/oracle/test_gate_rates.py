"""The gate under simulation: how often it calls equal models worse, and whether its power is what it predicts."""

import numpy as np

from auricle.report.gate import Verdict, count_needed_pairs, decide
from tests.support.gates import make_comparison, simulate_row

ROUNDS = 400


def rate_of(verdict: Verdict, samples: int, loss: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    gates = (decide(make_comparison([simulate_row(rng, samples, loss)])) for _ in range(ROUNDS))
    return sum(gate.verdict is verdict for gate in gates) / ROUNDS


def test_equal_models_are_rarely_called_worse() -> None:
    for samples in (30, 200):
        assert rate_of(Verdict.WORSE, samples, 0.0, seed=samples) <= 0.05


def test_the_power_is_what_the_gate_predicts() -> None:
    rng, loss = np.random.default_rng(7), 0.01
    predicted = [count_needed_pairs(simulate_row(rng, 100, loss), loss) for _ in range(100)]
    samples = int(np.median([pairs for pairs in predicted if pairs]))
    assert abs(rate_of(Verdict.WORSE, samples, loss, seed=11) - 0.8) <= 0.06
