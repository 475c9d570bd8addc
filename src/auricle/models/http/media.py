"""Sounds and pictures as a request carries them. All of it is slow, so it is done in threads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from auricle.audio.decode import opened
from auricle.audio.media import REMOTE, Audio, Image, Video
from auricle.audio.waveform import Format
from auricle.core.errors import AudioError, MissingExtra, SampleError, SpecError

AsSent = Literal["auto", "wav", "mp3", "flac", "opus"]
TAKEN = ("wav", "mp3")  # formats every API with sound takes
TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/ogg"}
SOUND = re.compile(rb"(RIFF....WAVE)|(ID3|\xff[\xf2\xf3\xfa\xfb])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sound's file as it is sent."""

    content: bytes
    format: Format
    name: str

    @property
    def media_type(self) -> str:
        return TYPES[self.format]


@dataclass(frozen=True, slots=True)
class Encoder:
    """Which file a sound becomes. A whole wav or mp3 goes as it is unless something else is asked.

    Sent as it is, a sound costs a read and nothing is changed on the way to the model.
    """

    format: AsSent = "auto"
    rate: int | None = None
    megabytes: float = 25.0

    def __post_init__(self) -> None:
        if self.format not in get_args(AsSent):
            raise SpecError(
                f"audio_format should be {', '.join(get_args(AsSent))}, not {self.format!r}."
            )

    def __call__(self, sound: Audio) -> Encoded:
        encoded = self._as_it_is(sound) or self._made(sound)
        size = len(encoded.content) / 1e6
        if size > self.megabytes:
            raise AudioError(
                f"{encoded.name} takes {size:.1f} MB as {encoded.format}, more than the "
                f"{self.megabytes:g} MB a request may carry. Cut it into parts with start and end, "
                "send it smaller with -M audio_format=mp3, or raise -M max_megabytes."
            )
        return encoded

    def _as_it_is(self, sound: Audio) -> Encoded | None:
        """The file untouched, where it is whole and of a kind that is wanted."""
        if sound.start or sound.end is not None:
            return None
        if isinstance(sound.data, bytes):
            content = sound.data
        elif sound.data is None and sound.path and sound.path.suffix[1:].lower() in TAKEN:
            content = _read(sound)
        else:
            return None
        info = sound.info()  # a broken file is found here, by name, and not by the server
        kind = _kind(content)
        if kind is None or self.format not in ("auto", kind) or self.rate not in (None, info.rate):
            return None
        return Encoded(content, kind, _name(sound))

    def _made(self, sound: Audio) -> Encoded:
        kind: Format = "wav" if self.format == "auto" else self.format
        return Encoded(sound.encode(kind, rate=self.rate), kind, _name(sound))


def _read(sound: Audio) -> bytes:
    assert sound.path
    with opened(sound.path, _name(sound)) as file:
        return file.read()


def _kind(content: bytes) -> Format | None:
    """Which of the formats that everybody takes this is, by how it begins."""
    found = SOUND.match(content)
    if not found:
        return None
    return "wav" if found[1] else "mp3"


def _name(sound: Audio) -> str:
    return sound.uri or "The sound in memory"


def base64(content: bytes) -> bytes:
    """ASCII bytes; `pybase64` takes a tenth of the standard library's time."""
    try:
        from pybase64 import b64encode
    except ImportError as error:
        raise MissingExtra("Models behind an API", "api") from error
    encoded: bytes = b64encode(content)
    return encoded


def data_url(media_type: str, content: bytes) -> bytes:
    return b"data:" + media_type.encode() + b";base64," + base64(content)


def remote(part: Audio | Image | Video) -> bool:
    """Is it somewhere else, for the server to fetch whole?"""
    return part.data is None and part.uri.startswith(REMOTE) and not _sliced(part)


def picture(part: Image | Video, megabytes: float) -> bytes:
    """The file of a picture or a film, untouched."""
    name = part.uri or "The picture in memory"
    if _sliced(part):
        raise SampleError(
            f"{name}: no API takes a part of a film. Cut it first, or leave out start and end."
        )
    content = part.read()
    if len(content) / 1e6 > megabytes:
        raise SampleError(
            f"{name} takes {len(content) / 1e6:.1f} MB, more than the {megabytes:g} MB a request "
            "may carry. Make it smaller, or raise -M max_megabytes."
        )
    return content


def _sliced(part: Audio | Image | Video) -> bool:
    return not isinstance(part, Image) and bool(part.start or part.end is not None)
