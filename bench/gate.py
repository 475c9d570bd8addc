"""Simulate `auricle gate`: how often equal models are called worse, and whether its power is what it predicts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from measure import Sheet

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.gates import predict_units, simulate_comparison

from auricle.scoring.gate import Margin, Verdict, decide

PASSED = (Verdict.BETTER, Verdict.NOT_WORSE)


def share_of(
    verdicts: tuple[Verdict, ...], units: int, loss: float, margin: float, per_speaker: int | None, rounds: int
) -> float:
    """Return the percentage of gates with these verdicts on a candidate with this loss."""
    rng = np.random.default_rng(units)
    comparisons = (simulate_comparison(rng, units, loss, per_speaker=per_speaker) for _ in range(rounds))
    gates = (decide(comparison, [Margin("", 100 * margin)]) for comparison in comparisons)
    return 100 * sum(gate.verdict in verdicts for gate in gates) / rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    sheet = Sheet(f"{rounds} comparisons of two recognisers that share 70 % of their errors")
    for samples in (30, 100, 300, 1000):
        share = share_of((Verdict.WORSE,), samples, 0.0, 0.0, None, rounds)
        sheet.line(f"equal models called worse, {samples} utterances", share, "%")
    for name, pilot, per_speaker in (("utterances", 100, None), ("speakers", 12, 20), ("speakers", 24, 20)):
        for loss in (0.005, 0.01, 0.02):
            units = predict_units(np.random.default_rng(7), pilot, loss, per_speaker=per_speaker)
            advised = f"{units} {name} as advised by {pilot}"
            share = share_of((Verdict.WORSE,), units, loss, 0.0, per_speaker, rounds)
            sheet.line(f"loss of {100 * loss:g} pp called worse, {advised}", share, "%")
            share = share_of(PASSED, units, 0.0, loss, per_speaker, rounds)
            sheet.line(f"equal models pass a margin of {100 * loss:g} pp, {advised}", share, "%")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
