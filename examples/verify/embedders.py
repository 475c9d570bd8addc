"""Two speaker models: the average spectrum of a recording as its vector, and only its pitch."""

import numpy as np
from numpy.typing import NDArray

from auricle import Audio

RATE = 16_000


def spectrum(audio: Audio) -> NDArray[np.float64]:
    """Return the level in 40 bands up to 4 kHz, without the overall level."""
    power = np.abs(np.fft.rfft(audio.decode(RATE), 8_000))[:2_000] ** 2
    levels = np.log(power.reshape(40, 50).sum(axis=1) + 1e-3)
    centred: NDArray[np.float64] = levels - levels.mean()
    return centred


def pitch(a: Audio, b: Audio) -> float:
    """Return how close the pitches of two recordings are; 0 is equal."""
    return -abs(float(np.log(_find_pitch(a) / _find_pitch(b))))


def _find_pitch(audio: Audio) -> float:
    samples = audio.decode(RATE)
    power = np.abs(np.fft.rfft(samples, 2 * len(samples))) ** 2
    correlation = np.fft.irfft(power)
    shortest, longest = RATE // 300, RATE // 70
    return RATE / (shortest + int(correlation[shortest:longest].argmax()))
