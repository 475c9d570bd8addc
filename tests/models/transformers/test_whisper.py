"""Whisper through transformers: short and long clips, one language or several."""

from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SampleError, SpecError
from auricle.media import Audio
from auricle.models.transformers.whisper import Whisper
from tests.support import tiny_weights
from tests.support.model_requests import answer_one_by_one, generate

pytestmark = pytest.mark.slow

SHORT, LONG = (0.5, 300.0), (2.7, 200.0)


def sound(seconds: Any, hertz: Any) -> Any:
    return Audio.of(tiny_weights.tone(seconds, hertz), rate=16_000)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_weights.whisper(tmp_path_factory.mktemp("english"))


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_weights.whisper(tmp_path_factory.mktemp("several"), ["en", "de"])


@pytest.fixture(scope="module")
def model(english: Any) -> Any:
    return Whisper(model=str(english))


def direct(model: Any, hear: Any, **options: Any) -> Any:
    """Transcribe one clip with transformers directly."""
    ears = model.processor.feature_extractor
    received = ears(hear.decode(16_000), sampling_rate=16_000, return_tensors="pt")
    with torch.inference_mode():
        rows = model.model.generate(received["input_features"], **options)
    return model.processor.batch_decode(rows, skip_special_tokens=True)[0]


def test_short_and_long_clips_in_a_batch_equal_single_transcripts(model: Any) -> None:
    lengths = [SHORT, LONG, (0.9, 440.0), (1.4, 250.0)]
    batch = [generate(sound(*length)) for length in lengths]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)


def test_transcript_equals_that_of_transformers(model: Any) -> None:
    (answer,) = model.generate([generate(sound(*SHORT))])
    assert answer.text == direct(model, sound(*SHORT), return_timestamps=False)


def test_long_clip_is_transcribed_to_its_end(model: Any) -> None:
    start, full = model.generate([generate(sound(*LONG).segment(0, 0.9)), generate(sound(*LONG))])
    assert full.tokens > 0
    assert full.text != start.text


def test_token_limit_applies_to_each_window(model: Any) -> None:
    batch = [generate(sound(*LONG), max_tokens=limit) for limit in (4, 9, 512)]
    answers = model.generate(batch)
    assert 4 < answers[0].tokens < answers[2].tokens
    assert answers == answer_one_by_one(model.generate, batch)


def test_each_request_keeps_its_own_limit(model: Any) -> None:
    batch = [generate(sound(0.9, 440.0), max_tokens=limit) for limit in (3, 8)]
    answers = model.generate(batch)
    assert [answer.tokens for answer in answers] == [3, 8]
    assert {answer.finish for answer in answers} == {"length"}
    assert answers == answer_one_by_one(model.generate, batch)


def test_language_and_task_are_passed_to_the_model(several: Any) -> None:
    hear = sound(*SHORT)
    for language, task in (("de", "transcribe"), ("English", "translate")):
        model = Whisper(model=str(several), language=language, task=task)  # type: ignore[arg-type]
        (answer,) = model.generate([generate(hear)])
        assert answer.text == direct(model, hear, return_timestamps=False, language=language, task=task)


def test_language_is_detected_per_clip(several: Any) -> None:
    model = Whisper(model=str(several))
    batch = [generate(sound(*SHORT)), generate(sound(0.9, 440.0))]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)


def test_english_only_checkpoint_accepts_english(english: Any, model: Any) -> None:
    named = Whisper(model=str(english), language="en")
    batch = [generate(sound(*SHORT))]
    assert named.generate(batch) == model.generate(batch)


@pytest.mark.parametrize("asked", [{"language": "de"}, {"task": "translate"}])
def test_english_only_checkpoint_refuses_other_tasks(english: Any, asked: Any) -> None:
    with pytest.raises(SpecError, match="supports only English"):
        Whisper(model=str(english), **asked)


def test_unsupported_language_is_refused_before_the_run(several: Any) -> None:
    with pytest.raises(SpecError, match=r"does not support the language 'fr'. Supported: de, en"):
        Whisper(model=str(several), language="fr")


def test_wrong_task_is_refused(english: Any) -> None:
    with pytest.raises(SpecError, match="task must be transcribe or translate, not 'write'"):
        Whisper(model=str(english), task="write")  # type: ignore[arg-type]


def test_request_without_audio_is_refused(model: Any) -> None:
    with pytest.raises(SampleError, match="expected exactly one audio clip in the request, got 0"):
        model.generate([generate("hello?")])
