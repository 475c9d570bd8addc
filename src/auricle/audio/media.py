"""Where sounds, pictures and films are; nothing is opened, or found wrong, before it is needed."""

from __future__ import annotations

import hashlib
import mimetypes
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self
from urllib.parse import unquote, urlsplit

from auricle.audio import decode, waveform
from auricle.audio.waveform import AudioInfo, Format, Waveform
from auricle.core.errors import AudioError, SampleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import float32
    from numpy.typing import NDArray

__all__ = ["Audio", "AudioInfo", "Image", "Video"]

REMOTE_SCHEMES = ("http://", "https://")
_MAX_CHANNELS = 64  # beyond this an array is channels first, not a sound with so many channels


@dataclass(frozen=True, slots=True)
class Audio:
    """Where a sound is, not what it is; decoded only where a model needs it.

    An array in `data` is (frames,) or (frames, channels) of float32 and has a `rate`. `start` and
    `end` are seconds. `data` takes no part in comparison: `hash` tells sounds apart by content.
    """

    uri: str = ""
    start: float = 0.0
    end: float | None = None
    data: bytes | NDArray[float32] | None = field(default=None, repr=False, compare=False)
    rate: int | None = None
    _origin: Audio | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, value: object, *, rate: int | None = None, start: float = 0.0, end: float | None = None) -> Audio:
        """From a path, bytes, an array with its rate, a Hugging Face value, or an Audio.

        A bare array is (frames,) or (frames, channels); Hugging Face's are (channels, frames).
        A slice of an Audio that is itself a slice counts from where that one starts.
        """
        for fits, build in _BUILDERS:
            if fits(value):
                return build(value, rate).segment(start, end)
        raise AudioError(
            f"Cannot make a sound of {type(value).__qualname__}: give a path, bytes, an array "
            "with its rate, or a Hugging Face audio value."
        )

    @property
    def path(self) -> Path | None:
        """The file on disk, sliced or not; None for sounds in memory and URLs."""
        if self._origin is not None:
            return self._origin.path
        return _local_path(self.uri) if self.data is None else None

    @property
    def hash(self) -> str:
        """Identity of the content and the slice, whatever the path; a loaded copy keeps it."""
        if self._origin is not None:
            return self._origin.hash
        if self.data is None and self.uri.startswith(REMOTE_SCHEMES):  # known by its address alone
            return _slice_digest(self.uri.encode(), self.start, self.end)
        return _slice_digest(self._content_digest(), self.start, self.end)

    @property
    def seconds(self) -> float:
        """Length of the slice, clipped to the file; from the header, so without decoding."""
        info = self.info()
        frames = waveform.frames_between(self.start, self.end, info, self._name)
        return float(frames.stop - frames.start) / info.rate

    def segment(self, start: float = 0.0, end: float | None = None) -> Audio:
        """The stretch from start to end, in seconds from where this one starts, and inside it."""
        if start == 0.0 and end is None:
            return self
        if self.start:  # else the sum could look right
            waveform.check_slice(start, end, self._name)
        stop = self.end if end is None else self.start + end
        if self.end is not None and stop is not None:
            stop = min(stop, self.end)
        origin = None if self._origin is None else self._origin.segment(start, end)
        return replace(self, start=self.start + start, end=stop, _origin=origin)

    def info(self) -> AudioInfo:
        """Rate, channels and frames of the whole sound, not of the slice."""
        if self.data is None or isinstance(self.data, bytes):
            return decode.probe(self._source(), self._name)
        values, rate = self._array()
        if not len(values):
            raise AudioError(f"{self._name} holds no sound: the array is empty.")
        return AudioInfo(rate, 1 if values.ndim == 1 else values.shape[1], len(values))

    def decode(self, rate: int | None = None, *, mono: bool = True) -> NDArray[float32]:
        """Samples of the slice: (frames,), or (frames, channels) with mono=False.

        A mono array that has the rate already is handed out itself: do not write into it.
        """
        values, native = self._waveform(mono=mono)
        rate = waveform.check_rate(native if rate is None else rate, self._name)
        return waveform.resample(values, native, rate, self._name)

    def load(self, rate: int) -> Audio:
        """A copy that holds its mono samples at `rate`; its name, path and hash stay the same."""
        return Audio(uri=self.uri, data=self.decode(rate), rate=rate, _origin=self._origin or self)

    def encode(self, format: Format = "wav", *, rate: int | None = None) -> bytes:  # noqa: A002
        """The slice as a mono file, 16 bits where that applies, for the wire and for players."""
        sound = self._waveform(mono=True)
        return waveform.encode(sound, sound.rate if rate is None else rate, format, self._name)

    def __fspath__(self) -> str:
        whole = self._origin or self
        if whole.path is None or whole.start or whole.end is not None:
            raise AudioError(
                f"{self._name} is not a whole file on disk; use decode() for its samples or encode() for its bytes."
            )
        return str(whole.path)

    @property
    def _name(self) -> str:
        return self.uri or "The sound in memory"

    def _source(self) -> Path | bytes:
        if isinstance(self.data, bytes):
            return self.data
        return _local_path(self.uri) or _raise_not_local(self.uri, AudioError)

    def _array(self) -> Waveform:
        if self.rate is None:
            raise AudioError(f"{self._name}: an array needs its sample rate (rate=16000).")
        return Waveform(waveform.as_float32(self.data), waveform.check_rate(self.rate, self._name))

    def _waveform(self, *, mono: bool) -> Waveform:
        if self.data is None or isinstance(self.data, bytes):
            values, rate = decode.read(self._source(), self._name, self.start, self.end)
        else:
            values, rate = self._array()
            wanted = waveform.frames_between(self.start, self.end, self.info(), self._name)
            values = values[wanted]
        values = waveform.downmix(values) if mono else values.reshape(len(values), -1)
        waveform.check_finite(values, self._name)
        return Waveform(values, rate)

    def _content_digest(self) -> bytes:
        if self.data is None or isinstance(self.data, bytes):
            return _digest(self._source(), self._name, AudioError)
        import numpy as np

        values, rate = self._array()
        digest = hashlib.blake2b(f"{values.dtype.str} {values.shape} {rate}".encode(), digest_size=16)
        digest.update(np.ascontiguousarray(values).data)
        return digest.digest()


def _from_path(value: Any, _rate: int | None) -> Audio:
    return Audio(os.fsdecode(value))


def _from_bytes(value: Any, _rate: int | None) -> Audio:
    return Audio(data=bytes(value))


def _from_array(value: Any, rate: int | None, uri: str = "") -> Audio:
    if rate is None:
        raise AudioError("An array needs its sample rate: Audio.of(array, rate=16000).")
    values = waveform.as_float32(value)
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] > _MAX_CHANNELS):
        raise AudioError(
            f"A sound is (frames,) or (frames, channels), not {values.shape}; if channels come first, give array.T."
        )
    return Audio(uri, data=values, rate=int(rate))


def _from_mapping(value: Any, rate: int | None) -> Audio:
    """Hugging Face's decoded ({array, sampling_rate}) and stored ({bytes, path}) forms."""
    uri = os.fsdecode(value.get("path") or "")
    if value.get("array") is not None:
        return _from_channels_first(value["array"], value.get("sampling_rate", rate), uri)
    if value.get("bytes") is not None:
        if not isinstance(value["bytes"], (bytes, bytearray, memoryview)):
            raise AudioError(f"A sound's bytes are bytes, not {type(value['bytes']).__name__}.")
        return Audio(uri, data=bytes(value["bytes"]))
    if uri:
        return Audio(uri)
    raise AudioError(f"An audio value needs array, bytes or path; found {sorted(value)}.")


def _from_decoder(value: Any, _rate: int | None) -> Audio:
    sound = value.get_all_samples()
    return _from_channels_first(sound.data, sound.sample_rate, "")


def _from_channels_first(value: Any, rate: int | None, uri: str) -> Audio:
    return _from_array(waveform.as_float32(value).T, rate, uri)


def _instance_of(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types)


def _has_attribute(name: str) -> Callable[[object], bool]:
    return lambda value: hasattr(value, name)


# Audio comes before paths because it is itself path-like.
_BUILDERS: tuple[tuple[Callable[[object], bool], Callable[[Any, int | None], Audio]], ...] = (
    (_instance_of(Audio), lambda value, _rate: value),
    (_instance_of(str, os.PathLike), _from_path),
    (_instance_of(bytes, bytearray, memoryview), _from_bytes),
    (_instance_of(Mapping), _from_mapping),
    (_instance_of(list, tuple), _from_array),
    (_has_attribute("get_all_samples"), _from_decoder),
    (_has_attribute("__array__"), _from_array),
)


@dataclass(frozen=True, slots=True)
class _MediaFile:
    """A file handed on as it is, for models that also see."""

    uri: str = ""
    data: bytes | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, value: object) -> Self:
        """From a path, bytes, a {bytes, path} mapping, or one of its own kind."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str | os.PathLike):
            return cls(os.fsdecode(value))
        if isinstance(value, bytes):
            return cls(data=value)
        if isinstance(value, Mapping) and (value.get("bytes") or value.get("path")):
            return cls(os.fsdecode(value.get("path") or ""), value.get("bytes"))
        raise SampleError(f"Cannot make {cls.__name__} of {type(value).__qualname__}: give a path or bytes.")

    @property
    def path(self) -> Path | None:
        return _local_path(self.uri) if self.data is None else None

    @property
    def hash(self) -> str:
        """Identity of the content, whatever the path."""
        return _digest(self._source(), self._name, SampleError).hex()

    @property
    def media_type(self) -> str:
        """Such as image/png: by content, then by suffix."""
        with decode.open_source(self._source(), self._name, SampleError) as stream:
            head = stream.read(64)
        guess = mimetypes.guess_type(self.uri)[0] or "application/octet-stream"
        return next((kind for pattern, kind in _MAGIC if re.match(pattern, head, re.DOTALL)), guess)

    def read(self) -> bytes:
        with decode.open_source(self._source(), self._name, SampleError) as stream:
            return stream.read()

    @property
    def _name(self) -> str:
        return self.uri or f"The {type(self).__name__.lower()} in memory"

    def _source(self) -> Path | bytes:
        if self.data is not None:
            return self.data
        return _local_path(self.uri) or _raise_not_local(self.uri, SampleError)


@dataclass(frozen=True, slots=True)
class Image(_MediaFile):
    """Where a picture is."""


@dataclass(frozen=True, slots=True)
class Video(_MediaFile):
    """Where a film is; `start` and `end` are seconds, for models that take a part of it."""

    start: float = 0.0
    end: float | None = None

    @property
    def hash(self) -> str:
        """Identity of the content and the slice, whatever the path."""
        waveform.check_slice(self.start, self.end, self._name, SampleError)
        content = _digest(self._source(), self._name, SampleError)
        return _slice_digest(content, self.start, self.end)


_MAGIC = (
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"),
    (rb"BM", "image/bmp"),
    (rb"(II\*\0|MM\0\*)", "image/tiff"),
    (rb"....ftypavif", "image/avif"),
    (rb"....ftyp(heic|heix|mif1)", "image/heic"),
    (rb"....ftypqt  ", "video/quicktime"),
    (rb"....ftyp", "video/mp4"),
    (rb"\x1aE\xdf\xa3.*webm", "video/webm"),
    (rb"\x1aE\xdf\xa3", "video/x-matroska"),
    (rb"RIFF....AVI ", "video/x-msvideo"),
)


def _local_path(uri: str) -> Path | None:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", uri)
    if scheme is None:
        return Path(uri) if uri else None
    return Path(unquote(urlsplit(uri).path)) if scheme[1].lower() == "file" else None


def _raise_not_local(uri: str, error_type: type[SampleError]) -> NoReturn:
    if not uri:
        raise error_type("Neither a path nor data was given.")
    raise error_type(f"{uri} is not on this machine: download it first and give the path of the file.")


def _digest(source: Path | bytes, name: str, error_type: type[SampleError]) -> bytes:
    if isinstance(source, bytes):
        return hashlib.sha256(source).digest()[:16]
    with decode.open_source(source, name, error_type) as stream:
        status = os.fstat(stream.fileno())
    return _file_digest(source, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=65_536)
def _file_digest(path: Path, _size: int, _modified: int) -> bytes:
    """With the processors' own instructions for it, SHA-256 is twice as fast as the others."""
    with path.open("rb", buffering=0) as stream:
        return hashlib.file_digest(stream, "sha256").digest()[:16]


def _slice_digest(content: bytes, start: float, end: float | None) -> str:
    times = f"{float(start)} {None if end is None else float(end)}"
    return hashlib.blake2b(content + times.encode(), digest_size=16).hexdigest()
