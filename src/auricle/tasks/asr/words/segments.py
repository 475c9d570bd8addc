"""Errors per segment of a long reference, whose recording was recognised as a whole.

The alignment of both whole texts is cut at the ends of the segments of the reference; inserted words belong to the
segment before them. The word error rate of the recording does not depend on the cuts, that of a single segment does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from rapidfuzz.distance import Levenshtein

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, divide
from auricle.metrics.targets import reference_text
from auricle.tasks.asr.words.alignment import Counts
from auricle.text import get_profile, split_mixed

KINDS = ("replace", "delete", "insert")
"""Edits in the order of their counts."""
COLUMN = "segments"
"""The column with the segments of a reference: a list of texts, or of objects with `text`."""


def count_segment_errors(segments: Sequence[Sequence[str]], hypothesis: Sequence[str]) -> list[Counts]:
    """Align the words of a recording as a whole, and count the errors of every segment of the reference.

    >>> [tuple(counts) for counts in count_segment_errors([["a", "b"], ["c"]], ["a", "x", "y", "c"])]
    [(1, 0, 1, 2), (0, 0, 0, 1)]
    """
    reference = [word for segment in segments for word in segment]
    owners = [place for place, segment in enumerate(segments) for _ in segment]
    counts = [[0, 0, 0, len(segment)] for segment in segments]
    for edit in Levenshtein.editops(reference, hypothesis) if segments else ():
        position = max(0, edit.src_pos - 1) if edit.tag == "insert" else edit.src_pos
        counts[owners[position] if owners else 0][KINDS.index(edit.tag)] += 1
    return [Counts(*row) for row in counts]


def read_segment_texts(sample: Sample) -> list[str]:
    """Return the texts of the segments of a row.

    Raises:
        SampleError: if the column is not a list of texts or of objects with `text`.
    """
    values = sample.meta.get(COLUMN)
    parts = values if isinstance(values, (list, tuple)) else ()
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise SampleError(f"expected a list of texts, or of objects with text, in the column {COLUMN!r}")
    return [str(text) for text in texts]


def _describe(totals: Array) -> Details:
    names = ("segments", "lost", "without_errors")
    return {name: int(total) for name, total in zip(names, totals[1:4], strict=True)}


_AGGREGATES: Mapping[str, tuple[str, RatioAggregator]] = {
    "segment_wer_mean": ("Mean WER of segments", RatioAggregator((0,), 1, _describe)),
    "lost_segments": ("Lost segments", RatioAggregator((2,), 1, _describe, is_share=True)),
}


def _segment_metric(name: str, profile_name: str) -> Metric:
    """Make one of the metrics of segments; both have the same statistic."""
    profile = get_profile(profile_name)
    title, aggregate = _AGGREGATES[name]

    def split(text: str) -> list[str]:
        return split_mixed(profile.apply(text))

    def count(sample: Sample, text: str) -> tuple[float, ...]:
        segments = [split(segment) for segment in read_segment_texts(sample)]
        if [word for segment in segments for word in segment] != split(reference_text(sample.target)):
            raise SampleError(f"the texts in the column {COLUMN!r} are not those of the reference")
        counts = [row for row in count_segment_errors(segments, split(text)) if row.length]
        errors = [row.substitutions + row.deletions + row.insertions for row in counts]
        lost = sum(row.substitutions + row.deletions == row.length for row in counts)
        rates = sum(divide(error, row.length) for error, row in zip(errors, counts, strict=True))
        return rates, len(counts), lost, errors.count(0)

    def score(sample: Sample, output: Generation) -> tuple[float, ...]:
        return count(sample, output.text)

    return Metric(
        name,
        score,
        aggregate,
        higher_is_better=False,
        title=title,
        variant=f"cut-alignment.{profile.signature}",
        profile=profile.name,
        bounds=lambda sample: (count(sample, ""), count(sample, reference_text(sample.target))),
        unit="share",
        with_profile=partial(_segment_metric, name),
        applies=lambda sample: sample.meta.get(COLUMN) is not None,
    )


segment_wer_mean, lost_segments = long_form = tuple(_segment_metric(name, "basic") for name in _AGGREGATES)
