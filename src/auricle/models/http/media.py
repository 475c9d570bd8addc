"""Encode audio, images and video for requests. Encoding is slow, so callers run it in threads."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Literal, get_args

from auricle.core.audio_limit import check_length
from auricle.core.errors import AudioError, MissingExtra, SampleError, SpecError
from auricle.media.decode import open_source, probe
from auricle.media.fetching import WEB_SCHEMES
from auricle.media.media import Audio, Image, Video
from auricle.media.waveform import Format

AudioFormat = Literal["auto", "wav", "mp3", "flac", "opus"]
UNIVERSAL_FORMATS = ("wav", "mp3")  # accepted by every API with audio
MEDIA_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/ogg"}
AUDIO_SIGNATURE = re.compile(rb"(RIFF....WAVE)|(ID3|\xff[\xf2\xf3\xfa\xfb])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EncodedAudio:
    """An encoded audio file, ready to be sent."""

    content: bytes
    format: Format
    name: str

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.format]


@dataclass(frozen=True, slots=True)
class AudioEncoder:
    """Encodes audio. A complete WAV or MP3 file is sent unchanged unless another format or rate is set."""

    format: AudioFormat = "auto"
    rate: int | None = None
    max_megabytes: float = 25.0

    def __post_init__(self) -> None:
        if self.format not in get_args(AudioFormat):
            raise SpecError(f"audio_format must be one of {', '.join(get_args(AudioFormat))}, not {self.format!r}.")

    def __call__(self, audio: Audio) -> EncodedAudio:
        encoded = self._pass_through(audio) or self._encode(audio)
        self._check_size(len(encoded.content), encoded.name, encoded.format)
        return encoded

    def _check_size(self, size: int, name: str, audio_format: str) -> None:
        if size / 1e6 > self.max_megabytes:
            raise AudioError(
                f"{name} has {size / 1e6:.1f} MB as {audio_format}, more than the limit of "
                f"{self.max_megabytes:g} MB per request. Split it with start and end, "
                "compress it with -M audio_format=mp3, or raise -M max_megabytes."
            )

    def _pass_through(self, audio: Audio) -> EncodedAudio | None:
        """Return the file unchanged if it is complete and has the wanted format and rate."""
        if audio.start or audio.end is not None:
            return None
        if isinstance(audio.data, bytes):
            content = audio.data
        elif audio.data is None and audio.path and audio.path.suffix[1:].lower() in UNIVERSAL_FORMATS:
            with open_source(audio.path, _display_name(audio)) as file:
                if self.format == "auto" and self.rate is None:  # refuse a file of gigabytes before it is read
                    self._check_size(file.seek(0, os.SEEK_END), _display_name(audio), audio.path.suffix[1:].lower())
                file.seek(0)
                content = file.read()
        else:
            return None
        info = probe(content, _display_name(audio))  # report a broken file by name, not through the server's error
        check_length(info.seconds, _display_name(audio))
        if not (signature := AUDIO_SIGNATURE.match(content)):
            return None
        actual: Format = "wav" if signature[1] else "mp3"
        is_wanted = self.format in ("auto", actual) and self.rate in (None, info.rate)
        return EncodedAudio(content, actual, _display_name(audio)) if is_wanted else None

    def _encode(self, audio: Audio) -> EncodedAudio:
        target_format: Format = "wav" if self.format == "auto" else self.format
        return EncodedAudio(audio.encode(target_format, rate=self.rate), target_format, _display_name(audio))


def _display_name(audio: Audio) -> str:
    return audio.uri or "In-memory audio"


def encode_base64(content: bytes) -> bytes:
    """Encode to base64 with `pybase64`, ten times as fast as the standard library."""
    try:
        from pybase64 import b64encode
    except ImportError as error:
        raise MissingExtra("Models behind an API", "api") from error
    encoded: bytes = b64encode(content)
    return encoded


def data_url(media_type: str, content: bytes) -> bytes:
    return b"data:" + media_type.encode() + b";base64," + encode_base64(content)


def is_remote(part: Audio | Image | Video) -> bool:
    """Return whether the server should fetch this media itself, by URL."""
    return part.data is None and part.uri.startswith(WEB_SCHEMES) and not _is_sliced(part)


def read_media_file(part: Image | Video, max_megabytes: float) -> bytes:
    """Return the file of an image or a video, unchanged."""
    if _is_sliced(part):
        raise SampleError(
            f"{_media_name(part)}: APIs do not accept parts of a video. Send frames of the part with -M frames=8 "
            "(openai, azure, vllm-chat), cut the file first, or remove start and end."
        )
    content = part.read()
    check_size(len(content), part, max_megabytes)
    return content


def check_size(size: int, part: Image | Video, max_megabytes: float, form: str = "") -> None:
    """Raise `SampleError` if an image or a video is too large for a request; `form` is what it is sent as."""
    if size / 1e6 > max_megabytes:
        raise SampleError(
            f"{_media_name(part)} has {size / 1e6:.1f} MB{form and f' {form}'}, more than the limit of "
            f"{max_megabytes:g} MB per request. Use a smaller file, or raise -M max_megabytes."
        )


def _media_name(part: Image | Video) -> str:
    return part.uri or "In-memory media"


def _is_sliced(part: Audio | Image | Video) -> bool:
    return not isinstance(part, Image) and bool(part.start or part.end is not None)
