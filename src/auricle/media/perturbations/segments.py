"""Cut recordings into segments, and join them with a crossfade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auricle.core.errors import AudioError
from auricle.media.perturbations.base import Sound
from auricle.media.perturbations.filters import fit_length, resample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

CROSSFADE = 0.01
"""Seconds in which two joined segments overlap."""


def draw_segment(sound: Sound, count: int, rate: int, random: Generator) -> NDArray[float32]:
    """Return `count` samples at `rate` from a random position of a recording, which is repeated if it is too short.

    Raises:
        AudioError: if the recording is silent.
    """
    import numpy as np

    nonzero = np.flatnonzero(sound.samples)
    if not len(nonzero):
        raise AudioError("A recording that should be mixed in is silent. Remove it from the data or the folder.")
    needed = -(-count * sound.rate // rate) + 1
    samples = loop(sound.samples, needed, sound.rate)
    start = int(random.integers(len(samples) - needed + 1))
    segment = samples[start : start + needed]
    if not segment.any():  # a pause
        segment = np.roll(samples, -int(nonzero[0]))[:needed]
    return fit_length(resample(segment, sound.rate, rate), count)


def loop(samples: NDArray[float32], count: int, rate: int) -> NDArray[float32]:
    """Repeat a recording until it has at least `count` samples more than once its length; a longer one is returned."""
    if len(samples) >= count:
        return samples
    overlap = _overlap(rate, len(samples))
    repeats = -(-(count + len(samples)) // (len(samples) - overlap)) + 1
    if overlap:
        return join_segments([samples] * repeats, rate)
    import numpy as np

    return np.tile(samples, repeats)


def join_segments(segments: Sequence[NDArray[float32]], rate: int) -> NDArray[float32]:
    """Join segments that overlap by 10 ms, or half of the shortest one, where one fades linearly into the next."""
    import numpy as np

    overlap = _overlap(rate, min(map(len, segments)))
    fade = np.linspace(0, 1, overlap + 2, dtype=np.float32)[1:-1]
    joined = np.empty(sum(map(len, segments)) - overlap * (len(segments) - 1), np.float32)
    position = 0
    for index, segment in enumerate(segments):
        joined[position + overlap : position + len(segment)] = segment[overlap:]
        head = segment[:overlap]
        joined[position : position + overlap] = (
            joined[position : position + overlap] * (1 - fade) + head * fade if index else head
        )
        position += len(segment) - overlap
    return joined


def _overlap(rate: int, shortest: int) -> int:
    return min(round(CROSSFADE * rate), shortest // 2)
