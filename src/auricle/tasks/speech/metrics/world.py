"""Pitch and mel-cepstrum of speech, by the vocoder WORLD."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auricle.core.errors import MissingExtra

RATE = 16_000
SHIFT_MS = 5.0
ORDER = 24
ALPHA = 0.42
"""All-pass constant that warps frequencies like the mel scale at 16 kHz."""
PITCH_RANGE = (71.0, 800.0)
MIN_SECONDS = 0.1

Frames = NDArray[np.float64]


class Analysis(NamedTuple):
    """Frames of speech every 5 ms."""

    pitch: Frames
    """Fundamental frequency in Hz; 0 where there is no voice."""
    cepstrum: Frames
    """Mel-cepstral coefficients 0 to 24 of each frame."""


def analyse(samples: NDArray[Any]) -> Analysis:
    """Analyse mono speech at 16 kHz.

    Raises:
        MissingExtra: if WORLD is not installed.
    """
    world = _import_world()
    signal = np.ascontiguousarray(samples, dtype=np.float64)
    low, high = PITCH_RANGE
    coarse, times = world.dio(signal, RATE, f0_floor=low, f0_ceil=high, frame_period=SHIFT_MS)
    pitch = world.stonemask(signal, coarse, times, RATE)
    spectrum = world.cheaptrick(signal, pitch, times, RATE, f0_floor=low)
    return Analysis(pitch, to_mel_cepstrum(spectrum))


def _import_world() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports a deprecated part of setuptools
        try:
            import pyworld
        except ImportError as error:
            raise MissingExtra("The analysis of pitch and mel-cepstra", "speech-quality") from error
    return pyworld


def to_mel_cepstrum(power: Frames, order: int = ORDER, alpha: float = ALPHA) -> Frames:
    """Return the mel-cepstrum of power spectra, one per row, from 0 to the Nyquist frequency.

    Args:
        power: Power spectra.
        order: Highest coefficient.
        alpha: Constant of the all-pass filter that warps the frequencies.
    """
    cepstrum = np.fft.irfft(0.5 * np.log(power), axis=1)[:, : power.shape[1]]
    cepstrum[:, 1:-1] *= 2  # of the minimum-phase filter with this spectrum
    frames: Frames = cepstrum @ _warping_matrix(power.shape[1], order, alpha)
    return frames


@cache
def _warping_matrix(size: int, order: int, alpha: float) -> Frames:
    """Return the matrix that warps a cepstrum: the recursion of Oppenheim and Johnson, applied to unit vectors."""
    warped = np.zeros((size, order + 1))
    for index in range(size - 1, -1, -1):
        before = warped.copy()
        warped[:, 0] = alpha * before[:, 0]
        warped[index, 0] += 1.0
        warped[:, 1] = (1 - alpha**2) * before[:, 0] + alpha * before[:, 1]
        for column in range(2, order + 1):
            warped[:, column] = before[:, column - 1] + alpha * (before[:, column] - warped[:, column - 1])
    return warped
