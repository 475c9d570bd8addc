"""Read the reference of a recording and the answer of a model as segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from auricle.core.errors import AnswerMismatch, Unreadable
from auricle.core.segments import describe_reversed, join_texts, parse_segments
from auricle.core.types import Generation, Json, Sample, Segment
from auricle.tasks.meetings.segment_files import Region, parse_answer, to_mapping

REFERENCE_FIELD = "reference"
"""Metadata field of a sample with the segments of its reference (`segments`), and with the regions to score (`uem`) and
to leave out (`ignored`) if there are any."""
MAX_CACHED = 512
"""Pairs of samples and answers that stay parsed, because all metrics score the same few hundred one after another."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is spoken in a recording, and which times are scored."""

    segments: tuple[Segment, ...] | None
    """None if only the text of the whole recording is known."""
    regions: tuple[Region, ...] | None = None
    """The UEM; None if there is none."""
    ignored: tuple[Region, ...] = ()
    zero_length: int = 0
    """Number of turns without duration that were dropped."""

    @property
    def has_speakers(self) -> bool:
        """Whether every segment has a speaker; a recording without speech has no segments."""
        return self.segments is not None and all(segment.speaker for segment in self.segments)

    @property
    def has_words(self) -> bool:
        """Whether the words are known; in a recording without segments there are none."""
        return self.segments == () or any(segment.text for segment in self.segments or ())

    def is_scored(self, segment: Segment) -> bool:
        """Return whether the middle of a segment is in a region that is scored."""
        middle = (segment.start + segment.end) / 2
        if any(region.start <= middle < region.end for region in self.ignored):
            return False
        return self.regions is None or any(region.start <= middle <= region.end for region in self.regions)


def store_reference(reference: Reference) -> dict[str, Json]:
    """Return a reference as a value of metadata."""
    stored: dict[str, Json] = {"segments": list(map(to_mapping, reference.segments or ()))}
    if reference.regions is not None:
        stored["uem"] = [list(region) for region in reference.regions]
    if reference.ignored:
        stored["ignored"] = [list(region) for region in reference.ignored]
    if reference.zero_length:
        stored["zero_length"] = reference.zero_length
    return stored


class Identity:
    """A key by the identity of values, which it keeps alive."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.values)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and all(map(_is_same, self.values, other.values))


def _is_same(first: object, second: object) -> bool:
    return first is second


def read_reference(sample: Sample) -> Reference:
    """Return the reference of a sample; without segments if it has only a text."""
    return _read_reference(Identity(sample.meta))


@lru_cache(maxsize=MAX_CACHED)
def _read_reference(key: Identity) -> Reference:
    (meta,) = key.values
    stored = meta.get(REFERENCE_FIELD)
    if not isinstance(stored, Mapping):
        return Reference(None)
    regions = stored.get("uem")
    return Reference(
        parse_segments(stored.get("segments", ())),
        None if regions is None else read_regions(regions),
        read_regions(stored.get("ignored", ())),
        int(stored.get("zero_length", 0)),
    )


def read_regions(values: Any) -> tuple[Region, ...]:
    """Return regions from a list of pairs of seconds."""
    return tuple(Region(float(start), float(end)) for start, end in values)


def read_answer(output: Generation) -> tuple[Segment, ...]:
    """Return the segments of an answer: those that the model reports, or those that its text contains.

    Raises:
        AnswerMismatch: if the answer is one text for the whole recording.
        Unreadable: if its text is not complete, with the number of the line, or a segment ends before it starts.
    """
    if output.segments is not None:
        return _check_order(output.segments)
    return _check_order(_read_text(output.text)) if output.text.strip() else ()


def _check_order(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    if problem := describe_reversed(segments):
        raise Unreadable(problem)
    return segments


@lru_cache(maxsize=MAX_CACHED)
def _read_text(text: str) -> tuple[Segment, ...]:
    file = parse_answer(text)
    if len(file.recordings) > 1:
        names = ", ".join(list(file.recordings)[:3])
        raise Unreadable(f"the answer has segments of {len(file.recordings)} recordings ({names}), expected one")
    return next(iter(file.recordings.values()), ())


def read_speakers(output: Generation) -> tuple[Segment, ...]:
    """Return the segments of an answer with speakers.

    Raises:
        AnswerMismatch: if a segment has none.
    """
    segments = read_answer(output)
    if not all(segment.speaker for segment in segments):
        raise AnswerMismatch("the answer has segments without a speaker")
    return segments


def read_plain_text(output: Generation) -> str:
    """Return the words of an answer without times and speakers, in the order of their start.

    Raises:
        Unreadable: if its text has segments that are not complete.
    """
    try:
        segments = read_answer(output)
    except AnswerMismatch:
        return output.text
    return join_texts(segments) or ("" if output.segments is None else output.text)
