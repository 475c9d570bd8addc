"""Tests of the search for downloaded checkpoints."""

import json
from pathlib import Path

import pytest

from auricle.models.checkpoints import list_checkpoints
from auricle.models.listing import ModelListing

WHISPER = ModelListing(architectures=("WhisperForConditionalGeneration",))
FUNASR = ModelListing(weight_files=("config.yaml", "model.pt"))


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hf"))
    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path / "ms"))
    return tmp_path


def write_checkpoint(folder: Path, config: object = None, weights: str = "model.safetensors") -> None:
    folder.mkdir(parents=True)
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    (folder / weights).write_text("")


def test_checkpoints_of_both_hubs_are_listed_by_name(caches: Path) -> None:
    write_checkpoint(caches / "hf/models--openai--whisper-tiny/snapshots/abc", {})
    write_checkpoint(caches / "ms/hub/models/iic/emotion2vec_plus_large", weights="model.pt")
    assert [item.name for item in list_checkpoints()] == ["iic/emotion2vec_plus_large", "openai/whisper-tiny"]


def test_interrupted_download_and_other_folders_are_left_out(caches: Path) -> None:
    snapshot = caches / "hf/models--a--b/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").symlink_to(caches / "missing")
    write_checkpoint(caches / "hf/datasets--a--b/snapshots/abc")
    assert list_checkpoints() == []


def test_missing_caches_have_no_checkpoints() -> None:
    assert list_checkpoints() == []


def test_architecture_decides_which_model_a_checkpoint_suits(caches: Path) -> None:
    write_checkpoint(caches / "hf/models--a--b/snapshots/1", {"architectures": ["WhisperForConditionalGeneration"]})
    write_checkpoint(caches / "hf/models--a--c/snapshots/1", {"architectures": None})
    first, second = list_checkpoints()
    assert first.suits(WHISPER)
    assert not second.suits(WHISPER)
    assert second.suits(ModelListing())
    assert not first.suits(FUNASR)


@pytest.mark.parametrize("config", ["[]", "{", '{"architectures": "x"}'])
def test_damaged_configuration_has_no_architecture(caches: Path, config: str) -> None:
    folder = caches / "hf/models--a--b/snapshots/1"
    write_checkpoint(folder)
    (folder / "config.json").write_text(config)
    assert list_checkpoints()[0].architectures == ()
