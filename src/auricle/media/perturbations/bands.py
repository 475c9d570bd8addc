"""Limit the frequencies of a recording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound
from auricle.media.perturbations.filters import filter_zero_phase, fit_length, resample
from auricle.media.perturbations.levels import fit_full_scale

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

BANDS = {"telephone": "300-3400", "wideband": "50-7000"}
"""Bands with a name, in Hz: those of telephones and of wide-band telephony."""
ORDER = 8
MARGIN_PERIODS, MAX_MARGIN = 5, 1.0
"""Periods of the lower end, and seconds at most, in which the filter rings."""
MAX_FREQUENCY = 200_000.0


@dataclass(frozen=True)
class Band(Perturbation):
    """Filter the recording to a band of frequencies.

    The spectrum is multiplied by the magnitude of a Butterworth filter of order 8 at each end, which is
    1 / sqrt(1 + (f / high)**16) and 1 / sqrt(1 + (low / f)**16): -3 dB at the ends, and 48 dB per octave beyond. The
    phase is not changed. A result beyond full scale is scaled down.

    Args:
        band: The ends in Hz, such as `300-3400`, or `telephone` (300-3400) or `wideband` (50-7000); instead of `low`
            and `high`.
        low: Lower end in Hz.
        high: Upper end in Hz.
    """

    name: ClassVar[str] = "band"
    summary: ClassVar[str] = "Limit the frequencies to a band, such as telephone or 300-3400."
    level_name: ClassVar[str] = "high"
    unit: ClassVar[str] = "Hz"
    is_logarithmic: ClassVar[bool] = True

    band: str = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.band:
            self._read_band()
        if self.low is None and self.high is None:
            raise SpecError("band: give a band such as 300-3400 or telephone, or low=, high= or both.")
        for end in ("low", "high"):
            value = getattr(self, end)
            self._require(value is None or 0 < value < MAX_FREQUENCY, end, "a frequency in Hz above zero")
        if self.low is not None and self.high is not None:
            self._require(self.low < self.high, "low", f"below high ({self.high:g} Hz)")

    def _read_band(self) -> None:
        """Replace the band by its ends, so that there is one form for the same filter."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)", BANDS.get(self.band, self.band))
        self._require(match is not None, "band", f"two frequencies such as 300-3400, or one of {', '.join(BANDS)}")
        if self.low is not None or self.high is not None:
            raise SpecError("band: give either a band, or low= and high=.")
        assert match is not None
        for argument, value in {"band": "", "low": float(match[1]), "high": float(match[2])}.items():
            object.__setattr__(self, argument, value)

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        margin = MARGIN_PERIODS / self.low if self.low else 0.0
        filtered = filter_zero_phase(sound.samples, sound.rate, self.get_gain, min(max(margin, 0.1), MAX_MARGIN))
        samples, gain = fit_full_scale(filtered)
        return PerturbedSound(Sound(samples, sound.rate), {"gain": gain})

    def get_gain(self, frequencies: NDArray[Any]) -> NDArray[Any]:
        """Return the gain at frequencies in Hz."""
        import numpy as np

        gain = np.ones(len(frequencies))
        if self.high is not None:
            gain /= np.sqrt(1 + (frequencies / self.high) ** (2 * ORDER))
        if self.low is not None:
            ratio = (frequencies / self.low) ** ORDER
            gain *= ratio / np.sqrt(1 + ratio**2)
        return gain


@dataclass(frozen=True)
class Resample(Perturbation):
    """Resample the recording to a lower rate and back, with soxr's quality HQ. Its rate and length are kept.

    This is the control of codecs: a codec at 8 kHz includes this loss.

    Args:
        rate: Sample rate in Hz; a recording with this or a lower rate is not changed.
    """

    name: ClassVar[str] = "resample"
    summary: ClassVar[str] = "Resample to a lower rate and back."
    level_name: ClassVar[str] = "rate"
    unit: ClassVar[str] = "Hz"
    is_logarithmic: ClassVar[bool] = True

    rate: int

    def __post_init__(self) -> None:
        self._require(500 <= self.rate <= MAX_FREQUENCY, "rate", f"between 500 and {MAX_FREQUENCY:g} Hz")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        if self.rate >= sound.rate:
            return PerturbedSound(sound)
        lowered = resample(sound.samples, sound.rate, self.rate)
        restored = resample(lowered, self.rate, sound.rate)
        return PerturbedSound(Sound(fit_length(restored, len(sound.samples)), sound.rate))
