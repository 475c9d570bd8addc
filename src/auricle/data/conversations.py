"""A conversation from a row, in any of the shapes people keep one in.

A list of texts that the user says; of messages with a role and a content (OpenAI's, ShareGPT's);
of pairs such as `{"user": …, "assistant": …}`; sounds and pictures beside a text or among parts.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import orjson

from auricle.audio import Audio, Image, Video
from auricle.core.errors import SampleError
from auricle.core.types import Part, Turn

Role = Literal["system", "user", "assistant"]

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "gpt", "bot", "model"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
}
ROLE = ("role", "from")
CONTENT = ("content", "text", "value")
ASKED = ("user", "human", "question", "prompt", *CONTENT)
ANSWERED = ("assistant", "gpt", "bot", "answer", "response")
MAKERS: Mapping[str, Callable[[Any], Part]] = {
    "video": Video.of,
    "image": Image.of,
    "audio": Audio.of,
}
"""Media of a message, in the order in which they stand before its text."""
KINDS: Mapping[str, str] = {
    **{name: name for name in MAKERS},
    **{f"{name}_url": name for name in MAKERS},
    **{f"input_{name}": name for name in MAKERS},
    **dict.fromkeys(("text", "input_text", "output_text"), "text"),
}
"""What a part's `type` means, whoever wrote it."""
WHERE = ("url", "path", "data", "bytes", "file")
"""What a part's media may lie under."""


def turns_of(value: Any, base: Path) -> list[Turn]:
    """The turns a value of a row stands for; paths in it are taken from `base`."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = _json(value)  # as a CSV has it
    messages = value if isinstance(value, (list, tuple)) else [value]
    return [turn for at, each in enumerate(messages) for turn in _turns(each, base, at + 1)]


def golds(turns: Sequence[Turn]) -> list[str | None]:
    """The reference answer to each user turn, None where nobody answers it in words."""
    after = [*turns[1:], None]
    return [
        _words(answer) if answer and answer.role == "assistant" else None
        for turn, answer in zip(turns, after, strict=True)
        if turn.role == "user"
    ]


def answered(turns: Sequence[Turn], answers: Sequence[str | None]) -> list[Turn]:
    """User turns with these answers after them, where they have none yet."""
    found: list[Turn] = []
    left = iter(answers)
    for turn, following in pairwise([*turns, None]):
        assert turn
        found.append(turn)
        if turn.role != "user":
            continue
        answer = next(left, None)
        if answer is not None and not (following and following.role == "assistant"):
            found.append(Turn("assistant", (answer,)))
    return found


def _words(turn: Turn) -> str | None:
    texts = [part for part in turn.parts if isinstance(part, str)]
    return "".join(texts) if texts else None


def _turns(message: Any, base: Path, number: int) -> Iterator[Turn]:
    """One turn of a message, or two of a pair."""
    if not isinstance(message, Mapping):
        yield _turn("user", _parts(message, base), number)
        return
    said = {str(name): each for name, each in message.items() if each is not None}
    if named := _first(said, ROLE):
        yield _turn(_role(named, number), _said(said, CONTENT, base), number)
        return
    if parts := _said(said, ASKED, base):
        yield Turn("user", parts)
    if answer := _first(said, ANSWERED):
        yield _turn("assistant", _parts(answer, base), number)
    elif not parts:
        known = ", ".join(said) or "nothing"
        raise SampleError(f"message {number} of the conversation has no role and says {known}")


def _turn(role: Role, parts: tuple[Part, ...], number: int) -> Turn:
    if not parts:
        raise SampleError(f"message {number} of the conversation is empty")
    return Turn(role, parts)


def _role(named: Any, number: int) -> Role:
    role = ROLES.get(str(named).strip().casefold())
    if role is None:
        raise SampleError(
            f"message {number} of the conversation is by {named!r}; it should be by user, "
            "assistant or system"
        )
    return role


def _said(said: Mapping[str, Any], names: Sequence[str], base: Path) -> tuple[Part, ...]:
    """The media of a message, then its text; a text that is itself a list of parts keeps order."""
    held = [part for kind in MAKERS for part in _held(kind, said, base)]
    content = _first(said, names)
    return (*held, *(() if content is None else _parts(content, base)))


def _held(kind: str, said: Mapping[str, Any], base: Path) -> Iterator[Part]:
    value = _first(said, (kind, f"{kind}_path", f"{kind}_url"))
    several = value if isinstance(value, (list, tuple)) else [value]
    for each in several if value else ():
        yield _medium(kind, each, base, said)


def _parts(content: Any, base: Path) -> tuple[Part, ...]:
    parts = content if isinstance(content, (list, tuple)) else [content]
    found = (_part(each, base) for each in parts)
    return tuple(part for part in found if part != "")


def _part(part: Any, base: Path) -> Part:
    """A text, or an object that says its kind: by `type`, or by the one name it has."""
    if isinstance(part, (str, int, float)):
        return str(part)
    if not isinstance(part, Mapping):
        raise SampleError(f"a part of a message should be text or an object, not {part!r}")
    named = str(part.get("type") or next((name for name in part if name in KINDS), ""))
    kind = KINDS.get(named)
    if kind is None:
        raise SampleError(f"a part of a message is {named or part!r}; it may be text or {_media()}")
    value = _first(part, (named, kind, f"{kind}_url", f"input_{kind}", "content", *WHERE))
    if kind == "text":
        return str("" if value is None else value)
    return _medium(kind, value, base, part)


def _media() -> str:
    return ", ".join(sorted(MAKERS))


def _medium(kind: str, value: Any, base: Path, said: Mapping[str, Any]) -> Part:
    """A sound, picture or film by its path, address or bytes; of a sound, a stretch."""
    if isinstance(value, Mapping) and not value.get("bytes") and "array" not in value:
        encoded = "data" in value and "url" not in value
        value = _first(value, WHERE)
        if encoded and isinstance(value, str):
            value = _decoded(value)
    if value is None:
        raise SampleError(f"{kind} of a message has neither a path nor an address nor bytes")
    if isinstance(value, str):
        value = _placed(value, base)
    if kind == "audio" and ("start" in said or "end" in said):
        return Audio.of(value, start=_seconds(said, "start") or 0.0, end=_seconds(said, "end"))
    return MAKERS[kind](value)


def _placed(value: str, base: Path) -> str | bytes:
    """A path from where the data is; an address as it stands; what a data URL holds."""
    if value.startswith("data:"):
        return _decoded(value.partition(",")[2])
    return value if "://" in value else str(base / value)


def _decoded(value: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except binascii.Error as error:
        raise SampleError(f"bytes of a message are no base64: {value[:20]!r}…") from error


def _seconds(said: Mapping[str, Any], name: str) -> float | None:
    value = said.get(name)
    if value is not None and not isinstance(value, (int, float)):
        raise SampleError(f"start and end are seconds, not {value!r}")
    return value


def _first(said: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((said[name] for name in names if said.get(name) is not None), None)


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"a cell that looks like JSON is not: {text[:60]!r}") from error
