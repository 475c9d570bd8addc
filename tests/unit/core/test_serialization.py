"""A record's line holds all of it but the bytes of its sounds."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from auricle import Audio, Generation, Prediction, Sample
from auricle.audio import Image, Video
from auricle.core.serialization import decode_record, encode_record
from auricle.core.types import Failure, Likelihood, Output, Record, Turn

SAMPLE = Sample(
    id='a "quoted", "row": id',
    inputs={
        "audio": Audio("a.wav", start=1.5, end=2.5),
        "image": Image("a.png"),
        "video": Video("a.mp4", start=3.0, end=4.0),
        "text": "what is heard?",
        "several": ["first", Audio("b.wav")],
        "talk": [Turn("user", ("and here?", Audio("c.wav", end=2.0)))],
        "plain": {"kind": "of no class"},
    },
    target={"musicality": 3},
    meta={"source": "arena"},
    origin="pairs.jsonl:7",
)
WHOLE = Record(sample=SAMPLE, row=7, key="k", seconds=0.5, attempts=2, audio_seconds=4.5, cached=1)
OUTPUTS: list[Output] = [
    Generation(text="a bell"),
    Generation(
        text="a bell",
        tokens=3,
        input_tokens=40,
        finish="stop",
        audio=Audio("speech/a.wav"),
        logprobs=(-0.5, -1.0),
        first_token_logprobs={"a": -0.5},
        prompt="what is heard?",
    ),
    Likelihood(logprobs=(-0.5, -1.0)),
    Likelihood(logprobs=(-0.5,), greedy=True, text="bell", conditioned_on="nothing"),
    Prediction(values={"musicality": 3.5, "alignment": 2.0}, scale="continuous"),
]


def again(record: Record) -> Record:
    return decode_record(orjson.loads(encode_record(record)))


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_record_is_read_as_it_was_written(output: Output) -> None:
    record = replace(WHOLE, outputs=(output, output))
    assert again(record) == record


def test_a_failure_is_read_as_it_was_written() -> None:
    record = replace(WHOLE, error=Failure("AudioError", "it is empty"))
    assert again(record) == record


def test_what_a_line_need_not_say_has_its_default() -> None:
    record = Record(sample=Sample(id="a", inputs={}), row=0)
    assert again(record) == record


def test_a_name_that_a_later_version_writes_is_passed_over() -> None:
    line = orjson.loads(encode_record(replace(WHOLE, outputs=(OUTPUTS[-1],))))
    line["outputs"][0]["spread"] = 0.1
    line["inputs"]["audio"]["channel"] = 2
    assert decode_record(line) == replace(WHOLE, outputs=(OUTPUTS[-1],))
