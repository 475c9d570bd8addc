"""Decode audio files by content, not by file name, and reject truncated ones.

libsndfile reads what it can and PyAV the rest. libsndfile trusts some headers it should not (it
loses the end of MP3 files without a frame count, and hides that a WAV file is truncated), so the
header is checked here first.
"""

from __future__ import annotations

import io
import math
import os
import re
import struct
from contextlib import contextmanager
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, BinaryIO

from auricle.core.audio_limit import check_length
from auricle.core.errors import AudioError, SampleError
from auricle.core.files import open_regular_file
from auricle.media.waveform import BLOCK_FRAMES, AudioInfo, Blocks, check_slice, frames_between

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy import float32
    from numpy.typing import NDArray


def probe(source: Path | bytes, name: str) -> AudioInfo:
    """Return rate, channels and length, from the header if it is reliable."""
    with open_source(source, name) as stream:
        if plain := _parse_plain_wav(stream.read(44), stream.seek(0, os.SEEK_END)):
            return plain
    with _open_reader(source, name) as reader:
        return reader.info()


@contextmanager
def open_blocks(source: Path | bytes, name: str, start: float, end: float | None) -> Iterator[Blocks]:
    """Decode the slice from start to end in seconds, with all channels and the rate of the file, block by block.

    A slice that is longer than the limit is refused: from the header if it states the length, or while decoding.
    """
    with open_source(source, name) as stream:
        head, size = stream.read(44), stream.seek(0, os.SEEK_END)
        if (info := _parse_plain_wav(head, size)) and head[34] == 16:
            frames = frames_between(start, end, info, name)
            check_length((frames.stop - frames.start) / info.rate, name)
            yield Blocks(info.rate, _read_plain_wav(stream, info, frames))
            return
    with _open_reader(source, name) as reader:
        yield reader.open_blocks(start, end)


# --- opening ------------------------------------------------------------------------

_OPEN_ERRORS: dict[type[Exception], str] = {
    FileNotFoundError: "does not exist",
    IsADirectoryError: "is a directory, not a file",
    PermissionError: "cannot be read by this user",
}


class _ClampedBytesIO(io.BytesIO):
    """Clamps seeks before the start, because C code that calls it cannot handle an exception."""

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return super().seek(max(offset, 0) if whence == os.SEEK_SET else offset, whence)


@contextmanager
def open_source(source: Path | bytes, name: str, error_type: type[SampleError] = AudioError) -> Iterator[BinaryIO]:
    """Open a non-empty file or bytes as a seekable stream."""
    try:  # a file is opened unbuffered, so that its descriptor has the position of the stream
        stream = _ClampedBytesIO(source) if isinstance(source, bytes) else open_regular_file(source, buffering=0)
    except (OSError, ValueError) as error:
        reason = _OPEN_ERRORS.get(type(error), f"cannot be opened ({error})")
        raise error_type(f"{name} {reason}.") from error
    with stream:
        if not stream.seek(0, os.SEEK_END):
            raise error_type(f"{name} is empty (0 bytes).")
        stream.seek(0)
        yield stream


@contextmanager
def _open_reader(source: Path | bytes, name: str) -> Iterator[_SoundFileReader | _ContainerReader]:
    """Open audio with libsndfile if that reads it correctly, or else with PyAV."""
    with open_source(source, name) as stream:
        head = stream.read(64)
        file = _open_soundfile(stream) if _length_is_stated(stream, head, name) else None
        if file is not None:
            with file:
                yield _SoundFileReader(file, name)
        else:
            with open_container(stream, name, "an audio file") as container:
                yield _ContainerReader(container, name)


# --- headers ------------------------------------------------------------------------


def _parse_plain_wav(head: bytes, size: int) -> AudioInfo | None:
    """Parse the 44-byte header of most WAV files, in a twentieth of the time of a library.

    Returns None unless it describes a complete file of integer samples.
    """
    if len(head) < 44 or head[:4] != b"RIFF" or head[8:16] != b"WAVEfmt " or head[36:40] != b"data":
        return None
    length, kind, channels, rate, _, block, width = struct.unpack("<IHHIIHH", head[16:36])
    (data_size,) = struct.unpack("<I", head[40:44])
    is_complete = 0 < data_size <= size - 44 and data_size < _UNKNOWN_SIZE
    is_plain = (length, kind) == (16, 1) and channels and rate and block * 8 == channels * width
    return AudioInfo(rate, channels, data_size // block) if is_complete and is_plain and block else None


def _read_plain_wav(stream: BinaryIO, info: AudioInfo, frames: slice) -> Iterator[NDArray[float32]]:
    """Decode 16-bit samples exactly as libsndfile does, in a third of its time for a short file."""
    import numpy as np

    frame_bytes = 2 * info.channels
    stream.seek(44 + frames.start * frame_bytes)
    for first in range(frames.start, frames.stop, BLOCK_FRAMES):
        count = min(BLOCK_FRAMES, frames.stop - first)
        samples = np.frombuffer(stream.read(count * frame_bytes), "<i2")
        values = samples.astype(np.float32) / np.float32(32768)
        yield values if info.channels == 1 else values.reshape(-1, info.channels)


_UNKNOWN_SIZE = 0x7FFFF000  # programs that write to a pipe state sizes from here on for "unknown"
_MAX_OGG_PAGE = 65_307  # bytes


def _length_is_stated(stream: BinaryIO, head: bytes, name: str) -> bool:
    """Return whether libsndfile can determine the length; raise if the file is truncated."""
    size = stream.seek(0, os.SEEK_END)
    if head[:3] == b"ID3" or (head[0] == 0xFF and head[1:2] >= b"\xe0"):
        return _mpeg_length_is_stated(stream, head)
    check = _LENGTH_CHECKS.get(head[:4]) or _LENGTH_CHECKS.get(head[4:8])
    return check is None or check(stream, size, name)


def _chunk_length_is_stated(stream: BinaryIO, size: int, name: str, *, order: str, data_tag: bytes) -> bool:
    """Check RIFF and AIFF: the chunk of samples must be within the file."""
    stream.seek(4)
    (stated,) = struct.unpack(order + "I", stream.read(4).ljust(4, b"\0"))
    position = 12
    while position + 8 <= size:
        stream.seek(position)
        tag, length = struct.unpack(order + "4sI", stream.read(8))
        position += 8
        if tag == data_tag:
            if length < _UNKNOWN_SIZE and position + length > size:
                raise _truncated_error(name, f"{length:,} bytes of audio", f"{size - position:,}")
            return bool(length) or int(stated) + 8 == size
        position += length + length % 2
    return True


def _flac_length_is_stated(stream: BinaryIO, _size: int, _name: str) -> bool:
    """Check FLAC: written to a pipe, it states zero samples."""
    stream.seek(18)
    return int.from_bytes(stream.read(8)) % (1 << 36) > 0


def _ogg_length_is_stated(stream: BinaryIO, size: int, name: str) -> bool:
    """Check Ogg: the last page must be complete."""
    stream.seek(max(0, size - _MAX_OGG_PAGE))
    tail = stream.read()
    page = tail[tail.rfind(b"OggS") :]
    lacing = page[27 : 27 + page[26]] if len(page) > 26 else b""
    if len(page) < 27 + len(lacing) + sum(lacing) or len(lacing) < page[26]:
        raise _truncated_error(name, "one more page", "a part of it")
    return True


def _mpeg_length_is_stated(stream: BinaryIO, head: bytes) -> bool:
    """Check MP3: only files with a Xing header state their length; for others libsndfile guesses."""
    tag = 0
    if head[:3] == b"ID3":
        tag = 10 + reduce(lambda total, byte: total << 7 | byte, head[6:10])
    stream.seek(tag)
    header = re.search(rb"(?:Xing|Info)...(.)", stream.read(2048), re.DOTALL)
    return header is not None and header[1][0] % 2 == 1  # the lowest flag: the number of frames is stated


def _check_mp4_boxes(stream: BinaryIO, size: int, name: str) -> bool:
    """Check MP4: every box must be within the file; libsndfile does not read MP4."""
    position = 0
    while position + 16 <= size:
        stream.seek(position)
        length, _tag, extended = struct.unpack(">I4sQ", stream.read(16))
        length = extended if length == 1 else length or size - position
        if position + length > size:
            raise _truncated_error(name, f"{position + length:,} bytes", f"{size:,}")
        position += max(length, 8)
    return False


_LENGTH_CHECKS: dict[bytes, Callable[[BinaryIO, int, str], bool]] = {
    b"RIFF": partial(_chunk_length_is_stated, order="<", data_tag=b"data"),
    b"RIFX": partial(_chunk_length_is_stated, order=">", data_tag=b"data"),
    b"FORM": partial(_chunk_length_is_stated, order=">", data_tag=b"SSND"),
    b"OggS": _ogg_length_is_stated,
    b"fLaC": _flac_length_is_stated,
    b"ftyp": _check_mp4_boxes,
}


def _truncated_error(name: str, expected: str, actual: str) -> AudioError:
    return AudioError(
        f"{name} is truncated: its header states {expected}, but it contains {actual}. Copy or download it again."
    )


# --- libsndfile ---------------------------------------------------------------------


def _open_soundfile(stream: BinaryIO) -> Any:
    """Open a SoundFile; return None if libsndfile does not support the format."""
    import soundfile

    stream.seek(0)
    # A descriptor is read without calling back into Python, and has no misleading suffix.
    use_descriptor = isinstance(stream, io.FileIO) and os.name == "posix"
    try:
        return soundfile.SoundFile(stream.fileno() if use_descriptor else stream, closefd=False)
    except soundfile.SoundFileError:
        return None


class _SoundFileReader:
    def __init__(self, file: Any, name: str) -> None:
        self.file = file
        self.name = name

    def info(self) -> AudioInfo:
        if not self.file.frames:
            raise AudioError(f"{self.name} contains no audio: its header states zero samples.")
        return AudioInfo(self.file.samplerate, self.file.channels, self.file.frames)

    def open_blocks(self, start: float, end: float | None) -> Blocks:
        info = self.info()
        frames = frames_between(start, end, info, self.name)
        check_length((frames.stop - frames.start) / info.rate, self.name)
        return Blocks(info.rate, self._read(info, frames))

    def _read(self, info: AudioInfo, frames: slice) -> Iterator[NDArray[float32]]:
        import soundfile

        # Seeking in MP3 files is inexact, so they are read from the start.
        position = 0 if self.file.format == "MP3" else frames.start
        try:
            self.file.seek(position)
            while position < frames.stop:
                values = self.file.read(min(BLOCK_FRAMES, frames.stop - position), dtype="float32")
                if not len(values):
                    raise _truncated_error(self.name, f"{info.seconds:g} s", f"{position / info.rate:g} s")
                position += len(values)
                if (used := min(position - frames.start, len(values))) > 0:
                    yield values[len(values) - used :]
        except soundfile.SoundFileError as error:
            raise damaged_error(self.name, f"libsndfile reports '{str(error).rstrip('.')}'") from error
        except (MemoryError, ValueError) as error:
            raise damaged_error(self.name, f"{info.seconds:g} s of audio do not fit in memory") from error


# --- PyAV ---------------------------------------------------------------------------

# Playlists would make FFmpeg open other files and addresses, so only containers are allowed.
_CONTAINERS = (
    "mov,matroska,webm,asf,avi,flv,mpegts,mpeg,ogg,aac,mp3,flac,wav,aiff,caf,au,amr,ac3,eac3,dts,"
    "ape,wv,tta,tak,mpc,mpc8,w64,loas,latm,rm,3gp"
)
INDEXED_CONTAINERS = {"mov", "matroska"}
"""Containers that state their duration and can be searched by time; others estimate both from the bit rate."""
OPUS_RATE = 48_000
"""Rate of decoded Opus, whatever the rate of the original sound."""
_DURATION_TOLERANCE = 0.1  # seconds; codecs pad and trim at both ends
_FORMAT_SIGNATURES = (
    (0, b"RIFF", "WAV"),
    (0, b"FORM", "AIFF"),
    (0, b"fLaC", "FLAC"),
    (0, b"OggS", "Ogg"),
    (0, b"ID3", "MP3"),
    (4, b"ftyp", "MP4"),
    (0, b"\x1aE\xdf\xa3", "Matroska or WebM"),
)


@contextmanager
def open_container(stream: BinaryIO, name: str, kind: str, error_type: type[SampleError] = AudioError) -> Iterator[Any]:
    """Open a file with PyAV; `kind` is what it should be, such as "a video"."""
    import av

    stream.seek(0)
    head = stream.read(64)
    stream.seek(0)
    try:
        container = av.open(_ContainerFile(stream), options={"format_whitelist": _CONTAINERS})
    except (av.error.FFmpegError, ValueError) as error:
        for offset, magic, container_name in _FORMAT_SIGNATURES:
            if head[offset:].startswith(magic):
                reason = f"it begins like a {container_name} file but cannot be decoded"
                raise damaged_error(name, reason, error_type) from error
        raise error_type(f"{name} is not {kind} of any known format.") from error
    with container:
        yield container


class _ContainerFile:
    """A file for PyAV, which prints a traceback if `seek` raises; damaged headers name impossible places."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        try:
            return self._stream.seek(offset, whence)
        except (OSError, ValueError, OverflowError):
            return -1  # FFmpeg's sign of failure


class _ContainerReader:
    def __init__(self, container: Any, name: str) -> None:
        self.container = container
        self.name = name
        self.container_format = container.format.name.split(",")[0]
        if not container.streams.audio:
            kinds = ", ".join(sorted({stream.type for stream in container.streams})) or "nothing"
            raise AudioError(f"{name} has no audio stream (it contains: {kinds}).")
        self.track = container.streams.audio[0]
        if self.track.codec_context is None or not self.track.codec_context.sample_rate:
            raise AudioError(f"{name} has an audio stream that is damaged or in an unknown codec.")
        self.opus_pre_skip = _read_opus_pre_skip(self.track.codec_context.extradata)

    def info(self) -> AudioInfo:
        stated = self._stated_seconds()
        if stated is None:
            return self._decoded_info(sum(len(block) for block in self._blocks(None)))
        return self._decoded_info(round(stated * self.track.codec_context.sample_rate))

    def open_blocks(self, start: float, end: float | None) -> Blocks:
        check_slice(start, end, self.name)
        stated = self._stated_seconds() or 0.0
        check_length(min(stated, end or stated) - start, self.name)
        return Blocks(self.track.codec_context.sample_rate, self._read(start, end, stated))

    def _read(self, start: float, end: float | None, stated: float) -> Iterator[NDArray[float32]]:
        rate = self.track.codec_context.sample_rate
        first, last = round(start * rate), math.inf if end is None else round(end * rate)
        position = 0
        for block in _join_small_blocks(self._blocks(end)):
            used = block[max(0, first - position) : int(max(0, min(last - position, len(block))))]
            position += len(block)
            check_length((min(position, last) - first) / rate, self.name)
            if len(used):
                yield used
        info = self._decoded_info(position)
        if self.container_format == "matroska" and info.seconds + _DURATION_TOLERANCE < min(stated, end or stated):
            raise _truncated_error(self.name, f"{stated:g} s", f"{info.seconds:g} s")
        frames_between(start, end, info, self.name)  # raises if nothing is left of the slice

    def _decoded_info(self, frames: int) -> AudioInfo:
        if not frames:
            raise AudioError(f"{self.name} contains no audio: its audio stream is empty.")
        context = self.track.codec_context
        return AudioInfo(context.sample_rate, context.channels, frames)

    def _stated_seconds(self) -> float | None:
        """Return the length from the header, if the container states one for this stream."""
        if self.container_format not in INDEXED_CONTAINERS:
            return None
        if self.track.duration is not None:
            return float(self.track.duration * self.track.time_base)
        if self.container.duration is not None and len(self.container.streams) == 1:  # Matroska includes the pre-skip
            return max(0.0, float(self.container.duration) / 1_000_000 - self.opus_pre_skip / OPUS_RATE)
        return None

    def _blocks(self, end: float | None) -> Iterator[NDArray[float32]]:
        """Yield decoded blocks of (frames, channels) up to the end of the slice."""
        import av

        context = self.track.codec_context
        converter = av.AudioResampler(format="flt", layout=context.layout, rate=context.sample_rate)
        max_frames = math.inf if end is None else end * context.sample_rate + 1
        count, unskipped = 0, -1
        try:
            for packet in self.container.demux(self.track):
                unskipped = self._count_unskipped(packet) if unskipped < 0 else unskipped
                for block in (block for frame in packet.decode() for block in converter.resample(frame)):
                    values: Any = block.to_ndarray().reshape(-1, context.channels)[unskipped:]
                    unskipped = max(0, unskipped - block.samples)
                    count += len(values)
                    yield values
                if count >= max_frames:
                    return
        except (av.error.FFmpegError, ValueError) as error:
            seconds = count / context.sample_rate
            raise damaged_error(self.name, f"decoding stops after {seconds:g} s") from error

    def _count_unskipped(self, first_packet: Any) -> int:
        """Return how many frames at the start remain to be dropped.

        FFmpeg drops as many as the container states. Matroska files of earlier versions of FFmpeg state too few for
        Opus, unless the original sound had 48 kHz; the header of the codec has the right number.
        """
        if not self.opus_pre_skip or not first_packet.has_sidedata("skip_samples"):
            return 0
        skipped = int.from_bytes(bytes(first_packet.get_sidedata("skip_samples"))[:4], "little")
        return max(0, self.opus_pre_skip - skipped)


def _read_opus_pre_skip(header: bytes | None) -> int:
    """Return the number of frames to drop at the start of Opus, from the header of the codec; 0 for other codecs."""
    if header is None or not header.startswith(b"OpusHead"):
        return 0
    return int.from_bytes(header[10:12], "little")


def _join_small_blocks(blocks: Iterator[NDArray[float32]]) -> Iterator[NDArray[float32]]:
    """Join the blocks of a codec, which may have only a thousand frames."""
    import numpy as np

    parts: list[NDArray[float32]] = []
    count = 0
    for block in blocks:
        parts.append(block)
        count += len(block)
        if count >= BLOCK_FRAMES:
            yield np.concatenate(parts)
            parts, count = [], 0
    if parts:
        yield np.concatenate(parts)


def damaged_error(name: str, reason: str, error_type: type[SampleError] = AudioError) -> SampleError:
    return error_type(f"{name} is damaged or truncated: {reason}. Copy or download it again.")
