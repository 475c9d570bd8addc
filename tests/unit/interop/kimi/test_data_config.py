from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import list_parts
from auricle.interop.kimi.data_config import DataConfig
from auricle.interop.kimi.datasets import find_dataset
from tests.support.framework_results import list_samples
from tests.unit.interop.kimi.evalkit_files import build_kimi_task, write_config, write_rows

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
