"""Add reverberation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound
from auricle.media.perturbations.filters import convolve
from auricle.media.perturbations.levels import fit_full_scale, restore_active_level, sum_squares

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

FIRST_REFLECTION = 0.0025
"""Seconds from the direct sound to the first reflection."""
FIT_RANGE = (-5.0, -25.0)
"""Decibels between which the decay is measured."""


@dataclass(frozen=True)
class Reverb(Perturbation):
    """Convolve the recording with the response of a room.

    The response is an impulse, the direct sound, and from 2.5 ms on white Gaussian noise that decays by 60 dB in `t60`
    seconds. The direct sound stays where it was; the recording becomes longer by `t60`. Its active level (ITU-T P.56)
    is kept unless it would exceed full scale.

    Args:
        t60: Reverberation time in seconds.
        drr: Ratio of the energies of the direct sound and the reverberation in dB.
    """

    name: ClassVar[str] = "reverb"
    summary: ClassVar[str] = "Add reverberation."
    level_name: ClassVar[str] = "t60"
    unit: ClassVar[str] = "s"
    harder_if: ClassVar[str] = "higher"
    clean_level: ClassVar[float | None] = 0.0

    t60: float
    drr: float = 0.0

    def __post_init__(self) -> None:
        self._require(0.05 <= self.t60 <= 10, "t60", "between 0.05 and 10 seconds")
        self._require(abs(self.drr) <= 60, "drr", "between -60 and 60 dB")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        response = make_response(self.t60, self.drr, sound.rate, random)
        measured = {"t60": measure_decay(response[1:], sound.rate), "drr": -10 * math.log10(sum_squares(response[1:]))}
        reverberant = restore_active_level(convolve(sound.samples, response), sound.samples, sound.rate)
        samples, gain = fit_full_scale(reverberant)
        return PerturbedSound(Sound(samples, sound.rate), {**measured, "gain": gain})

    def change_duration(self, seconds: float) -> float:
        return seconds + self.t60


def make_response(t60: float, drr: float, rate: int, random: Generator) -> NDArray[float64]:
    """Return a response with a direct sound of 1 in its first sample."""
    import numpy as np

    times = np.arange(1, round(t60 * rate) + 1) / rate
    tail = random.standard_normal(len(times)) * np.exp(-3 * math.log(10) * times / t60)
    tail[times < FIRST_REFLECTION] = 0
    tail *= 10 ** (-drr / 20) / math.sqrt(sum_squares(tail))
    return np.concatenate([[1.0], tail])


def measure_decay(response: NDArray[Any], rate: int) -> float:
    """Return the time of a decay by 60 dB, from a line through Schroeder's integral between -5 and -25 dB."""
    import numpy as np

    remaining = np.cumsum(response[::-1] ** 2)[::-1]
    decibels = 10 * np.log10(np.maximum(remaining / remaining[0], 1e-20))
    used = np.flatnonzero((decibels <= FIT_RANGE[0]) & (decibels >= FIT_RANGE[1]))
    slope = np.polyfit(used / rate, decibels[used], 1)[0]
    return float(-60 / slope)
