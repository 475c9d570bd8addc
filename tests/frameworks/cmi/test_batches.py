"""Batches of CMI-RewardBench: its classes may score a recording by the others of its batch."""

import json
import random
from pathlib import Path, PurePath
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.core.types import Prediction
from auricle.engine.settings import Settings
from auricle.runs.run_directory import Run

SOURCES = {
    "PAM": "PAM (music)",
    "MusicEval": "SongEval",
    "MusicArena": "Music Arena",
    "CMI-Pref": "cmi-arena-annotation",
}
SIZES = {"PAM": 14, "MusicEval": 5, "MusicArena": 31, "CMI-Pref": 120}
MODEL = """
from pathlib import PurePath

class Relative:
    sr = 8000

    def __init__(self, checkpoint, device): ...

    def score_batch(self, inputs, batch_size, max_dur):
        numbers = [int(PurePath(given.audio).stem) for given in inputs]
        return [[sum(numbers), place] for place, _ in enumerate(numbers)]
"""


@pytest.fixture
def rows(tmp_path: Path, tone: Any) -> list[dict[str, str]]:
    """Write a shuffled table of the four datasets; recordings have different lengths and are named by numbers."""
    dice = random.Random(7)
    names = [name for name, size in SIZES.items() for _ in range(size)]
    dice.shuffle(names)
    recordings = [tone(f"{number}.wav", seconds=dice.choice([0.05, 0.1, 0.2])) for number in range(2 * len(names))]
    rows = [
        {"source": SOURCES[name], "split": "test", "prompt": "x", "audio-path": str(recordings[2 * index])}
        | ({"audio2": str(recordings[2 * index + 1])} if name in ("MusicArena", "CMI-Pref") else {})
        for index, name in enumerate(names)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "relative.py").write_text(MODEL)
    return rows


def score_as_upstream(rows: list[dict[str, str]]) -> dict[str, tuple[float, float]]:
    """Return the class's scores of each recording in batches of 12 of one dataset and one side."""
    scores: dict[str, tuple[float, float]] = {}
    for source in SOURCES.values():
        for side in ("audio-path", "audio2"):
            paths = [row[side] for row in rows if row["source"] == source and side in row]
            for batch in (paths[start : start + 12] for start in range(0, len(paths), 12)):
                total = sum(int(PurePath(path).stem) for path in batch)
                scores |= {PurePath(path).stem: (total, place) for place, path in enumerate(batch)}
    return scores


@pytest.mark.parametrize("replicas", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_class_that_compares_within_its_batch_gives_upstream_scores(
    rows: list[dict[str, str]], tmp_path: Path, replicas: int
) -> None:
    spec = Spec(
        task="cmi-rewardbench",
        task_args={"dataset_jsonl": str(tmp_path / "rows.jsonl")},
        model=f"cmi:{tmp_path / 'relative.py'}:Relative",
    )
    evaluate(spec, tmp_path / "run", infer_only=True, settings=Settings(replicas=replicas))
    scores: dict[str, Any] = {}
    for record in Run.load(tmp_path / "run").records():
        row: Any = record.sample.meta["row"]
        for side, output in zip(("audio-path", "audio2"), record.outputs, strict=False):
            assert isinstance(output, Prediction)
            scores[PurePath(row[side]).stem] = tuple(output.values.values())
    assert scores == score_as_upstream(rows)
