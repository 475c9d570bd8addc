"""Errors per segment of a long reference, whose recording was recognised as a whole.

The alignment of both whole texts is cut at the ends of the segments of the reference; inserted words belong to the
segment before them. The word error rate of the recording does not depend on the cuts, that of a single segment does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rapidfuzz.distance import Levenshtein

from auricle.core.errors import SampleError
from auricle.core.types import Sample
from auricle.metrics.base import Array, Details, RatioAggregator, divide
from auricle.metrics.capabilities import Restricted
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import CountedText
from auricle.tasks.asr.words.alignment import Counts

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


class SegmentMetric(CountedText, Restricted):
    """A metric of segments of a long recording; both have the same statistic."""

    higher_is_better, unit = False, "share"
    convention = "cut-alignment"

    def applies(self, sample: Sample) -> bool:
        return sample.meta.get(COLUMN) is not None

    def count(self, sample: Sample, text: str) -> tuple[float, ...]:
        segments = list(map(self.split, read_segment_texts(sample)))
        if [word for segment in segments for word in segment] != self.split(reference_text(sample.target)):
            raise SampleError(f"the texts in the column {COLUMN!r} are not those of the reference")
        counts = [row for row in count_segment_errors(segments, self.split(text)) if row.length]
        errors = [row.substitutions + row.deletions + row.insertions for row in counts]
        lost = sum(row.substitutions + row.deletions == row.length for row in counts)
        rates = sum(divide(error, row.length) for error, row in zip(errors, counts, strict=True))
        return rates, len(counts), lost, errors.count(0)


segment_wer_mean = SegmentMetric(
    "segment_wer_mean", aggregate=RatioAggregator((0,), 1, _describe), title="Mean WER of segments"
)
lost_segments = SegmentMetric(
    "lost_segments", aggregate=RatioAggregator((2,), 1, _describe, is_share=True), title="Lost segments"
)
long_form = (segment_wer_mean, lost_segments)
