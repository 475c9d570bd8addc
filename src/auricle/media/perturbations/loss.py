"""Lose packets of a recording, as on a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.random import Generator
    from numpy.typing import NDArray

FADE = 0.5
"""Factor of the amplitude for each repetition of a frame."""


@dataclass(frozen=True)
class Loss(Perturbation):
    """Lose frames in bursts, by the model of Gilbert and Elliott.

    All frames are lost in a bad state and none in a good one. A good state is left with probability
    p = rate * r / (1 - rate), a bad one with r = 1 / burst, and the first state is drawn from the stationary
    distribution. A frame that is lost at one rate is lost at higher rates, too, if frames are not lost in alternation.

    Args:
        rate: Expected share of lost frames.
        burst: Expected number of successive frames that are lost.
        frame: Seconds of a frame.
        fill: What replaces lost frames: `zeros`, or the last frame that arrived (`repeat`), 6 dB quieter with each
            repetition.
    """

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "Lose packets, with bursts."
    level_name: ClassVar[str] = "rate"
    unit: ClassVar[str] = "share"
    harder_if: ClassVar[str] = "higher"
    clean_level: ClassVar[float | None] = 0.0

    rate: float
    burst: float = 1.0
    frame: float = 0.02
    fill: Literal["zeros", "repeat"] = "zeros"

    def __post_init__(self) -> None:
        self._require(self.burst >= 1, "burst", "1 or more frames")
        highest = self.burst / (1 + self.burst)
        self._require(0 <= self.rate <= highest, "rate", f"between 0 and {highest:.3g} for bursts of {self.burst:g}")
        self._require(0.001 <= self.frame <= 1, "frame", "between 0.001 and 1 seconds")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        size = max(1, round(self.frame * sound.rate))
        lost = draw_losses(-(-len(sound.samples) // size), self.rate, self.burst, random)
        frames = np.zeros((len(lost), size), np.float32)
        frames.reshape(-1)[: len(sound.samples)] = sound.samples
        self._fill(frames, lost)
        bursts = int(lost[0]) + int(np.count_nonzero(lost[1:] & ~lost[:-1]))
        measured = {"rate": float(lost.mean()), "burst": float(lost.sum() / max(1, bursts))}
        return PerturbedSound(Sound(frames.reshape(-1)[: len(sound.samples)], sound.rate), measured)

    def _fill(self, frames: NDArray[Any], lost: NDArray[bool_]) -> None:
        import numpy as np

        if self.fill == "zeros":
            frames[lost] = 0
            return
        indices = np.arange(len(lost))
        source = np.maximum.accumulate(np.where(lost, -1, indices))
        gains = np.where(source < 0, 0, FADE ** (indices - source)).astype(np.float32)
        frames[lost] = frames[source[lost]] * gains[lost, None]


def draw_losses(count: int, rate: float, burst: float, random: Generator) -> NDArray[bool_]:
    """Draw which of `count` frames are lost."""
    import numpy as np

    to_good = 1 / burst
    to_bad = rate * to_good / (1 - rate)
    lost = np.empty(count, np.bool_)
    is_bad = False
    threshold = rate
    for index, number in enumerate(random.random(count).tolist()):
        is_bad = number < threshold
        lost[index] = is_bad
        threshold = 1 - to_good if is_bad else to_bad
    return lost
