"""Convert audio, images and messages between docs, user functions and Auricle's types."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Part, Turn
from auricle.frameworks.lmms.sounds import AudioDict
from auricle.media import Audio, Image, Video
from auricle.media.fetching import WEB_SCHEMES

AUDIO_SUFFIXES = (".wav", ".mp3", ".m4a", ".aac", ".flac", ".ogg", ".opus", ".webm")
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tiff", ".webp")
MEDIA_FACTORIES: Mapping[str, Callable[[Any], Part]] = {"audio": Audio.of, "image": Image.of, "video": Video.of}
AUDIO_KEYS = ("path", "array", "sampling_rate")


class LazyAudioDict(AudioDict):
    """Audio that is decoded only when its samples are read."""

    def __init__(self, audio: Audio) -> None:
        super().__init__(path=str(audio.path) if audio.path else None)
        self.audio = audio

    def __missing__(self, name: str) -> Any:
        if name not in AUDIO_KEYS:
            raise KeyError(name)
        self[name] = self.audio.decode() if name == "array" else self.audio.info().rate
        return self[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in AUDIO_KEYS else default

    def __contains__(self, name: object) -> bool:
        return name in AUDIO_KEYS

    def __iter__(self) -> Iterator[str]:
        return iter(AUDIO_KEYS)


def to_user_value(value: Any, root: Path) -> Any:
    """Convert a column's value for user functions: stored media are decoded, other values unchanged."""
    if isinstance(value, list):
        return [to_user_value(item, root) for item in value]
    if hasattr(value, "get_all_samples"):
        return LazyAudioDict(Audio.of(value))
    if not is_stored_file(value):
        return value
    if value.get("bytes") is None:
        value = {**value, "path": str(resolve_path(str(value["path"]), root))}
    image = Image.of(value)
    return open_image(image) if image.media_type.startswith("image/") else LazyAudioDict(Audio.of(value))


def find_audio(value: Any, root: Path) -> Audio | None:
    """Return the audio of a column: decoded audio, or the path of an existing audio file."""
    if isinstance(value, LazyAudioDict):
        return value.audio
    if not isinstance(value, str) or Path(value).suffix.lower() not in AUDIO_SUFFIXES:
        return None
    path = resolve_path(value, root)
    return Audio.of(path) if path.is_file() else None


def is_stored_file(value: Any) -> bool:
    """Return whether a value is a file as stored in Parquet: its bytes or its path."""
    return (
        isinstance(value, Mapping)
        and "bytes" in value
        and set(value) <= {"bytes", "path"}
        and any(content is not None for content in value.values())
    )


def is_media(value: Any) -> bool:
    """Return whether a value is media, which runs do not store."""
    items = value if isinstance(value, list) and value else [value]
    return all(isinstance(item, (LazyAudioDict, bytes)) or hasattr(item, "save") for item in items)


def open_image(image: Image) -> Any:
    """Return an image as user code expects it: a Pillow image."""
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise SpecError("Code of lmms-eval receives images through Pillow. Run: pip install pillow") from error
    return Pillow.open(io.BytesIO(image.read()))


def resolve_path(path: str, root: Path) -> Path:
    """Resolve a path against the data folder, or against the working directory if it only exists there."""
    relative = Path(path).expanduser()
    in_root = root / relative
    return (relative if relative.exists() and not in_root.exists() else in_root).absolute()


def resolve_location(location: str, root: Path) -> str:
    """Resolve a path, and leave a web address as it is."""
    return location if location.startswith(WEB_SCHEMES) else str(resolve_path(location, root))


def to_part(value: Any, root: Path) -> Part:
    """Convert a value returned by a function to audio, image or video."""
    if isinstance(value, LazyAudioDict):
        return value.audio
    if isinstance(value, str):
        return _part_from_location(resolve_location(value, root))
    if hasattr(value, "save"):  # a Pillow image
        buffer = io.BytesIO()
        value.save(buffer, format="PNG")
        return Image(data=buffer.getvalue())
    if isinstance(value, Mapping) and value.get("array") is None:
        location = value.get("url") or value.get("path")
        if isinstance(location, str) and value.get("bytes") is None:
            return _part_from_location(resolve_location(location, root))
    return Audio.of(value)


def _part_from_location(location: str) -> Part:
    """Choose the type by suffix as lmms-eval does: anything but audio and images is video."""
    suffix = Path(urlsplit(location).path if location.startswith(WEB_SCHEMES) else location).suffix.lower()
    if suffix in AUDIO_SUFFIXES:
        return Audio.of(location)
    return Image.of(location) if suffix in IMAGE_SUFFIXES else Video.of(location)


def to_turns(messages: Any, root: Path) -> tuple[Turn, ...]:
    """Convert the messages of `doc_to_messages` to turns."""
    if not isinstance(messages, (list, tuple)) or not messages:
        raise SampleError(f"messages should be a list, not {type(messages).__name__}")
    return tuple(_to_turn(message, root) for message in messages)


def _to_turn(message: Any, root: Path) -> Turn:
    content = message["content"]
    if message["role"] not in ("system", "user", "assistant"):
        raise SampleError(f"a message's role should be system, user or assistant: {message!r:.80}")
    parts = (content,) if isinstance(content, str) else tuple(_content_to_part(item, root) for item in content)
    return Turn(message["role"], parts)


def _content_to_part(content: Mapping[str, Any], root: Path) -> Part:
    if content["type"] == "text":
        return str(content["text"])
    value, to_media = content["url"], MEDIA_FACTORIES[content["type"]]
    part = to_media(resolve_location(value, root)) if isinstance(value, str) else to_part(value, root)
    if isinstance(part, Video):
        return Video.of(part, start=content.get("start_time") or 0.0, end=content.get("end_time"))
    return part


def join_text(turns: Sequence[Turn]) -> str:
    """Join the text of all turns without media, for simple classes, which take one text."""
    return "\n\n".join(filter(None, (_turn_text(turn) for turn in turns)))


def _turn_text(turn: Turn) -> str:
    text = ""
    for part in turn.parts:
        if isinstance(part, str):
            is_separated = not text or text[-1].isspace() or part[:1].isspace()
            text += part if is_separated else f"\n{part}"
    return text
