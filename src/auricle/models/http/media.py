"""Sounds and pictures as a request carries them. All of it is slow, so it is done in threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, get_args

from auricle.audio import REMOTE, Audio, Image, Video
from auricle.errors import AudioError, MissingExtra, SampleError, SpecError
from auricle.waveform import Format

AsSent = Literal["auto", "wav", "mp3", "flac", "opus"]
TAKEN = ("wav", "mp3")  # formats every API with sound takes
TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/ogg"}
MAGIC: dict[bytes, Format] = {b"RIFF": "wav", b"ID3": "mp3", b"\xff\xfb": "mp3"}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sound's file as it is sent."""

    content: bytes
    format: Format
    name: str
    seconds: float | None

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
        if sound.start or sound.end is not None or (sound.data is None) is (sound.path is None):
            return None
        in_memory = isinstance(sound.data, bytes)
        if not in_memory and PurePath(sound.uri).suffix[1:].lower() not in TAKEN:
            return None
        info = sound.info()  # a broken file is found here, by name, and not by the server
        content = sound.data if isinstance(sound.data, bytes) else _read(sound)
        kind = next((f for magic, f in MAGIC.items() if content.startswith(magic)), None)
        if kind is None or self.format not in ("auto", kind) or self.rate not in (None, info.rate):
            return None
        return Encoded(content, kind, _name(sound), info.frames / info.rate)

    def _made(self, sound: Audio) -> Encoded:
        kind: Format = "wav" if self.format == "auto" else self.format
        content = sound.encode(kind, rate=self.rate)
        return Encoded(content, kind, _name(sound), sound.seconds)


def _read(sound: Audio) -> bytes:
    assert sound.path
    return sound.path.read_bytes()


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
    """Is it somewhere else, for the server to fetch?"""
    return part.data is None and part.uri.startswith(REMOTE)


def picture(part: Image | Video, megabytes: float) -> bytes:
    """A picture or a film as a data URL, untouched."""
    content = part.read()
    if len(content) / 1e6 > megabytes:
        raise SampleError(
            f"{part.uri} takes {len(content) / 1e6:.1f} MB, more than {megabytes:g} MB."
        )
    return data_url(part.media_type, content)
