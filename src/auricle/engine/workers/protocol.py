"""The messages between a run and its workers: a header, JSON, and the bytes it refers to.

Media on disk are sent as paths, media in memory as bytes after the JSON. Nothing is pickled, so a
message cannot execute code on the other side.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import orjson

from auricle.core import errors
from auricle.core.errors import AuricleError, MissingExtra, SampleError, SpecError, Transient, describe
from auricle.core.serialization import decode_segments, dumps
from auricle.core.types import (
    Call,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Part,
    Predict,
    Prediction,
    Request,
    Timing,
    Turn,
)
from auricle.media import Audio, Image, Video
from auricle.media.waveform import as_float32
from auricle.models.call_timer import record_call

HEADER = struct.Struct("!II")  # size of the JSON, size of the bytes after it
MEDIA: dict[str, type[Audio | Image | Video]] = {"Audio": Audio, "Image": Image, "Video": Video}


class Attachments:
    """The media of a message: described in its JSON, with bytes in memory after it."""

    def __init__(self) -> None:
        self.descriptions: list[dict[str, Any]] = []
        self.blobs: list[bytes] = []

    def add(self, part: Part) -> str | int:
        """Return a text unchanged, and for media their index among the attachments."""
        if isinstance(part, str):
            return part
        description = {"kind": type(part).__name__}
        description |= {name: getattr(part, name) for name in _media_fields(part)}
        if part.data is not None:
            description |= self._append_data(part.data)
        self.descriptions.append(description)
        return len(self.descriptions) - 1

    def _append_data(self, data: Any) -> dict[str, Any]:
        """Append bytes, or an array as bytes."""
        shape = None
        if not isinstance(data, bytes):
            data = as_float32(data)
            shape, data = data.shape, data.tobytes()
        self.blobs.append(data)
        return {"shape": shape, "size": len(data)}


def _media_fields(part: Audio | Image | Video) -> list[str]:
    return [name for name in ("uri", "start", "end", "rate") if hasattr(part, name)]


def pack(message: dict[str, Any], attachments: Attachments | None = None) -> bytes:
    if attachments and attachments.descriptions:
        message["attached"] = attachments.descriptions
    content, payload = dumps(message), b"".join(attachments.blobs if attachments else ())
    return HEADER.pack(len(content), len(payload)) + content + payload


def unpack(content: bytes, payload: bytes) -> dict[str, Any]:
    """Decode a message; the bytes after its JSON are stored under `payload`."""
    message: dict[str, Any] = orjson.loads(content)
    message["payload"] = payload
    return message


def _unpack_attachments(message: dict[str, Any]) -> list[Audio | Image | Video]:
    payload: bytes = message["payload"]
    parts, offset = [], 0
    for description in message.get("attached", ()):
        media_class, shape = MEDIA[description.pop("kind")], description.pop("shape", None)
        size: int | None = description.pop("size", None)
        part = media_class(**description)
        if size is not None:  # None for media on disk; 0 is a valid size
            part = replace(part, data=_unpack_data(payload[offset : offset + size], shape))
            offset += size
        parts.append(part)
    return parts


def _unpack_data(content: bytes, shape: Sequence[int] | None) -> Any:
    if shape is None:
        return content
    try:
        import numpy as np
    except ImportError as error:
        raise SpecError(
            f"Audio in memory needs numpy where the model runs: {sys.executable} -m pip install "
            "numpy soundfile soxr (or add them to the environment's packages)."
        ) from error
    # A copy, because the buffer of a message is read-only and models may write to arrays.
    return np.frombuffer(content, dtype=np.float32).reshape(shape).copy()


# --- requests -----------------------------------------------------------------------


def pack_request(number: int, request: Request, labels: Mapping[str, int | str] | None = None) -> bytes:
    """Encode a request with further fields, such as the number and the size of its batch."""
    attachments = Attachments()
    content = {field.name: getattr(request, field.name) for field in fields(request)}
    if isinstance(request, Predict):
        content["inputs"] = {name: attachments.add(part) for name, part in request.inputs.items()}
    elif not isinstance(request, Call):  # batch models hold no calls
        content["turns"] = [[turn.role, *map(attachments.add, turn.parts)] for turn in request.turns]
    message = {"number": number, "kind": type(request).__name__, "request": content, **(labels or {})}
    return pack(message, attachments)


def unpack_request(message: dict[str, Any]) -> Request:
    content = message["request"]
    attachments = _unpack_attachments(message)

    def unpack_part(packed: str | int) -> Part:
        return packed if isinstance(packed, str) else attachments[packed]

    if message["kind"] == "Predict":
        inputs = {name: unpack_part(packed) for name, packed in content["inputs"].items()}
        return Predict(**{**content, "inputs": inputs, "labels": tuple(content["labels"])})
    content["turns"] = tuple(Turn(role, tuple(map(unpack_part, parts))) for role, *parts in content["turns"])
    if message["kind"] == "LogLikelihood":
        return LogLikelihood(**content)
    return Generate(**{**content, "stop": tuple(content["stop"])})


# --- outputs and errors -------------------------------------------------------------


def pack_output(number: int, output: Output, seconds: float) -> bytes:
    """Encode an output, with the time that the model took."""
    attachments = Attachments()
    content = {field.name: getattr(output, field.name) for field in fields(output)}
    if isinstance(output, Generation) and output.audio:
        content["audio"] = attachments.add(output.audio)
    message = {"number": number, "kind": type(output).__name__, "output": content, "seconds": seconds}
    return pack(message, attachments)


def unpack_answer(message: dict[str, Any]) -> Output:
    """Decode an answer and record the time that the model took; raise the error that it consists of."""
    record_call(message["seconds"])
    if "error" in message:
        raise unpack_error(message["error"])
    return unpack_output(message)


def unpack_output(message: dict[str, Any]) -> Output:
    """Decode an output. JSON has no infinity, so null is the log-probability of an impossible token."""
    content = message["output"]
    if message["kind"] == "Prediction":
        values = {name: _number_or_default(value, math.nan) for name, value in content["values"].items()}
        return Prediction(values=values, scale=content["scale"])
    if content["logprobs"] is not None:
        content["logprobs"] = tuple(_number_or_default(value, -math.inf) for value in content["logprobs"])
    if message["kind"] == "Likelihood":
        return Likelihood(**content)
    if content["audio"] is not None:
        content["audio"] = _unpack_attachments(message)[content["audio"]]
    if content["timing"] is not None:
        content["timing"] = Timing(**content["timing"])
    if content["segments"] is not None:
        content["segments"] = decode_segments(content["segments"])
    return Generation(**content)


def _number_or_default(value: float | None, default: float) -> float:
    return default if value is None else value


def encode_error(error: BaseException) -> dict[str, Any]:
    retry_after = error.retry_after if isinstance(error, Transient) else None
    return {"kind": type(error).__name__, "message": describe(error), "retry_after": retry_after}


def pack_error(number: int, error: BaseException, seconds: float) -> bytes:
    return pack({"number": number, "error": encode_error(error), "seconds": seconds})


def unpack_error(packed_error: dict[str, Any]) -> AuricleError:
    """Return an error of the same class if it is one of Auricle's, or else a `SampleError` that names it."""
    kind = getattr(errors, packed_error["kind"], None)
    if not (isinstance(kind, type) and issubclass(kind, AuricleError)):
        return SampleError(f"{packed_error['kind']}: {packed_error['message']}")
    if issubclass(kind, Transient):
        return kind(packed_error["message"], packed_error["retry_after"])
    if kind is MissingExtra:  # its constructor takes other arguments than a message
        return SpecError(packed_error["message"])
    return kind(packed_error["message"])
