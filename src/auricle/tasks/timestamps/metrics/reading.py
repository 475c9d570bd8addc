"""Read what metrics of times compare: the words of the reference and those that a model reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Output, Sample, Segment
from auricle.tasks.timestamps.metrics.matching import TimedWord, WordPair, match_words, normalise_words
from auricle.tasks.timestamps.timed_words import SEGMENTS_FIELD, WORDS_FIELD, read_reference

MAX_EXCESS = 0.05
"""Seconds by which reference words may exceed their recording; beyond that they belong to another one."""


@dataclass(frozen=True, slots=True)
class MatchedWords:
    """The words of a sample: those of the reference, those of the model, and the pairs of equal ones."""

    reference: tuple[TimedWord, ...]
    hypothesis: tuple[TimedWord, ...]
    pairs: tuple[WordPair, ...]

    def list_errors(self, side: Literal["start", "end"]) -> list[int]:
        """Return by how many microseconds each matched word starts or ends late."""
        return [pair.start_error if side == "start" else pair.end_error for pair in self.pairs]


def has_words(sample: Sample) -> bool:
    """Return whether the row of a sample has words with times."""
    return sample.meta.get(WORDS_FIELD) is not None


def has_boundaries(sample: Sample) -> bool:
    """Return whether the row of a sample has words or segments with times."""
    return has_words(sample) or sample.meta.get(SEGMENTS_FIELD) is not None


def require_segments(output: Output) -> tuple[Segment, ...]:
    """Return the segments of an answer.

    Raises:
        Unsuited: if the model reports none.
    """
    if not isinstance(output, Generation):
        raise Unsuited(f"needs text with times, not {type(output).__name__}")
    if output.segments is None:
        raise Unsuited("the model reports no times. Set -M words=true if it can; see docs/timestamps.md")
    return output.segments


def read_words(
    sample: Sample, output: Output, normalise: Callable[[str], str], audio_seconds: float | None
) -> MatchedWords:
    """Return the matched words of a sample.

    Raises:
        SampleError: if the reference has no words with valid times.
        Unsuited: if the model reports no times, or none of words.
    """
    hypothesis = require_segments(output)
    if hypothesis and all(len(segment.text.split()) > 1 for segment in hypothesis):
        raise Unsuited("the model reports the times of segments of several words, not of words")
    words = read_reference(sample.meta)
    if words is None:
        raise SampleError("the row has no words with times")
    check_duration(words, audio_seconds)
    reference, answer = normalise_words(words, normalise), normalise_words(hypothesis, normalise)
    return MatchedWords(reference, answer, match_words(reference, answer))


def read_boundaries(sample: Sample, audio_seconds: float | None) -> tuple[Segment, ...]:
    """Return the words of the reference, or its segments if it has no words.

    Raises:
        SampleError: if the reference has neither, or their times are invalid.
    """
    reference = read_reference(sample.meta) if has_words(sample) else read_reference(sample.meta, SEGMENTS_FIELD)
    if reference is None:
        raise SampleError("the row has neither words nor segments with times")
    check_duration(reference, audio_seconds)
    return reference


def check_duration(reference: Sequence[Segment], audio_seconds: float | None) -> None:
    """Raise `SampleError` if the reference ends well after its recording."""
    end = max((segment.end for segment in reference), default=0.0)
    if audio_seconds is not None and end - audio_seconds >= MAX_EXCESS:
        raise SampleError(
            f"the reference ends at {end:.3f} s, but its recording at {audio_seconds:.3f} s: the times are not those "
            "of this recording"
        )
