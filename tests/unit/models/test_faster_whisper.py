"""Errors of faster-whisper and Vosk; no weights are needed."""

import sys
from pathlib import Path
from typing import Any

import pytest

from auricle import load_model
from auricle.core.errors import MissingExtra, SpecError
from tests.support.extras import require_extra

pytestmark = pytest.mark.slow

NAMES = ["faster-whisper", "vosk"]


LEFT_BEHIND = {"faster-whisper": "model.bin, config.json", "vosk": "am/final.mdl or final.mdl"}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> Any:
    require_extra(request.param)
    return request.param


@pytest.mark.parametrize("name", NAMES)
def test_missing_package_error_names_the_extra(name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    with pytest.raises(MissingExtra, match=rf"pip install 'auricle\[{name}\]'"):
        load_model(name, model="any")


def test_folder_without_model_files_is_refused(name: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=f"{tmp_path} is not a .*: missing {LEFT_BEHIND[name]}"):
        load_model(name, model=str(tmp_path))


def test_missing_folder_is_refused(name: Any) -> None:
    with pytest.raises(SpecError, match="nowhere"):
        load_model(name, model="nowhere")


def test_wrong_folder_gives_a_one_line_error(name: Any, auricle: Any, tone: Any) -> None:
    done = auricle("ask", "-m", name, "-M", "model=/no/such/folder", tone("a.wav"))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_missing_model_option_is_refused(name: Any) -> None:
    with pytest.raises(SpecError, match="model"):
        load_model(name)


def test_broken_weights_are_refused(name: Any, tmp_path: Path) -> None:
    for file in ("model.bin", "config.json", "tokenizer.json", "am/final.mdl"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("{}")
    with pytest.raises(SpecError, match=name):
        load_model(name, model=str(tmp_path))


def test_failed_download_suggests_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    require_extra("faster-whisper")
    import faster_whisper as whisper

    def offline(model: Any, **where: Any) -> None:
        raise FileNotFoundError("no snapshot here\nand more words")

    monkeypatch.setattr(whisper, "WhisperModel", offline)
    monkeypatch.setattr(offline, "transcribe", lambda self, audio: None, raising=False)
    with pytest.raises(SpecError, match=r"could not be downloaded \(no snapshot here\)\. Set the folder"):
        load_model("faster-whisper", model="tiny.en")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"task": "sing"}, "task must be transcribe or translate, not 'sing'"),
        ({"beam": 3}, "unknown option beam. Accepted: model, .*beam_size"),
    ],
)
def test_wrong_option_is_refused_before_loading(options: Any, words: str) -> None:
    require_extra("faster-whisper")
    with pytest.raises(SpecError, match=words):
        load_model("faster-whisper", model="tiny.en", **options)
