"""Change the amplitude of a recording: gain, clipping and quantisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound
from auricle.media.perturbations.levels import fit_full_scale, measure_rms_level, restore_active_level

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Gain(Perturbation):
    """Make the recording louder or quieter, and round it to 16 bits; what exceeds full scale is clipped.

    The share of samples that are clipped is measured.

    Args:
        db: Gain in dB.
    """

    name: ClassVar[str] = "gain"
    summary: ClassVar[str] = "Make the recording louder or quieter, with 16 bits and clipping."
    level_name: ClassVar[str] = "db"
    unit: ClassVar[str] = "dB"
    clean_level: ClassVar[float | None] = 0.0

    db: float

    def __post_init__(self) -> None:
        self._require(abs(self.db) <= 120, "db", "between -120 and 120 dB")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        louder = sound.samples.astype(np.float64) * 10 ** (self.db / 20)
        clipped = float(np.mean((louder >= 1) | (louder < -1)))
        return PerturbedSound(Sound(quantise(louder, 16), sound.rate), {"clipped": clipped})


@dataclass(frozen=True)
class Clip(Perturbation):
    """Clip the loudest samples, and restore the active level of the recording.

    The limit is the (1 - share) quantile of the absolute values. The active level (ITU-T P.56) is kept unless the
    recording would exceed full scale. The share of samples at the limit is measured.

    Args:
        share: Share of samples that are clipped.
    """

    name: ClassVar[str] = "clip"
    summary: ClassVar[str] = "Clip the loudest samples."
    level_name: ClassVar[str] = "share"
    unit: ClassVar[str] = "share"
    harder_if: ClassVar[str] = "higher"
    clean_level: ClassVar[float | None] = 0.0

    share: float

    def __post_init__(self) -> None:
        self._require(0 < self.share < 1, "share", "between 0 and 1")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        sizes = np.abs(sound.samples)
        if not sizes.any():
            return PerturbedSound(sound, {"share": 0.0, "gain": 0.0})
        limit = max(np.quantile(sizes, 1 - self.share), sizes[sizes > 0].min())
        clipped = np.clip(sound.samples, -limit, limit)
        samples, gain = fit_full_scale(restore_active_level(clipped, sound.samples, sound.rate))
        return PerturbedSound(Sound(samples, sound.rate), {"share": float(np.mean(sizes >= limit)), "gain": gain})


@dataclass(frozen=True)
class Quantise(Perturbation):
    """Round the recording to a number of bits, without dither. The ratio of signal to rounding error is measured.

    Args:
        bits: Bits per sample.
    """

    name: ClassVar[str] = "quantise"
    summary: ClassVar[str] = "Round to a number of bits."
    level_name: ClassVar[str] = "bits"
    unit: ClassVar[str] = "bit"

    bits: int

    def __post_init__(self) -> None:
        self._require(2 <= self.bits <= 16, "bits", "between 2 and 16")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        rounded = quantise(sound.samples, self.bits)
        error = rounded - sound.samples
        has_ratio = error.any() and sound.samples.any()
        measured = {"snr": measure_rms_level(sound.samples) - measure_rms_level(error)} if has_ratio else {}
        return PerturbedSound(Sound(rounded, sound.rate), measured)


def quantise(samples: NDArray[Any], bits: int) -> NDArray[float32]:
    """Round samples to the nearest of 2**bits values from -1 to just below 1."""
    import numpy as np

    steps = 1 << (bits - 1)
    return (np.clip(np.round(samples * steps), -steps, steps - 1) / steps).astype(np.float32)
