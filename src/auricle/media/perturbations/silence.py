"""Add silence to a recording, or cut it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

MAX_SECONDS = 600.0
WINDOW = 0.05
"""Seconds over which the power is averaged when a quiet position is searched."""
MIDDLE = (0.2, 0.8)
"""Part of a recording in which a pause may be inserted."""


@dataclass(frozen=True)
class Pad(Perturbation):
    """Add silence, or quiet white noise, before and after the recording.

    Args:
        before: Seconds before the recording.
        after: Seconds after the recording.
        noise: Level of the noise in dB relative to full scale (root mean square); silence if not given.
    """

    name: ClassVar[str] = "pad"
    summary: ClassVar[str] = "Add silence or quiet noise before and after."
    level_name: ClassVar[str] = "before"
    unit: ClassVar[str] = "s"
    harder_if: ClassVar[str] = "higher"

    before: float = 0.0
    after: float = 0.0
    noise: float | None = None

    def __post_init__(self) -> None:
        for argument in ("before", "after"):
            self._require(0 <= getattr(self, argument) <= MAX_SECONDS, argument, f"between 0 and {MAX_SECONDS:g} s")
        if not self.before and not self.after:
            raise SpecError("pad: give before=, after= or both, in seconds.")
        self._require(self.noise is None or -120 <= self.noise <= 0, "noise", "between -120 and 0 dB")

    @property
    def level(self) -> float:
        """All seconds that are added."""
        return self.before + self.after

    @property
    def family(self) -> str:
        """The sides that are padded: those with the same sides are points of one curve."""
        sides = [side for side in ("before", "after") if getattr(self, side)]
        noise = [] if self.noise is None else [f"noise={self.noise:g}"]
        return f"pad:{','.join([*sides, *noise])}"

    @property
    def seed_name(self) -> str:
        return "pad"

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        before, after = (make_silence(seconds, sound.rate, self.noise, random) for seconds in (self.before, self.after))
        return PerturbedSound(Sound(np.concatenate([before, sound.samples, after]), sound.rate))

    def change_duration(self, seconds: float) -> float:
        return self.before + seconds + self.after


@dataclass(frozen=True)
class Pause(Perturbation):
    """Insert a pause at the quietest position between 20 and 80 % of the recording (mean power of 50 ms).

    Args:
        seconds: Seconds of the pause.
        noise: Level of white noise in the pause in dB relative to full scale; silence if not given.
    """

    name: ClassVar[str] = "pause"
    summary: ClassVar[str] = "Insert a pause at a quiet position."
    level_name: ClassVar[str] = "seconds"
    unit: ClassVar[str] = "s"
    harder_if: ClassVar[str] = "higher"
    clean_level: ClassVar[float | None] = 0.0

    seconds: float
    noise: float | None = None

    def __post_init__(self) -> None:
        self._require(0 < self.seconds <= MAX_SECONDS, "seconds", f"above 0, up to {MAX_SECONDS:g} s")
        self._require(self.noise is None or -120 <= self.noise <= 0, "noise", "between -120 and 0 dB")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        position = find_quiet_position(sound)
        pause = make_silence(self.seconds, sound.rate, self.noise, random)
        samples = np.concatenate([sound.samples[:position], pause, sound.samples[position:]])
        return PerturbedSound(Sound(samples, sound.rate), {"position": position / sound.rate})

    def change_duration(self, seconds: float) -> float:
        return seconds + self.seconds


@dataclass(frozen=True)
class Truncate(Perturbation):
    """Keep only the start of the recording.

    Args:
        share: Share of the recording that is kept.
        seconds: Seconds that are kept, instead of a share; a shorter recording is not changed.
    """

    name: ClassVar[str] = "truncate"
    summary: ClassVar[str] = "Keep only the start of the recording."
    level_name: ClassVar[str] = "share"
    unit: ClassVar[str] = "share"
    clean_level: ClassVar[float | None] = 1.0

    share: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if (self.share is None) == (self.seconds is None):
            raise SpecError("truncate: give either share= or seconds=.")
        self._require(self.share is None or 0 < self.share <= 1, "share", "above 0, up to 1")
        self._require(self.seconds is None or self.seconds > 0, "seconds", "above 0")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        count = max(1, round(self.change_duration(sound.seconds) * sound.rate))
        return PerturbedSound(Sound(sound.samples[:count], sound.rate))

    def change_duration(self, seconds: float) -> float:
        return min(seconds, self.seconds) if self.seconds is not None else seconds * (self.share or 1)


def make_silence(seconds: float, rate: int, noise: float | None, random: Generator) -> NDArray[float32]:
    """Return silence, or white noise at a level in dB relative to full scale."""
    import numpy as np

    count = round(seconds * rate)
    if noise is None:
        return np.zeros(count, np.float32)
    return (random.standard_normal(count) * 10 ** (noise / 20)).astype(np.float32)


def find_quiet_position(sound: Sound) -> int:
    """Return the sample in the middle of the quietest 50 ms between 20 and 80 % of a recording."""
    import numpy as np

    size = max(1, round(WINDOW * sound.rate))
    first, last = (round(share * len(sound.samples)) for share in MIDDLE)
    if last - first < size:
        return (first + last) // 2
    energy = np.concatenate([[0.0], np.cumsum(np.square(sound.samples[first:last], dtype=np.float64))])
    return first + int(np.argmin(energy[size:] - energy[:-size])) + size // 2
