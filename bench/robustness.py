"""Measure what perturbing recordings adds to the time of a run with a real recogniser.

The demo's recordings are transcribed as they are and under conditions that leave them intelligible, so that the
recogniser has the same work; the runs take turns, and the best of each is compared.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from measure import Sheet, at_most, measure_best

from auricle import Spec, api
from auricle.engine.factory import Evaluation
from auricle.engine.kept_model import KeptModel

MODEL, SAMPLES, ROUNDS, TARGET = "moonshine", 16, 3, 1.15
CONDITIONS = ("noise:snr=60", "noise:snr=60,kind=babble", "reverb:t60=0.1,drr=30", "codec:opus@24k", "loss:rate=0.01")


def main() -> int:
    sheet = Sheet(f"{SAMPLES} recordings of demo × {MODEL}")
    numbers = count()
    with tempfile.TemporaryDirectory() as name, KeptModel() as kept_model:

        def measure(condition: str) -> Callable[[], object]:
            arguments = {"perturb": condition} if condition else {}
            evaluation = Evaluation.prepare(Spec(task="demo", model=MODEL, task_args=arguments, limit=SAMPLES))
            return lambda: api.evaluate(
                evaluation, Path(name) / str(next(numbers)), infer_only=True, kept_model=kept_model
            )

        runs = {condition: measure(condition) for condition in ("", *CONDITIONS)}
        runs[""]()  # loads the model
        costs = measure_best(runs, ROUNDS)
    clean = costs.pop("")
    sheet.line("unchanged", clean.wall, "s", cost=clean)
    for condition, cost in costs.items():
        sheet.line(condition, cost.wall / clean.wall, "x", at_most(TARGET), cost=cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
