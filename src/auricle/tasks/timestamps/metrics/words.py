"""Errors of the starts and ends of words, over words that are matched with equal ones of the reference.

The statistic of a recording has the sums over its words, so that intervals are over recordings: the words of one
recording are not independent of each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from auricle.core.types import Output, Sample, Stat
from auricle.metrics.base import Aggregator, Array, Codes, Details, Metric, RatioAggregator, Stats, divide
from auricle.metrics.capabilities import Bounded, Restricted
from auricle.metrics.pooling import PooledQuantile
from auricle.metrics.scales import NONNEGATIVE, NONNEGATIVE_UNKNOWN, REAL, Scale
from auricle.metrics.texts import TextMetric
from auricle.tasks.timestamps.metrics.matching import MICROSECONDS, TimedWord, WordPair, normalise_words
from auricle.tasks.timestamps.metrics.reading import MatchedWords, has_words, read_words
from auricle.tasks.timestamps.timed_words import read_reference
from auricle.text import get_profile

TOLERANCES = (20, 50, 100, 200)
"""Milliseconds within which boundaries count as right, the limit included."""
CURVE = (0, 5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
"""Milliseconds at which the share of boundaries within them is reported, to draw a curve."""
RESOLUTIONS = range(5_000, 100_001)
"""Steps between times, in microseconds, that are reported as a resolution. Smaller ones are rounding; with larger ones
there are too few times to find the step."""

Side: TypeAlias = Literal["start", "end"]
SIDES: tuple[Side, Side] = ("start", "end")
Measure: TypeAlias = Callable[[MatchedWords], "Stat | None"]
MATCHING = "edits.equal-words.ties-by-time"
"""How words are matched, for signatures."""


class WordTimeMetric(TextMetric, Restricted):
    """A metric of the matched words of a recording.

    Args:
        name: Name of the metric.
        title: Its title.
        measure: Function from the matched words to the statistic of the recording, or None if it has none.
        aggregate: Function from statistics to one number.
        variant: Its conventions.
        fields: Further fields of the metric.
    """

    facts = ("audio_seconds",)

    def __init__(
        self, name: str, title: str, measure: Measure, aggregate: Aggregator, *, variant: str = "", **fields: Any
    ) -> None:
        self.convention = ".".join(filter(None, (variant, MATCHING)))
        self._measure = measure
        super().__init__(name, aggregate=aggregate, title=title, **fields)

    def applies(self, sample: Sample) -> bool:
        return has_words(sample)

    def score(self, sample: Sample, output: Output, *, audio_seconds: float | None = None) -> Stat | None:
        return self._measure(read_words(sample, output, get_profile(self.profile), audio_seconds))


class RecalledWords(WordTimeMetric, Bounded):
    """A metric whose statistic counts what is right of all reference words, and of how much.

    Args:
        counted_per_word: Count of a right reference word.
    """

    def __init__(self, *args: Any, counted_per_word: int, **fields: Any) -> None:
        self._counted_per_word = counted_per_word
        super().__init__(*args, **fields)

    def bounds(self, sample: Sample) -> tuple[Stat, Stat]:
        words = normalise_words(read_reference(sample.meta) or (), get_profile(self.profile))
        count = self._counted_per_word * len(words)
        return (0, count), (count, count)


# --- mean errors ------------------------------------------------------------------------------------

ABSOLUTE, MATCHED, SIGNED, REFERENCE, STEP, FIRST_COUNT = range(6)
"""Columns of the statistic of a mean error: sums in seconds, numbers of words, and the step between times."""


class MeanError(RatioAggregator):
    """The mean absolute error of matched words, or their mean signed one, in seconds."""

    def __init__(self, column: int) -> None:
        super().__init__((column,), MATCHED)
        self._own_scale = REAL if column == SIGNED else NONNEGATIVE

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return self._own_scale

    def details(self, stats: Stats) -> Details:
        """Return both means, the share of boundaries within each limit, and the resolution of the model's times."""
        table = np.asarray(stats, dtype=np.float64)
        step = int(np.gcd.reduce(table[:, STEP].astype(np.int64)))
        return {**super().details(stats), **({"resolution_ms": step / 1000} if step in RESOLUTIONS else {})}

    def describe_totals(self, totals: Array, detail_totals: Array) -> Details:
        """Return both means and the share of boundaries within each limit."""
        matched, counts = totals[MATCHED], totals[FIRST_COUNT:-1]
        within = {f"{limit}": divide(count, matched) for limit, count in zip(CURVE, counts, strict=True)}
        return {
            "matched": int(matched),
            "reference_words": int(totals[REFERENCE]),
            "mean_error": divide(totals[ABSOLUTE], matched),
            "bias": divide(totals[SIGNED], matched),
            "within_ms": within,
        }


def _sum_errors(side: Side, words: MatchedWords) -> tuple[float, ...]:
    errors = np.array(words.list_errors(side), dtype=np.int64)
    counts = [int((np.abs(errors) <= limit * 1000).sum()) for limit in CURVE]
    absolute, signed = float(np.abs(errors).sum()) / MICROSECONDS, float(errors.sum()) / MICROSECONDS
    return absolute, len(errors), signed, len(words.reference), find_step(words.hypothesis), *counts


def find_step(words: Sequence[TimedWord]) -> int:
    """Return the largest step, in microseconds, of which all times differ by multiples; 0 if they are all equal.

    >>> find_step([TimedWord("a", 10_000, 70_000), TimedWord("b", 70_000, 110_000)])
    20000
    """
    times = [time for word in words for time in (word.start, word.end)]
    return math.gcd(*(abs(second - first) for first, second in pairwise(times)))


def _error_metric(name: str, title: str, side: Side, column: int) -> Metric:
    return WordTimeMetric(
        name,
        title,
        partial(_sum_errors, side),
        MeanError(column),
        higher_is_better=False,
        unit="s",
        variant=f"{'hypothesis-minus-reference' if column == SIGNED else 'absolute'}.mean",
        badness=lambda stat: abs(divide(stat[column], stat[MATCHED])) if stat[MATCHED] else -math.inf,
        optimum="zero" if column == SIGNED else "",
    )


start_error = _error_metric("start_error", "Start error", "start", ABSOLUTE)
end_error = _error_metric("end_error", "End error", "end", ABSOLUTE)
start_bias = _error_metric("start_bias", "Start bias", "start", SIGNED)
"""Mean signed error: positive if words start late. Values near zero are best."""
end_bias = _error_metric("end_bias", "End bias", "end", SIGNED)


# --- distribution of errors ---------------------------------------------------------------------------


def _list_seconds(side: Side, words: MatchedWords) -> Stat | None:
    seconds = tuple(abs(error) / MICROSECONDS for error in words.list_errors(side))
    return (seconds,) if seconds else None


def _list_signed(side: Side, words: MatchedWords) -> Stat | None:
    return tuple(words.list_errors(side)) or None


def _quantile_metric(side: Side, quantile: float, suffix: str, words: str) -> Metric:
    return WordTimeMetric(
        f"{side}_error_{suffix}",
        f"{side.capitalize()} error, {words}",
        partial(_list_seconds, side),
        PooledQuantile(quantile, digits=6, scale=NONNEGATIVE_UNKNOWN),
        higher_is_better=False,
        unit="s",
        variant=f"absolute.{suffix}",
    )


class CentredError:
    """The mean absolute error after the median of all signed errors is subtracted from each, in seconds.

    What remains is not a constant delay, such as that of a codec or of padding. Statistics are whole microseconds, so
    that a delay is removed without rounding errors.
    """

    def __call__(self, stats: Stats) -> float:
        errors = _pool_errors(stats)
        return float(np.abs(errors - np.median(errors)).mean()) / MICROSECONDS if len(errors) else math.nan

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return NONNEGATIVE_UNKNOWN

    def details(self, stats: Stats) -> Details:
        errors = _pool_errors(stats)
        return {"values": len(errors), "offset": float(np.median(errors)) / MICROSECONDS}


def _pool_errors(stats: Stats) -> Array:
    return np.array([error for errors in stats for error in errors], dtype=np.float64)


def _centred_metric(side: Side) -> Metric:
    return WordTimeMetric(
        f"{side}_error_centred",
        f"{side.capitalize()} error without offset",
        partial(_list_signed, side),
        CentredError(),
        higher_is_better=False,
        unit="s",
        variant="absolute.mean.minus-median-of-all",
    )


start_error_median, end_error_median = (_quantile_metric(side, 0.5, "median", "median") for side in SIDES)
start_error_p95, end_error_p95 = (_quantile_metric(side, 0.95, "p95", "95th percentile") for side in SIDES)
start_error_centred, end_error_centred = map(_centred_metric, SIDES)


# --- shares -------------------------------------------------------------------------------------------


def _share_metric(name: str, title: str, measure: Measure, columns: Sequence[str], **fields: Any) -> Metric:
    """Make a metric of the sum of the first count over the sum of the second."""

    def details(totals: Array) -> Details:
        return {column: int(total) for column, total in zip(columns, totals, strict=False)}

    aggregate = RatioAggregator(details=details, is_share=True)
    make = RecalledWords if "counted_per_word" in fields else WordTimeMetric
    return make(name, title, measure, aggregate, unit="share", **fields)


def _count_within(side: Side, tolerance: int, words: MatchedWords) -> tuple[float, ...]:
    errors = words.list_errors(side)
    return sum(abs(error) <= tolerance * 1000 for error in errors), len(errors)


def _within_metric(side: Side, tolerance: int) -> Metric:
    return _share_metric(
        f"{side}_within_{tolerance}ms",
        f"{side.capitalize()}s within {tolerance} ms",
        partial(_count_within, side, tolerance),
        ("within", "matched"),
        variant=f"tolerance-{tolerance}ms-inclusive.of-matched",
    )


def _count_recalled(tolerance: int, words: MatchedWords) -> tuple[float, ...]:
    return sum(_count_within(side, tolerance, words)[0] for side in SIDES), 2 * len(words.reference)


def _recall_metric(tolerance: int) -> Metric:
    return _share_metric(
        f"boundary_recall_{tolerance}ms",
        f"Boundary recall, {tolerance} ms",
        partial(_count_recalled, tolerance),
        ("within", "reference_boundaries"),
        variant=f"tolerance-{tolerance}ms-inclusive.of-all",
        counted_per_word=2,
    )


def _count_matched(words: MatchedWords) -> tuple[float, ...]:
    return len(words.pairs), len(words.reference)


def _sum_overlaps(words: MatchedWords) -> tuple[float, ...]:
    overlaps = [overlap for pair in words.pairs if (overlap := overlap_share(pair)) is not None]
    points = sum(min(timed.end - timed.start for timed in pair) <= 0 for pair in words.pairs)
    return sum(overlaps), len(overlaps), len(words.pairs), points


def overlap_share(pair: WordPair) -> float | None:
    """Return the overlap of two words over their union; None if neither of them has a length."""
    reference, hypothesis = pair
    overlap = max(0, min(reference.end, hypothesis.end) - max(reference.start, hypothesis.start))
    union = sum(max(0, timed.end - timed.start) for timed in pair) - overlap
    return overlap / union if union else None


(start_within_20ms, start_within_50ms, start_within_100ms, start_within_200ms) = (
    _within_metric("start", tolerance) for tolerance in TOLERANCES
)
(end_within_20ms, end_within_50ms, end_within_100ms, end_within_200ms) = (
    _within_metric("end", tolerance) for tolerance in TOLERANCES
)
(boundary_recall_20ms, boundary_recall_50ms, boundary_recall_100ms, boundary_recall_200ms) = map(
    _recall_metric, TOLERANCES
)
word_coverage = _share_metric(
    "word_coverage", "Word coverage", _count_matched, ("matched", "reference_words"), counted_per_word=1
)
word_iou = _share_metric(
    "word_iou",
    "Word overlap",
    _sum_overlaps,
    ("overlap", "defined", "matched", "without_length"),
    variant="intersection-over-union",
)
