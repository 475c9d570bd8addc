"""Encoding and decoding of records, and digests of samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import orjson
import pytest

from auricle import Audio, Generation, Prediction, Sample, Segment
from auricle.core.serialization import (
    content_key,
    decode_record,
    digest,
    dumps,
    encode_record,
    name_key,
    read_id_digest,
)
from auricle.core.types import Failure, Likelihood, Output, Record, Turn
from auricle.media import Image, Video

SAMPLE = Sample(
    id='a "quoted", "row": id',
    inputs=cast(
        "dict[str, Any]",
        {
            "audio": Audio("a.wav", start=1.5, end=2.5),
            "image": Image("a.png"),
            "video": Video("a.mp4", start=3.0, end=4.0),
            "text": "what is this?",
            "several": ["first", Audio("b.wav")],
            "talk": [Turn("user", ("and here?", Audio("c.wav", end=2.0)))],
            "plain": {"kind": "unknown"},
        },
    ),
    target={"musicality": 3},
    meta={"source": "arena"},
    origin="pairs.jsonl:7",
)
RECORD = Record(sample=SAMPLE, row=7, key="k", seconds=0.5, attempts=2, audio_seconds=4.5, cached=1, wait_seconds=1.5)
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
        prompt="what is this?",
    ),
    Generation(text="", segments=()),
    Generation(
        text="hello",
        segments=(Segment(0.0, 1.5), Segment(0.5, 1.0, "hello", "anna"), Segment(1.0, 2.0, speaker="b", score=0.0)),
    ),
    Likelihood(logprobs=(-0.5, -1.0)),
    Likelihood(logprobs=(-0.5,), greedy=True, text="bell", conditioned_on="nothing"),
    Likelihood(logprobs=(-0.5,), is_sum=True),
    Prediction(values={"musicality": 3.5, "alignment": 2.0}, scale="continuous"),
]


def round_trip(record: Record) -> Record:
    return decode_record(orjson.loads(encode_record(record)))


@pytest.mark.parametrize("output", OUTPUTS)
def test_record_is_decoded_as_encoded(output: Output) -> None:
    record = replace(RECORD, outputs=(output, output))
    assert round_trip(record) == record


def test_values_of_a_prediction_keep_the_order_of_the_model() -> None:
    values = {"sad": 0.5, "angry": 0.5}  # the first of two equal values wins
    decoded = round_trip(replace(RECORD, outputs=(Prediction(values=values, scale="probability"),))).outputs[0]
    assert isinstance(decoded, Prediction)
    assert list(decoded.values) == ["sad", "angry"]


def test_audio_that_was_not_sent_is_decoded_as_encoded() -> None:
    record = replace(RECORD, audio_not_sent=True)
    assert round_trip(record) == record
    assert b'"audio_not_sent":true,"audio_seconds":4.5' in encode_record(record)


def test_failure_is_decoded_as_encoded() -> None:
    record = replace(RECORD, error=Failure("AudioError", "it is empty"))
    assert round_trip(record) == record


def test_missing_fields_have_their_defaults() -> None:
    record = Record(sample=Sample(id="a", inputs={}), row=0)
    assert round_trip(record) == record


def test_unknown_fields_are_ignored() -> None:
    line = orjson.loads(encode_record(replace(RECORD, outputs=(OUTPUTS[-1],))))
    line["outputs"][0]["spread"] = 0.1
    line["inputs"]["audio"]["channel"] = 2
    assert decode_record(line) == replace(RECORD, outputs=(OUTPUTS[-1],))


@pytest.mark.parametrize("sample_id", ["plain", 'quo"te', 'tricky","row":7', "naïve 你好", "back\\slash"])
def test_id_digest_is_read_without_decoding_the_line(sample_id: str) -> None:
    line = encode_record(Record(sample=Sample(id=sample_id, inputs={}), row=7))
    assert read_id_digest(line) == digest(sample_id)
    assert read_id_digest(b'{"gone":1}\n') is None


def test_unpaired_surrogates_are_replaced() -> None:
    assert orjson.loads(dumps({"a": ["x\ud800"], "b": Turn("user", ("y\udfff",))})) == {
        "a": ["x?"],
        "b": {"kind": "Turn", "role": "user", "parts": ["y?"]},
    }


def test_name_key_depends_on_texts_and_file_names_only() -> None:
    def key(path: str, text: str = "a", **span: Any) -> str:
        return name_key(Sample(id="1", inputs={"audio": Audio(path, **span), "text": text}))

    assert key("/here/a.wav") == key("/there/a.wav")
    assert len({key("a.wav"), key("b.wav"), key("a.wav", "b"), key("a.wav", start=1.0, end=2.0)}) == 4


def test_content_key_depends_on_inputs_context_and_max_tokens(tmp_path: Path) -> None:
    first, second = tmp_path / "a.bin", tmp_path / "b.bin"
    for path in (first, second):
        path.write_bytes(b"same content")
    samples = [Sample(id="1", inputs={"image": Image(str(path))}, target=str(path)) for path in (first, second)]
    assert content_key(samples[0]) == content_key(samples[1])
    keys = {
        content_key(samples[0]),
        content_key(samples[0], {"language": "en"}),
        content_key(replace(samples[0], meta={"max_tokens": 5})),
        content_key(replace(samples[0], inputs={"image": "text"})),
    }
    assert len(keys) == 4
