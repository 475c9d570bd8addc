"""Operations on decoded audio: float32 in -1..1, one column per channel."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from auricle.core.errors import AudioError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Format = Literal["wav", "flac", "mp3", "opus"]
BLOCK_FRAMES = 1 << 21  # frames that are decoded and resampled at a time, 44 s at 48 kHz


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """Sample rate, channels and frames per channel."""

    rate: int
    channels: int
    frames: int

    @property
    def seconds(self) -> float:
        return self.frames / self.rate


class Blocks(NamedTuple):
    """Audio that is decoded block by block: its sample rate, and blocks of (frames,) or (frames, channels)."""

    rate: int
    values: Iterator[NDArray[float32]]


def frames_between(start: float, end: float | None, info: AudioInfo, name: str) -> slice:
    """Convert seconds to a slice of frames; an end after the audio is clipped, a start after it is an error."""
    check_slice(start, end, name)
    if start >= info.seconds:
        raise AudioError(f"{name}: the slice starts at {start:g} s, but the audio lasts {info.seconds:g} s.")
    last = info.frames if end is None else min(round(end * info.rate), info.frames)
    first = round(start * info.rate)
    if last <= first:
        raise AudioError(f"{name}: the slice from {start:g} s to {end} s is shorter than a sample.")
    return slice(first, last)


def check_slice(start: float, end: float | None, name: str, error_type: type[Exception] = AudioError) -> None:
    """Raise if start and end do not describe a valid slice."""
    if not (math.isfinite(start) and start >= 0):
        raise error_type(f"{name}: a slice starts at 0 s or later, not at {start} s.")
    if end is not None and not end > start:
        raise error_type(f"{name}: a slice must end after its start, not at {end} s (start {start} s).")


def as_float32(value: Any) -> NDArray[float32]:
    """Convert numbers to samples; integer arrays are scaled to -1..1."""
    import numpy as np

    try:
        values = np.asarray(value, dtype=np.float32 if isinstance(value, list | tuple) else None)
    except (TypeError, ValueError) as error:
        raise AudioError(f"Audio samples must be numbers; this {type(value).__name__} is invalid: {error}") from error
    kind, bits = values.dtype.kind, values.dtype.itemsize * 8
    if kind == "f":
        with np.errstate(over="ignore"):
            return values.astype(np.float32, copy=False)
    if kind not in "iu" or bits == 64:
        raise AudioError(
            f"An array of {values.dtype} is not audio: use float32 in -1..1, or integers of 8, 16 or 32 bits."
        )
    scale = float(1 << (bits - 1))
    centred = values.astype(np.float64) - (scale if kind == "u" else 0.0)
    return (centred / scale).astype(np.float32)


def check_finite(values: NDArray[float32], name: str) -> None:
    """Raise if any sample is NaN or infinite."""
    import numpy as np

    finite = np.isfinite(values)
    if not finite.all():
        count = int(finite.size - finite.sum())
        raise AudioError(f"{name} contains {count} samples that are NaN or infinite.")


def check_rate(rate: int, name: str) -> int:
    if rate <= 0:
        raise AudioError(f"{name}: the sample rate must be above zero, not {rate}.")
    return rate


def downmix(values: NDArray[float32]) -> NDArray[float32]:
    """Return the mean of all channels; mono audio is not copied."""
    import numpy as np

    if values.ndim == 1:
        return values
    if values.shape[1] == 1:
        return values[:, 0]
    # Adding columns is twenty times faster than mean(axis=1) over such a short axis.
    with np.errstate(over="ignore", invalid="ignore"):
        mixed: NDArray[float32] = reduce(np.add, values.T)
        mixed /= values.shape[1]
    return mixed


def resample(blocks: Blocks, rate: int, name: str) -> Iterator[NDArray[float32]]:
    """Resample audio block by block, with the same result as all at once."""
    if rate == blocks.rate:
        yield from blocks.values
        return
    import soxr

    stream, count, resampled_count = None, 0, 0
    for block, is_last in _mark_last(blocks.values):
        count += len(block)
        if stream is None and is_last:  # short audio, in less time
            resampled = soxr.resample(block, blocks.rate, rate, quality="HQ")
        else:
            channels = 1 if block.ndim == 1 else block.shape[1]
            stream = stream or soxr.ResampleStream(blocks.rate, rate, channels, dtype="float32", quality="HQ")
            resampled = stream.resample_chunk(block, last=is_last)
        resampled_count += len(resampled)
        yield resampled
    if not resampled_count:
        raise AudioError(f"{name}: {count} samples at {blocks.rate} Hz are too short for {rate} Hz.")


def _mark_last(blocks: Iterator[NDArray[float32]]) -> Iterator[tuple[NDArray[float32], bool]]:
    block = next(blocks)
    for following in blocks:
        yield block, False
        block = following
    yield block, True


def join(blocks: Iterator[NDArray[float32]]) -> NDArray[float32]:
    """Join blocks in a buffer that grows; a single one is not copied."""
    import numpy as np

    first, second = next(blocks), next(blocks, None)
    if second is None:
        return first
    buffer = bytearray(first.tobytes())
    for block in chain((second,), blocks):
        buffer += block.tobytes()
    return np.frombuffer(buffer, np.float32).reshape(-1, *first.shape[1:])


class _Codec(NamedTuple):
    """The names that soundfile uses for a format, and its sample rates (empty: any)."""

    container: str
    subtype: str
    rates: tuple[int, ...] = ()


_CODECS = {
    "wav": _Codec("WAV", "PCM_16"),
    "flac": _Codec("FLAC", "PCM_16"),
    "mp3": _Codec("MP3", "MPEG_LAYER_III", (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)),
    "opus": _Codec("OGG", "OPUS", (8000, 12000, 16000, 24000, 48000)),
}


def encode(blocks: Blocks, rate: int, audio_format: Format, name: str, channels: int = 1) -> bytes:
    """Encode audio; a rate that the format does not support becomes the next higher one."""
    import numpy as np
    import soundfile

    if audio_format not in _CODECS:
        raise AudioError(f"{name}: no encoder for {audio_format!r}; choose one of {', '.join(_CODECS)}.")
    codec = _CODECS[audio_format]
    check_rate(rate, name)
    if codec.rates:
        rate = min((supported for supported in codec.rates if supported >= rate), default=codec.rates[-1])
    buffer = io.BytesIO()
    options = {"samplerate": rate, "channels": channels, "format": codec.container, "subtype": codec.subtype}
    try:
        with soundfile.SoundFile(buffer, "w", **options) as file:
            for block in resample(blocks, rate, name):
                file.write(np.clip(block, -1.0, 1.0))
    except soundfile.SoundFileError as error:
        raise AudioError(
            f"{name} cannot be encoded as {codec.container} with {rate} Hz and {channels} channels: {error}"
        ) from error
    return buffer.getvalue()
