"""Read words with their times from the shapes in which rows contain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from auricle.core.errors import SampleError
from auricle.core.segments import parse_segments
from auricle.core.types import Segment

WORDS_FIELD = "words"
"""Field of a row with the words of its recording, in order of time."""
SEGMENTS_FIELD = "segments"
"""Field of a row with longer parts of its recording, such as sentences."""


def parse_timed_words(values: Any) -> tuple[Segment, ...]:
    """Return words with their times in seconds.

    Args:
        values: A list of `{"word": …, "start": …, "end": …}`, or of `[word, start, end]`.

    Raises:
        SampleError: if a value is neither, or its times are not numbers.

    Example:
        >>> [word.text for word in parse_timed_words([["good", 0.1, 0.3], {"word": "day", "start": 0.3, "end": 0.6}])]
        ['good', 'day']
    """
    if isinstance(values, (list, tuple)):
        values = [_name_fields(value) for value in values]
    return parse_segments(values)


def _name_fields(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and len(value) == 3:
        return dict(zip(("word", "start", "end"), value, strict=True))
    return value


def check_reference(words: Sequence[Segment]) -> None:
    """Raise `SampleError` if reference words are not in order of time, or one ends before it starts."""
    for number, word in enumerate(words, 1):
        if word.start < 0 or word.end < word.start:
            raise SampleError(f"word {number} ({word.text!r}) is from {word.start:g} s to {word.end:g} s")
    for number, (first, second) in enumerate(pairwise(words), 2):
        if second.start < first.start:
            raise SampleError(
                f"word {number} ({second.text!r}) starts at {second.start:g} s, before the word that precedes it "
                f"({first.start:g} s). Sort the words by their start."
            )


def read_reference(meta: Mapping[str, Any], field: str = WORDS_FIELD) -> tuple[Segment, ...] | None:
    """Return the words or segments of a row's metadata; None if it has none.

    Raises:
        SampleError: if the field is not a list of words with times in order.
    """
    if meta.get(field) is None:
        return None
    words = parse_timed_words(meta[field])
    check_reference(words)
    return words
