"""Change the speed, the tempo or the pitch of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound
from auricle.media.perturbations.codecs import format_versions
from auricle.media.perturbations.filters import fit_length, resample

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

FACTORS = (0.5, 2.0)
OCTAVE = 12.0
PADDING = 0.2
"""Seconds of silence after the recording, without which the filter swallows its end."""
LIBRARIES = ("libavfilter",)


@dataclass(frozen=True)
class _Faster(Perturbation):
    """A change that makes the recording shorter by a factor."""

    level_name: ClassVar[str] = "factor"
    harder_if: ClassVar[str] = "higher"
    clean_level: ClassVar[float | None] = 1.0

    factor: float

    def __post_init__(self) -> None:
        self._require(FACTORS[0] <= self.factor <= FACTORS[1], "factor", "between 0.5 and 2")

    def change_duration(self, seconds: float) -> float:
        return seconds / self.factor


@dataclass(frozen=True)
class Speed(_Faster):
    """Play the recording faster or slower, so that its pitch changes, too: resample it with soxr's quality HQ.

    Args:
        factor: Factor of the speed; the recording becomes shorter by it.
    """

    name: ClassVar[str] = "speed"
    summary: ClassVar[str] = "Play faster or slower, with another pitch."

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        return PerturbedSound(Sound(change_speed(sound.samples, sound.rate, self.factor), sound.rate))


@dataclass(frozen=True)
class Tempo(_Faster):
    """Speak faster or slower at the same pitch: waveform-similarity overlap-add, FFmpeg's filter `atempo`.

    Args:
        factor: Factor of the tempo; the recording becomes shorter by it.
    """

    name: ClassVar[str] = "tempo"
    summary: ClassVar[str] = "Speak faster or slower, at the same pitch."

    @property
    def build(self) -> str:
        return format_versions(LIBRARIES)

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        return PerturbedSound(Sound(change_tempo(sound.samples, sound.rate, self.factor), sound.rate))


@dataclass(frozen=True)
class Pitch(Perturbation):
    """Speak higher or lower in the same time: change the tempo, then resample to the length of the recording.

    Formants move with the pitch.

    Args:
        semitones: Semitones by which the pitch rises.
    """

    name: ClassVar[str] = "pitch"
    summary: ClassVar[str] = "Speak higher or lower, in the same time."
    level_name: ClassVar[str] = "semitones"
    unit: ClassVar[str] = "semitones"
    harder_if: ClassVar[str] = "higher"
    clean_level: ClassVar[float | None] = 0.0

    semitones: float

    def __post_init__(self) -> None:
        self._require(abs(self.semitones) <= OCTAVE, "semitones", "between -12 and 12")

    @property
    def build(self) -> str:
        return format_versions(LIBRARIES)

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        factor = 2 ** (self.semitones / OCTAVE)
        stretched = change_tempo(sound.samples, sound.rate, 1 / factor)
        samples = change_speed(stretched, sound.rate, factor)
        return PerturbedSound(Sound(fit_length(samples, len(sound.samples)), sound.rate))


def change_speed(samples: NDArray[float32], rate: int, factor: float) -> NDArray[float32]:
    """Resample a recording so that it is shorter by a factor."""
    return fit_length(resample(samples, rate * factor, rate), _shorten(samples, factor))


def change_tempo(samples: NDArray[float32], rate: int, factor: float) -> NDArray[float32]:
    """Make a recording shorter by a factor, at the same pitch."""
    import av
    import numpy as np

    padded = fit_length(samples, len(samples) + round(PADDING * rate))
    frame = av.AudioFrame.from_ndarray(padded.reshape(1, -1), format="flt", layout="mono")
    frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), 0
    graph = av.filter.Graph()
    source = graph.add_abuffer(sample_rate=rate, format="flt", layout="mono", time_base=frame.time_base)
    tempo, sink = graph.add("atempo", repr(factor)), graph.add("abuffersink")
    source.link_to(tempo)
    tempo.link_to(sink)
    graph.configure()
    source.push(frame)
    source.push(None)
    parts = [*_pull(sink)]
    return fit_length(np.concatenate(parts), _shorten(samples, factor))


def _pull(sink: Any) -> Any:
    import av

    try:
        while True:
            yield sink.pull().to_ndarray().reshape(-1)
    except av.EOFError:
        return


def _shorten(samples: NDArray[Any], factor: float) -> int:
    return max(1, round(len(samples) / factor))
