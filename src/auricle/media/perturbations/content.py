"""Remove what is spoken: replace, shuffle or mask a recording, to see whether a model listens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import OtherSounds, Perturbation, PerturbedSound, Sound, format_value
from auricle.media.perturbations.filters import fit_length, resample
from auricle.media.perturbations.levels import fit_full_scale, measure_active_level, measure_rms_level, scale_to_level
from auricle.media.perturbations.noise_sources import make_speech_shaped_noise
from auricle.media.perturbations.segments import CROSSFADE, join_segments

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

FADE = 0.005
"""Seconds in which a recording fades before and after a masked span."""


@dataclass(frozen=True)
class Replace(Perturbation):
    """Replace the recording by something of the same length.

    `noise` is Gaussian, with the average spectrum and the active level (ITU-T P.56) of the recording. `other` is the
    recording of another sample of the task, cut or followed by silence.

    Args:
        by: What replaces the recording.
    """

    name: ClassVar[str] = "replace"
    summary: ClassVar[str] = "Replace the recording by silence, noise or another sample's recording."

    by: Literal["silence", "noise", "other"]

    @property
    def other_sounds(self) -> OtherSounds:
        return "sample" if self.by == "other" else ""

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        if self.by == "noise":
            samples, gain = fit_full_scale(make_equal_noise(sound, random))
            return PerturbedSound(Sound(samples, sound.rate), {"gain": gain})
        count = len(sound.samples)
        if self.by == "silence":
            return PerturbedSound(Sound(np.zeros(count, np.float32), sound.rate))
        (other,) = others
        needed = -(-count * other.rate // sound.rate) + 1
        resampled = resample(other.samples[:needed], other.rate, sound.rate)
        return PerturbedSound(Sound(fit_length(resampled, count), sound.rate))


@dataclass(frozen=True)
class Shuffle(Perturbation):
    """Cut the recording into pieces, and join them in random order with crossfades of 10 ms.

    A last piece of less than half the length stays with the piece before it. The order is never that of the recording
    unless there is only one piece.

    Args:
        piece: Seconds of a piece.
    """

    name: ClassVar[str] = "shuffle"
    summary: ClassVar[str] = "Cut into pieces, and join them in random order."
    level_name: ClassVar[str] = "piece"
    unit: ClassVar[str] = "s"

    piece: float = 0.5

    def __post_init__(self) -> None:
        self._require(2 * CROSSFADE < self.piece <= 60, "piece", f"above {2 * CROSSFADE:g} s, up to 60 s")

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        size = round(self.piece * sound.rate)
        count = max(1, (2 * len(sound.samples) + size) // (2 * size))
        if count == 1:
            return PerturbedSound(sound, {"pieces": 1})
        overlap = round(CROSSFADE * sound.rate)
        starts = [size * index for index in range(count)]
        # Each piece reaches into the next by the crossfade, so that the length is kept.
        pieces = [sound.samples[start : start + size + overlap] for start in starts[:-1]]
        pieces.append(sound.samples[starts[-1] :])
        samples = join_segments([pieces[index] for index in draw_order(count, random)], sound.rate)
        return PerturbedSound(Sound(fit_length(samples, len(sound.samples)), sound.rate), {"pieces": count})


@dataclass(frozen=True)
class Mask(Perturbation):
    """Replace spans of the recording by silence, or by noise with its average spectrum and active level.

    The recording fades in 5 ms before and after each span; nothing is left within it.

    Args:
        spans: Start and end of each span in seconds, such as `0.5-0.9` or `0.5-0.9/1.2-1.5`.
        start: Start of the only span in seconds, instead of `spans`.
        end: End of the only span in seconds.
        fill: What replaces the spans.
    """

    name: ClassVar[str] = "mask"
    summary: ClassVar[str] = "Replace spans by silence or noise."

    spans: str = ""
    start: float | None = None
    end: float | None = None
    fill: Literal["silence", "noise"] = "silence"

    def __post_init__(self) -> None:
        if self.start is not None or self.end is not None:
            if self.spans or self.start is None or self.end is None:
                raise SpecError("mask: give either spans such as 0.5-0.9, or start= and end=.")
            spans = f"{format_value(self.start)}-{format_value(self.end)}"
            for argument, value in {"spans": spans, "start": None, "end": None}.items():
                object.__setattr__(self, argument, value)
        is_valid = all(start < end for start, end in self.list_spans())
        self._require(is_valid, "spans", "spans that end after their start, such as 0.5-0.9/1.2-1.5")

    def list_spans(self) -> list[tuple[float, float]]:
        """Return start and end of each span in seconds."""
        number = r"(\d+(?:\.\d+)?)"
        matches = [re.fullmatch(f"{number}-{number}", span) for span in self.spans.split("/")]
        self._require(None not in matches, "spans", "spans in seconds such as 0.5-0.9/1.2-1.5")
        return [(float(match[1]), float(match[2])) for match in matches if match]

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        import numpy as np

        kept = self._make_gains(len(sound.samples), sound.rate)
        samples = sound.samples * kept
        gain = 0.0
        if self.fill == "noise":
            samples, gain = fit_full_scale(samples + (1 - kept) * make_equal_noise(sound, random))
        masked = float(np.count_nonzero(kept == 0)) / sound.rate
        return PerturbedSound(Sound(samples.astype(np.float32), sound.rate), {"masked": masked, "gain": gain})

    def _make_gains(self, count: int, rate: int) -> NDArray[Any]:
        """Return the gain of each sample: 0 within spans, 1 away from them."""
        import numpy as np

        gains = np.ones(count)
        positions = np.arange(count)
        for start, end in self.list_spans():
            outside = np.maximum(round(start * rate) - positions, positions - round(end * rate) + 1)
            gains = np.minimum(gains, np.clip(outside / max(1, round(FADE * rate)), 0, 1))
        return gains


def make_equal_noise(sound: Sound, random: Generator) -> NDArray[float32]:
    """Return noise with the average spectrum and the active level of a recording."""
    level = measure_active_level(sound.samples, sound.rate).level
    noise = make_speech_shaped_noise(sound.samples, sound.rate, random)
    return scale_to_level(noise, measure_rms_level(noise), level)


def draw_order(count: int, random: Generator) -> list[int]:
    """Draw a permutation of at least two items that is not the identity."""
    while True:
        order: list[int] = random.permutation(count).tolist()
        if order != sorted(order):
            return order
