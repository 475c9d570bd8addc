"""Runs of two models on the same questions of several speakers, as pilots of plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from auricle import Spec, evaluate

SPEAKERS, PER_SPEAKER = 12, 5


class PilotRuns(NamedTuple):
    """The data, the folder of each run, and whether each model was right about each row."""

    data: Path
    a: Path
    b: Path
    right_a: Any
    right_b: Any


def make_pilot_runs(folder: Path) -> PilotRuns:
    """Evaluate two models that are right about most rows, more often of some speakers than of others."""
    rng = np.random.default_rng(0)
    count = SPEAKERS * PER_SPEAKER
    skill = np.repeat(rng.normal(size=SPEAKERS), PER_SPEAKER)
    right_a, right_b = (skill + rng.normal(size=count) > -0.8 for _ in range(2))
    data = folder / "quiz.jsonl"
    rows = [
        {"id": str(row), "question": f"q{row}", "answer": "yes", "speaker": f"s{row // PER_SPEAKER}"}
        for row in range(count)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, right in (("a", right_a), ("b", right_b)):
        replies = {f"q{row}": "yes" if right[row] else "no" for row in range(count)}

        def answer(text: str, replies: dict[str, str] = replies) -> str:
            return replies[text]

        model: Any = answer
        spec = Spec(task="qa", task_args={"data": str(data), "metrics": "exact_match"}, model=model)
        evaluate(spec, folder / name)
    return PilotRuns(data, folder / "a", folder / "b", right_a.astype(float), right_b.astype(float))
