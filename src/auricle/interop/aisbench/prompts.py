"""A conversation as AISBench writes it, `role` and `prompt`, and back."""

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
    """Messages with `role` and `prompt`, and texts between them."""

    def __add__(self, other: Any) -> PromptList:
        return PromptList([*self, *(other if isinstance(other, list) else [other])])

    def __str__(self) -> str:
        return "".join(each if isinstance(each, str) else str(each["prompt"]) for each in self)


def to_aisbench(turns: Sequence[Turn]) -> str | PromptList:
    """What is said, in their form: a text if the user says one and nothing else is said."""
    if len(turns) == 1 and turns[0].role == "user" and _is_text(turns[0].parts):
        return "".join(map(str, turns[0].parts))
    return PromptList({"role": ROLES_TO_AISBENCH[t.role], "prompt": _to_content(t.parts)} for t in turns)


def from_aisbench(prompt: Any) -> tuple[Turn, ...]:
    """What is said, from a text, their messages, or messages with `content`."""
    if isinstance(prompt, str):
        return (Turn("user", (prompt,)),)
    if not isinstance(prompt, (list, tuple)):
        raise SampleError(f"a prompt should be a text or messages, not {type(prompt).__name__}")
    turns = [_to_turn(each) for each in prompt if each != "" and not _is_section_marker(each)]
    if not turns:
        raise SampleError("the prompt is empty")
    return tuple(turns)


def _is_text(parts: Iterable[Part]) -> bool:
    return all(isinstance(part, str) for part in parts)


def _is_section_marker(item: Any) -> bool:
    """Where a section of a template begins or ends."""
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
    said = message["prompt"] if "prompt" in message else message.get("content", "")
    parts = said if isinstance(said, (list, tuple)) else (said,)
    return Turn(ROLES_FROM_AISBENCH[message["role"]], tuple(_to_part(part) for part in parts))


def _to_part(part: Any) -> Part:
    if isinstance(part, (str, Audio, Image, Video)):
        return part
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    for kind, medium, make in MEDIA_TYPES:
        if isinstance(part, Mapping) and kind in part:
            held = part[kind]
            where = held.get("url") if isinstance(held, Mapping) else held
            if isinstance(where, medium):
                return cast(Part, where)
            return make(str(where).removeprefix("file://"))
    raise SampleError(f"a part of a prompt should be text or media, not {part!r}")
