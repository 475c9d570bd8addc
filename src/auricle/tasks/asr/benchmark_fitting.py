"""Signs that a recogniser was fitted to a benchmark: agreement with wrong references, and words that were cut out.

Neither is proof. The first set of metrics compares an official reference, the target, with a corrected one in the
metadata. The second counts words that are recognised though their sound was masked; the task is in
`auricle.tasks.asr.masked_words`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Json, Sample
from auricle.metrics.base import Array, Details, RatioAggregator, SumAggregator, divide
from auricle.metrics.capabilities import Bounded, Restricted
from auricle.metrics.scales import SHARE_DIFFERENCE
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import TextMetric
from auricle.tasks.asr.error_rates import TranscriptErrorRate
from auricle.text import split_words

CORRECTED_FIELD = "corrected"
"""The metadata field with the corrected reference."""
MIN_MATCH = 0.5
"""Share of the official words that a text must have to be compared; the number of words is rounded down."""
MAX_LENGTH_RATIO = 3.0
"""An answer longer than this times the official reference repeats itself, or was invented."""
MIN_DISTANCE = 0.3
"""Edits per character below which two versions differ only in how they are written."""

# --- agreement with wrong references -------------------------------------------------------------

Version = Literal["official", "corrected"]


class Disagreement(NamedTuple):
    """Where two references differ: official words from `start` to `end`, and the corrected ones in their place.

    If `start` is `end`, the correction adds words before the first or after the last word.
    """

    start: int
    end: int
    corrected: tuple[str, ...]


class WordDiff:
    """The difference of a text from the official reference, by `difflib`."""

    def __init__(self, official: Sequence[str], words: Sequence[str]) -> None:
        self.words = words
        self.official_length = len(official)
        self.blocks = SequenceMatcher(None, official, words, autojunk=False).get_opcodes()

    @property
    def is_comparable(self) -> bool:
        """Whether the text has enough of the official words."""
        matches = sum(end - start for tag, start, end, _, _ in self.blocks if tag == "equal")
        return matches >= int(MIN_MATCH * self.official_length)

    def overlapping(self, start: int, end: int) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield the blocks that replace or leave out any of the official words from `start` to `end`."""
        changed = (block for block in self.blocks if block[0] in ("replace", "delete"))
        return (block for block in changed if block[1] < end and start < block[2])

    def inserted_at(self, place: int) -> tuple[str, ...]:
        """Return the words that stand before the official word at `place`, and replace none."""
        return tuple(
            word
            for tag, start, _, first, last in self.blocks
            if tag == "insert" and start == place
            for word in self.words[first:last]
        )


def find_disagreements(official: Sequence[str], corrected: Sequence[str]) -> list[Disagreement]:
    """Return where a corrected reference differs from the official one by more than spelling.

    Added words count only at the beginning and at the end: elsewhere, their place is a matter of alignment.
    """
    diff = WordDiff(official, corrected)
    if not official or not diff.is_comparable:
        return []
    disagreements = []
    for tag, start, end, first, last in diff.blocks:
        words = tuple(corrected[first:last])
        is_change = tag in ("replace", "delete") and _distance(official[start:end], words) >= MIN_DISTANCE
        if is_change or (tag == "insert" and start in (0, len(official))):
            disagreements.append(Disagreement(start, end, words))
    return disagreements


def _distance(official: Sequence[str], corrected: Sequence[str]) -> float:
    """Return the edits per official character, without regard to spaces."""
    reference = "".join(official)
    return Levenshtein.distance(reference, "".join(corrected)) / len(reference)


def find_version(disagreement: Disagreement, answer: WordDiff) -> Version | None:
    """Return which reference an answer agrees with at a disagreement; None if it has a third version."""
    start, end, corrected = disagreement
    if start == end:
        added = answer.inserted_at(start)
        if not added:
            return "official"
        nearest = added[len(added) - len(corrected) :] if start == 0 else added[: len(corrected)]
        return "corrected" if nearest == corrected else None
    changes = list(answer.overlapping(start, end))
    if not changes:
        return "official"
    missing = sum(min(end, block[2]) - max(start, block[1]) for block in changes)
    written = tuple(word for block in changes for word in answer.words[block[3] : block[4]])
    return "corrected" if missing == end - start and written == corrected else None


def count_versions(official: Sequence[str], corrected: Sequence[str], answer: Sequence[str]) -> tuple[int, int, int]:
    """Return at how many disagreements an answer has the official, the corrected and neither version.

    >>> count_versions("we support the act".split(), "we support this".split(), "we support this".split())
    (0, 1, 0)
    """
    disagreements = find_disagreements(official, corrected)
    diff = WordDiff(official, answer)
    if not diff.is_comparable or len(answer) > MAX_LENGTH_RATIO * len(official):
        return 0, 0, len(disagreements)
    versions = [find_version(disagreement, diff) for disagreement in disagreements]
    return versions.count("official"), versions.count("corrected"), versions.count(None)


def _agreement_details(totals: Array) -> Details:
    return {
        "official": int(totals[0]),
        "corrected": int(totals[1] - totals[0]),
        "neither": int(totals[2]),
        "clips": int(totals[3]),
    }


def has_correction(sample: Sample) -> bool:
    """Return whether a sample has both references."""
    return bool(sample.target) and bool(read_correction(sample))


def read_correction(sample: Sample) -> str:
    """Return the corrected reference of a sample; an empty text if it has none."""
    value = sample.meta.get(CORRECTED_FIELD)
    return value.strip() if isinstance(value, str) else ""


class ReferenceErrorAgreement(TextMetric, Bounded, Restricted):
    """Agreement with the official reference where it was corrected."""

    name, title = "reference_error_agreement", "Agreement with reference errors"
    higher_is_better, unit = False, "share"
    aggregate = RatioAggregator(details=_agreement_details, is_share=True)
    convention = "difflib"

    def split(self, text: str) -> list[str]:
        return split_words(self.normalise(text))

    def count_disagreements(self, sample: Sample) -> int:
        return len(find_disagreements(self.split(reference_text(sample.target)), self.split(read_correction(sample))))

    def applies(self, sample: Sample) -> bool:
        return has_correction(sample) and self.count_disagreements(sample) > 0

    def score(self, sample: Sample, output: Generation) -> tuple[int, int, int]:
        texts = (reference_text(sample.target), read_correction(sample), output.text)
        official, corrected, neither = count_versions(*map(self.split, texts))
        return official, official + corrected, neither

    def bounds(self, sample: Sample) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        count = self.count_disagreements(sample)
        return (count, count, 0), (0, count, 0)

    def badness(self, stat: Sequence[int]) -> float:
        return float(stat[0])


class ReferenceErrorRate(TranscriptErrorRate, Restricted):
    """The word error rate against one of two references, over the samples that have both."""

    plot = ""
    applies = staticmethod(has_correction)

    def get_reference(self, sample: Sample) -> Json:
        return read_correction(sample) if self.name == "wer_corrected" else sample.target

    def score(self, sample: Sample, output: Generation) -> tuple[float, ...]:
        return self.count(self.get_reference(sample), output.text)

    def bounds(self, sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.count_bounds(self.get_reference(sample))


# --- masked words --------------------------------------------------------------------------------

SPANS_FIELD = "spans"
"""The metadata field with the masked words: their text, start and end in seconds, and whether they are `control`."""


class MaskedWords(NamedTuple):
    """Words of the reference whose sound is masked."""

    text: str
    start: float
    end: float
    is_control: bool = False
    word_index: int | None = None
    """Position of the first word in the reference, counted from 0, if the words occur several times."""


def read_spans(meta: Mapping[str, Any]) -> list[MaskedWords]:
    """Read the masked words of a sample, in the order of time.

    >>> read_spans({"spans": [{"text": "Turin", "start": 0.5, "end": 0.9}]})
    [MaskedWords(text='Turin', start=0.5, end=0.9, is_control=False, word_index=None)]

    Raises:
        SampleError: if they are not as expected.
    """
    values = meta.get(SPANS_FIELD)
    if not isinstance(values, (list, tuple)) or not values:
        raise SampleError(f"needs a list of spans in the column {SPANS_FIELD!r}, not {values!r}")
    return sorted(map(_read_span, values), key=lambda span: span.start)


def _read_span(value: Any) -> MaskedWords:
    fields = value if isinstance(value, Mapping) else {}
    text, start, end = (fields.get(name) for name in ("text", "start", "end"))
    index, is_control = fields.get("index"), fields.get("control", False)
    if (
        not (isinstance(text, str) and text.strip())
        or not (isinstance(start, (int, float)) and isinstance(end, (int, float)) and 0 <= start < end)
        or not (index is None or isinstance(index, int))
        or not isinstance(is_control, bool)
    ):
        raise SampleError(
            f"invalid span {value!r}: expected text, start and end in seconds, and optionally control (true or false) "
            "and index"
        )
    return MaskedWords(text, float(start), float(end), is_control, index)


def count_recovered(
    reference: str, answer: str, spans: Sequence[MaskedWords], split: Callable[[str], list[str]]
) -> tuple[int, int, int, int]:
    """Return how many masked words are recognised and how many there are, and the same for control words.

    Words count as recognised if every alignment of least cost matches all of them. If one of two equal neighbours is
    masked and one is recognised, it may be the other.
    """
    words, answered = split(reference), split(answer)
    counts = [0, 0, 0, 0]
    for span, place in zip(spans, _locate(reference, words, spans, split), strict=True):
        column = 2 if span.is_control else 0
        counts[column] += all(_is_recognised(words, answered, position) for position in place)
        counts[column + 1] += 1
    return counts[0], counts[1], counts[2], counts[3]


def _is_recognised(words: Sequence[str], answer: Sequence[str], position: int) -> bool:
    """Return whether the distance of two texts would be larger if the word at a position could not be matched."""
    unmatchable = [*words[:position], "", *words[position + 1 :]]
    return Levenshtein.distance(unmatchable, answer) > Levenshtein.distance(words, answer)


def _locate(
    reference: str, words: Sequence[str], spans: Sequence[MaskedWords], split: Callable[[str], list[str]]
) -> list[range]:
    """Return the positions of masked words in the reference.

    Raises:
        SampleError: if a span is not part of the reference, or it is unknown which of several equal parts it is.
    """
    wanted = [split(span.text) for span in spans]
    places: list[range] = []
    for span, parts in zip(spans, wanted, strict=True):
        size = len(parts)
        starts = [at for at in range(len(words) - size + 1) if size and list(words[at : at + size]) == parts]
        if not starts:
            raise SampleError(f"the reference does not have the masked words {span.text!r}")
        if span.word_index is not None:
            before = len(split(" ".join(reference.split()[: span.word_index])))
            start = min(starts, key=lambda at: abs(at - before))
        elif len(starts) == wanted.count(parts):
            start = starts[sum(earlier.text == span.text for earlier in spans[: len(places)])]
        else:
            raise SampleError(
                f"the reference has {span.text!r} {len(starts)} times, but {wanted.count(parts)} of them are masked: "
                "add the position of the word to the span as 'index', counted from 0"
            )
        places.append(range(start, start + size))
    return places


class MaskedWordMetric(TextMetric, Restricted):
    """A metric of masked words; all have the same statistic."""

    unit = "share"
    convention = "every-alignment"

    def split(self, text: str) -> list[str]:
        return split_words(self.normalise(text))

    def applies(self, sample: Sample) -> bool:
        return SPANS_FIELD in sample.meta

    def score(self, sample: Sample, output: Generation) -> tuple[int, int, int, int]:
        return count_recovered(reference_text(sample.target), output.text, read_spans(sample.meta), self.split)


def _masked_details(totals: Array) -> Details:
    names = ("recognised", "masked", "control_recognised", "control_masked")
    return {name: int(total) for name, total in zip(names, totals, strict=False)}


def _excess(totals: Array) -> float:
    return divide(totals[0], totals[1]) - divide(totals[2], totals[3])


reference_error_agreement = ReferenceErrorAgreement()
wer_official = ReferenceErrorRate("wer_official", split_words, "basic", title="WER, official reference")
wer_corrected = ReferenceErrorRate("wer_corrected", split_words, "basic", title="WER, corrected reference")
reference_errors = (reference_error_agreement, wer_official, wer_corrected)
"""For rows with an official and a corrected reference: `--add-metrics reference_errors`."""

masked_excess = MaskedWordMetric(
    "masked_excess",
    aggregate=SumAggregator(_excess, _masked_details, SHARE_DIFFERENCE),
    higher_is_better=False,
    title="Excess recall of masked words",
)
masked_recall = MaskedWordMetric(
    "masked_recall",
    aggregate=RatioAggregator((0,), 1, _masked_details, is_share=True),
    higher_is_better=False,
    title="Recall of masked words",
)
masked_control_recall = MaskedWordMetric(
    "masked_control_recall",
    aggregate=RatioAggregator((2,), 3, is_share=True),
    higher_is_better=False,
    optimum="none",
    title="Recall of masked control words",
)
masked_words = (masked_excess, masked_recall, masked_control_recall)
"""The metrics of `--as masked-words`."""
