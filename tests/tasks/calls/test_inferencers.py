"""Calls that samples become."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from auricle.core.calls import Step
from auricle.core.errors import SampleError
from auricle.core.types import Call, Generation, Output, Request, Sample
from auricle.media import Audio
from auricle.tasks.calls.inferencers import HoldCall, StreamAudio
from tests.support.calls import make_recording


def test_a_recording_is_streamed_and_the_answer_is_what_was_understood() -> None:
    clip = Audio.of(np.zeros(16_000, np.float32), rate=8000)
    requests: list[Request] = []

    async def ask(request: Request) -> Output:
        requests.append(request)
        return make_recording()

    sample = Sample(id="a", inputs={"audio": [clip], "question": "Transcribe."}, meta={"language": "de"})
    (output,) = asyncio.run(StreamAudio(response_timeout=4.0)(sample, ask))
    assert output == Generation(text="what time is it", call=make_recording())
    (call,) = requests
    assert isinstance(call, Call)
    assert call.steps == (Step(kind="say", audio=(clip,), trim=False),)
    assert (call.mode, call.language, call.response_timeout) == ("transcribe", "de", 4.0)
    assert call.max_seconds == pytest.approx(2.0 + 4.0 + 5.0)


def test_the_language_of_the_task_takes_precedence() -> None:
    sample = Sample(id="a", inputs={"audio": Audio.of(np.zeros(80), rate=8000)}, meta={"language": "de"})
    assert StreamAudio(language="en").request(sample).language == "en"


def test_a_sample_without_a_recording_cannot_be_streamed(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match="no input 'audio' with audio"):
        StreamAudio().request(Sample(id="a", inputs={"audio": "text"}))


def test_a_caller_without_a_model_is_refused() -> None:
    with pytest.raises(SampleError, match="no model to play the caller"):
        HoldCall().request(Sample(id="a", inputs={"script": "{}", "caller": "{}"}))


def test_a_sample_without_a_script_is_no_call() -> None:
    with pytest.raises(SampleError, match="no input 'script'"):
        HoldCall().request(Sample(id="a", inputs={}))
