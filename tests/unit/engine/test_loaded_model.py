"""Models that are called directly, without a task."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generate, Generation, Likelihood, LogLikelihood, Prediction, Turn, load_model
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
