"""Requests, outputs and errors survive a pipe."""

import asyncio
import math
import sys
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import pytest

from auricle.core import errors
from auricle.core.types import (
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Part,
    Predict,
    Prediction,
    Request,
    Segment,
    Timing,
    Turn,
)
from auricle.engine.workers.protocol import (
    pack,
    pack_error,
    pack_output,
    pack_request,
    unpack_error,
    unpack_output,
    unpack_request,
)
from auricle.engine.workers.worker import read_message
from auricle.media import Audio, Image, Video

WAVE = np.linspace(-1, 1, 33, dtype=np.float32)
BYTES = bytes(range(256)) * 3


def receive(packed: bytes) -> dict[str, Any]:
    """Read a message as the other side does."""
    message = read_from_pipe(packed)
    assert message is not None
    return message


def read_from_pipe(packed: bytes) -> dict[str, Any] | None:
    async def read() -> dict[str, Any] | None:
        reader = asyncio.StreamReader()
        reader.feed_data(packed)
        reader.feed_eof()
        return await read_message(reader)

    return asyncio.run(read())


def send_request(request: Request) -> Request:
    return unpack_request(receive(pack_request(7, request)))


def send_output(output: Output) -> Output:
    return unpack_output(receive(pack_output(7, output, 0.5)))


def user_turn(*parts: Part) -> tuple[Turn, ...]:
    return (Turn("user", parts),)


def equal_data(first: Audio | Image | Video | None, second: Audio | Image | Video | None) -> bool:
    """Compare bytes or arrays, which equality of media ignores."""
    data = [None if media is None else media.data for media in (first, second)]
    return bool(np.array_equal(np.asarray(data[0]), np.asarray(data[1])))


REQUESTS: dict[str, Request] = {
    "text": Generate(turns=user_turn('naïve 你好 \n\t"quotes" \0')),
    "all settings": Generate(turns=user_turn("a"), max_tokens=7, temperature=0.3, stop=("\n", "END")),
    "a conversation": Generate(turns=(Turn("system", ("be brief",)), *user_turn("a", "b"), Turn("assistant", ("c",)))),
    "no words": Generate(turns=(Turn("user", ()),)),
    "files": Generate(turns=user_turn(Audio("a.wav", start=1.5, end=2.0), Image("i.png"), Video("v.mp4", start=1.0))),
    "an address": Generate(turns=user_turn(Audio("https://example.org/a.wav"), "what?")),
    "bytes": Generate(turns=user_turn(Audio(data=BYTES), "and", Image("i.png", data=b"\x89PNG"))),
    "no bytes at all": Generate(turns=user_turn(Audio("empty.wav", data=b""), Audio(data=b"after"))),
    "an array": Generate(turns=user_turn(Audio(data=WAVE, rate=8000, start=0.001), "after")),
    "two channels": Generate(turns=user_turn(Audio(data=WAVE.reshape(-1, 3), rate=16_000))),
    "a likelihood": LogLikelihood(turns=user_turn(Audio(data=BYTES), "Q"), continuation=" A"),
    "named inputs": Predict(inputs={"audio": Audio(data=BYTES), "text": "sing", "b": Audio("b")}),
    "inputs called kind": Predict(inputs={"kind": "Audio", "uri": "x"}),
    "audio called kind": Predict(inputs={"kind": Audio(data=BYTES)}),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_request_is_received_as_sent(request_: Request) -> None:
    received_value = send_request(request_)
    assert received_value == request_
    for before, after in zip(request_.media, received_value.media, strict=True):
        assert type(before.data) is type(after.data)
        assert equal_data(before, after)


def test_array_is_received_as_float32() -> None:
    received_value = send_request(
        Generate(turns=user_turn(Audio(data=cast("Any", WAVE.astype(np.float64)[::-2]), rate=8000)))
    )
    (audio,) = received_value.media
    assert isinstance(audio, Audio)
    assert isinstance(audio.data, np.ndarray)
    assert audio.data.dtype == np.float32
    assert np.array_equal(audio.decode(), WAVE[::-2])


def test_received_array_is_writable() -> None:
    (audio,) = send_request(Generate(turns=user_turn(Audio(data=WAVE, rate=8000)))).media
    assert isinstance(audio.data, np.ndarray)
    audio.data[0] = 0.0


def test_inputs_may_be_any_mapping() -> None:
    received_value = send_request(Predict(inputs=MappingProxyType({"audio": Audio(data=BYTES)})))
    assert isinstance(received_value, Predict)
    audio = received_value.inputs["audio"]
    assert isinstance(audio, Audio)
    assert audio.data == BYTES


def test_unpaired_surrogate_is_replaced() -> None:
    received_value = send_request(Generate(turns=user_turn("a\ud800b")))
    assert isinstance(received_value, Generate)
    assert received_value.turns[0].parts == ("a?b",)


OUTPUTS: dict[str, Output] = {
    "text": Generation(text="naïve 你好\n"),
    "everything": Generation(text="x", tokens=0, input_tokens=0, finish="length", logprobs=(-0.1, -2.0)),
    "speech": Generation(text="hi", audio=Audio(data=BYTES)),
    "speech on disk": Generation(text="hi", audio=Audio("spoken.wav", end=1.0)),
    "speech in an array": Generation(text="hi", audio=Audio(data=WAVE, rate=24_000)),
    "segments": Generation(text="hi", segments=(Segment(0.0, 1.5, "hi"), Segment(1.0, 2.0, speaker="b", score=0.5))),
    "no segments": Generation(text="", segments=()),
    "likelihood": Likelihood(logprobs=(-1e-300, -0.1, -12.5)),
    "an impossible token": Likelihood(logprobs=(-0.5, -math.inf)),
    "nothing to continue": Likelihood(logprobs=()),
    "prediction": Prediction(values={"angry": 0.1, "sad": 0.9}, scale="probability"),
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
def test_output_is_received_as_sent(output: Output) -> None:
    received_value = send_output(output)
    assert received_value == output
    before, after = getattr(output, "audio", None), getattr(received_value, "audio", None)
    assert equal_data(before, after)


def test_nan_is_received_as_nan() -> None:
    received_value = send_output(Prediction(values={"a": math.nan, "b": 1.0}, scale="continuous"))
    assert isinstance(received_value, Prediction)
    assert math.isnan(received_value.values["a"])
    assert received_value.values["b"] == 1.0


ERRORS = [
    errors.Transient("slow down", 2.5),
    errors.Unreachable("no connection"),
    errors.Rejected("HTTP 400 from host: no"),
    errors.AudioError("a.wav is broken"),
    errors.SampleError("no"),
    errors.SpecError("no model is given"),
    errors.UnknownName("Unknown model 'x'."),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_auricle_error_keeps_its_class(error: errors.AuricleError) -> None:
    received_value = unpack_error(receive(pack_error(7, error, 0.5))["error"])
    assert type(received_value) is type(error)
    assert str(received_value) == str(error)
    assert getattr(received_value, "retry_after", None) == getattr(error, "retry_after", None)


def test_missing_package_is_a_spec_error() -> None:
    error = errors.MissingExtra("Models behind an API", "api")
    received_value = unpack_error(receive(pack_error(7, error, 0.5))["error"])
    assert isinstance(received_value, errors.SpecError)
    assert str(received_value) == str(error)


@pytest.mark.parametrize("kind", ["ZeroDivisionError", "PurePath", "traceback"])
def test_foreign_error_becomes_a_sample_error_that_names_it(kind: str) -> None:
    error = type(kind, (Exception,), {})("went wrong")
    received_value = unpack_error(receive(pack_error(7, error, 0.5))["error"])
    assert type(received_value) is errors.SampleError
    assert str(received_value) == f"{kind}: went wrong"


@pytest.mark.parametrize("missing", [1, 5, 400])
def test_incomplete_message_is_none(missing: int) -> None:
    packed = pack_request(7, REQUESTS["bytes"])
    assert read_from_pipe(packed[:-missing]) is None


def test_messages_are_read_in_order() -> None:
    async def read_three() -> list[Any]:
        reader = asyncio.StreamReader()
        reader.feed_data(pack({"number": 1}) + pack_request(2, REQUESTS["bytes"]))
        reader.feed_eof()
        return [await read_message(reader), await read_message(reader), await read_message(reader)]

    first, second, end = asyncio.run(read_three())
    assert (first["number"], second["number"], end) == (1, 2, None)


def test_times_of_a_streamed_output_are_received() -> None:
    output = Generation(text="x", timing=Timing(first_token=0.25, first_audio=0.5))
    assert send_output(output) == output


def test_audio_in_memory_needs_numpy_on_the_other_side(monkeypatch: pytest.MonkeyPatch) -> None:
    message = receive(pack_request(0, Generate(turns=user_turn(Audio(data=WAVE, rate=16_000)))))
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(errors.SpecError, match="Audio in memory needs numpy where the model runs"):
        unpack_request(message)
