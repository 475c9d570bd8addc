"""Match the words of a model with those of the reference, so that a wrong word is not measured as a wrong time.

The alignment has the fewest edits of words; of several such alignments the one with the most equal pairs counts, and of
those the one with the smallest differences in time. Only pairs of equal words are matched.

Times are compared as whole microseconds: in floating point, 0.1 - 0.08 exceeds 0.02.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auricle.core.errors import SampleError
from auricle.core.types import Segment

MICROSECONDS = 1_000_000
"""Units of time per second."""
MAX_SECONDS = 1e8
"""Longest time that is compared, about three years."""
MAX_CELLS = 100_000_000
"""Largest table of an alignment, in cells; one is a byte."""
DELETE, INSERT, PAIR = 0, 1, 2
"""Steps of an alignment."""

Costs: TypeAlias = NDArray[np.complex128]
"""Edits and matches in the real part, differences in time in the imaginary one: complex numbers are ordered by their
real part and then by the imaginary one."""


class TimedWord(NamedTuple):
    """A normalised word, with its times in microseconds."""

    word: str
    start: int
    end: int


class WordPair(NamedTuple):
    """A reference word and the equal word of the model."""

    reference: TimedWord
    hypothesis: TimedWord

    @property
    def start_error(self) -> int:
        """Microseconds by which the model's word starts late; negative if it starts early."""
        return self.hypothesis.start - self.reference.start

    @property
    def end_error(self) -> int:
        """Microseconds by which the model's word ends late."""
        return self.hypothesis.end - self.reference.end


def to_microseconds(seconds: float) -> int:
    """Return a time as whole microseconds.

    Raises:
        SampleError: if it cannot be the time of anything in a recording.
    """
    if abs(seconds) > MAX_SECONDS:
        raise SampleError(f"a time of {seconds:g} s is not in any recording")
    return round(seconds * MICROSECONDS)


def normalise_words(segments: Sequence[Segment], normalise: Callable[[str], str]) -> tuple[TimedWord, ...]:
    """Return segments as normalised words; those without text, such as punctuation of its own, are left out."""
    words = ((" ".join(normalise(segment.text).split()), segment) for segment in segments)
    return tuple(
        TimedWord(word, to_microseconds(segment.start), to_microseconds(segment.end)) for word, segment in words if word
    )


@lru_cache(maxsize=16)  # many metrics of the same sample use the same pairs
def match_words(reference: tuple[TimedWord, ...], hypothesis: tuple[TimedWord, ...]) -> tuple[WordPair, ...]:
    """Return the pairs of equal words in the best alignment.

    Raises:
        SampleError: if both sides have so many words that the alignment would not fit into memory.

    Examples:
        >>> spoken = (TimedWord("no", 0, 200_000), TimedWord("no", 500_000, 700_000))
        >>> [pair.reference.start for pair in match_words(spoken, (TimedWord("no", 490_000, 710_000),))]
        [500000]
    """
    if [timed.word for timed in reference] == [timed.word for timed in hypothesis]:
        return tuple(map(WordPair, reference, hypothesis))
    if len(reference) * len(hypothesis) > MAX_CELLS:
        raise SampleError(f"too many words to align: {len(reference):,} and {len(hypothesis):,}")
    return tuple(WordPair(reference[row], hypothesis[column]) for row, column in _align(reference, hypothesis))


def _align(reference: Sequence[TimedWord], hypothesis: Sequence[TimedWord]) -> list[tuple[int, int]]:
    """Return the positions of the matched words."""
    codes = {word: code for code, word in enumerate({timed.word for timed in (*reference, *hypothesis)})}
    words = np.array([codes[timed.word] for timed in hypothesis], dtype=np.int64)
    starts, ends = (np.array([timed[at] for timed in hypothesis], dtype=np.int64) for at in (1, 2))
    edit = 1.0 + min(len(reference), len(hypothesis))  # an edit outweighs all matches
    inserted: Costs = (np.arange(len(hypothesis) + 1) * edit).astype(np.complex128)
    costs, steps = inserted, np.zeros((len(reference), len(hypothesis) + 1), dtype=np.int8)
    for row, timed in enumerate(reference):
        difference = np.abs(starts - timed.start) + np.abs(ends - timed.end)
        paired = costs[:-1] + np.where(words == codes[timed.word], -1 + 1j * difference, edit)
        best = costs + edit
        is_pair = paired < best[1:]
        best[1:] = np.where(is_pair, paired, best[1:])
        steps[row, 1:] = np.where(is_pair, PAIR, DELETE)
        # With the cost of the insertions before it subtracted, an inserted word is as cheap as its predecessor.
        costs = np.minimum.accumulate(best - inserted) + inserted
        steps[row, costs != best] = INSERT
    return _trace_back(steps, words, [codes[timed.word] for timed in reference])


def _trace_back(steps: NDArray[np.int8], words: NDArray[np.int64], reference: Sequence[int]) -> list[tuple[int, int]]:
    row, column = len(reference), len(words)
    pairs = []
    while row and column:
        step = steps[row - 1, column]
        row, column = row - (step != INSERT), column - (step != DELETE)
        if step == PAIR and reference[row] == words[column]:
            pairs.append((row, column))
    return pairs[::-1]
