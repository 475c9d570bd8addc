"""A reward model in the form CMI-RewardBench takes: it looks up what it says in a table."""

import json
from pathlib import Path, PurePath
from typing import Any

import numpy as np


class Table:
    sr = 16_000

    def __init__(self, checkpoint: Any, device: Any) -> None:
        table = json.loads(Path(checkpoint).read_text(encoding="utf-8"))
        self.scores = {PurePath(path).parts: said for path, (_, *said) in table.items()}

    def score_batch(self, inputs: Any, batch_size: Any, max_dur: Any) -> Any:
        assert batch_size == len(inputs)
        return np.array([self.said(each.audio) for each in inputs], dtype=np.float64)

    def said(self, sound: Any) -> Any:
        """Two numbers; NaN where the table has none, and zeros for silence."""
        if not isinstance(sound, str):
            return [0.0, 0.0]
        parts = PurePath(sound).parts
        known = next(said for path, said in self.scores.items() if parts[-len(path) :] == path)
        return [float("nan") if each is None else each for each in known]
