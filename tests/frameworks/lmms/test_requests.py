"""Requests have the form that lmms-eval's guide describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
import soundfile

from auricle import Audio, Image, Video
from auricle.core.errors import Unsupported
from auricle.core.types import Generate, LogLikelihood, Part, Turn
from auricle.frameworks.lmms import resolve_model_class
from auricle.frameworks.lmms.model import LmmsModel

CLASSES = Path(__file__).with_name("lmms_classes.py")


def load(name: str, **arguments: Any) -> LmmsModel:
    return resolve_model_class(f"{CLASSES}:{name}")(**arguments)


def generate(*parts: Part, **settings: Any) -> Generate:
    return Generate(turns=(Turn("user", parts),), **settings)


def score(text: str, continuation: str, **settings: Any) -> LogLikelihood:
    return LogLikelihood(turns=(Turn("user", (text,)),), continuation=continuation, **settings)


@pytest.fixture
def images(tmp_path: Path) -> list[Image]:
    paths = [tmp_path / f"{color}.png" for color in ("red", "blue")]
    for path in paths:
        PIL.Image.new("RGB", (4, 3), path.stem).save(path)
    return [Image.of(path) for path in paths]


def test_the_type_of_a_request_is_the_name_of_its_method() -> None:
    model = load("Recorder")
    model.generate([generate("a"), generate("b")])
    model.loglikelihood([score("a", "b")])
    rounds = load("Recorder", method="generate_until_multi_round")
    rounds.generate([generate("a")])
    requests = [*model._model.requests, *rounds._model.requests]
    types = ["generate_until", "generate_until", "loglikelihood", "generate_until_multi_round"]
    assert [request.request_type for request in requests] == types
    assert all(type(request).__name__ == "Instance" and type(request.args) is tuple for request in requests)


def test_a_chat_request_has_five_arguments() -> None:
    model = load("ChatRecorder")
    model.generate([generate("a", max_tokens=128, stop=("\n\n", "."))])
    (request,) = model._model.requests
    doc_to_messages, gen_kwargs, doc_id, task, split = request.args
    assert gen_kwargs == {"max_new_tokens": 128, "temperature": 0.0, "do_sample": False, "until": ["\n\n", "."]}
    messages = doc_to_messages(model._model.task_dict[task][split][doc_id])
    assert messages == [{"role": "user", "content": [{"type": "text", "text": "a"}]}]


def test_a_simple_request_has_six_arguments() -> None:
    model = load("Recorder")
    model.generate([generate("What?", max_tokens=128)])
    (request,) = model._model.requests
    contexts, gen_kwargs, doc_to_visual, doc_id, task, split = request.args
    assert (contexts, gen_kwargs["max_new_tokens"]) == ("What?", 128)
    assert doc_to_visual(model._model.task_dict[task][split][doc_id]) == []


def test_a_likelihood_request_has_six_arguments_and_a_pair_as_result() -> None:
    model = load("Recorder")
    outputs = model.loglikelihood([score("a", " b"), score("a", " c")])
    contexts, doc_to_target, doc_to_visual, doc_id, task, split = model._model.requests[1].args
    doc = model._model.task_dict[task][split][doc_id]
    assert (contexts, doc_to_target, doc_to_target(doc), doc_to_visual(doc)) == ("a", " c", " c", [])
    assert [(output.total, output.greedy) for output in outputs] == [(-1.5, True), (-2.0, False)]


def test_only_the_target_of_a_likelihood_request_is_scored() -> None:
    with pytest.raises(Unsupported, match="the likelihood of a continuation only, not of its context"):
        load("Recorder").loglikelihood([score("a", "b", include_context=True)])


def test_docs_are_found_by_task_split_and_id() -> None:
    model = load("ChatRecorder")
    model.generate([generate("first"), generate("second")])
    assert [messages[0]["content"][0]["text"] for messages in model._model.inputs] == ["first", "second"]
    assert len({request.args[2] for request in model._model.requests}) == 2


def test_messages_interleave_text_images_videos_and_audio(images: list[Image], tone: Any) -> None:
    model = load("ChatRecorder")
    clip, video = Audio.of(tone("a.wav")), Video("v.mp4")
    model.generate([generate("Compare", images[0], "with", images[1], "in", video, "and", clip, "now.")])
    (messages,) = model._model.inputs
    types = ["text", "image", "text", "image", "text", "video", "text", "audio", "text"]
    assert [content["type"] for content in messages[0]["content"]] == types
    assert [message.type for message in messages] == types


def test_images_are_pillow_images(images: list[Image]) -> None:
    simple, chat = load("Recorder"), load("ChatRecorder")
    for model in (simple, chat):
        model.generate([generate(*images, "Compare.")])
    ((_, visuals),) = simple._model.inputs
    (messages,) = chat._model.inputs
    urls = [content["url"] for content in messages[0]["content"][:2]]
    for pictures in (visuals, urls):
        assert [picture.getpixel((0, 0)) for picture in pictures] == [(255, 0, 0), (0, 0, 255)]


@pytest.mark.parametrize(("suffix", "rate"), [("wav", 8_000), ("flac", 44_100), ("ogg", 16_000)])
def test_audio_of_any_format_is_a_waveform_with_its_own_rate(tmp_path: Path, suffix: str, rate: int) -> None:
    wave = (0.3 * np.sin(np.arange(rate // 10) / 9)).astype(np.float32)
    soundfile.write(tmp_path / f"a.{suffix}", wave, rate)
    model = load("Recorder")
    model.generate([generate(Audio.of(tmp_path / f"a.{suffix}"), "What?")])
    ((_, (sound,)),) = model._model.inputs
    assert (sound["array"].shape, sound["array"].dtype, sound["sampling_rate"]) == ((rate // 10,), np.float32, rate)
    assert np.abs(sound["array"] - wave).max() < 0.1


@pytest.mark.parametrize("name", ["Recorder", "ChatRecorder"])
def test_tokens_for_media_in_a_text_are_unchanged(name: str, images: list[Image]) -> None:
    model = load(name)
    text = "<image> Is it red? <audio><video><|en|>"
    model.generate([generate(images[0], text)])
    model.loglikelihood([score(text, " yes")])
    (inputs,) = model._model.inputs
    assert text == (inputs[0] if name == "Recorder" else inputs[0]["content"][1]["text"])
    assert model._model.requests[-1].args[0] == text
