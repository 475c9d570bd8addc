"""Rows in memory as data."""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from auricle import Audio, Spec, SpecError, evaluate, score
from auricle.data.memory import store_rows
from tests.support.extras import require_extra

SOUND = np.sin(np.arange(1600) / 10).astype(np.float32)
ROWS: list[dict[str, str | None]] = [
    {"question": "a", "answer": "a", "speaker": "x"},
    {"question": "b", "answer": "c", "speaker": None},
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def evaluate_rows(rows: Any, folder: Path) -> float | None:
    path = evaluate(Spec(task=cast(Any, rows), kind="qa", model="echo"), folder).path
    return score(path)["exact_match"].value  # by the location in its spec alone


def test_a_list_of_dicts_is_data(tmp_path: Path) -> None:
    assert evaluate_rows(ROWS, tmp_path / "run") == 0.5
    assert evaluate(Spec(task=cast(Any, ROWS), kind="qa", model="echo"), tmp_path / "run").complete


def test_a_data_frame_is_data(tmp_path: Path) -> None:
    require_extra("pandas")
    import pandas as pd

    assert evaluate_rows(pd.DataFrame(ROWS), tmp_path / "run") == 0.5


def test_a_hugging_face_dataset_is_data(tmp_path: Path) -> None:
    require_extra("huggingface")
    import datasets

    assert evaluate_rows(datasets.Dataset.from_list(ROWS), tmp_path / "run") == 0.5
    with pytest.raises(SpecError, match=r"dataset\['train'\]"):
        store_rows(datasets.DatasetDict(train=datasets.Dataset.from_list(ROWS)))


def test_equal_rows_have_the_same_location() -> None:
    assert store_rows(ROWS) == store_rows([dict(row) for row in ROWS]) != store_rows(ROWS[:1])


@pytest.mark.parametrize(
    "sound", [(SOUND, 16_000), {"array": SOUND, "sampling_rate": 16_000}, Audio.of(SOUND, rate=16_000)]
)
def test_a_sound_in_memory_becomes_a_file(sound: Any) -> None:
    stored = json.loads(Path(store_rows([{"audio": sound}])).read_text())["audio"]
    assert Audio.of(stored).seconds == pytest.approx(0.1)


def test_paths_in_rows_start_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Spec(task=cast(Any, [{"audio": Path("a.wav"), "text": "a"}]), kind="asr", model="echo")
    assert spec.task == "asr"
    assert spec.task_args["root"] == str(tmp_path)


@pytest.mark.parametrize("rows", [3, [1, 2]])
def test_other_values_are_refused(rows: Any) -> None:
    with pytest.raises(SpecError, match="Cannot use"):
        store_rows(rows)
