"""Models that are called directly, without a task."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import (
    AsyncModel,
    Audio,
    BatchModel,
    Generate,
    Generation,
    Image,
    Likelihood,
    LogLikelihood,
    Predict,
    Prediction,
    Turn,
    Video,
    load_model,
)
from auricle.core.errors import AudioError
from auricle.core.types import Output, Request
from auricle.testing import Echo


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


def test_model_answers_about_a_file(tone: Any) -> None:
    with load_model("echo") as model:
        assert text_of(model.ask(tone("hello_there.wav"))) == "hello there"
        assert text_of(model.ask(str(tone("second.wav")), "and a question")) == "second"


def test_model_accepts_every_form_of_audio(tone: Any) -> None:
    wave = np.zeros(1600, dtype=np.float32)
    with load_model("fake-api", reply="ok") as model:
        for audio in (wave.tobytes(), {"array": wave, "sampling_rate": 16_000}, Audio("a.wav")):
            assert text_of(model.ask(audio)) == "ok"
        assert text_of(model.ask(wave, rate=16_000)) == "ok"
        assert text_of(model.ask([tone("a.wav"), tone("b.wav")])) == "ok"
        assert text_of(model.ask(text="no audio")) == "ok"


def test_classifier_returns_a_prediction(tone: Any) -> None:
    with load_model("fake-labels", labels="x,y") as model:
        output = model.ask(tone("a.wav"))
    assert isinstance(output, Prediction)
    assert sum(output.values.values()) == pytest.approx(1.0)


def test_unsupported_audio_type_is_rejected() -> None:
    with load_model("echo") as model, pytest.raises(AudioError, match="set"):
        model.ask({1, 2})


def test_model_keeps_its_event_loop_between_calls(tmp_path: Path) -> None:
    (tmp_path / "session.py").write_text(
        """
import asyncio
from auricle import AsyncModel, Generation

class Session(AsyncModel):
    loop = None

    async def generate(self, request):
        self.loop = self.loop or asyncio.get_running_loop()
        return Generation(text=str(self.loop is asyncio.get_running_loop()))
"""
    )
    with load_model(f"{tmp_path / 'session.py'}:Session") as model:
        assert [text_of(model.ask(text="x")) for _ in range(3)] == ["True"] * 3


def test_several_requests_get_their_outputs_or_errors_in_order(tmp_path: Path) -> None:
    requests: list[Request] = [
        Generate(turns=(Turn("user", ("hello",)),)),
        Generate(turns=(Turn("user", (Audio(str(tmp_path / "missing.wav")),)),)),
        LogLikelihood(turns=(Turn("user", ("hello",)),), continuation="good morning"),
    ]
    with load_model("echo") as model:
        text, error, likelihood = model.send_all(requests)
    assert text == Generation(text="hello")
    assert isinstance(error, AudioError)
    assert likelihood == Likelihood(logprobs=(-0.5, -0.5))


def test_the_thread_of_a_model_ends_even_if_it_cannot_be_closed() -> None:
    class Stuck(Echo):
        def close(self) -> None:
            raise OSError("the device is gone")

    before = {*threading.enumerate()}
    model = load_model(Stuck)
    model.ask(text="hello")
    with pytest.raises(OSError, match="the device is gone"):
        model.close()
    assert {*threading.enumerate()} <= before


class Dictation(AsyncModel):
    """Streams the text of its request, and fails if that asks for it."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def generate(self, request: Generate) -> Generation:
        self.requests.append(request)
        await asyncio.sleep(0.02)  # long enough for a second call to arrive
        return Generation(text=request.text)

    async def stream(self, request: Generate) -> AsyncIterator[str]:
        self.requests.append(request)
        for word in request.text.split():
            if word == "fail":
                raise OSError("the line is dead")
            yield word


class Scale(BatchModel):
    """Keeps its requests, and returns one number."""

    def __init__(self) -> None:
        self.requests: list[Predict] = []

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        self.requests += batch
        return [Prediction(values={"weight": 1.0}, scale="continuous") for _ in batch]


def test_a_streaming_model_yields_pieces_of_its_answer(tone: Any) -> None:
    dictation = Dictation()
    with load_model(dictation) as model:
        assert model.can_stream is True
        assert list(model.stream(tone("a.wav"), "one two three")) == ["one", "two", "three"]
    (request,) = dictation.requests
    assert (request.text, len(request.audios)) == ("one two three", 1)


def test_an_error_of_a_stream_follows_the_pieces_before_it() -> None:
    with load_model(Dictation()) as model:
        stream = model.stream(text="one fail two")
        assert next(stream) == "one"
        with pytest.raises(OSError, match="the line is dead"):
            next(stream)


def test_only_async_models_with_a_stream_can_stream() -> None:
    class Silent(AsyncModel):
        async def generate(self, request: Generate) -> Generation:
            return Generation(text="")

    for made in (Silent(), Echo(), Scale()):
        with load_model(made) as model:
            assert model.can_stream is False


def test_calls_from_several_threads_wait_for_each_other() -> None:
    answers: list[str] = []
    with load_model(Dictation()) as model:
        threads = [
            threading.Thread(target=lambda text=str(number): answers.append(text_of(model.ask(text=text))))
            for number in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers) == ["0", "1", "2"]


def test_a_request_contains_videos_images_sounds_and_text_in_this_order() -> None:
    dictation = Dictation()
    with load_model(dictation) as model:
        model.ask(["a.wav", "b.wav"], "what?", image=["c.png"], video="d.mp4", max_tokens=5)
    (request,) = dictation.requests
    assert isinstance(request, Generate)
    assert request.turns == (
        Turn("user", (Video.of("d.mp4"), Image.of("c.png"), Audio.of("a.wav"), Audio.of("b.wav"), "what?")),
    )
    assert request.max_tokens == 5


@pytest.mark.parametrize("waveform", [[0.5], [0, 1, 0]])
def test_a_list_of_numbers_is_a_waveform(waveform: list[float]) -> None:
    dictation = Dictation()
    with load_model(dictation) as model:
        model.ask(waveform, rate=8_000)
    (request,) = dictation.requests
    (clip,) = request.audios
    assert clip.decode(8_000).tolist() == waveform
    assert request.text == ""


def test_a_prediction_is_made_of_named_inputs_and_the_first_sound(tone: Any) -> None:
    scale, sound = Scale(), tone("a.wav")
    with load_model(scale) as model:
        assert model.ask([sound, tone("b.wav")], "a feather", lyrics="la") == Prediction(
            values={"weight": 1.0}, scale="continuous"
        )
        model.ask(None, reference="x")
        model.ask([])
    first, second, third = scale.requests
    assert first.inputs == {"audio": Audio.of(sound), "text": "a feather", "lyrics": "la"}
    assert (second.inputs, third.inputs) == ({"reference": "x"}, {})
