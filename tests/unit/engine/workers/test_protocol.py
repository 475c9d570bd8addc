"""Whatever may be asked and answered arrives on the other side of a pipe as it was sent."""

import asyncio
import math
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from auricle.audio import Audio, Image, Video
from auricle.core import errors
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Predict, Prediction, Turn, list_media
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

WAVE = np.linspace(-1, 1, 33, dtype=np.float32)
BYTES = bytes(range(256)) * 3


def received(packed: Any) -> Any:
    """A message as the other side reads it."""

    async def through_a_pipe() -> Any:
        reader = asyncio.StreamReader()
        reader.feed_data(packed)
        reader.feed_eof()
        return await read_message(reader)

    return asyncio.run(through_a_pipe())


def sent(request: Any) -> Any:
    return unpack_request(received(pack_request(7, request)))


def answered(output: Any) -> Any:
    return unpack_output(received(pack_output(7, output)))


def said(*parts: Any) -> Any:
    return (Turn("user", parts),)


REQUESTS = {
    "text": Generate(turns=said('naïve 你好 \n\t"quotes" \0')),
    "all settings": Generate(turns=said("a"), max_tokens=7, temperature=0.3, stop=("\n", "END")),
    "a conversation": Generate(turns=(Turn("system", ("be brief",)), *said("a", "b"), Turn("assistant", ("c",)))),
    "no words": Generate(turns=(Turn("user", ()),)),
    "files": Generate(turns=said(Audio("a.wav", start=1.5, end=2.0), Image("i.png"), Video("v.mp4", start=1.0))),
    "an address": Generate(turns=said(Audio("https://example.org/a.wav"), "what?")),
    "bytes": Generate(turns=said(Audio(data=BYTES), "and", Image("i.png", data=b"\x89PNG"))),
    "no bytes at all": Generate(turns=said(Audio("empty.wav", data=b""), Audio(data=b"after"))),
    "an array": Generate(turns=said(Audio(data=WAVE, rate=8000, start=0.001), "after")),
    "two channels": Generate(turns=said(Audio(data=WAVE.reshape(-1, 3), rate=16_000))),
    "a likelihood": LogLikelihood(turns=said(Audio(data=BYTES), "Q"), continuation=" A"),
    "named inputs": Predict(inputs={"audio": Audio(data=BYTES), "text": "sing", "b": Audio("b")}),
    "inputs called kind": Predict(inputs={"kind": "Audio", "uri": "x"}),
    "a sound called kind": Predict(inputs={"kind": Audio(data=BYTES)}),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_request_arrives_as_it_was_sent(request_: Any) -> None:
    arrived = sent(request_)
    assert arrived == request_
    for before, after in zip(list_media(request_), list_media(arrived), strict=True):
        assert type(before.data) is type(after.data)
        assert np.array_equal(before.data, after.data)


def test_an_array_of_other_numbers_arrives_as_the_same_sound() -> None:
    arrived = sent(Generate(turns=said(Audio(data=WAVE.astype(np.float64)[::-2], rate=8000))))
    (sound,) = list_media(arrived)
    assert sound.data.dtype == np.float32
    assert np.array_equal(sound.decode(), WAVE[::-2])


def test_an_array_that_arrived_can_be_written_to() -> None:
    (sound,) = list_media(sent(Generate(turns=said(Audio(data=WAVE, rate=8000)))))
    sound.data[0] = 0.0


def test_inputs_may_be_any_mapping() -> None:
    arrived = sent(Predict(inputs=MappingProxyType({"audio": Audio(data=BYTES)})))
    assert arrived.inputs["audio"].data == BYTES


def test_half_a_surrogate_pair_does_not_break_a_message() -> None:
    arrived = sent(Generate(turns=said("a\ud800b")))
    assert arrived.turns[0].parts == ("a?b",)


OUTPUTS = {
    "text": Generation(text="naïve 你好\n"),
    "everything": Generation(text="x", tokens=0, input_tokens=0, finish="length", logprobs=(-0.1, -2.0)),
    "speech": Generation(text="hi", audio=Audio(data=BYTES)),
    "speech on disk": Generation(text="hi", audio=Audio("said.wav", end=1.0)),
    "speech in an array": Generation(text="hi", audio=Audio(data=WAVE, rate=24_000)),
    "likelihood": Likelihood(logprobs=(-1e-300, -0.1, -12.5)),
    "an impossible token": Likelihood(logprobs=(-0.5, -math.inf)),
    "nothing to continue": Likelihood(logprobs=()),
    "prediction": Prediction(values={"angry": 0.1, "sad": 0.9}, scale="probability"),
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
def test_an_output_arrives_as_it_was_given(output: Any) -> None:
    arrived = answered(output)
    assert arrived == output
    before, after = getattr(output, "audio", None), getattr(arrived, "audio", None)
    assert np.array_equal(before and before.data, after and after.data)


def test_a_number_that_is_none_stays_none_of_the_numbers() -> None:
    arrived = answered(Prediction(values={"a": math.nan, "b": 1.0}, scale="continuous"))
    assert math.isnan(arrived.values["a"])
    assert arrived.values["b"] == 1.0


ERRORS = [
    errors.Transient("slow down", 2.5),
    errors.Unreachable("no connection"),
    errors.Refused("HTTP 400 from host: no"),
    errors.AudioError("a.wav is broken"),
    errors.SampleError("no"),
    errors.SpecError("say which model"),
    errors.UnknownName("No model called 'x'."),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_of_ours_arrives_as_itself(error: Any) -> None:
    arrived = unpack_error(received(pack_error(7, error))["error"])
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert getattr(arrived, "retry_after", None) == getattr(error, "retry_after", None)


def test_a_missing_package_stays_the_users_move() -> None:
    error = errors.MissingExtra("Models behind an API", "api")
    arrived = unpack_error(received(pack_error(7, error))["error"])
    assert isinstance(arrived, errors.SpecError)
    assert str(arrived) == str(error)


@pytest.mark.parametrize("kind", ["ZeroDivisionError", "PurePath", "traceback"])
def test_an_error_of_somebody_else_costs_its_sample_and_is_named(kind: str) -> None:
    error = type(kind, (Exception,), {})("went wrong")
    arrived = unpack_error(received(pack_error(7, error))["error"])
    assert type(arrived) is errors.SampleError
    assert str(arrived) == f"{kind}: went wrong"


@pytest.mark.parametrize("missing", [1, 5, 400])
def test_a_message_that_breaks_off_is_no_message(missing: int) -> None:
    packed = pack_request(7, REQUESTS["bytes"])
    assert received(packed[:-missing]) is None


def test_messages_are_read_one_after_the_other() -> None:
    async def both() -> Any:
        reader = asyncio.StreamReader()
        reader.feed_data(pack({"number": 1}) + pack_request(2, REQUESTS["bytes"]))
        reader.feed_eof()
        return [await read_message(reader), await read_message(reader), await read_message(reader)]

    first, second, end = asyncio.run(both())
    assert (first["number"], second["number"], end) == (1, 2, None)
