"""What processes of one run say to each other: a length, JSON, and the bytes it refers to.

Texts travel as JSON, sounds on disk as where they are, sounds in memory as bytes behind the
JSON. Nothing is pickled: a message cannot make the other side run anything.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import orjson

from auricle.audio import Audio, Image, Video
from auricle.audio.waveform import as_float32
from auricle.core import errors
from auricle.core.errors import AuricleError, MissingExtra, SampleError, SpecError, Transient, describe
from auricle.core.serialization import dumps
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
    Turn,
)

HEADER = struct.Struct("!II")  # bytes of JSON, bytes behind it
MEDIA: dict[str, type[Audio | Image | Video]] = {"Audio": Audio, "Image": Image, "Video": Video}


class Attachments:
    """What a message shows or plays: described in its JSON, bytes in memory behind it."""

    def __init__(self) -> None:
        self.descriptions: list[dict[str, Any]] = []
        self.blobs: list[bytes] = []

    def add(self, part: Part) -> str | int:
        """A text as it is; anything else as its place among what is attached."""
        if isinstance(part, str):
            return part
        about = {"kind": type(part).__name__}
        about |= {name: getattr(part, name) for name in _media_fields(part)}
        if part.data is not None:
            about |= self._append_data(part.data)
        self.descriptions.append(about)
        return len(self.descriptions) - 1

    def _append_data(self, data: Any) -> dict[str, Any]:
        """Put bytes, or an array as bytes, behind the message."""
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
    content, behind = dumps(message), b"".join(attachments.blobs if attachments else ())
    return HEADER.pack(len(content), len(behind)) + content + behind


def unpack(content: bytes, payload: bytes) -> dict[str, Any]:
    """A message, with what lies behind it."""
    message: dict[str, Any] = orjson.loads(content)
    message["behind"] = payload
    return message


def _unpack_attachments(message: dict[str, Any]) -> list[Audio | Image | Video]:
    """What is attached to a message, as it was."""
    behind: bytes = message["behind"]
    found, at = [], 0
    for about in message.get("attached", ()):
        make, shape = MEDIA[about.pop("kind")], about.pop("shape", None)
        size: int | None = about.pop("size", None)
        part = make(**about)
        if size is not None:  # none where it is on disk; there are sounds of no bytes at all
            part = replace(part, data=_unpack_data(behind[at : at + size], shape))
            at += size
        found.append(part)
    return found


def _unpack_data(content: bytes, shape: Sequence[int] | None) -> Any:
    if shape is None:
        return content
    try:
        import numpy as np
    except ImportError as error:
        raise SpecError(
            f"A sound in memory needs numpy where the model runs: {sys.executable} -m pip install "
            "numpy soundfile soxr (or add them to the environment's packages)."
        ) from error
    # A copy, because what lies in a message cannot be written to, and models may want that.
    return np.frombuffer(content, dtype=np.float32).reshape(shape).copy()


# --- requests -----------------------------------------------------------------------


def pack_request(number: int, request: Request, batch_info: Mapping[str, int] | None = None) -> bytes:
    """A request; `of` names the batch it is part of, and how many that has."""
    attached = Attachments()
    asked = {each.name: getattr(request, each.name) for each in fields(request)}
    if isinstance(request, Predict):
        asked["inputs"] = {name: attached.add(part) for name, part in request.inputs.items()}
    else:
        asked["turns"] = [[turn.role, *map(attached.add, turn.parts)] for turn in request.turns]
    about = {"number": number, "kind": type(request).__name__, "asked": asked, **(batch_info or {})}
    return pack(about, attached)


def unpack_request(message: dict[str, Any]) -> Request:
    asked = message["asked"]
    attached = _unpack_attachments(message)

    def part(held: str | int) -> Part:
        return held if isinstance(held, str) else attached[held]

    if message["kind"] == "Predict":
        return Predict(inputs={name: part(held) for name, held in asked["inputs"].items()})
    asked["turns"] = tuple(Turn(role, tuple(map(part, held))) for role, *held in asked["turns"])
    if message["kind"] == "LogLikelihood":
        return LogLikelihood(**asked)
    return Generate(**{**asked, "stop": tuple(asked["stop"])})


# --- outputs and errors -------------------------------------------------------------


def pack_output(number: int, output: Output) -> bytes:
    attached = Attachments()
    said = {each.name: getattr(output, each.name) for each in fields(output)}
    if isinstance(output, Generation) and output.audio:
        said["audio"] = attached.add(output.audio)
    return pack({"number": number, "kind": type(output).__name__, "said": said}, attached)


def unpack_output(message: dict[str, Any]) -> Output:
    """The output; JSON has no infinities, so an impossible token is told as null."""
    said = message["said"]
    if message["kind"] == "Prediction":
        values = {name: _number_or_default(value, math.nan) for name, value in said["values"].items()}
        return Prediction(values=values, scale=said["scale"])
    if said["logprobs"] is not None:
        said["logprobs"] = tuple(_number_or_default(each, -math.inf) for each in said["logprobs"])
    if message["kind"] == "Likelihood":
        return Likelihood(**said)
    if said["audio"] is not None:
        said["audio"] = _unpack_attachments(message)[said["audio"]]
    return Generation(**said)


def _number_or_default(value: float | None, default: float) -> float:
    return default if value is None else value


def pack_error(number: int, error: BaseException) -> bytes:
    told_to = error.retry_after if isinstance(error, Transient) else None
    what = {"kind": type(error).__name__, "message": describe(error), "retry_after": told_to}
    return pack({"number": number, "error": what})


def unpack_error(packed_error: dict[str, Any]) -> AuricleError:
    """The same error, if it is one of ours; else one that names it."""
    kind = getattr(errors, packed_error["kind"], None)
    if not (isinstance(kind, type) and issubclass(kind, AuricleError)):
        return SampleError(f"{packed_error['kind']}: {packed_error['message']}")
    if issubclass(kind, Transient):
        return kind(packed_error["message"], packed_error["retry_after"])
    if kind is MissingExtra:  # made from other words than it says
        return SpecError(packed_error["message"])
    return kind(packed_error["message"])
