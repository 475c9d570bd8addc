"""Samples and answers of meetings."""

from __future__ import annotations

from auricle.core.segments import join_texts
from auricle.core.types import Generation, Sample, Segment
from auricle.tasks.meetings.metrics.turns import REFERENCE_FIELD, Reference, store_reference
from auricle.tasks.meetings.segment_files import PARSERS, Region


def parse(stm: str) -> tuple[Segment, ...]:
    """Return the segments of lines of `speaker start end words`."""
    lines = "\n".join(f"m 1 {line}" for line in stm.strip().splitlines())
    return PARSERS["stm"](lines).recordings.get("m", ())


def make_sample(stm: str, regions: list[Region] | None = None, ignored: tuple[Region, ...] = ()) -> Sample:
    """Return a sample whose reference has these segments."""
    segments = parse(stm)
    reference = Reference(segments, None if regions is None else tuple(regions), ignored)
    target = join_texts(segments)
    return Sample(id="m", inputs={}, target=target, meta={REFERENCE_FIELD: store_reference(reference)})


def make_answer(stm: str) -> Generation:
    """Return an answer with these segments."""
    segments = parse(stm)
    return Generation(text=join_texts(segments), segments=segments)
