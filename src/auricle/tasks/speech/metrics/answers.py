"""What metrics of speech share: the sound of an answer, and its measures, each computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auricle.core.errors import Unreadable, Unsuited
from auricle.core.types import REFERENCE_INPUT, Generation, Output, Sample
from auricle.media import Audio
from auricle.media.sound_measures import FULL_SCALE
from auricle.metrics.base import Codes, RatioAggregator, Stats
from auricle.metrics.scales import NONNEGATIVE, Scale

FRAME_SECONDS = 0.01
SILENCE_LEVEL = -40.0
"""Decibels relative to full scale that no sample of a silent frame exceeds."""
SILENCE = f"frames-10ms.peak-below{SILENCE_LEVEL:g}dBFS"
"""How silence is detected, for signatures."""
ENDING_SECONDS = 0.01
CUT_OFF_MARGIN = 15.0
"""Decibels below the level of the speech that a natural ending reaches."""
MAX_CACHED = 8192
"""Sounds whose measures are kept, a few numbers each: more than the answers that are scored at a time."""

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sound:
    """A recording that is identified by its content, so that its measures can be kept."""

    digest: str
    audio: Audio = field(compare=False)

    @classmethod
    def of(cls, audio: Audio) -> Sound:
        return cls(audio.hash, audio)


class NonnegativeRatio(RatioAggregator):
    """The sum of a column over that of another, of quantities such as seconds, which are not counts of events."""

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return NONNEGATIVE


class Measures(NamedTuple):
    """What is measured on the sound of an answer alone."""

    seconds: float
    silent_seconds: float
    leading_silence: float
    trailing_silence: float
    """Seconds before the first and after the last frame that is not silent; of a silent sound, its length and 0."""
    samples: int
    clipped: int
    is_cut_off: bool

    @property
    def silence_share(self) -> float:
        return self.silent_seconds / self.seconds

    @property
    def clipped_share(self) -> float:
        return self.clipped / self.samples


def require_audio(output: Output) -> Audio:
    """Return the sound of an answer.

    Raises:
        Unsuited: if answers of this kind have none.
        Unreadable: if this answer has none.
    """
    if not isinstance(output, Generation):
        raise Unsuited(f"needs spoken answers, not {type(output).__name__}")
    if output.audio is None:
        raise Unreadable("the answer has no audio")
    return output.audio


def measure_answer(output: Output) -> Measures:
    """Measure the sound of an answer; see `require_audio`."""
    return _measure(Sound.of(require_audio(output)))


@lru_cache(MAX_CACHED)
def _measure(sound: Sound) -> Measures:
    return measure_samples(sound.audio.decode(), sound.audio.info().rate)


def measure_samples(samples: Samples, rate: int) -> Measures:
    """Measure mono samples; there is at least one.

    >>> tone = np.sin(np.arange(16_000) / 10).astype(np.float32)
    >>> measures = measure_samples(np.concatenate([np.zeros(8_000, np.float32), 0.5 * tone]), 16_000)
    >>> measures.leading_silence, measures.is_cut_off
    (0.5, True)
    """
    magnitudes = np.abs(samples)
    is_silent = find_silent_frames(samples, rate)
    audible = np.flatnonzero(~is_silent)
    size = _frame_size(rate)
    ends = np.minimum(np.arange(1, len(is_silent) + 1) * size, len(samples))
    seconds = len(samples) / rate
    leading = float(audible[0]) * size / rate if len(audible) else seconds
    trailing = float(len(samples) - ends[audible[-1]]) / rate if len(audible) else 0.0
    return Measures(
        seconds,
        float(np.diff(ends, prepend=0)[is_silent].sum()) / rate,
        leading,
        trailing,
        len(samples),
        int((magnitudes >= FULL_SCALE).sum()),
        bool(len(audible)) and _is_cut_off(samples, rate, is_silent),
    )


def find_silent_frames(samples: Samples, rate: int) -> NDArray[np.bool_]:
    """Return for each frame of 10 ms whether it is silent; the last one may be shorter."""
    size = _frame_size(rate)
    starts = np.arange(0, len(samples), size)
    peaks = np.maximum.reduceat(np.abs(samples), starts)
    silent: NDArray[np.bool_] = peaks <= 10 ** (SILENCE_LEVEL / 20)
    return silent


def _frame_size(rate: int) -> int:
    return max(1, round(rate * FRAME_SECONDS))


def _is_cut_off(samples: Samples, rate: int, is_silent: NDArray[np.bool_]) -> bool:
    """Return whether the last 10 ms are nearly as loud as the speech: it breaks off instead of fading."""
    spoken = samples[~np.repeat(is_silent, _frame_size(rate))[: len(samples)]]
    ending = samples[-max(1, round(rate * ENDING_SECONDS)) :]
    return bool(_power(ending) > _power(spoken) * 10 ** (-CUT_OFF_MARGIN / 10))


def _power(samples: Samples) -> float:
    return float(np.mean(np.square(samples, dtype=np.float64)))


def get_spoken_text(sample: Sample, output: Generation) -> str:
    """Return the text that was to be spoken or, if the task has none, the transcript of the answer."""
    text = sample.inputs.get("text")
    return text if isinstance(text, str) and text == sample.target else output.text


def get_reference(sample: Sample) -> Audio:
    """Return the recording that an answer is compared with; `has_reference` states whether there is one."""
    reference = sample.inputs[REFERENCE_INPUT]
    assert isinstance(reference, Audio)
    return reference


def has_reference(sample: Sample) -> bool:
    """Return whether a sample has a recording that its answer can be compared with."""
    return isinstance(sample.inputs.get(REFERENCE_INPUT), Audio)


def on_answer(measure: Callable[[Measures], Any]) -> Callable[[Sample, Output], Any]:
    """Return a score function that needs only the measures of an answer."""

    def score(sample: Sample, output: Output) -> Any:
        return measure(measure_answer(output))

    return score
