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
from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.types import Failure, Generation, Likelihood, Output, Prediction, Record, Sample, Turn, get_max_tokens

JSON_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_SERIALIZE_NUMPY

JsonObject = dict[str, Any]


def _encode_generation(generation: Generation) -> JsonObject:
    """What is known of it; a line need not say what is not."""
    line: JsonObject = {"kind": "Generation", "text": generation.text, "tokens": generation.tokens}
    if generation.input_tokens is not None:
        line["input_tokens"] = generation.input_tokens
    if generation.finish:
        line["finish"] = generation.finish
    if generation.audio is not None:
        line["audio"] = generation.audio
    if generation.logprobs is not None:
        line["logprobs"] = generation.logprobs
    if generation.first_token_logprobs is not None:
        line["first"] = generation.first_token_logprobs
    if generation.prompt:
        line["prompt"] = generation.prompt
    return line


def _encode_likelihood(likelihood: Likelihood) -> JsonObject:
    line: JsonObject = {"kind": "Likelihood", "logprobs": likelihood.logprobs}
    if likelihood.greedy is not None:
        line["greedy"] = likelihood.greedy
    if likelihood.text:
        line["text"] = likelihood.text
    if likelihood.conditioned_on != "context":
        line["given"] = likelihood.conditioned_on
    return line


_make_record, _make_sample = make_fast_constructor(Record), make_fast_constructor(Sample)
_make_audio, _make_prediction, _make_generation = (
    make_fast_constructor(Audio),
    make_fast_constructor(Prediction),
    make_fast_constructor(Generation),
)


def _decode_generation(fields: JsonObject) -> Generation:
    del fields["kind"]
    if "audio" in fields:
        fields["audio"] = _decode(fields["audio"])
    if fields.get("logprobs") is not None:
        fields["logprobs"] = tuple(fields["logprobs"])
    return _make_generation(**fields)


def _decode_likelihood(fields: JsonObject) -> Likelihood:
    del fields["kind"]
    return Likelihood(**{**fields, "logprobs": tuple(fields["logprobs"])})


ENCODERS: dict[type, Callable[[Any], JsonObject]] = {
    Audio: lambda a: {"kind": "Audio", "uri": a.uri, "start": a.start, "end": a.end},
    Image: lambda i: {"kind": "Image", "uri": i.uri},
    Video: lambda v: {"kind": "Video", "uri": v.uri, "start": v.start, "end": v.end},
    Turn: lambda t: {"kind": "Turn", "role": t.role, "parts": t.parts},
    Generation: _encode_generation,
    Likelihood: _encode_likelihood,
    Prediction: lambda p: {"kind": "Prediction", "values": p.values, "scale": p.scale},
    Failure: lambda f: {"kind": f.kind, "message": f.message},
}
DECODERS: dict[str, Callable[[JsonObject], Any]] = {
    "Audio": lambda told: _make_audio(told["uri"], told["start"], told["end"]),
    "Image": lambda told: Image(told["uri"]),
    "Video": lambda told: Video(told["uri"], start=told["start"], end=told["end"]),
    "Turn": lambda told: Turn(told["role"], tuple([_decode(part) for part in told["parts"]])),
    "Generation": _decode_generation,
    "Likelihood": _decode_likelihood,
    "Prediction": lambda told: _make_prediction(told["values"], told["scale"]),
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


ID_PREFIX, ROW_KEY = b'{"id":', b',"row":'


def read_id_digest(line: bytes) -> int | None:
    """The digest of a record's id, without reading the rest of its line.

    `,"row":` cannot stand inside the id: there its quotes would be escaped.
    """
    end = line.find(ROW_KEY)
    if not line.startswith(ID_PREFIX) or end < 0:
        return None
    told = line[len(ID_PREFIX) + 1 : end - 1]  # without its quotes
    if b"\\" not in told:  # written as it is
        return _digest_bytes(told)
    with suppress(orjson.JSONDecodeError):
        return digest(orjson.loads(line[len(ID_PREFIX) : end]))
    return None


def decode_record(line: Mapping[str, Any]) -> Record:
    inputs = _decode_inputs(line["inputs"])
    # Arguments by place take half the time of those by name.
    sample = _make_sample(line["id"], inputs, line["target"], line["meta"], line["origin"])
    return _make_record(
        sample,
        line["row"],
        line["key"],
        tuple([DECODERS[each["kind"]](each) for each in line["outputs"]]),
        Failure(**line["error"]) if line["error"] else None,
        line["seconds"],
        line["attempts"],
        line.get("audio_seconds"),
        line.get("cached", 0),
    )


def decode_output(value: Mapping[str, Any]) -> Output:
    output: Output = _decode(value)
    return output


def dumps(value: Any) -> bytes:
    """One line of JSON. Half a surrogate pair, which JSON cannot hold, becomes U+FFFD."""
    try:
        return orjson.dumps(value, _to_plain, JSON_OPTIONS)
    except TypeError as error:
        if "surrogates" not in str(error):
            raise
        return orjson.dumps(_replace_surrogates(value), _to_plain, JSON_OPTIONS)


def _to_plain(value: Any) -> Any:
    if write := ENCODERS.get(type(value)):
        return write(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_replace_surrogates(key): _replace_surrogates(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_surrogates(each) for each in value]
    write = ENCODERS.get(type(value))
    return _replace_surrogates(write(value)) if write else value


def _decode_inputs(inputs: dict[str, Any]) -> dict[str, Any]:
    for name, value in inputs.items():
        if type(value) is not str:
            inputs[name] = _decode(value)
    return inputs


def _decode(value: Any) -> Any:
    kind = type(value)
    if kind is dict and (make := DECODERS.get(value.get("kind"))):
        return make(value)
    if kind is list:
        return [_decode(each) for each in value]
    return value


def content_key(sample: Sample, context: Mapping[str, Any] | None = None) -> str:
    """A digest of everything a model may be shown of a sample: texts, and sounds by content."""
    shown = {name: _hash_media(value) for name, value in sample.inputs.items()}
    if context:
        shown["told"] = context
    if (limit := get_max_tokens(sample)) is not None:  # a longer answer is another answer
        shown["max_tokens"] = limit
    return _hex_digest(dumps(shown))


def _hash_media(value: Any) -> Any:
    if isinstance(value, (Audio, Image, Video)):
        return {"hash": value.hash}
    if isinstance(value, Turn):
        return {"role": value.role, "parts": _hash_media(value.parts)}
    if isinstance(value, (list, tuple)):
        return [_hash_media(each) for each in value]
    return value


def _hex_digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def digest(text: str) -> int:
    """Eight bytes that stand for a text where a million of them are kept."""
    return _digest_bytes(text.encode("utf-8", "replace"))


def _digest_bytes(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")
