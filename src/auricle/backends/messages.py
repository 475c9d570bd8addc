"""What processes of one run say to each other: a length, JSON, and the bytes it refers to.

Texts travel as JSON, sounds on disk as where they are, sounds in memory as bytes behind the
JSON. Nothing is pickled: a message cannot make the other side run anything.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import orjson

from auricle import errors
from auricle.audio import Audio, Image, Video
from auricle.codec import dumps, read_output
from auricle.errors import AuricleError, SampleError, Transient, told
from auricle.types import Generate, Generation, LogLikelihood, Output, Predict, Request, Turn

HEAD = struct.Struct("!II")  # bytes of JSON, bytes behind it
REQUESTS: dict[str, Callable[..., Request]] = {
    "Generate": Generate,
    "LogLikelihood": LogLikelihood,
    "Predict": Predict,
}
MEDIA: dict[str, type[Audio | Image | Video]] = {"Audio": Audio, "Image": Image, "Video": Video}


def pack(message: dict[str, Any], blobs: list[bytes] | None = None) -> bytes:
    content, behind = dumps(message), b"".join(blobs or [])
    return HEAD.pack(len(content), len(behind)) + content + behind


def pack_request(number: int, request: Request) -> bytes:
    """A request as a message, its sounds in memory behind it."""
    blobs: list[bytes] = []
    asked: dict[str, Any] = {"kind": type(request).__name__}
    for each in fields(request):
        asked[each.name] = _packed(getattr(request, each.name), blobs)
    return pack({"number": number, "request": asked}, blobs)


def _packed(value: Any, blobs: list[bytes]) -> Any:
    if isinstance(value, Turn):
        return {"role": value.role, "parts": _packed(value.parts, blobs)}
    if isinstance(value, (Audio, Image, Video)):
        return _packed_media(value, blobs)
    if isinstance(value, dict):
        return {name: _packed(each, blobs) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_packed(each, blobs) for each in value]
    return value


def _packed_media(value: Audio | Image | Video, blobs: list[bytes]) -> dict[str, Any]:
    held: dict[str, Any] = {"kind": type(value).__name__, "uri": value.uri}
    held |= {
        name: getattr(value, name) for name in ("start", "end", "rate") if hasattr(value, name)
    }
    if value.data is None:
        return held
    if isinstance(value.data, bytes):
        content = value.data
    else:
        held["shape"] = value.data.shape
        content = value.data.tobytes()
    held["at"] = [sum(map(len, blobs)), len(content)]
    blobs.append(content)
    return held


def unpack_request(asked: dict[str, Any], behind: bytes) -> Request:
    make = REQUESTS[asked.pop("kind")]
    given = {name: _unpacked(value, behind) for name, value in asked.items()}
    if "turns" in given:
        given["turns"] = tuple(Turn(t["role"], tuple(t["parts"])) for t in given["turns"])
    if "stop" in given:
        given["stop"] = tuple(given["stop"])
    return make(**given)


def _unpacked(value: Any, behind: bytes) -> Any:
    if isinstance(value, list):
        return [_unpacked(each, behind) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("kind") not in MEDIA:
        return {name: _unpacked(each, behind) for name, each in value.items()}
    make = MEDIA[value.pop("kind")]
    if at := value.pop("at", None):
        value["data"] = _data(behind[at[0] : at[0] + at[1]], value.pop("shape", None))
    return make(**value)


def _data(content: bytes, shape: list[int] | None) -> Any:
    if shape is None:
        return content
    import numpy as np

    return np.frombuffer(content, dtype=np.float32).reshape(shape)


def pack_output(number: int, output: Output) -> bytes:
    sound = output.audio if isinstance(output, Generation) else None
    blobs = [sound.data] if sound and isinstance(sound.data, bytes) else []
    return pack({"number": number, "output": output}, blobs)


def unpack_output(held: dict[str, Any], behind: bytes) -> Output:
    output = read_output(held)
    if behind and isinstance(output, Generation):
        from dataclasses import replace

        return replace(output, audio=Audio(data=behind))
    return output


def pack_error(number: int, error: BaseException) -> bytes:
    told_to = error.retry_after if isinstance(error, Transient) else None
    what = {"kind": type(error).__name__, "message": told(error), "retry_after": told_to}
    return pack({"number": number, "error": what})


def unpack_error(what: dict[str, Any]) -> Exception:
    """The same error, if it is one of ours; else one that names it."""
    kind = getattr(errors, what["kind"], None)
    if not (isinstance(kind, type) and issubclass(kind, AuricleError)):
        return SampleError(f"{what['kind']}: {what['message']}")
    if issubclass(kind, Transient):
        return kind(what["message"], what["retry_after"])
    return SampleError(what["message"]) if kind is errors.MissingExtra else kind(what["message"])


def loads(content: bytes) -> dict[str, Any]:
    message: dict[str, Any] = orjson.loads(content)
    return message
