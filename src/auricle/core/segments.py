"""Read segments from the shapes in which people and libraries write them.

A segment is a mapping with its times and what happens in them. The names of SegLST (`start_time`, `words`), Whisper
(`start`, `word`), pipelines of transformers (`timestamp`) and lists of sound events (`onset`, `event_label`) are
accepted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from auricle.core.errors import SampleError
from auricle.core.types import Segment

START_NAMES = ("start", "start_time", "onset", "begin")
END_NAMES = ("end", "end_time", "offset", "stop")
DURATION_NAMES = ("duration", "dur")
TEXT_NAMES = ("text", "words", "word", "label", "event_label", "event")
SPEAKER_NAMES = ("speaker", "speaker_id", "spk")
SCORE_NAMES = ("score", "confidence", "conf", "probability", "prob")
MAX_SHOWN = 100
"""Most characters of a wrong value that a message contains."""


def parse_segments(values: Any) -> tuple[Segment, ...]:
    """Return the segments of a list.

    Args:
        values: `Segment`s, or mappings such as `{"start": 0.5, "end": 1.2, "text": "hello", "speaker": "anna"}`.

    Raises:
        SampleError: if a value is not a segment, or its times are not numbers.

    Examples:
        >>> parse_segments([{"start": 0.5, "end": 1, "word": "hello"}])
        (Segment(start=0.5, end=1.0, text='hello', speaker='', score=None),)
        >>> parse_segments([{"start_time": "2.1", "end_time": "3", "words": "good morning", "speaker": "anna"}])
        (Segment(start=2.1, end=3.0, text='good morning', speaker='anna', score=None),)
    """
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise SampleError(f"expected a list of segments, got {_shorten(values)}")
    return tuple(_parse_segment(value, number) for number, value in enumerate(values, 1))


def join_texts(segments: Iterable[Segment]) -> str:
    """Return the texts of segments, in the order of their start."""
    ordered = sorted(segments, key=lambda segment: segment.start)
    return " ".join(segment.text.strip() for segment in ordered if segment.text.strip())


def describe_reversed(segments: Iterable[Segment]) -> str:
    """Describe the first segment that ends before it starts; return an empty text if there is none.

    Examples:
        >>> describe_reversed([Segment(0.5, 1), Segment(3, 1)])
        'segment 2: the end 1.0 is before the start 3.0'
    """
    for number, segment in enumerate(segments, 1):
        if segment.end < segment.start:
            return f"segment {number}: the end {float(segment.end)} is before the start {float(segment.start)}"
    return ""


def _parse_segment(value: Any, number: int) -> Segment:
    if isinstance(value, Segment):
        return value
    if not isinstance(value, Mapping):
        raise SampleError(f"segment {number} is {_shorten(value)}; expected start, end and text, speaker or label")
    start, end = _read_times(value, number)
    score = _first(value, SCORE_NAMES)
    return Segment(
        start,
        end,
        _read_text(_first(value, TEXT_NAMES)),
        _read_text(_first(value, SPEAKER_NAMES)),
        None if score is None else _to_number(score, "score", number),
    )


def _read_times(value: Mapping[str, Any], number: int) -> tuple[float, float]:
    timestamp = value.get("timestamp")
    if isinstance(timestamp, (list, tuple)) and len(timestamp) == 2:
        start, end = timestamp
    else:
        start, end = _first(value, START_NAMES), _first(value, END_NAMES)
    if start is None:
        raise SampleError(f"segment {number} has no start: {_shorten(value)}")
    first = _to_number(start, "start", number)
    if end is None and (duration := _first(value, DURATION_NAMES)) is not None:
        return first, first + _to_number(duration, "duration", number)
    if end is None:
        raise SampleError(f"segment {number} has no end: {_shorten(value)}")
    return first, _to_number(end, "end", number)


def _first(value: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _read_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):  # words of their own
        return " ".join(map(_read_text, value))
    if isinstance(value, Mapping):
        return _read_text(_first(value, TEXT_NAMES))
    return "" if value is None else str(value).strip()


def _to_number(value: Any, name: str, number: int) -> float:
    expected = "a number" if name == "score" else "seconds"
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise SampleError(f"segment {number}: {name} is {_shorten(value)}, expected {expected}") from None
    if not math.isfinite(result):
        raise SampleError(f"segment {number}: {name} is {result}, expected {expected}")
    return result


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
