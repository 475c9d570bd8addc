"""What faster-whisper and Vosk say when they are given the wrong thing; no weights are needed."""

import sys
from pathlib import Path
from typing import Any

import pytest

from auricle import load_model
from auricle.core.errors import MissingExtra, SpecError

NAMES = ["faster-whisper", "vosk"]
LEFT_BEHIND = {"faster-whisper": "model.bin, no config.json", "vosk": "am/final.mdl or final.mdl"}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> Any:
    pytest.importorskip(request.param.replace("-", "_"), reason="an optional extra")
    return request.param


@pytest.mark.parametrize("name", NAMES)
def test_the_extra_is_named_where_the_package_is_missing(name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    with pytest.raises(MissingExtra, match=rf"pip install 'auricle\[{name}\]'"):
        load_model(name, model="any")


def test_a_folder_that_is_no_model_is_told_by_what_it_lacks(name: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=f"{tmp_path} is no .* it has no {LEFT_BEHIND[name]}"):
        load_model(name, model=str(tmp_path))


def test_a_folder_that_is_not_there_is_told(name: Any) -> None:
    with pytest.raises(SpecError, match="there is no folder nowhere"):
        load_model(name, model="nowhere")


def test_a_wrong_folder_is_one_line_and_the_users_move(name: Any, auricle: Any, tone: Any) -> None:
    done = auricle("ask", "-m", name, "-M", "model=/no/such/folder", tone("a.wav"))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_model_must_be_named(name: Any) -> None:
    with pytest.raises(SpecError, match="model"):
        load_model(name)


def test_broken_weights_are_the_users_move(name: Any, tmp_path: Path) -> None:
    for file in ("model.bin", "config.json", "tokenizer.json", "am/final.mdl"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("{}")
    with pytest.raises(SpecError, match=name):
        load_model(name, model=str(tmp_path))


def test_a_size_that_cannot_be_fetched_asks_for_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whisper = pytest.importorskip("faster_whisper", reason="an optional extra")

    def offline(model: Any, **where: Any) -> None:
        raise FileNotFoundError("no snapshot here\nand more words")

    monkeypatch.setattr(whisper, "WhisperModel", offline)
    monkeypatch.setattr(offline, "transcribe", lambda self, audio: None, raising=False)
    with pytest.raises(SpecError, match=r"cannot be fetched \(no snapshot here\)\. Give the folder"):
        load_model("faster-whisper", model="tiny.en")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"task": "sing"}, "task should be transcribe or translate, not 'sing'"),
        ({"beam": 3}, "knows no option beam; it takes model, .*beam_size"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_loaded(options: Any, words: str) -> None:
    pytest.importorskip("faster_whisper", reason="an optional extra")
    with pytest.raises(SpecError, match=words):
        load_model("faster-whisper", model="tiny.en", **options)


def test_vosk_finds_a_model_by_name_where_the_library_keeps_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = pytest.importorskip("vosk", reason="an optional extra")
    (tmp_path / "vosk-model-mine").mkdir()
    monkeypatch.setattr(library, "MODEL_DIRS", [None, tmp_path])
    with pytest.raises(SpecError, match=f"{tmp_path}/vosk-model-mine is no Vosk model"):
        load_model("vosk", model="vosk-model-mine")
