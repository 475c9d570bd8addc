"""References to audio, images and videos, which are opened only when their content is needed."""

from __future__ import annotations

import hashlib
import math
import mimetypes
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from auricle.core.audio_limit import check_length
from auricle.core.errors import AudioError, SampleError
from auricle.core.home_folder import home_folder
from auricle.core.storage import is_remote, local_path
from auricle.media import decode, waveform
from auricle.media.archives import parse_member
from auricle.media.fetching import WEB_SCHEMES, fetch, is_fetched
from auricle.media.waveform import AudioInfo, Blocks, Format

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from auricle.media.perturbations.base import PerturbationChain
    from auricle.media.video import VideoFrame

__all__ = ["Audio", "AudioInfo", "Image", "Video"]

_MAX_CHANNELS = 64  # an array with more columns is taken for channels-first


@dataclass(frozen=True, slots=True)
class Audio:
    """A reference to audio, or to a slice of it, which is decoded only when needed.

    Equality ignores `data`; use `hash` to compare content.

    Args:
        uri: Path or URL; empty for audio in memory.
        start: Start of the slice in seconds.
        end: End of the slice in seconds; None for the end of the audio.
        data: A file as bytes, or float32 samples as (frames,) or (frames, channels).
        rate: Sample rate of an array in `data`.
        perturbation: Changes that are applied to the decoded slice, which is mono then.

    Examples:
        >>> import numpy as np
        >>> clip = Audio.of(np.zeros(16000, dtype=np.float32), rate=16000, end=0.5)
        >>> clip.seconds
        0.5
    """

    uri: str = ""
    start: float = 0.0
    end: float | None = None
    data: bytes | NDArray[float32] | None = field(default=None, repr=False, compare=False)
    rate: int | None = None
    perturbation: PerturbationChain | None = field(default=None, repr=False)
    _origin: Audio | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, value: object, *, rate: int | None = None, start: float = 0.0, end: float | None = None) -> Audio:
        """Create an `Audio` from a path, bytes, an array, a Hugging Face value or another `Audio`.

        Args:
            value: The audio. An array is (frames,) or (frames, channels); in Hugging Face values it is
                (channels, frames).
            rate: Sample rate of an array.
            start: Start of the slice in seconds, relative to the start of another `Audio`.
            end: End of the slice in seconds, relative to the start of another `Audio`.
        """
        return _to_audio(value, rate).segment(start, end)

    @property
    def path(self) -> Path | None:
        """The file on disk, sliced or not; None for perturbed audio, audio in memory, in a tar and at a URL."""
        if self._origin is not None:
            return self._origin.path
        return _local_path(self.uri, home_folder()) if self.data is None and self.perturbation is None else None

    @property
    def hash(self) -> str:
        """Digest of the content, the slice and the perturbation, independent of the path; a loaded copy keeps it."""
        if self._origin is not None:
            return self._origin.hash
        if self.perturbation is not None:
            content = f"{replace(self, perturbation=None).hash} {self.perturbation.key}"
            return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
        if self.data is None and self.uri.startswith(WEB_SCHEMES):  # not downloaded, so identified by its address
            return _slice_digest(self.uri.encode(), self.start, self.end)
        return _slice_digest(self._content_digest(), self.start, self.end)

    @property
    def seconds(self) -> float:
        """Duration of the slice, after its perturbation, read from the header without decoding."""
        info = self.info()
        frames = waveform.frames_between(self.start, self.end, info, self._name)
        seconds = float(frames.stop - frames.start) / info.rate
        return seconds if self.perturbation is None else self.perturbation.change_duration(seconds)

    def segment(self, start: float = 0.0, end: float | None = None) -> Audio:
        """Return the slice from start to end, in seconds from the start of this one and within it."""
        if start == 0.0 and end is None:
            return self
        if self.perturbation is not None:  # which changes the whole recording, and maybe its length
            return replace(self.render().audio, _origin=None).segment(start, end)
        if self.start:  # otherwise a negative start could be hidden in the sum
            waveform.check_slice(start, end, self._name)
        stop = self.end if end is None else self.start + end
        if self.end is not None and stop is not None:
            stop = min(stop, self.end)
        origin = self._origin
        if origin is not None:
            origin = None if origin.perturbation else origin.segment(start, end)
        return replace(self, start=self.start + start, end=stop, _origin=origin)

    def info(self) -> AudioInfo:
        """Return rate, channels and frames of the complete audio, not of the slice, and before any perturbation."""
        if self.data is None or isinstance(self.data, bytes):
            return decode.probe(self._source(), self._name)
        values, rate = self._array()
        if not len(values):
            raise AudioError(f"{self._name} contains no audio: the array is empty.")
        return AudioInfo(rate, 1 if values.ndim == 1 else values.shape[1], len(values))

    def decode(self, rate: int | None = None, *, mono: bool = True) -> NDArray[float32]:
        """Decode the slice to (frames,), or to (frames, channels) with `mono=False`.

        A mono array that has the rate already is returned without copying: do not write to it.

        Args:
            rate: Sample rate to convert to. Default: the rate of the audio.
            mono: Whether to average all channels.
        """
        with self._open_blocks(mono=mono) as blocks:
            target = waveform.check_rate(blocks.rate if rate is None else rate, self._name)
            return waveform.join(waveform.resample(blocks, target, self._name))

    def load(self, rate: int) -> Audio:
        """Return a copy with mono samples at `rate` in memory; its name, path and hash stay the same."""
        return Audio(uri=self.uri, data=self.decode(rate), rate=rate, _origin=self._origin or self)

    def render(self) -> RenderedAudio:
        """Apply the perturbation, and return a copy in memory with what was measured on it.

        The copy keeps its name and hash. Audio without a perturbation is returned unchanged.
        """
        if self.perturbation is None:
            return RenderedAudio(self, {})
        from auricle.media.perturbations.base import Sound

        original = replace(self, perturbation=None)
        (samples, rate), measured = self.perturbation.apply(Sound(original.decode(), original.info().rate))
        waveform.check_finite(samples, self._name)
        return RenderedAudio(Audio(uri=self.uri, data=samples, rate=rate, _origin=self), measured)

    def encode(self, format: Format = "wav", *, rate: int | None = None, mono: bool = True) -> bytes:  # noqa: A002
        """Encode the slice as a file, with 16 bits in WAV and FLAC.

        Args:
            format: `wav`, `flac`, `mp3` or `opus`.
            rate: Sample rate of the file. Default: the rate of the audio.
            mono: Whether to average all channels.
        """
        channels = 1 if mono or self.perturbation is not None else self.info().channels
        with self._open_blocks(mono=mono) as blocks:
            return waveform.encode(blocks, blocks.rate if rate is None else rate, format, self._name, channels)

    def __fspath__(self) -> str:
        original = self._origin or self
        if original.path is None or original.start or original.end is not None:
            raise AudioError(
                f"{self._name} is not a complete file on disk; use decode() for its samples or encode() for its bytes."
            )
        return str(original.path)

    @property
    def _name(self) -> str:
        return self.uri or "The audio in memory"

    def _source(self) -> Path | bytes:
        if isinstance(self.data, bytes):
            return self.data
        return _local_path(self.uri, home_folder()) or fetch(self.uri, AudioError)

    def fetched(self) -> Audio:
        """Return a copy in memory if the audio is in a bucket or in a tar, and otherwise the same audio."""
        return replace(self, data=fetch(self.uri, AudioError)) if self.data is None and is_fetched(self.uri) else self

    def _array(self) -> tuple[NDArray[float32], int]:
        if self.rate is None:
            raise AudioError(f"{self._name}: an array needs its sample rate (rate=16000).")
        return waveform.as_float32(self.data), waveform.check_rate(self.rate, self._name)

    @contextmanager
    def _open_blocks(self, *, mono: bool) -> Iterator[Blocks]:
        """Decode the slice block by block, so that only the result has to fit in memory."""
        if self.perturbation is not None:
            values, rate = self.render().audio._array()  # noqa: SLF001 - a copy of this object
            yield Blocks(rate, iter((values if mono else values.reshape(-1, 1),)))
            return
        if self.data is None or isinstance(self.data, bytes):
            with decode.open_blocks(self._source(), self._name, self.start, self.end) as blocks:
                yield Blocks(blocks.rate, self._checked(blocks.values, mono=mono))
            return
        values, rate = self._array()
        check_length(self.seconds, self._name)
        values = values[waveform.frames_between(self.start, self.end, self.info(), self._name)]
        yield Blocks(rate, self._checked(iter((values,)), mono=mono))

    def _checked(self, blocks: Iterator[NDArray[float32]], *, mono: bool) -> Iterator[NDArray[float32]]:
        for block in blocks:
            values = waveform.downmix(block) if mono else block.reshape(len(block), -1)
            waveform.check_finite(values, self._name)
            yield values

    def _content_digest(self) -> bytes:
        if self.data is None or isinstance(self.data, bytes):
            return _digest(self._source(), self._name, AudioError)
        import numpy as np

        values, rate = self._array()
        digest = hashlib.blake2b(f"{values.dtype.str} {values.shape} {rate}".encode(), digest_size=16)
        digest.update(np.ascontiguousarray(values).data)
        return digest.digest()


class RenderedAudio(NamedTuple):
    """Perturbed audio in memory, and what was measured on it: realised values by name, such as `snr`."""

    audio: Audio
    measured: Mapping[str, float]


def _to_audio(value: Any, rate: int | None) -> Audio:
    if isinstance(value, Audio):  # before paths, because it is itself path-like
        return value
    if isinstance(value, str | os.PathLike):
        return Audio(os.fsdecode(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return Audio(data=bytes(value))
    if isinstance(value, Mapping):
        return _from_mapping(value, rate)
    if hasattr(value, "get_all_samples"):  # a decoder of Hugging Face datasets
        samples = value.get_all_samples()
        return _from_channels_first(samples.data, samples.sample_rate, "")
    if isinstance(value, list | tuple) or hasattr(value, "__array__"):
        return _from_array(value, rate)
    raise AudioError(
        f"Cannot create audio from {type(value).__qualname__}: give a path, bytes, an array "
        "with its rate, or a Hugging Face audio value."
    )


def _from_array(value: Any, rate: int | None, uri: str = "") -> Audio:
    if rate is None:
        raise AudioError("An array needs its sample rate: Audio.of(array, rate=16000).")
    values = waveform.as_float32(value)
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] > _MAX_CHANNELS):
        raise AudioError(
            f"Audio is (frames,) or (frames, channels), not {values.shape}; if channels come first, give array.T."
        )
    return Audio(uri, data=values, rate=int(rate))


def _from_mapping(value: Any, rate: int | None) -> Audio:
    """Read Hugging Face's decoded ({array, sampling_rate}) and stored ({bytes, path}) forms."""
    uri = os.fsdecode(value.get("path") or "")
    if value.get("array") is not None:
        return _from_channels_first(value["array"], value.get("sampling_rate", rate), uri)
    if value.get("bytes") is not None:
        if not isinstance(value["bytes"], (bytes, bytearray, memoryview)):
            raise AudioError(f"The field 'bytes' of an audio value must be bytes, not {type(value['bytes']).__name__}.")
        return Audio(uri, data=bytes(value["bytes"]))
    if uri:
        return Audio(uri)
    raise AudioError(f"An audio value needs array, bytes or path; it has {sorted(value)}.")


def _from_channels_first(value: Any, rate: int | None, uri: str) -> Audio:
    return _from_array(waveform.as_float32(value).T, rate, uri)


@dataclass(frozen=True, slots=True)
class _MediaFile:
    """A file that is passed to models unchanged."""

    uri: str = ""
    """Path of the file."""
    data: bytes | None = field(default=None, repr=False, compare=False)
    """Content of the file, if it is in memory."""

    @classmethod
    def of(cls, value: object) -> Self:
        """Create a reference from a path, bytes, a {bytes, path} mapping, or another reference."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str | os.PathLike):
            return cls(os.fsdecode(value))
        if isinstance(value, bytes):
            return cls(data=value)
        if isinstance(value, Mapping) and (value.get("bytes") or value.get("path")):
            return cls(os.fsdecode(value.get("path") or ""), value.get("bytes"))
        raise SampleError(f"Cannot create {cls.__name__} from {type(value).__qualname__}: give a path or bytes.")

    @property
    def path(self) -> Path | None:
        return _local_path(self.uri, home_folder()) if self.data is None else None

    @property
    def hash(self) -> str:
        """Digest of the content, independent of the path; media on the web are identified by their address."""
        return self._content_digest().hex()

    def _content_digest(self) -> bytes:
        if self.data is None and self.uri.startswith(WEB_SCHEMES):
            return hashlib.sha256(self.uri.encode()).digest()[:16]
        return _digest(self._source(), self._name, SampleError)

    @property
    def media_type(self) -> str:
        """MIME type such as image/png, from the content or else the suffix."""
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
        return _local_path(self.uri, home_folder()) or fetch(self.uri, SampleError)

    def fetched(self) -> Self:
        """Return a copy in memory if the file is in a bucket or in a tar, and otherwise the same reference."""
        return replace(self, data=fetch(self.uri, SampleError)) if self.data is None and is_fetched(self.uri) else self


@dataclass(frozen=True, slots=True)
class Image(_MediaFile):
    """A reference to an image.

    Examples:
        >>> Image.of("cat.png").uri
        'cat.png'
    """


@dataclass(frozen=True, slots=True)
class Video(_MediaFile):
    """A reference to a video, or to the slice from `start` to `end` in seconds.

    Examples:
        >>> Video("talk.mp4", start=2.0, end=5.0).end
        5.0
    """

    start: float = 0.0
    """Start of the slice in seconds."""
    end: float | None = None
    """End of the slice in seconds; None for the end of the video."""

    @classmethod
    def of(cls, value: object, *, start: float = 0.0, end: float | None = None) -> Self:
        """Create a `Video` from a path, bytes, a {bytes, path} mapping, or another `Video`.

        Args:
            value: The video.
            start: Start of the slice in seconds, relative to the start of another `Video`.
            end: End of the slice in seconds, relative to the start of another `Video`.
        """
        video = super(Video, cls).of(value)
        if start == 0.0 and end is None:
            return video
        stop = video.end if end is None else min(video.start + end, math.inf if video.end is None else video.end)
        return replace(video, start=video.start + start, end=stop)

    @property
    def seconds(self) -> float:
        """Duration of the slice, from its first frame to the end of its last; nothing is decoded."""
        from auricle.media.video import read_times  # commands start faster without it

        with decode.open_source(self._source(), self._name, SampleError) as stream:
            times = read_times(stream, self._name, self.start, self.end)
        return (times[-1] - times[0]) * len(times) / max(1, len(times) - 1)

    def frames(self, count: int | None = None, *, fps: float | None = None) -> list[Image]:
        """Return frames of the slice as JPEG images; a video with fewer frames gives all of them.

        Args:
            count: Number of frames, evenly spaced from the first to the last.
            fps: Frames per second, instead of a number.
        """
        return [Image(data=frame.to_jpeg()) for frame in self.iter_frames(count, fps=fps)]

    def iter_frames(self, count: int | None = None, *, fps: float | None = None) -> Iterator[VideoFrame]:
        """Decode the frames that `frames` encodes, one by one, with their times."""
        from auricle.media.video import FrameSampling, iter_frames

        sampling = FrameSampling(count, fps)
        with decode.open_source(self._source(), self._name, SampleError) as stream:
            yield from iter_frames(stream, self._name, sampling, self.start, self.end)

    @property
    def hash(self) -> str:
        """Digest of the content and the slice, independent of the path."""
        waveform.check_slice(self.start, self.end, self._name, SampleError)
        return _slice_digest(self._content_digest(), self.start, self.end)


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


@lru_cache(maxsize=4096)  # a clip is opened several times, and parsing its path takes as long as reading its header
def _local_path(uri: str, folder: str) -> Path | None:
    if not uri or is_remote(uri) or parse_member(uri):
        return None
    return folder / local_path(uri)


def _digest(source: Path | bytes, name: str, error_type: type[SampleError]) -> bytes:
    if isinstance(source, bytes):
        return hashlib.sha256(source).digest()[:16]
    try:
        status = source.stat()
        version = status.st_size, status.st_mtime_ns
    except (OSError, ValueError):
        version = None  # opening the file raises the same error, with its name
    return _file_digest(source, version, name, error_type)  # type: ignore[arg-type]  # a class is hashable


@lru_cache(maxsize=65_536)
def _file_digest(path: Path, _version: tuple[int, int] | None, name: str, error_type: type[SampleError]) -> bytes:
    """Return a SHA-256 digest, which is the fastest one on CPUs with instructions for it."""
    with decode.open_source(path, name, error_type) as stream:
        return hashlib.file_digest(stream, "sha256").digest()[:16]  # type: ignore[arg-type]  # it is readable


def _slice_digest(content: bytes, start: float, end: float | None) -> str:
    times = f"{float(start)} {None if end is None else float(end)}"
    return hashlib.blake2b(content + times.encode(), digest_size=16).hexdigest()
