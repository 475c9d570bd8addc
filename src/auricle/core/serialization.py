"""Records as lines of JSON, and digests of what was asked.

Sounds are written as where they are and what they hash to; their bytes never are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import orjson

from auricle.audio import Audio, Image, Video
from auricle.core.fast_construct import quickly
from auricle.core.types import (
    Failure,
    Generation,
    Likelihood,
    Output,
    Prediction,
    Record,
    Sample,
    Turn,
    limit_of,
)

OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_SERIALIZE_NUMPY

Plain = dict[str, Any]


def _generation(said: Generation) -> Plain:
    """What is known of it; a line need not say what is not."""
    line: Plain = {"kind": "Generation", "text": said.text, "tokens": said.tokens}
    if said.input_tokens is not None:
        line["input_tokens"] = said.input_tokens
    if said.finish:
        line["finish"] = said.finish
    if said.audio is not None:
        line["audio"] = said.audio
    if said.logprobs is not None:
        line["logprobs"] = said.logprobs
    if said.first is not None:
        line["first"] = said.first
    if said.prompt:
        line["prompt"] = said.prompt
    return line


def _likelihood(found: Likelihood) -> Plain:
    line: Plain = {"kind": "Likelihood", "logprobs": found.logprobs}
    if found.greedy is not None:
        line["greedy"] = found.greedy
    if found.text:
        line["text"] = found.text
    if found.given != "context":
        line["given"] = found.given
    return line


_record, _sample = quickly(Record), quickly(Sample)
_audio, _prediction, _generated = quickly(Audio), quickly(Prediction), quickly(Generation)


def _said(told: Plain) -> Generation:
    del told["kind"]
    if "audio" in told:
        told["audio"] = _read(told["audio"])
    if told.get("logprobs") is not None:
        told["logprobs"] = tuple(told["logprobs"])
    return _generated(**told)


def _likely(told: Plain) -> Likelihood:
    del told["kind"]
    return Likelihood(**{**told, "logprobs": tuple(told["logprobs"])})


WRITE: dict[type, Callable[[Any], Plain]] = {
    Audio: lambda a: {"kind": "Audio", "uri": a.uri, "start": a.start, "end": a.end},
    Image: lambda i: {"kind": "Image", "uri": i.uri},
    Video: lambda v: {"kind": "Video", "uri": v.uri, "start": v.start, "end": v.end},
    Turn: lambda t: {"kind": "Turn", "role": t.role, "parts": t.parts},
    Generation: _generation,
    Likelihood: _likelihood,
    Prediction: lambda p: {"kind": "Prediction", "values": p.values, "scale": p.scale},
    Failure: lambda f: {"kind": f.kind, "message": f.message},
}
READ: dict[str, Callable[[Plain], Any]] = {
    "Audio": lambda told: _audio(told["uri"], told["start"], told["end"]),
    "Image": lambda told: Image(told["uri"]),
    "Video": lambda told: Video(told["uri"], start=told["start"], end=told["end"]),
    "Turn": lambda told: Turn(told["role"], tuple([_read(part) for part in told["parts"]])),
    "Generation": _said,
    "Likelihood": _likely,
    "Prediction": lambda told: _prediction(told["values"], told["scale"]),
}


def encode_record(record: Record) -> bytes:
    sample = record.sample
    line = {
        "id": sample.id,
        "row": record.row,
        "key": record.key,
        "inputs": sample.inputs,
        "target": sample.target,
        "meta": sample.meta,
        "origin": sample.origin,
        "outputs": record.outputs,
        "error": record.error,
        "seconds": record.seconds,
        "attempts": record.attempts,
    }
    if record.audio_seconds is not None:
        line["audio_seconds"] = record.audio_seconds
    if record.cached:
        line["cached"] = record.cached
    return dumps(line)


ID, ROW = b'{"id":', b',"row":'


def digest_of_id(line: bytes) -> int | None:
    """The digest of a record's id, without reading the rest of its line.

    `,"row":` cannot stand inside the id: there its quotes would be escaped.
    """
    end = line.find(ROW)
    if not line.startswith(ID) or end < 0:
        return None
    told = line[len(ID) + 1 : end - 1]  # without its quotes
    if b"\\" not in told:  # written as it is
        return _digest(told)
    with suppress(orjson.JSONDecodeError):
        return digest(orjson.loads(line[len(ID) : end]))
    return None


def decode_record(line: Mapping[str, Any]) -> Record:
    inputs = _read_inputs(line["inputs"])
    # Arguments by place take half the time of those by name.
    sample = _sample(line["id"], inputs, line["target"], line["meta"], line["origin"])
    return _record(
        sample,
        line["row"],
        line["key"],
        tuple([READ[each["kind"]](each) for each in line["outputs"]]),
        Failure(**line["error"]) if line["error"] else None,
        line["seconds"],
        line["attempts"],
        line.get("audio_seconds"),
        line.get("cached", 0),
    )


def read_output(value: Mapping[str, Any]) -> Output:
    output: Output = _read(value)
    return output


def dumps(value: Any) -> bytes:
    """One line of JSON. Half a surrogate pair, which JSON cannot hold, becomes U+FFFD."""
    try:
        return orjson.dumps(value, _plain, OPTIONS)
    except TypeError as error:
        if "surrogates" not in str(error):
            raise
        return orjson.dumps(_mended(value), _plain, OPTIONS)


def _plain(value: Any) -> Any:
    if write := WRITE.get(type(value)):
        return write(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_mended(key): _mended(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(each) for each in value]
    write = WRITE.get(type(value))
    return _mended(write(value)) if write else value


def _read_inputs(inputs: dict[str, Any]) -> dict[str, Any]:
    for name, value in inputs.items():
        if type(value) is not str:
            inputs[name] = _read(value)
    return inputs


def _read(value: Any) -> Any:
    kind = type(value)
    if kind is dict and (make := READ.get(value.get("kind"))):
        return make(value)
    if kind is list:
        return [_read(each) for each in value]
    return value


def content_key(sample: Sample, told: Mapping[str, Any] | None = None) -> str:
    """A digest of everything a model may be shown of a sample: texts, and sounds by content."""
    shown = {name: _by_content(value) for name, value in sample.inputs.items()}
    if told:
        shown["told"] = told
    if (limit := limit_of(sample)) is not None:  # a longer answer is another answer
        shown["max_tokens"] = limit
    return _hex(dumps(shown))


def _by_content(value: Any) -> Any:
    if isinstance(value, (Audio, Image, Video)):
        return {"hash": value.hash}
    if isinstance(value, Turn):
        return {"role": value.role, "parts": _by_content(value.parts)}
    if isinstance(value, (list, tuple)):
        return [_by_content(each) for each in value]
    return value


def _hex(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def digest(text: str) -> int:
    """Eight bytes that stand for a text where a million of them are kept."""
    return _digest(text.encode("utf-8", "replace"))


def _digest(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")
