"""Whisper through transformers: short and long, one language or several."""

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.models.transformers.whisper import Whisper
from tests.support import tiny_weights
from tests.support.model_requests import alone, generate

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
    """What transformers itself writes of one sound."""
    ears = model.processor.feature_extractor
    heard = ears(hear.decode(16_000), sampling_rate=16_000, return_tensors="pt")
    with torch.inference_mode():
        rows = model.model.generate(heard["input_features"], **options)
    return model.processor.batch_decode(rows, skip_special_tokens=True)[0]


def test_short_and_long_sounds_of_one_batch_are_heard_as_each_alone(model: Any) -> None:
    lengths = [SHORT, LONG, (0.9, 440.0), (1.4, 250.0)]
    batch = [generate(sound(*each)) for each in lengths]
    assert model.generate(batch) == alone(model.generate, batch)


def test_a_sound_is_written_down_as_transformers_itself_does(model: Any) -> None:
    (answer,) = model.generate([generate(sound(*SHORT))])
    assert answer.text == direct(model, sound(*SHORT), return_timestamps=False)


def test_a_long_sound_is_heard_to_its_end(model: Any) -> None:
    start, whole = model.generate([generate(sound(*LONG).segment(0, 0.9)), generate(sound(*LONG))])
    assert whole.tokens > 0
    assert whole.text != start.text


def test_a_limit_holds_for_each_window_of_a_long_sound(model: Any) -> None:
    batch = [generate(sound(*LONG), max_tokens=limit) for limit in (4, 9, 512)]
    answers = model.generate(batch)
    assert 4 < answers[0].tokens < answers[2].tokens
    assert answers == alone(model.generate, batch)


def test_each_request_keeps_its_own_limit(model: Any) -> None:
    batch = [generate(sound(0.9, 440.0), max_tokens=limit) for limit in (3, 8)]
    answers = model.generate(batch)
    assert [answer.tokens for answer in answers] == [3, 8]
    assert {answer.finish for answer in answers} == {"length"}
    assert answers == alone(model.generate, batch)


def test_a_language_and_a_task_are_said_to_the_model(several: Any) -> None:
    hear = sound(*SHORT)
    for language, task in (("de", "transcribe"), ("English", "translate")):
        model = Whisper(model=str(several), language=language, task=task)
        (answer,) = model.generate([generate(hear)])
        assert answer.text == direct(model, hear, return_timestamps=False, language=language, task=task)


def test_without_a_language_it_is_found_sound_by_sound(several: Any) -> None:
    model = Whisper(model=str(several))
    batch = [generate(sound(*SHORT)), generate(sound(0.9, 440.0))]
    assert model.generate(batch) == alone(model.generate, batch)


def test_english_may_be_named_to_an_english_only_checkpoint(english: Any, model: Any) -> None:
    named = Whisper(model=str(english), language="en")
    batch = [generate(sound(*SHORT))]
    assert named.generate(batch) == model.generate(batch)


@pytest.mark.parametrize("asked", [{"language": "de"}, {"task": "translate"}])
def test_an_english_only_checkpoint_refuses_what_it_cannot(english: Any, asked: Any) -> None:
    with pytest.raises(SpecError, match="hears English only"):
        Whisper(model=str(english), **asked)


def test_a_language_the_checkpoint_lacks_is_refused_before_the_run(several: Any) -> None:
    with pytest.raises(SpecError, match="knows no language 'fr'; it knows de, en"):
        Whisper(model=str(several), language="fr")


def test_a_wrong_task_is_refused_by_name(english: Any) -> None:
    with pytest.raises(SpecError, match="task should be transcribe or translate, not 'write'"):
        Whisper(model=str(english), task="write")


def test_a_request_without_a_sound_is_refused(model: Any) -> None:
    with pytest.raises(SampleError, match="hears one sound a request, this one has 0"):
        model.generate([generate("hello?")])
