from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow, Sample, list_parts
from auricle.frameworks.kimi.data import DataConfig
from auricle.frameworks.kimi.datasets import find_dataset
from auricle.runs.run_directory import Run
from tests.frameworks.kimi.evalkit_files import (
    CLASSES,
    DATASET_CLASS,
    VOCAL_QUESTION,
    build_kimi_task,
    evaluate_kimi_task,
    write_config,
    write_rows,
)
from tests.support.framework_results import list_samples, text_of

pytestmark = pytest.mark.usefixtures("evalkit_folder")


@pytest.mark.parametrize(
    "path", ["data/Fleurs-en/Fleurs-en.jsonl", "data/Fleurs/Fleurs-en.jsonl", "data/Fleurs/Fleurs-en/Fleurs-en.jsonl"]
)
def test_data_is_searched_in_three_places(path: str, tmp_path: Path) -> None:
    write_rows(path, [{"answer": "x"}])
    assert DataConfig.read().find_data_file(find_dataset("fleurs-en")) == tmp_path / path


def test_a_file_in_the_config_takes_precedence(tmp_path: Path) -> None:
    write_rows("data/VocalSound/VocalSound.jsonl", [{"answer": "A"}])
    path = write_rows("mine/any.jsonl", [{"answer": "B"}])
    write_config({"dataset_root": "data", "datasets": {"Vocalsound": "mine/any.jsonl"}})
    assert DataConfig.read().find_data_file(find_dataset("VocalSound")) == tmp_path / path


def test_the_config_is_an_argument_a_variable_or_a_file_above(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = write_config({"dataset_root": "x"}, "other.yaml")
    assert DataConfig.read("other.yaml").path == tmp_path / other
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir("deep")
    assert DataConfig.read().path == tmp_path / "config.yaml"
    monkeypatch.setenv("PROJECT_CONFIG_PATH", str(tmp_path / other))
    assert DataConfig.read().path == tmp_path / other


def test_a_config_may_list_no_datasets(tmp_path: Path) -> None:
    write_config({"dataset_root": "data", "datasets": None})
    assert DataConfig.read().dataset_files == {}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"dataset_root": "data"}, "LibriSpeech not found in .*LibriSpeech.jsonl. Add it under `datasets:`"),
        ({"datasets": {"LibriSpeech": "gone.jsonl"}}, "There is no file .*gone.jsonl, which .* gives for LibriSpeech"),
        ({}, "LibriSpeech not found in the config: it has no dataset_root"),
    ],
)
def test_missing_data_is_reported_with_the_places_searched(section: Any, message: str) -> None:
    write_config(section)
    with pytest.raises(SpecError, match=message):
        build_kimi_task("LibriSpeech")


def test_a_missing_config_is_reported_with_the_ways_to_pass_one() -> None:
    Path("config.yaml").unlink()
    with pytest.raises(SpecError, match=r"-T config=config.yaml or \$PROJECT_CONFIG_PATH"):
        build_kimi_task("LibriSpeech")


def test_audio_paths_are_relative_to_the_working_directory(tmp_path: Path) -> None:
    rows = [{"audio_path": ["0.wav", "1.wav"], "answer": "A", "question": "(A) one (B) two"}]
    write_rows("deep/data/MMAU/mmau-test-mini.jsonl", rows)
    (sample,) = list_samples(build_kimi_task("mmau-test-mini", data="deep/data/MMAU/mmau-test-mini.jsonl"))
    assert [getattr(audio, "path", None) for audio in list_parts(sample.inputs["audio"])] == [
        tmp_path / "0.wav",
        tmp_path / "1.wav",
    ]


pytestmark = pytest.mark.usefixtures("evalkit_folder")


def test_a_model_gets_only_the_meta_of_a_row() -> None:
    row_with_meta = {"meta": {"accent": "usa"}, "subset": "one", "answer": "x", "audio_content": "secret"}
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [row_with_meta, {"subset": "two", "answer": "x"}])
    evaluate_kimi_task("LibriSpeech", model=f"kimi:{CLASSES}:Telling")
    records = sorted(Run.load(Path("out")).records(), key=lambda record: record.row)
    first, second = [json.loads(text_of(record.outputs[0]))["meta"] for record in records]
    assert second == {
        "task": "ASR",
        "interactive": "Audio-analysis",
        "audio_type": "Speech",
        "dataset_series": "LibriSpeech",
        "dataset_name": "LibriSpeech",
        "lang": "en",
        "subset": "two",
    }
    assert first == {**second, "subset": "one", "accent": "usa"}


def test_a_class_may_override_reading_and_prompts() -> None:
    Path("custom.py").write_text(
        DATASET_CLASS
        + """
    def load_data(self, dataset):
        print("reading", dataset)
        return [*super().load_data(dataset), {"index": 9, "audio_path": "gone.wav"}]

    def build_prompt(self, idx):
        msg = super().build_prompt(idx)
        msg["text"] = msg["text"].replace("Which", "What")
        msg["meta"]["turn"] = idx
        return msg
"""
    )
    write_rows("data/Mine/my-sounds.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh", "subset": "s"}])
    sample, rejected = build_kimi_task("custom.py:Sounds").samples
    assert isinstance(sample, Sample)
    assert str(sample.inputs["question"]).startswith("What sound is it?")
    assert (sample.meta["subset"], sample.meta["meta"]) == ("s", {"turn": 0})
    assert isinstance(rejected, RejectedRow)
    assert "build_prompt of Sounds raised KeyError: 'question'" in rejected.reason


def test_a_row_of_a_class_that_cannot_be_read_is_rejected_alone() -> None:
    Path("custom.py").write_text(
        DATASET_CLASS
        + """
    def load_data(self, dataset):
        return [*super().load_data(dataset), 7]
"""
    )
    write_rows("data/Mine/my-sounds.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh", "subset": "s"}])
    sample, rejected = build_kimi_task("custom.py:Sounds").samples
    assert isinstance(sample, Sample)
    assert isinstance(rejected, RejectedRow)
    assert "row 2 of Sounds raised TypeError" in rejected.reason
