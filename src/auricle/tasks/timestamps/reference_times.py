"""Check that the times of references are within their recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from auricle.core.errors import SampleError
from auricle.core.types import RejectedRow, Sample
from auricle.data.duplicates import list_recordings
from auricle.data.manifest import VALIDATED_ROWS, Manifest
from auricle.engine.task import Task

MAX_EXCESS = 0.5
"""Seconds by which a reference may end after its recording without a note."""


def measure_seconds(sample: Sample) -> float | None:
    """Return the duration of the recordings of a sample; None if one of them is missing or damaged."""
    try:
        return sum(audio.seconds for audio in list_recordings(sample))
    except SampleError:  # reported elsewhere
        return None


def with_time_notes(task: Task, find_end: Callable[[Sample], float]) -> Task:
    """Return a task that notes references which end after their recordings.

    Args:
        task: The task.
        find_end: Function that returns when the reference of a sample ends, in seconds.
    """
    manifest = task.samples
    if not isinstance(manifest, Manifest):
        return task
    check = replace(manifest, check=lambda: [*manifest.check(), *note_late_ends(manifest, find_end)])
    return replace(task, samples=check)


def note_late_ends(rows: Iterable[Sample | RejectedRow], find_end: Callable[[Sample], float]) -> Iterator[str]:
    """Note how many of the first rows have references that end after their recordings."""
    first = [row for row in islice(rows, VALIDATED_ROWS) if isinstance(row, Sample)]
    late = []
    for sample in first:
        end, seconds = find_end(sample), measure_seconds(sample)
        if seconds is not None and end > seconds + MAX_EXCESS:
            late.append(f"{sample.origin}: it ends at {end:,.1f} s, the recording at {seconds:,.1f} s.")
    if late:
        yield (
            f"The reference ends after the recording in {len(late)} of the first {len(first)} rows, and counts "
            f"in full. {late[0]}"
        )
