"""Mel filterbanks and power spectra, as librosa computes them but without its compilation."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

LINEAR_UNTIL = 1000.0
"""Frequency (Hz) up to which Slaney's mel scale is linear; it is logarithmic above."""
MELS_UNTIL_THERE = 15
LOG_STEP = 27  # mels for a factor of 6.4


@cache
def mel_filterbank(rate: int, frame_length: int, bands: int) -> NDArray[float64]:
    """Build Slaney's mel filterbank, each filter of area one, as (bands, frequencies).

    Args:
        rate: Sample rate.
        frame_length: Samples of a frame.
        bands: Number of filters between 0 Hz and half the rate.
    """
    import numpy as np

    highest = MELS_UNTIL_THERE + LOG_STEP * np.log(rate / 2 / LINEAR_UNTIL) / np.log(6.4)
    mels = np.linspace(0, highest, bands + 2)
    logarithmic = LINEAR_UNTIL * np.exp((mels - MELS_UNTIL_THERE) * np.log(6.4) / LOG_STEP)
    edges = np.where(mels < MELS_UNTIL_THERE, mels * LINEAR_UNTIL / MELS_UNTIL_THERE, logarithmic)
    bins = np.fft.rfftfreq(frame_length, 1 / rate)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (bins - low) / (middle - low), (high - bins) / (high - middle)
    filters: NDArray[float64] = np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)
    return filters


def mel_power(samples: Any, rate: int, frame_length: int, hop_length: int, bands: int) -> NDArray[float64]:
    """Compute the mel power spectrogram as (frames, bands), with a frame centred on every hop.

    Args:
        samples: Mono samples.
        rate: Sample rate.
        frame_length: Samples of a frame, under a periodic Hann window.
        hop_length: Samples between frames.
        bands: Number of mel bands.
    """
    import numpy as np

    padded = np.pad(samples, frame_length // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, frame_length)[::hop_length]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(frame_length) / frame_length)
    power: NDArray[float64] = np.abs(np.fft.rfft(frames * window)) ** 2 @ mel_filterbank(rate, frame_length, bands).T
    return power
