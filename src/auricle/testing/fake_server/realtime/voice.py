"""The voice of the fake server: a sound like speech, audible from its first to its last sample."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

PITCH = 125.0
HARMONICS = 12
SYLLABLE_SECONDS = 0.2
MIN_LEVEL, MAX_LEVEL = 2_000.0, 8_000.0


class AudioChunk(NamedTuple):
    """A part of an answer's audio, ready to be sent."""

    pcm: bytes
    base64: str
    seconds: float


def speak(seconds: float, rate: int) -> NDArray[int16]:
    """Return a voiced sound with a syllable every 0.2 seconds and no silence, not even at its edges."""
    import numpy as np

    times = np.arange(round(seconds * rate)) / rate
    phase = 2 * np.pi * PITCH * times
    voice = np.sum([np.cos(harmonic * phase) / harmonic for harmonic in range(1, HARMONICS + 1)], axis=0)
    swell = np.sin(np.pi * (times / SYLLABLE_SECONDS % 1)) ** 2
    samples = (MIN_LEVEL + (MAX_LEVEL - MIN_LEVEL) * swell) * voice
    if len(samples):
        samples[0] = samples[-1] = MIN_LEVEL  # the last sample might cross zero
    return _to_int16(samples)


@lru_cache(maxsize=256)
def cut_answer(
    path: str | None, seconds: float, lead_silence: float, chunk_seconds: float, rate: int
) -> tuple[AudioChunk, ...]:
    """Return the audio of an answer in chunks.

    Args:
        path: Recording to play. Default: a sound like speech.
        seconds: Length of that sound.
        lead_silence: Silence before it.
        chunk_seconds: Length of chunks; the last one is shorter.
        rate: Sample rate.
    """
    import numpy as np

    from auricle.media import Audio

    speech = speak(seconds, rate)
    if path is not None:
        speech = _to_int16(Audio(path).decode(rate) * 32_767)
    samples = np.concatenate([np.zeros(round(lead_silence * rate), np.int16), speech])
    size = max(1, round(chunk_seconds * rate))
    return tuple(make_chunk(samples[start : start + size].tobytes(), rate) for start in range(0, len(samples), size))


def _to_int16(samples: NDArray[Any]) -> NDArray[int16]:
    import numpy as np

    converted: NDArray[int16] = samples.clip(-32_768, 32_767).astype(np.int16)
    return converted


def make_chunk(pcm: bytes, rate: int) -> AudioChunk:
    """Return a chunk of 16-bit audio."""
    from pybase64 import b64encode

    return AudioChunk(pcm, b64encode(pcm).decode(), len(pcm) / 2 / rate)
