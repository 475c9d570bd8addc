"""The tracks of a call as one recording of two channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from auricle.media import Audio
from auricle.media.waveform import as_float32

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

RECORDING_RATE = 24_000


def mix_tracks(*tracks: tuple[NDArray[int16], int], seconds: float) -> Audio:
    """Return a recording with one channel per track.

    Args:
        *tracks: Samples and their rate.
        seconds: Length of the recording.
    """
    mixed = np.zeros((round(seconds * RECORDING_RATE), len(tracks)), np.float32)
    for channel, (samples, rate) in enumerate(tracks):
        column = _resample(as_float32(samples), rate)[: len(mixed)]
        mixed[: len(column), channel] = column
    return Audio.of(mixed, rate=RECORDING_RATE)


def _resample(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    if rate == RECORDING_RATE or not len(samples):
        return samples
    return Audio.of(samples, rate=rate).decode(RECORDING_RATE)
