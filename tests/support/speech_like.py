"""A made sound with the properties of speech that perturbations depend on: syllables, pauses and a falling spectrum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auricle.media.perturbations.base import Sound


def speak(seconds: float = 2.0, rate: int = 16_000, seed: int = 0, level: float = 0.1) -> Sound:
    """Return syllables of 0.2 s with harmonics of a changing pitch, with a pause after every fourth one."""
    random = np.random.default_rng(seed)
    count = round(seconds * rate)
    times = np.arange(count) / rate
    pitch = 110 * 2 ** (seed % 7 / 7) * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * times + seed))
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    voice = np.sum([np.sin(k * phase) / k for k in range(1, 20) if rate > 19 * 260 or k < 8], axis=0)
    voice += 0.05 * random.standard_normal(count)
    syllable = (times / 0.2).astype(int)
    envelope = np.sin(np.pi * (times / 0.2 % 1)) ** 2 * (syllable % 5 != 4)
    samples: NDArray[np.float32] = (level * envelope * voice).astype(np.float32)
    return Sound(samples, rate)
