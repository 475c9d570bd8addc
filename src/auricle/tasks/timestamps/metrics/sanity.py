"""Times that cannot be right, whatever the reference: they are counted and never repaired."""

from __future__ import annotations

from itertools import pairwise

from auricle.core.errors import SampleError
from auricle.core.types import Output, Sample, Segment
from auricle.metrics.base import Array, Details, Metric, RatioAggregator
from auricle.tasks.timestamps.metrics.matching import MAX_SECONDS, to_microseconds
from auricle.tasks.timestamps.metrics.reading import require_segments

ROUNDING = 20_000
"""Microseconds by which an end may exceed the recording: the last frame of many models is not full."""

INVALID, WORDS, NEGATIVE, UNORDERED, OUTSIDE = range(5)
"""Columns: words with any of the faults, all words, and words with each fault."""
COLUMNS = ("invalid", "words", "end_before_start", "start_before_previous", "outside_audio")


def find_negative(segments: tuple[Segment, ...]) -> set[int]:
    """Return which segments end before they start."""
    return {index for index, segment in enumerate(segments) if segment.end < segment.start}


def find_unordered(segments: tuple[Segment, ...]) -> set[int]:
    """Return which segments start before the one that precedes them."""
    return {index for index, (first, second) in enumerate(pairwise(segments), 1) if second.start < first.start}


def find_outside(segments: tuple[Segment, ...], audio_seconds: float) -> set[int]:
    """Return which segments start before the recording, or end after it."""
    limit = to_microseconds(audio_seconds) + ROUNDING

    def is_outside(segment: Segment) -> bool:
        last = max(segment.start, segment.end)
        return segment.start < 0 or last > MAX_SECONDS or to_microseconds(last) > limit

    return {index for index, segment in enumerate(segments) if is_outside(segment)}


def _count_faults(sample: Sample, output: Output, *, audio_seconds: float | None = None) -> tuple[float, ...]:
    segments = require_segments(output)
    if audio_seconds is None:
        raise SampleError("the duration of its audio is unknown")
    faults = find_negative(segments), find_unordered(segments), find_outside(segments, audio_seconds)
    return len(set.union(*faults)), len(segments), *map(len, faults)


def _describe(totals: Array) -> Details:
    return {name: int(total) for name, total in zip(COLUMNS, totals, strict=False)}


def _fault_metric(name: str, title: str, column: int) -> Metric:
    return Metric(
        name,
        _count_faults,
        RatioAggregator((column,), WORDS, _describe, is_share=True),
        higher_is_better=False,
        title=title,
        variant=f"end-after-audio-by-{ROUNDING // 1000}ms" if column in (INVALID, OUTSIDE) else "",
        unit="share",
        facts=("audio_seconds",),
    )


invalid_times = _fault_metric("invalid_times", "Invalid times", INVALID)
negative_durations = _fault_metric("negative_durations", "Ends before starts", NEGATIVE)
unordered_starts = _fault_metric("unordered_starts", "Starts out of order", UNORDERED)
outside_audio = _fault_metric("outside_audio", "Times outside the audio", OUTSIDE)
