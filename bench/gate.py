"""Simulate `auricle gate`: how often equal models are called worse, and whether its power is what it predicts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from measure import Sheet

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.gates import make_comparison, simulate_row

from auricle.report.gate import Verdict, count_needed_pairs, decide

PILOT = 100


def share_of(verdict: Verdict, samples: int, loss: float, rounds: int, seed: int) -> float:
    """Return how often the gate without a margin reaches a verdict on a candidate with this loss."""
    rng = np.random.default_rng(seed)
    gates = (decide(make_comparison([simulate_row(rng, samples, loss)])) for _ in range(rounds))
    return sum(gate.verdict is verdict for gate in gates) / rounds


def predict_pairs(loss: float, seed: int) -> int:
    """Return the median number of pairs that comparisons of a candidate with this loss predict for 80 % power."""
    rng = np.random.default_rng(seed)
    predicted = [count_needed_pairs(simulate_row(rng, PILOT, loss), loss) for _ in range(200)]
    return int(np.median([pairs for pairs in predicted if pairs]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    sheet = Sheet(f"{rounds} comparisons of two recognisers that share 70 % of their errors")
    for samples in (30, 100, 300, 1000):
        share = share_of(Verdict.WORSE, samples, 0.0, rounds, samples)
        sheet.line(f"equal models called worse, {samples} utterances", 100 * share, "%")
    for loss in (0.5, 1.0, 2.0):
        samples = predict_pairs(loss / 100, 7)
        share = share_of(Verdict.WORSE, samples, loss / 100, rounds, 11)
        sheet.line(f"loss of {loss} pp called worse, {samples} utterances as predicted for 80 %", 100 * share, "%")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
