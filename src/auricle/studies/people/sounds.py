"""Prepare the sounds of a listening test: anchors, traps, one loudness and one sample rate."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auricle.core.errors import AudioError
from auricle.media import Audio
from auricle.media.perturbations.base import make_generator
from auricle.media.perturbations.filters import filter_zero_phase
from auricle.media.perturbations.levels import measure_active_level, scale_to_level
from auricle.studies.people.description import TRAP

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_RATE = 48_000
HEADROOM_DB = 0.5
"""Distance of the highest peak of the test from full scale."""
TRAP_CUTOFF = 1000.0
"""Highest frequency of a trap, in Hz, before noise of the same level is added."""
TRANSITION = 1 / 7
"""Width of the transition of a low-pass filter, as a share of its cut-off frequency."""
ANCHOR_PREFIX = "anchor-"


@dataclass(frozen=True, slots=True, eq=False)
class SoundSource:
    """A sound of the test before its loudness is aligned."""

    item: str
    system: str
    audio: Audio
    change: str = ""
    """`anchor-3500` to remove higher frequencies, `trap` to make it obviously bad, or nothing."""

    def load(self, rate: int) -> NDArray[float32]:
        """Decode the sound and change it.

        Raises:
            AudioError: if it cannot be decoded.
        """
        samples = self.audio.decode(rate)
        if self.change.startswith(ANCHOR_PREFIX):
            return remove_high_frequencies(samples, rate, float(self.change.removeprefix(ANCHOR_PREFIX)))
        return make_trap(samples, rate, self.item) if self.change == TRAP else samples


@dataclass(frozen=True, slots=True)
class SoundMeasures:
    """What aligning the loudness of a sound needs."""

    level: float
    """Active speech level in dB relative to full scale."""
    peak: float
    seconds: float

    @property
    def highest_level(self) -> float:
        """Level at which the peak nearly reaches full scale."""
        return self.level - 20 * math.log10(self.peak) - HEADROOM_DB


def measure_sound(samples: NDArray[Any], rate: int) -> SoundMeasures:
    """Measure level, peak and duration.

    Raises:
        AudioError: if the sound is silent, so that it has no level.
    """
    import numpy as np

    level = measure_active_level(samples, rate).level
    return SoundMeasures(level, float(np.abs(samples).max()), len(samples) / rate)


def choose_level(measures: Iterable[SoundMeasures], target: float) -> float:
    """Return the target level, or the highest one at which no sound exceeds full scale."""
    return min([target, *(sound.highest_level for sound in measures)])


def choose_rate(sounds: Iterable[Audio]) -> int:
    """Return the highest sample rate of the sounds, at which all of them are played; files without one do not count."""
    rates = []
    for sound in sounds:
        with suppress(AudioError):  # reported when the sound is measured
            rates.append(sound.info().rate)
    return min(MAX_RATE, max(rates, default=MAX_RATE))


def remove_high_frequencies(samples: NDArray[Any], rate: int, cutoff: float) -> NDArray[float32]:
    """Return the sound without frequencies above a cut-off in Hz.

    The gain is 1 up to the cut-off, and falls to 0 over a seventh of it, as half a period of a cosine. This meets the
    mask of the anchors of ITU-R BS.1534-3: for 3.5 kHz, at least 25 dB less at 4 kHz and 50 dB less at 4.5 kHz.
    """
    import numpy as np

    def get_gain(frequencies: NDArray[Any]) -> NDArray[Any]:
        position = np.clip((frequencies / cutoff - 1) / TRANSITION, 0.0, 1.0)
        gain: NDArray[Any] = (1 + np.cos(np.pi * position)) / 2
        return gain

    return filter_zero_phase(samples, rate, get_gain).astype(np.float32)


def make_trap(samples: NDArray[Any], rate: int, name: str) -> NDArray[float32]:
    """Return the sound without high frequencies and in noise of the same level, which is obviously bad."""
    import numpy as np

    muffled = remove_high_frequencies(samples, rate, TRAP_CUTOFF)
    noise = make_generator(name, "listening-test trap").standard_normal(len(samples))
    power = math.sqrt(float(np.mean(np.square(muffled, dtype=np.float64))))
    return (muffled + noise * power).astype(np.float32)


def encode_sound(samples: NDArray[Any], rate: int, gain_db: float) -> bytes:
    """Return a sound as a WAV file with a gain."""
    return Audio.of(scale_to_level(samples, 0.0, gain_db), rate=rate).encode("wav")
