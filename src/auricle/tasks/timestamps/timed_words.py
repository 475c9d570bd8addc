"""Read words with their times from rows, and from the files that rows name: CTM, TextGrid and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SampleError
from auricle.core.segments import parse_segments
from auricle.core.types import Segment
from auricle.tasks.meetings.segment_files import SegmentFile, read_segments
from auricle.tasks.timestamps.textgrid import read_textgrid

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

    Examples:
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


def iter_valid_words(values: Any) -> Iterator[Segment]:
    """Yield the words of a list that have a text and times, and skip everything else.

    >>> [word.text for word in iter_valid_words([["good", 0.1, 0.3], ["day"], {"word": "sir", "start": 1, "end": 2}])]
    ['good', 'sir']
    """
    for value in values if isinstance(values, (list, tuple)) else ():
        with suppress(SampleError):
            yield from (word for word in parse_timed_words([value]) if word.text)


def check_reference(words: Sequence[Segment]) -> None:
    """Raise `SampleError` if reference words are not in order of time, or one ends before it starts."""
    for number, word in enumerate(words, 1):
        if word.start < 0:
            raise SampleError(f"word {number} ({word.text!r}) starts at {word.start:g} s, before the recording")
        if word.end < word.start:
            raise SampleError(
                f"word {number} ({word.text!r}) ends at {word.end:g} s, before its start at {word.start:g} s"
            )
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


# --- files -----------------------------------------------------------------------------------------


def load_timed_words(path: Path, names: Sequence[str]) -> tuple[Segment, ...]:
    """Return the words or segments of a recording from a file.

    Args:
        path: A `.TextGrid` or `.json` file of the recording, or a `.ctm`, `.stm` or `.rttm` file, also of several.
        names: Names under which a file of several recordings may have this one.

    Raises:
        SampleError: if the file cannot be read or does not have the recording.
    """
    if not path.is_file():
        raise SampleError(f"no such file: {path}")
    suffix = path.suffix.lower()
    if suffix == ".textgrid":
        return read_textgrid(path)
    if suffix == ".json":
        return parse_timed_words(_read_json(path))
    try:
        recordings = _read_segment_file(path, path.stat().st_mtime_ns).recordings
    except (OSError, DataError) as error:
        raise SampleError(str(error)) from error
    name = next((name for name in names if name in recordings), None)
    if name is None and len(recordings) != 1:
        raise SampleError(f"{path} has no recording {' or '.join(map(repr, names))} among its {len(recordings)}")
    return recordings[name] if name is not None else next(iter(recordings.values()))


@lru_cache(maxsize=4)  # one file may have the words of all rows
def _read_segment_file(path: Path, modified: int) -> SegmentFile:
    return read_segments(path)


def _read_json(path: Path) -> Any:
    """Return the words of a JSON file: a list, or `words` of an object or of each of its `segments`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SampleError(f"cannot read {path}: {error}") from error
    if not isinstance(document, Mapping):
        return document
    if (words := document.get(WORDS_FIELD)) is not None:
        return words
    segments = document.get(SEGMENTS_FIELD)
    if not isinstance(segments, list) or not segments:
        raise SampleError(f"{path} has neither words nor segments")
    nested = [segment.get(WORDS_FIELD) if isinstance(segment, Mapping) else None for segment in segments]
    if any(not isinstance(words, list) for words in nested):
        return segments
    return [word for words in nested for word in words or ()]
