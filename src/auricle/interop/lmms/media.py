"""Sounds and pictures of a doc: lent to somebody's functions, and taken back from them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auricle.audio import Audio, Image, Video
from auricle.core.errors import SampleError
from auricle.core.types import Part, Turn

AUDIO_SUFFIXES = (".wav", ".mp3", ".m4a", ".aac", ".flac", ".ogg", ".opus", ".webm")
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tiff", ".webp")
AUDIO_KEYS = ("path", "array", "sampling_rate")


class LazyAudioDict(dict[str, Any]):
    """A sound as Hugging Face decodes it, decoded only if its samples are looked at."""

    def __init__(self, audio: Audio) -> None:
        super().__init__(path=str(audio.path) if audio.path else None)
        self.audio = audio

    def __missing__(self, name: str) -> Any:
        if name == "array":
            self[name] = self.audio.decode()
        elif name == "sampling_rate":
            self[name] = self.audio.info().rate
        else:
            raise KeyError(name)
        return self[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in AUDIO_KEYS else default

    def __contains__(self, name: object) -> bool:
        return name in AUDIO_KEYS

    def __iter__(self) -> Iterator[str]:
        return iter(AUDIO_KEYS)


def to_user_value(value: Any, root: Path) -> Any:
    """A column's value as functions expect it: stored media as decoded ones, the rest as it is."""
    if isinstance(value, list):
        return [to_user_value(each, root) for each in value]
    if hasattr(value, "get_all_samples"):
        return LazyAudioDict(Audio.of(value))
    if not is_stored_file(value):
        return value
    if value.get("bytes") is None:
        value = {**value, "path": str(resolve_path(str(value["path"]), root))}
    picture = Image.of(value)
    return open_image(picture) if _is_image(picture) else LazyAudioDict(Audio.of(value))


def is_stored_file(value: Any) -> bool:
    """Is it a file as Parquet holds one: its bytes, or where it is?"""
    return (
        isinstance(value, Mapping)
        and "bytes" in value
        and set(value) <= {"bytes", "path"}
        and any(each is not None for each in value.values())
    )


def is_media(value: Any) -> bool:
    """Is it no part of what is kept beside an answer?"""
    many = value if isinstance(value, list) and value else [value]
    return all(isinstance(each, (LazyAudioDict, bytes)) or hasattr(each, "save") for each in many)


def _is_image(file: Image) -> bool:
    return file.media_type.startswith("image/")


def open_image(image: Image) -> Any:
    from PIL import Image as Pillow

    return Pillow.open(io.BytesIO(image.read()))


def resolve_path(path: str, root: Path) -> Path:
    """A path from the folder of the data; as it stands only if there is no such file there."""
    given = Path(path).expanduser()
    here = root / given
    return (given if given.exists() and not here.exists() else here).absolute()


# --- what functions return -----------------------------------------------------------------


def to_part(value: Any, root: Path) -> Part:
    """A sound, a picture or a film, from whatever a function may return for one."""
    if isinstance(value, LazyAudioDict):
        return value.audio
    if isinstance(value, str):
        return _part_from_path(resolve_path(value, root))
    if hasattr(value, "save"):  # Pillow's
        held = io.BytesIO()
        value.save(held, format="PNG")
        return Image(data=held.getvalue())
    if isinstance(value, Mapping) and value.get("array") is None:
        found = value.get("url") or value.get("path")
        if isinstance(found, str) and value.get("bytes") is None:
            return _part_from_path(resolve_path(found, root))
    return Audio.of(value)


def _part_from_path(path: Path) -> Part:
    """By its suffix, as lmms-eval does: what is neither a sound nor a picture is a film."""
    suffix = path.suffix.lower()
    if suffix in AUDIO_SUFFIXES:
        return Audio.of(path)
    return Image.of(path) if suffix in IMAGE_SUFFIXES else Video.of(path)


def to_turns(messages: Any, root: Path) -> tuple[Turn, ...]:
    """What `doc_to_messages` returns, as turns."""
    if not isinstance(messages, (list, tuple)) or not messages:
        raise SampleError(f"messages should be a list, not {type(messages).__name__}")
    return tuple(_to_turn(each, root) for each in messages)


def _to_turn(message: Any, root: Path) -> Turn:
    content = message["content"]
    held = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if message["role"] not in ("system", "user", "assistant"):
        raise SampleError(f"a message's role should be system, user or assistant: {message!r:.80}")
    return Turn(message["role"], tuple(_content_to_part(each, root) for each in held))


def _content_to_part(content: Mapping[str, Any], root: Path) -> Part:
    if content["type"] == "text":
        return str(content["text"])
    return _PART_READERS[content["type"]](content["url"], root)


def _audio_part(value: Any, root: Path) -> Part:
    return Audio.of(resolve_path(value, root)) if isinstance(value, str) else to_part(value, root)


def _image_part(value: Any, root: Path) -> Part:
    return Image.of(resolve_path(value, root)) if isinstance(value, str) else to_part(value, root)


def _video_part(value: Any, root: Path) -> Part:
    return Video.of(resolve_path(value, root)) if isinstance(value, str) else to_part(value, root)


_PART_READERS = {"audio": _audio_part, "image": _image_part, "video": _video_part}
