"""Parse conversations from a row, in the formats in common use.

Accepted are a list of user texts, a list of messages with role and content (OpenAI, ShareGPT), and a list of pairs
such as `{"user": …, "assistant": …}`, with audio, images and video beside a text or among its parts.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from auricle.core.errors import SampleError
from auricle.core.types import Part, Turn
from auricle.data.file_formats import parse_json_cell
from auricle.data.manifest import parse_seconds, resolve_path
from auricle.media import Audio, Image, Video

Role = Literal["system", "user", "assistant"]

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "gpt", "bot", "model"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
}
ROLE_KEYS = ("role", "from")
CONTENT_KEYS = ("content", "text", "value")
USER_KEYS = ("user", "human", "question", "prompt", *CONTENT_KEYS)
ASSISTANT_KEYS = ("assistant", "gpt", "bot", "answer", "response")
MEDIA_FACTORIES: Mapping[str, Callable[..., Part]] = {"video": Video.of, "image": Image.of, "audio": Audio.of}
"""Media of a message, in the order in which they precede its text."""
PART_KINDS: Mapping[str, str] = {
    **{name: name for name in MEDIA_FACTORIES},
    **{f"{name}_url": name for name in MEDIA_FACTORIES},
    **{f"input_{name}": name for name in MEDIA_FACTORIES},
    **dict.fromkeys(("text", "input_text", "output_text"), "text"),
}
"""Meaning of the `type` of a part, in all supported formats."""
MEDIA_SOURCE_KEYS = ("url", "path", "data", "bytes", "file")  # keys under which a part may contain its media


def parse_turns(value: Any, base: Path) -> list[Turn]:
    """Parse a value of a row into turns; relative paths start at `base`."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = parse_json_cell(value)  # in a CSV cell
    messages = value if isinstance(value, (list, tuple)) else [value]
    return [turn for index, message in enumerate(messages) for turn in _parse_message(message, base, index + 1)]


def reference_answers(turns: Sequence[Turn]) -> list[str | None]:
    """Return the reference answer to each user turn, or None if there is no text answer."""
    following = [*turns[1:], None]
    return [
        _turn_text(answer) if answer and answer.role == "assistant" else None
        for turn, answer in zip(turns, following, strict=True)
        if turn.role == "user"
    ]


def add_answers(turns: Sequence[Turn], answers: Sequence[str | None]) -> list[Turn]:
    """Add these answers after user turns that have none yet."""
    completed: list[Turn] = []
    remaining = iter(answers)
    for turn, following in pairwise([*turns, None]):
        assert turn
        completed.append(turn)
        if turn.role != "user":
            continue
        answer = next(remaining, None)
        if answer is not None and not (following and following.role == "assistant"):
            completed.append(Turn("assistant", (answer,)))
    return completed


def _turn_text(turn: Turn) -> str | None:
    texts = [part for part in turn.parts if isinstance(part, str)]
    return "".join(texts) if texts else None


def _parse_message(message: Any, base: Path, number: int) -> Iterator[Turn]:
    """Yield the turn of a message, or the two turns of a pair."""
    if not isinstance(message, Mapping):
        yield _make_turn("user", _parse_parts(message, base), number)
        return
    fields = {str(name): each for name, each in message.items() if each is not None}
    if role_name := _first_present(fields, ROLE_KEYS):
        yield _make_turn(_parse_role(role_name, number), _message_parts(fields, CONTENT_KEYS, base), number)
        return
    if parts := _message_parts(fields, USER_KEYS, base):
        yield Turn("user", parts)
    if answer := _first_present(fields, ASSISTANT_KEYS):
        yield _make_turn("assistant", _parse_parts(answer, base), number)
    elif not parts:
        keys = ", ".join(fields) or "none"
        raise SampleError(f"message {number} of the conversation has no role; its fields are {keys}")


def _make_turn(role: Role, parts: tuple[Part, ...], number: int) -> Turn:
    if not parts:
        raise SampleError(f"message {number} of the conversation is empty")
    return Turn(role, parts)


def _parse_role(role_name: Any, number: int) -> Role:
    role = ROLES.get(str(role_name).strip().casefold())
    if role is None:
        raise SampleError(
            f"message {number} of the conversation has the role {role_name!r}; expected user, assistant or system"
        )
    return role


def _message_parts(message: Mapping[str, Any], content_keys: Sequence[str], base: Path) -> tuple[Part, ...]:
    """Return the media of a message, then its text; content that is a list of parts keeps its order."""
    media = [part for kind in MEDIA_FACTORIES for part in _media_parts(kind, message, base)]
    content = _first_present(message, content_keys)
    return (*media, *(() if content is None else _parse_parts(content, base)))


def _media_parts(kind: str, message: Mapping[str, Any], base: Path) -> Iterator[Part]:
    value = _first_present(message, (kind, f"{kind}_path", f"{kind}_url"))
    values = value if isinstance(value, (list, tuple)) else [value]
    for item in values if value else ():
        yield _make_media(kind, item, base, message)


def _parse_parts(content: Any, base: Path) -> tuple[Part, ...]:
    parts = content if isinstance(content, (list, tuple)) else [content]
    parsed = (_parse_part(part, base) for part in parts)
    return tuple(part for part in parsed if part != "")


def _parse_part(part: Any, base: Path) -> Part:
    """Parse a text, or an object whose kind is given by `type` or by its only key."""
    if isinstance(part, (str, int, float)):
        return str(part)
    if not isinstance(part, Mapping):
        raise SampleError(f"a part of a message must be text or an object, not {part!r}")
    type_name = str(part.get("type") or next((name for name in part if name in PART_KINDS), ""))
    kind = PART_KINDS.get(type_name)
    if kind is None:
        media = ", ".join(sorted(MEDIA_FACTORIES))
        raise SampleError(f"a part of a message has the type {type_name or part!r}; expected text or {media}")
    value = _first_present(part, (type_name, kind, f"{kind}_url", f"input_{kind}", "content", *MEDIA_SOURCE_KEYS))
    if kind == "text":
        return str("" if value is None else value)
    return _make_media(kind, value, base, part)


def _make_media(kind: str, value: Any, base: Path, message: Mapping[str, Any]) -> Part:
    """Build audio, an image or a video from a path, a URL or bytes; audio and video may be a segment."""
    if isinstance(value, Mapping) and not value.get("bytes") and "array" not in value:
        encoded = "data" in value and "url" not in value
        value = _first_present(value, MEDIA_SOURCE_KEYS)
        if encoded and isinstance(value, str):
            value = _decode_base64(value)
    if value is None:
        raise SampleError(f"{kind} of a message has no path, URL or bytes")
    is_data_url = isinstance(value, str) and value.startswith("data:")
    value = _decode_base64(value.partition(",")[2]) if is_data_url else resolve_path(value, base)
    if kind == "image" or not ("start" in message or "end" in message):
        return MEDIA_FACTORIES[kind](value)
    start, end = message.get("start") or 0.0, message.get("end")
    return MEDIA_FACTORIES[kind](value, start=parse_seconds(start), end=None if end is None else parse_seconds(end))


def _decode_base64(value: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except binascii.Error as error:
        raise SampleError(f"media of a message is not valid base64: {value[:20]!r}…") from error


def _first_present(mapping: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((mapping[name] for name in names if mapping.get(name) is not None), None)
