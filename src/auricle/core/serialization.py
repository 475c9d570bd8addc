"""Encode records as lines of JSON, and compute digests of samples.

Media are stored by location and hash, never by content.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, TypeAlias

import orjson

from auricle.core.call_serialization import decode_recording, encode_recording
from auricle.core.calls import CallRecording
from auricle.core.errors import SpecError
from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.types import (
    Failure,
    Generation,
    Likelihood,
    Output,
    Prediction,
    Record,
    Sample,
    Segment,
    Timing,
    Turn,
    create_generation,
    create_record,
    create_sample,
    get_max_tokens,
)
from auricle.media import Audio, Image, Video
from auricle.media.perturbations.base import PerturbationChain, UnknownPerturbation
from auricle.media.perturbations.catalogue import parse_chain

JSON_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATACLASS
"""Without `OPT_SERIALIZE_NUMPY`, which imports NumPy to encode any object that is not of a JSON type."""

JsonObject = dict[str, Any]
Media: TypeAlias = Audio | Image | Video

# Positional arguments take half the time of keyword arguments.
_make_record: Callable[..., Record] = create_record
_make_sample: Callable[..., Sample] = create_sample
_make_generation: Callable[..., Generation] = create_generation
_make_audio: Callable[..., Audio] = make_fast_constructor(Audio)
_make_prediction: Callable[..., Prediction] = make_fast_constructor(Prediction)


def _encode_audio(audio: Audio) -> JsonObject:
    fields = {"kind": "Audio", "uri": audio.uri, "start": audio.start, "end": audio.end}
    if (chain := audio.perturbation) is not None:
        fields["perturbation"] = {"steps": str(chain), "seed": chain.seed, "others": chain.others}
    return fields


def _decode_audio(fields: JsonObject) -> Audio:
    audio = _make_audio(fields["uri"], fields["start"], fields["end"])
    if (stored := fields.get("perturbation")) is None:
        return audio
    others = tuple(_decode_audio(other) for other in stored["others"])
    try:
        chain = parse_chain(stored["steps"], stored["seed"], others)
    except SpecError:  # the line is intact, only its sound cannot be made again
        chain = PerturbationChain((UnknownPerturbation(str(stored["steps"])),), str(stored["seed"]), others)
    return replace(audio, perturbation=chain)


def _encode_generation(generation: Generation) -> JsonObject:
    """Encode a generation; unknown fields are left out."""
    line: JsonObject = {"kind": "Generation", "text": generation.text, "tokens": generation.tokens}
    if generation.input_tokens is not None:
        line["input_tokens"] = generation.input_tokens
    if generation.finish:
        line["finish"] = generation.finish
    for name in ("audio", "call", "logprobs", "segments"):
        if (value := getattr(generation, name)) is not None:
            line[name] = value
    if generation.first_token_logprobs is not None:
        line["first"] = generation.first_token_logprobs
    if generation.prompt:
        line["prompt"] = generation.prompt
    if generation.timing is not None and generation.timing.first_token is not None:  # streamed
        line["timing"] = generation.timing
    return line


def encode_segment(segment: Segment) -> list[Any]:
    """Encode a segment as a list, without the fields at its end that are empty: a recording may have thousands."""
    values = [segment.start, segment.end, segment.text, segment.speaker, segment.score]
    while values[-1] in ("", None):
        values.pop()
    return values


def decode_segments(values: Iterable[Sequence[Any]]) -> tuple[Segment, ...]:
    """Decode what `encode_segment` has encoded."""
    return tuple([Segment(*value) for value in values])


def _encode_likelihood(likelihood: Likelihood) -> JsonObject:
    line: JsonObject = {"kind": "Likelihood", "logprobs": likelihood.logprobs}
    if likelihood.greedy is not None:
        line["greedy"] = likelihood.greedy
    if likelihood.text:
        line["text"] = likelihood.text
    if likelihood.conditioned_on != "context":
        line["given"] = likelihood.conditioned_on
    if likelihood.is_sum:
        line["is_sum"] = True
    return line


def _decode_generation(fields: JsonObject) -> Generation:
    if len(fields) == 3:  # besides the kind only what is always stored
        return _make_generation(fields["text"], fields["tokens"])
    del fields["kind"]
    if "audio" in fields:
        fields["audio"] = _decode(fields["audio"])
    if fields.get("logprobs") is not None:
        fields["logprobs"] = _decode_logprobs(fields["logprobs"])
    if "first" in fields:
        fields["first_token_logprobs"] = fields.pop("first")
    if "timing" in fields:
        fields["timing"] = Timing(**fields["timing"])
    if "call" in fields:
        fields["call"] = _decode(fields["call"])
    if "segments" in fields:
        fields["segments"] = decode_segments(fields["segments"])
    return _make_generation(**fields)


def _decode_likelihood(fields: JsonObject) -> Likelihood:
    del fields["kind"]
    if "given" in fields:
        fields["conditioned_on"] = fields.pop("given")
    return Likelihood(**{**fields, "logprobs": _decode_logprobs(fields["logprobs"])})


def _decode_logprobs(values: list[float | None]) -> tuple[float, ...]:
    """Decode log-probabilities. JSON has no infinity, so null is that of an impossible token."""
    return tuple([-math.inf if value is None else value for value in values])


ENCODERS: dict[type, Callable[[Any], JsonObject | list[Any]]] = {
    Audio: _encode_audio,
    Image: lambda i: {"kind": "Image", "uri": i.uri},
    Video: lambda v: {"kind": "Video", "uri": v.uri, "start": v.start, "end": v.end},
    Turn: lambda t: {"kind": "Turn", "role": t.role, "parts": t.parts},
    Generation: _encode_generation,
    Segment: encode_segment,
    Timing: lambda t: {name: value for name, value in asdict(t).items() if value is not None},
    Likelihood: _encode_likelihood,
    Prediction: lambda p: {"kind": "Prediction", "values": p.values, "scale": p.scale},
    CallRecording: encode_recording,
    Failure: lambda f: {"kind": f.kind, "message": f.message},
}
DECODERS: dict[str, Callable[[JsonObject], Any]] = {
    "Audio": _decode_audio,
    "Image": lambda fields: Image(fields["uri"]),
    "Video": lambda fields: Video(fields["uri"], start=fields["start"], end=fields["end"]),
    "Turn": lambda fields: Turn(fields["role"], tuple([_decode(part) for part in fields["parts"]])),
    "Generation": _decode_generation,
    "Likelihood": _decode_likelihood,
    "Prediction": lambda fields: _make_prediction(fields["values"], fields["scale"]),
    "CallRecording": lambda fields: decode_recording(fields, _decode_audio),
}


def encode_record(record: Record) -> bytes:
    """Return a record as a line of canonical JSON; see `add_checksum`."""
    sample = record.sample
    line: dict[str, Any] = {"attempts": record.attempts}  # in alphabetical order, which is faster than sorting
    if record.audio_not_sent:
        line["audio_not_sent"] = True
    if record.audio_seconds is not None:
        line["audio_seconds"] = record.audio_seconds
    if record.cached:
        line["cached"] = record.cached
    line["error"] = record.error  # one by one, which is faster than merging two dicts
    line["id"] = sample.id
    line["inputs"] = sample.inputs
    line["key"] = record.key
    line["meta"] = sample.meta
    line["origin"] = sample.origin
    line["outputs"] = record.outputs
    line["row"] = record.row
    line["seconds"] = record.seconds
    line["target"] = sample.target
    if record.wait_seconds is not None:
        line["wait_seconds"] = record.wait_seconds
    return dumps(line)


RECORD_START, ID_START, ID_END = b'{"attempts":', b',"id":"', b'","inputs":'


def read_id_digest(line: bytes) -> int | None:
    """Return the digest of a record's id; None if the line has none.

    Lines as `encode_record` writes them are not parsed; lines that another program rewrote are. The first `,"id":"` is
    that of the record: only numbers and the error precede it, and quotes in texts are escaped.
    """
    start = line.find(ID_START)
    end = line.find(ID_END, start)
    if not line.startswith(RECORD_START) or start < 0 or end < 0:
        return _parse_id_digest(line)
    sample_id = line[start + len(ID_START) : end]
    if b"\\" not in sample_id:
        return _digest_bytes(sample_id)
    with suppress(orjson.JSONDecodeError):
        return digest(orjson.loads(b'"%b"' % sample_id))
    return None


def _parse_id_digest(line: bytes) -> int | None:
    try:
        sample_id = orjson.loads(line)["id"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return digest(sample_id) if isinstance(sample_id, str) else None


def decode_record(line: Mapping[str, Any]) -> Record:
    inputs = _decode_inputs(line["inputs"])
    sample = _make_sample(line["id"], inputs, line["target"], line["meta"], line["origin"])
    return _make_record(
        sample,
        line["row"],
        line["key"],
        decode_outputs(line["outputs"]),
        Failure(**line["error"]) if line["error"] else None,
        line["seconds"],
        line["attempts"],
        line.get("audio_seconds"),
        line.get("cached", 0),
        line.get("audio_not_sent", False),
        line.get("wait_seconds"),
    )


def decode_outputs(outputs: Sequence[JsonObject]) -> tuple[Output, ...]:
    """Return the outputs of a record, whose JSON objects may be changed."""
    return tuple([DECODERS[output["kind"]](output) for output in outputs])


def decode_output(value: Mapping[str, Any]) -> Output:
    output: Output = _decode(value)
    return output


def dumps(value: Any) -> bytes:
    """Return one line of JSON. Unpaired surrogates, which JSON does not allow, become U+FFFD."""
    try:
        return orjson.dumps(value, _to_plain, JSON_OPTIONS)
    except TypeError as error:
        if "surrogates" not in str(error):
            raise
        return orjson.dumps(_replace_surrogates(value), _to_plain, JSON_OPTIONS)


def dump_canonical(document: Mapping[str, Any]) -> bytes:
    """Return one line of JSON whose fields are in alphabetical order; see `add_checksum`."""
    return dumps(dict(sorted(document.items())))


def _to_plain(value: Any) -> Any:
    if encode := ENCODERS.get(type(value)):
        return encode(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if hasattr(value, "tolist") else str(value)  # arrays and their elements


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_surrogates(item) for item in value]
    encode = ENCODERS.get(type(value))
    return _replace_surrogates(encode(value)) if encode else value


def _decode_inputs(inputs: dict[str, Any]) -> dict[str, Any]:
    for name, value in inputs.items():
        if type(value) is not str:
            inputs[name] = _decode(value)
    return inputs


def _decode(value: Any) -> Any:
    kind = type(value)
    if kind is dict and (decode := DECODERS.get(value.get("kind"))):
        return decode(value)
    if kind is list:
        return [_decode(item) for item in value]
    return value


def content_key(sample: Sample, context: Mapping[str, Any] | None = None) -> str:
    """Return a digest of everything a model may see of a sample: texts, and media by content.

    If a label is to be chosen for media, a digest of the media alone follows after a dot: data of the same recordings
    may offer other labels or ask another question. See `media_key`.
    """
    hashes: list[str] = []

    def hash_media(media: Media) -> Any:
        hashes.append(media.hash)
        return {"hash": hashes[-1]}

    shown = {
        name: value if type(value) is str else _replace_media(value, hash_media)
        for name, value in sample.inputs.items()
    }
    if context:
        shown["context"] = context
    if (limit := get_max_tokens(sample)) is not None:
        shown["max_tokens"] = limit
    key = _hex_digest(dumps(shown))
    return f"{key}.{_hex_digest(dumps(hashes))}" if hashes and "choices" in shown else key


def media_key(key: str) -> str:
    """Return the part of a content key that depends on the media alone; empty if it has none."""
    return key.partition(".")[2]


NAME_KEY_PREFIX = "names:"


def name_key(sample: Sample) -> str:
    """Return a key of a sample whose media cannot be read: a digest of its texts, and of media by file name."""
    shown = {name: _replace_media(value, _name_file) for name, value in sample.inputs.items()}
    return NAME_KEY_PREFIX + _hex_digest(dumps(shown))


def rows_digest(records: Iterable[Record]) -> str:
    """Return a digest of the rows of data: their ids, references and, where it can be read, content, in any order."""
    rows = [
        (record.sample.id, record.sample.target, "" if record.key.startswith(NAME_KEY_PREFIX) else record.key)
        for record in records
    ]
    return _hex_digest(b"".join(sorted(map(dumps, rows))))


def _name_file(media: Media) -> Any:
    span = {"start": media.start, "end": media.end} if isinstance(media, Audio) else {}
    return {"file": PurePath(media.uri).name, **span}


def _replace_media(value: Any, describe: Callable[[Media], Any]) -> Any:
    if isinstance(value, (Audio, Image, Video)):
        return describe(value)
    if isinstance(value, Turn):
        return {"role": value.role, "parts": _replace_media(value.parts, describe)}
    if isinstance(value, (list, tuple)):
        return [_replace_media(item, describe) for item in value]
    return value


def _hex_digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def digest(text: str) -> int:
    """Return an eight-byte digest of a text, to index millions of ids in little memory."""
    return _digest_bytes(text.encode("utf-8", "replace"))


def _digest_bytes(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")
