"""Runs to compare."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate

MODELS = """
import zlib
from auricle import BatchModel, Prediction

def chance(text, salt):
    return zlib.crc32(f"{salt}|{text}".encode()) / 2**32

class Dimensions(BatchModel):
    def __init__(self, *, shift=0.0, names="arousal,valence"):
        self.shift, self.names = shift, names.split(",")

    def predict(self, batch):
        return [Prediction(values={n: chance(str(r.inputs), n) + self.shift for n in self.names},
                           scale="continuous") for r in batch]
"""


@pytest.fixture
def quiz(manifest: Any) -> Any:
    """Forty questions whose answer is the question, by default; rows can be changed."""

    def make(name: str = "quiz.jsonl", count: int = 40, **changes: Any) -> Any:
        rows = []
        for at in range(count):
            text = f"please say number {at} aloud"
            row = {"id": str(at), "question": text, "answer": text, "voice": f"s{at % 8}"}
            rows.append({**row, **changes.get(f"row{at}", {})})
        return manifest(rows, name)

    return make


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def make(name: Any, data: Any, model: str = "echo", kind: str = "qa", limit: Any = None, **arguments: Any) -> Any:
        task = {"data": str(data), **{k: v for k, v in arguments.items() if k in TASK}}
        output = {k: v for k, v in arguments.items() if k not in TASK}
        spec = Spec(task=kind, task_args=task, model=model, model_args=output, limit=limit)
        evaluate(spec, tmp_path / name)
        return tmp_path / name

    return make


TASK = ("metrics", "cluster", "name", "profile")


@pytest.fixture
def moods(manifest: Any) -> Any:
    labels = ["angry", "happy", "neutral", "sad"]
    rows = [{"id": str(at), "question": f"clip {at}", "label": labels[at % 4], "choices": labels}
            for at in range(60)]  # fmt: skip
    return manifest(rows, "moods.jsonl")


@pytest.fixture
def models(tmp_path: Path) -> Any:
    path = tmp_path / "models.py"
    path.write_text(MODELS)
    return lambda name: f"{path}:{name}"
