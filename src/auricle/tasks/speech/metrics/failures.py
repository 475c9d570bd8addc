"""Speech that failed: empty, clipped, silent, or far shorter or longer than its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auricle.core.errors import AudioError, Unsuited
from auricle.core.types import Generation, Output, Sample
from auricle.metrics.base import (
    Codes,
    ConstantBounds,
    Details,
    Metric,
    Stats,
    WeightedAggregate,
    has_one_sample_per_unit,
)
from auricle.metrics.scales import SHARE, HitScale, Scale
from auricle.tasks.speech.metrics.answers import SILENCE, get_spoken_text, measure_answer

MAX_CLIPPED_SHARE = 0.001
MAX_SILENCE_SHARE = 0.5
PACE_LIMITS = (0.3, 3.0)
"""Seconds per character, as multiples of the median of all answers, beyond which speech is too short or too long."""
MEDIAN_PACE = "median_seconds_per_character"
REASONS = ("empty", "clipped", "silent", "too_short", "too_long")


def _score(sample: Sample, output: Output) -> tuple[float, float, float, float, float]:
    """Return whether there is no sound, the shares of clipped samples and of silence, seconds and characters."""
    if not isinstance(output, Generation):
        raise Unsuited(f"needs spoken answers, not {type(output).__name__}")
    characters = count_characters(get_spoken_text(sample, output))
    try:
        measures = measure_answer(output) if output.audio else None
    except AudioError:  # no sound can be heard
        measures = None
    if measures is None:
        return 1.0, 0.0, 0.0, 0.0, characters
    return 0.0, measures.clipped_share, measures.silence_share, measures.seconds, characters


def count_characters(text: str) -> int:
    """Return the number of characters of a text without spaces."""
    return sum(not character.isspace() for character in text)


def measure_median_pace(stats: Stats) -> float:
    """Return the median of seconds per character of these statistics of `speech_failures`; NaN if none has a text."""
    paces = _measure_paces(_to_rows(stats))
    return float(np.median(paces[~np.isnan(paces)])) if not np.isnan(paces).all() else np.nan


def find_failures(stats: Stats, median: float | None = None) -> Mapping[str, NDArray[np.bool_]]:
    """Return for each reason which of these statistics of `speech_failures` fail.

    Args:
        stats: Statistics of answers.
        median: Seconds per character that answers are compared with. [default: the median of these]
    """
    rows = _to_rows(stats)
    empty, clipped, silent, *_ = rows.T
    pace = _measure_paces(rows)
    median = measure_median_pace(stats) if median is None else median
    flags = (
        empty > 0,
        clipped > MAX_CLIPPED_SHARE,
        silent > MAX_SILENCE_SHARE,
        pace < PACE_LIMITS[0] * median,  # False where the pace is unknown
        pace > PACE_LIMITS[1] * median,
    )
    return dict(zip(REASONS, flags, strict=True))


def _to_rows(stats: Stats) -> NDArray[np.float64]:
    return np.asarray(stats, dtype=np.float64).reshape(-1, 5)


def _measure_paces(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the seconds per character of each answer; NaN for one without sound or text."""
    empty, _, _, seconds, characters = rows.T
    unknown = np.full(len(rows), np.nan)
    paces: NDArray[np.float64] = np.divide(seconds, characters, out=unknown, where=(empty == 0) & (characters > 0))
    return paces


class FailureShare:
    """The share of answers that fail for any reason; the median pace is that of all answers."""

    def __call__(self, stats: Stats) -> float:
        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        failed = self.value_each(stats)
        return lambda weights: float(failed @ weights / weights.sum())

    def value_each(self, stats: Stats) -> NDArray[np.float64]:
        """Return 1 for each answer that fails among these, 0 for the others."""
        failed: NDArray[np.bool_] = np.any(list(find_failures(stats).values()), axis=0)
        return failed.astype(np.float64)

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return HitScale(len(units)) if has_one_sample_per_unit(units) else SHARE

    def details(self, stats: Stats) -> Details:
        failures = find_failures(stats)
        return {
            "failed": int(self.value_each(stats).sum()),
            **{name: int(flags.sum()) for name, flags in failures.items()},
            MEDIAN_PACE: round(measure_median_pace(stats), 6),
        }


def _badness(stat: Any) -> float:
    """Order answers for lists: by failures, then by silence; whether the pace fails depends on all answers."""
    empty, clipped, silent, *_ = stat
    return float(10 * empty + (clipped > MAX_CLIPPED_SHARE) + (silent > MAX_SILENCE_SHARE) + 0.5 * silent)


speech_failures = Metric(
    "speech_failures",
    _score,
    FailureShare(),
    higher_is_better=False,
    title="Speech failures",
    variant=f"clipped{MAX_CLIPPED_SHARE:g}.silent{MAX_SILENCE_SHARE:g}.pace{PACE_LIMITS[0]:g}-{PACE_LIMITS[1]:g}.{SILENCE}",
    unit="share",
    bounds=ConstantBounds((1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    badness=_badness,
)
