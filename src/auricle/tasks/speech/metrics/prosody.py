"""Mel-cepstral distance and errors of pitch, of an answer against the recording of its row.

Frames are paired by dynamic time warping of their mel-cepstra, so that the two may differ in tempo.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from auricle.core.types import Output, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, SumAggregator, divide
from auricle.metrics.scales import NONNEGATIVE, RatingScale
from auricle.tasks.speech.metrics.answers import (
    MAX_CACHED,
    NonnegativeRatio,
    Sound,
    get_reference,
    has_reference,
    require_audio,
)
from auricle.tasks.speech.metrics.defined_mean import DefinedMean
from auricle.tasks.speech.metrics.time_warping import warp
from auricle.tasks.speech.metrics.world import (
    ALPHA,
    MIN_SECONDS,
    ORDER,
    PITCH_RANGE,
    RATE,
    SHIFT_MS,
    Analysis,
    Frames,
    analyse,
)

TO_DECIBELS = 10 / math.log(10) * math.sqrt(2)
MAX_SECONDS = 60.0
"""Longer recordings are not warped: the work grows with the square of their length."""
CEPSTRUM = f"world-cheaptrick.mel-cepstrum-1-{ORDER}.alpha{ALPHA:g}.shift{SHIFT_MS:g}ms.{RATE // 1000}kHz"
PITCH = f"world-dio-stonemask.{PITCH_RANGE[0]:g}-{PITCH_RANGE[1]:g}Hz.shift{SHIFT_MS:g}ms.dtw-on-mel-cepstra"


class Comparison(NamedTuple):
    """Sums over the paired frames of two recordings."""

    pairs: int
    distance: float
    """Mel-cepstral distance in dB."""
    plain_frames: int
    """Frames of both, if they have the same number; else 0."""
    plain_distance: float
    """Mel-cepstral distance without warping."""
    voiced: int
    """Pairs in which both frames are voiced."""
    squared_hertz: float
    squared_cents: float
    correlation: float
    """Of the pitch in voiced pairs; NaN if there are fewer than two, or one side is constant."""
    voicing_differs: int


def compare_recordings(answer: Sound, reference: Sound) -> Comparison | None:
    """Compare two recordings; None if one is shorter than 0.1 s or longer than a minute."""
    lengths = [sound.audio.seconds for sound in (answer, reference)]
    if min(lengths) < MIN_SECONDS or max(lengths) > MAX_SECONDS:
        return None
    return _compare(answer, reference)


@lru_cache(MAX_CACHED)
def _compare(answer: Sound, reference: Sound) -> Comparison:
    return compare_frames(_analyse(answer), _analyse(reference))


@lru_cache(4)  # several answers in a row have the same reference
def _analyse(sound: Sound) -> Analysis:
    return analyse(sound.audio.decode(RATE))


def compare_frames(answer: Analysis, reference: Analysis) -> Comparison:
    """Warp one analysis to the other, and add up the differences of their frames."""
    cepstra = answer.cepstrum[:, 1:], reference.cepstrum[:, 1:]  # without the level
    path = warp(*cepstra)
    is_plain = len(cepstra[0]) == len(cepstra[1])
    pitch = _PitchDifferences.of(answer.pitch[path[0]], reference.pitch[path[1]])
    return Comparison(
        len(path[0]),
        _sum_distances(cepstra[0][path[0]], cepstra[1][path[1]]),
        len(cepstra[0]) if is_plain else 0,
        _sum_distances(*cepstra) if is_plain else 0.0,
        *pitch,
    )


def _sum_distances(first: Frames, second: Frames) -> float:
    return TO_DECIBELS * float(np.sqrt(np.square(first - second).sum(axis=1)).sum())


class _PitchDifferences(NamedTuple):
    voiced: int
    squared_hertz: float
    squared_cents: float
    correlation: float
    voicing_differs: int

    @classmethod
    def of(cls, answer: Frames, reference: Frames) -> _PitchDifferences:
        both = (answer > 0) & (reference > 0)
        first, second = answer[both], reference[both]
        has_spread = len(first) > 1 and float(np.ptp(first)) > 0 and float(np.ptp(second)) > 0
        return cls(
            int(both.sum()),
            float(np.square(first - second).sum()),
            float(np.square(1200 * np.log2(first / second)).sum()),
            float(np.corrcoef(first, second)[0, 1]) if has_spread else math.nan,
            int(((answer > 0) != (reference > 0)).sum()),
        )


# --- metrics ---------------------------------------------------------------------------------------------------------


def _compared(measure: Callable[[Comparison], tuple[float, ...] | None]) -> Callable[[Sample, Output], Any]:
    def score(sample: Sample, output: Output) -> tuple[float, ...] | None:
        comparison = compare_recordings(Sound.of(require_audio(output)), Sound.of(get_reference(sample)))
        return None if comparison is None else measure(comparison)

    return score


def _root_of_mean(totals: Array) -> float:
    return math.sqrt(mean) if not math.isnan(mean := divide(totals[0], totals[1])) else math.nan


def _count_frames(totals: Array) -> Details:
    return {"frames": int(totals[1])}


def _pitch_error(name: str, title: str, measure: Callable[[Comparison], float], unit: str) -> Metric:
    """Make a metric of a root mean squared error over all frames that are voiced in both recordings."""
    return Metric(
        name,
        _compared(lambda comparison: (measure(comparison), comparison.voiced)),
        SumAggregator(_root_of_mean, _count_frames, NONNEGATIVE),
        higher_is_better=False,
        title=title,
        variant=f"{unit}.voiced-in-both.pooled.{PITCH}",
        unit="points",
        applies=has_reference,
    )


mcd = Metric(
    "mcd",
    _compared(lambda comparison: (comparison.distance, comparison.pairs)),
    NonnegativeRatio(details=_count_frames),
    higher_is_better=False,
    title="MCD (dB)",
    variant=f"dtw.pooled.{CEPSTRUM}",
    unit="points",
    applies=has_reference,
)
mcd_plain = Metric(
    "mcd_plain",
    _compared(lambda item: (item.plain_distance, item.plain_frames) if item.plain_frames else None),
    NonnegativeRatio(details=_count_frames),
    higher_is_better=False,
    title="MCD without warping (dB)",
    variant=f"plain.same-length.pooled.{CEPSTRUM}",
    unit="points",
    applies=has_reference,
)
f0_rmse = _pitch_error("f0_rmse", "F0 RMSE (Hz)", lambda comparison: comparison.squared_hertz, "Hz")
f0_rmse_cents = _pitch_error("f0_rmse_cents", "F0 RMSE (cents)", lambda item: item.squared_cents, "cents")
_CORRELATION = DefinedMean(("no_voice",), RatingScale(-1.0, 1.0))
f0_correlation = Metric(
    "f0_correlation",
    _compared(lambda item: _CORRELATION.make_stat(item.correlation, *["no_voice"] * math.isnan(item.correlation))),
    _CORRELATION,
    title="F0 correlation",
    variant=f"pearson.voiced-in-both.mean-of-answers.{PITCH}",
    unit="points",
    applies=has_reference,
)
vuv_error = Metric(
    "vuv_error",
    _compared(lambda comparison: (comparison.voicing_differs, comparison.pairs)),
    RatioAggregator(details=_count_frames, is_share=True),
    higher_is_better=False,
    title="V/UV error",
    variant=f"all-frames.pooled.{PITCH}",
    unit="share",
    applies=has_reference,
)
