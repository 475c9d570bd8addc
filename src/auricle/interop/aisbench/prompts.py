"""Convert between Auricle's turns and AISBench's messages with `role` and `prompt`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from auricle.audio import Audio, Image, Video
from auricle.core.errors import SampleError
from auricle.core.types import Part, Turn

Role: TypeAlias = Literal["system", "user", "assistant"]
ROLES_FROM_AISBENCH: Mapping[str, Role] = {
    "HUMAN": "user",
    "BOT": "assistant",
    "SYSTEM": "system",
    "user": "user",
    "assistant": "assistant",
    "system": "system",
}
ROLES_TO_AISBENCH = {"user": "HUMAN", "assistant": "BOT", "system": "SYSTEM"}
MEDIA_TYPES: tuple[tuple[str, type, Callable[[Any], Part]], ...] = (
    ("audio_url", Audio, Audio.of),
    ("image_url", Image, Image.of),
    ("video_url", Video, Video.of),
)


class PromptList(list[Any]):
    """AISBench's list of messages with `role` and `prompt`, and texts."""

    def __add__(self, other: Any) -> PromptList:
        return PromptList([*self, *(other if isinstance(other, list) else [other])])

    def __str__(self) -> str:
        return "".join(item if isinstance(item, str) else str(item["prompt"]) for item in self)


def to_aisbench(turns: Sequence[Turn]) -> str | PromptList:
    """Convert turns to AISBench's form: a string for a single user text, else a list of messages."""
    if len(turns) == 1 and turns[0].role == "user" and _is_text(turns[0].parts):
        return "".join(map(str, turns[0].parts))
    return PromptList({"role": ROLES_TO_AISBENCH[turn.role], "prompt": _to_content(turn.parts)} for turn in turns)


def from_aisbench(prompt: Any) -> tuple[Turn, ...]:
    """Convert a string, AISBench's messages, or messages with `content` to turns."""
    if isinstance(prompt, str):
        return (Turn("user", (prompt,)),)
    if not isinstance(prompt, (list, tuple)):
        raise SampleError(f"a prompt should be a text or messages, not {type(prompt).__name__}")
    turns = [_to_turn(message) for message in prompt if message != "" and not _is_section_marker(message)]
    if not turns:
        raise SampleError("the prompt is empty")
    return tuple(turns)


def _is_text(parts: Iterable[Part]) -> bool:
    return all(isinstance(part, str) for part in parts)


def _is_section_marker(item: Any) -> bool:
    """Return whether an item marks the begin or end of a template's section."""
    return isinstance(item, Mapping) and "section" in item


def _to_content(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    if _is_text(parts):
        return "".join(map(str, parts))
    return [_to_part_dict(part) for part in parts]


def _to_part_dict(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = next(name for name, medium, _ in MEDIA_TYPES if isinstance(part, medium))
    return {"type": kind, kind: {"url": part}}


def _to_turn(message: Any) -> Turn:
    if isinstance(message, str):
        return Turn("user", (message,))
    if not isinstance(message, Mapping) or message.get("role") not in ROLES_FROM_AISBENCH:
        raise SampleError(
            f"a message should have a role ({', '.join(ROLES_FROM_AISBENCH)}) and a prompt, not {message!r}"
        )
    content = message["prompt"] if "prompt" in message else message.get("content", "")
    parts = content if isinstance(content, (list, tuple)) else (content,)
    return Turn(ROLES_FROM_AISBENCH[message["role"]], tuple(_to_part(part) for part in parts))


def _to_part(part: Any) -> Part:
    if isinstance(part, (str, Audio, Image, Video)):
        return part
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    for kind, medium, make in MEDIA_TYPES:
        if isinstance(part, Mapping) and kind in part:
            value = part[kind]
            location = value.get("url") if isinstance(value, Mapping) else value
            if isinstance(location, medium):
                return cast(Part, location)
            return make(str(location).removeprefix("file://"))
    raise SampleError(f"a part of a prompt should be text or media, not {part!r}")
