"""Sounds and pictures as a request carries them. All of it is slow, so it is done in threads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from auricle.audio.decode import open_source
from auricle.audio.media import REMOTE_SCHEMES, Audio, Image, Video
from auricle.audio.waveform import Format
from auricle.core.errors import AudioError, MissingExtra, SampleError, SpecError

AudioFormat = Literal["auto", "wav", "mp3", "flac", "opus"]
UNIVERSAL_FORMATS = ("wav", "mp3")  # formats every API with sound takes
MEDIA_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/ogg"}
AUDIO_SIGNATURE = re.compile(rb"(RIFF....WAVE)|(ID3|\xff[\xf2\xf3\xfa\xfb])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EncodedAudio:
    """A sound's file as it is sent."""

    content: bytes
    format: Format
    name: str

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.format]


@dataclass(frozen=True, slots=True)
class AudioEncoder:
    """Which file a sound becomes. A whole wav or mp3 goes as it is unless something else is asked.

    Sent as it is, a sound costs a read and nothing is changed on the way to the model.
    """

    format: AudioFormat = "auto"
    rate: int | None = None
    max_megabytes: float = 25.0

    def __post_init__(self) -> None:
        if self.format not in get_args(AudioFormat):
            raise SpecError(f"audio_format should be {', '.join(get_args(AudioFormat))}, not {self.format!r}.")

    def __call__(self, sound: Audio) -> EncodedAudio:
        encoded = self._pass_through(sound) or self._encode(sound)
        size = len(encoded.content) / 1e6
        if size > self.max_megabytes:
            raise AudioError(
                f"{encoded.name} takes {size:.1f} MB as {encoded.format}, more than the "
                f"{self.max_megabytes:g} MB a request may carry. Cut it into parts with start and end, "
                "send it smaller with -M audio_format=mp3, or raise -M max_megabytes."
            )
        return encoded

    def _pass_through(self, sound: Audio) -> EncodedAudio | None:
        """The file untouched, where it is whole and of a kind that is wanted."""
        if sound.start or sound.end is not None:
            return None
        if isinstance(sound.data, bytes):
            content = sound.data
        elif sound.data is None and sound.path and sound.path.suffix[1:].lower() in UNIVERSAL_FORMATS:
            content = _read_file(sound)
        else:
            return None
        info = sound.info()  # a broken file is found here, by name, and not by the server
        kind = _detect_format(content)
        if kind is None or self.format not in ("auto", kind) or self.rate not in (None, info.rate):
            return None
        return EncodedAudio(content, kind, _display_name(sound))

    def _encode(self, sound: Audio) -> EncodedAudio:
        kind: Format = "wav" if self.format == "auto" else self.format
        return EncodedAudio(sound.encode(kind, rate=self.rate), kind, _display_name(sound))


def _read_file(sound: Audio) -> bytes:
    assert sound.path
    with open_source(sound.path, _display_name(sound)) as file:
        return file.read()


def _detect_format(content: bytes) -> Format | None:
    """Which of the formats that everybody takes this is, by how it begins."""
    found = AUDIO_SIGNATURE.match(content)
    if not found:
        return None
    return "wav" if found[1] else "mp3"


def _display_name(sound: Audio) -> str:
    return sound.uri or "The sound in memory"


def encode_base64(content: bytes) -> bytes:
    """ASCII bytes; `pybase64` takes a tenth of the standard library's time."""
    try:
        from pybase64 import b64encode
    except ImportError as error:
        raise MissingExtra("Models behind an API", "api") from error
    encoded: bytes = b64encode(content)
    return encoded


def data_url(media_type: str, content: bytes) -> bytes:
    return b"data:" + media_type.encode() + b";base64," + encode_base64(content)


def is_remote(part: Audio | Image | Video) -> bool:
    """Is it somewhere else, for the server to fetch whole?"""
    return part.data is None and part.uri.startswith(REMOTE_SCHEMES) and not _is_sliced(part)


def read_media_file(part: Image | Video, max_megabytes: float) -> bytes:
    """The file of a picture or a film, untouched."""
    name = part.uri or "The picture in memory"
    if _is_sliced(part):
        raise SampleError(f"{name}: no API takes a part of a film. Cut it first, or leave out start and end.")
    content = part.read()
    if len(content) / 1e6 > max_megabytes:
        raise SampleError(
            f"{name} takes {len(content) / 1e6:.1f} MB, more than the {max_megabytes:g} MB a request "
            "may carry. Make it smaller, or raise -M max_megabytes."
        )
    return content


def _is_sliced(part: Audio | Image | Video) -> bool:
    return not isinstance(part, Image) and bool(part.start or part.end is not None)
