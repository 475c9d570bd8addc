"""Errors of faster-whisper and Vosk; no weights are needed."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auricle import Audio, load_model
from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Segment
from auricle.models.faster_whisper import FasterWhisper
from tests.support.extras import require_extra
from tests.support.model_requests import generate

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


def test_sampled_transcripts_have_the_seed_of_the_request(monkeypatch: pytest.MonkeyPatch, tone: Any) -> None:
    """The library draws from one generator, which is seeded before each sampled request."""
    seeds: list[int] = []

    class FakeWhisper:
        supported_languages = ("en",)

        def __init__(self, model: str, **options: Any) -> None: ...

        def transcribe(self, audio: Any, temperature: float = 0.0, **options: Any) -> Any:
            return [SimpleNamespace(text=f"{seeds[-1:]}", tokens=[1])], None

    library = SimpleNamespace(WhisperModel=FakeWhisper, available_models=lambda: ["tiny"])
    monkeypatch.setitem(sys.modules, "faster_whisper", library)
    monkeypatch.setitem(sys.modules, "ctranslate2", SimpleNamespace(set_random_seed=seeds.append))
    model = FasterWhisper(model="tiny")
    audio = Audio(str(tone("a.wav")))
    requests = [generate(audio, seed=seed, temperature=heat) for seed, heat in ((5, 0.0), (6, 0.7), (7, 0.7))]
    assert [output.text for output in model.generate(requests)] == ["[]", "[6]", "[7]"]


@pytest.mark.parametrize("reports_words", [True, False])
def test_times_of_words_are_reported_if_requested(
    monkeypatch: pytest.MonkeyPatch, tone: Any, reports_words: bool
) -> None:
    class FakeWhisper:
        supported_languages = ("en",)

        def __init__(self, model: str, **options: Any) -> None: ...

        def transcribe(self, audio: Any, word_timestamps: bool = False, **options: Any) -> Any:
            word = SimpleNamespace(start=0.1, end=0.5, word=" hello", probability=0.75)
            return [SimpleNamespace(text=" hello", tokens=[1], words=[word] if word_timestamps else None)], None

    library = SimpleNamespace(WhisperModel=FakeWhisper, available_models=lambda: ["tiny"])
    monkeypatch.setitem(sys.modules, "faster_whisper", library)
    model = FasterWhisper(model="tiny", words=reports_words)
    (answer,) = model.generate([generate(Audio(str(tone("a.wav"))))])
    assert answer.text == "hello"
    assert answer.segments == ((Segment(0.1, 0.5, "hello", score=0.75),) if reports_words else None)
