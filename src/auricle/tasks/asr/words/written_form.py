"""Case and punctuation: error rates that keep them, and scores of each of the two.

Words are split at spaces, and scripts without spaces into characters; marks at the ends of words are taken off. Every
word has a place for one mark after it. The marks are `,`, `.` and `?`: semicolons and colons count as commas,
exclamation marks as full stops, and full-width forms as plain ones. Of several marks in one place a question mark
counts before a full stop, and that before a comma. Words are aligned without case and marks. A mark after a deleted
word is deleted with it, and one after an inserted word is inserted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from auricle.core.types import Generation, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, divide
from auricle.metrics.capabilities import Bounded, Tokenized
from auricle.metrics.f_measure import PooledF1
from auricle.metrics.targets import reference_text
from auricle.tasks.asr.error_rates import EditErrors, count_errors
from auricle.tasks.asr.words.alignment import align
from auricle.text import split_mixed

MARKS = (",", ".", "?")
NO_MARK = ""
_EQUIVALENTS = {",": ",;:\u3001\uff64\u060c\u061b", ".": ".!\u3002\uff61\u2026\u0964\u06d4", "?": "?\u061f\u037e"}
"""Marks that count as a comma, a full stop and a question mark, after compatibility forms were unified."""
_MARK_OF = {character: mark for mark, characters in _EQUIVALENTS.items() for character in characters}


class WrittenWord(NamedTuple):
    """A word with the mark that follows it."""

    text: str
    mark: str = NO_MARK

    @property
    def folded(self) -> str:
        """The word without case."""
        return self.text.casefold()


def split_written(text: str) -> list[WrittenWord]:
    """Split a text into words, each with the mark that follows it.

    >>> split_written("Hello, “Anna”! Is it 3.50?")[1:4]
    [WrittenWord(text='Anna', mark='.'), WrittenWord(text='Is', mark=''), WrittenWord(text='it', mark='')]
    """
    words: list[WrittenWord] = []
    text = unicodedata.normalize("NFKC", text.replace("\u2026", ".")).replace("’", "'")
    for token in split_mixed(text):
        body, ending = _take_off_marks(token)
        if body:
            words.append(WrittenWord(body, _choose_mark(ending)))
        elif words and (mark := _choose_mark(words[-1].mark + ending)):
            words[-1] = words[-1]._replace(mark=mark)
    return words


def _take_off_marks(token: str) -> tuple[str, str]:
    """Return a token without punctuation at its ends, and the punctuation that followed it."""
    start, end = 0, len(token)
    while start < end and not _is_part_of_word(token[start]):
        start += 1
    while end > start and not _is_part_of_word(token[end - 1]):
        end -= 1
    return token[start:end], token[end:] if start < end else token


def _is_part_of_word(character: str) -> bool:
    return unicodedata.category(character)[0] not in "PZC" or character in "%&@#"


def _choose_mark(characters: str) -> str:
    marks = {_MARK_OF[character] for character in characters if character in _MARK_OF}
    return max(marks, key=MARKS.index, default=NO_MARK)


# --- error rates -----------------------------------------------------------------------------------


def _cased_tokens(text: str) -> list[str]:
    return [word.text for word in split_written(text)]


def _punctuated_tokens(text: str) -> list[str]:
    return [token for word in split_written(text) for token in (word.folded, word.mark) if token]


def _formatted_tokens(text: str) -> list[str]:
    return [token for word in split_written(text) for token in (word.text, word.mark) if token]


class WrittenErrorRate(EditErrors, Bounded, Tokenized):
    """A word error rate that keeps case, punctuation or both."""

    def __init__(self, name: str, title: str, kept: str, tokenize: Callable[[str], list[str]]) -> None:
        super().__init__(name, title=title, variant=f"pooled.{kept}.written:1")
        self._tokenize = tokenize

    def tokenize(self, text: str) -> list[str]:
        return self._tokenize(text)

    def score(self, sample: Sample, output: Generation) -> tuple[float, ...]:
        return self._count(sample, output.text)

    def bounds(self, sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self._count(sample, ""), self._count(sample, reference_text(sample.target))

    def _count(self, sample: Sample, text: str) -> tuple[float, ...]:
        reference = self._tokenize(reference_text(sample.target))
        edits = count_errors(reference, self._tokenize(text))
        rate = sum(edits) / len(reference) if reference else 0.0
        return (*edits, len(reference), rate, float(bool(reference)))


# --- punctuation -----------------------------------------------------------------------------------

_COUNTS = ("right", "in_reference", "in_answer", "substituted", "deleted", "inserted")
_MARK_COUNTS = _COUNTS[:3]


def count_marks(reference: Sequence[WrittenWord], hypothesis: Sequence[WrittenWord]) -> tuple[int, ...]:
    """Count the marks of two texts and their errors (`_COUNTS`), then those of each mark (`_MARK_COUNTS`).

    >>> count_marks(split_written("Hello, you. And?"), split_written("Hello you. And."))[:6]
    (1, 3, 2, 1, 1, 0)
    """
    pairs = align([word.folded for word in reference], [word.folded for word in hypothesis])
    places = [
        (
            NO_MARK if pair.reference is None else reference[pair.reference].mark,
            NO_MARK if pair.hypothesis is None else hypothesis[pair.hypothesis].mark,
        )
        for pair in pairs
    ]
    by_mark = [
        count
        for mark in MARKS
        for count in (
            places.count((mark, mark)),
            sum(expected == mark for expected, _ in places),
            sum(written == mark for _, written in places),
        )
    ]
    right, expected, written = (sum(by_mark[column::3]) for column in range(3))
    both = sum(bool(mark and other) for mark, other in places)
    return right, expected, written, both - right, expected - both, written - both, *by_mark


def _describe_marks(totals: Array) -> Details:
    by_mark = {}
    for place, mark in enumerate(MARKS, start=2):
        right, expected, written = (float(total) for total in totals[3 * place : 3 * place + 3])
        by_mark[mark] = {
            **{name: int(total) for name, total in zip(_MARK_COUNTS, (right, expected, written), strict=True)},
            "precision": divide(right, written),
            "recall": divide(right, expected),
            "f1": divide(2 * right, expected + written),
        }
    return {**{name: int(total) for name, total in zip(_COUNTS, totals, strict=False)}, "by_mark": by_mark}


class PunctuationMetric(Metric, Bounded):
    """A metric of punctuation; all have the same statistic."""

    variant, unit = "all-places.comma-stop-question.written:1", "share"

    def score(self, sample: Sample, output: Generation) -> tuple[int, ...]:
        return self._count(sample, output.text)

    def bounds(self, sample: Sample) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self._count(sample, ""), self._count(sample, reference_text(sample.target))

    def badness(self, stat: Sequence[float]) -> float:
        return float(sum(stat[3:6]))

    def _count(self, sample: Sample, text: str) -> tuple[int, ...]:
        return count_marks(split_written(reference_text(sample.target)), split_written(text))


# --- capitalisation --------------------------------------------------------------------------------


def count_case(reference: Sequence[WrittenWord], hypothesis: Sequence[WrittenWord]) -> tuple[int, ...]:
    """Count the matched words, those with the same case, and those with capitals in both, only one or the other text.

    >>> count_case(split_written("Ann met Bob"), split_written("Ann Met bob"))
    (3, 1, 1, 1, 1)
    """
    matched = [
        (reference[pair.reference].text, hypothesis[pair.hypothesis].text)
        for pair in align([word.folded for word in reference], [word.folded for word in hypothesis])
        if pair.reference is not None
        and pair.hypothesis is not None
        and reference[pair.reference].folded == hypothesis[pair.hypothesis].folded
    ]
    capitals = [(_has_capitals(expected), _has_capitals(written)) for expected, written in matched]
    return (
        len(matched),
        sum(expected == written for expected, written in matched),
        capitals.count((True, True)),
        capitals.count((True, False)),
        capitals.count((False, True)),
    )


def _has_capitals(word: str) -> bool:
    return any(character.isupper() or character.istitle() for character in word)


def _describe_case(totals: Array) -> Details:
    matched, equal, both, missing, added = (int(total) for total in totals[:5])
    return {
        "matched_words": matched,
        "case_errors": matched - equal,
        "capitals_missing": missing,
        "capitals_added": added,
        "precision": divide(both, both + added),
        "recall": divide(both, both + missing),
    }


class CaseMetric(Metric):
    """A metric of capitals in matched words; all have the same statistic."""

    variant, unit = "matched-words.written:1", "share"

    def score(self, sample: Sample, output: Generation) -> tuple[int, ...]:
        return count_case(split_written(reference_text(sample.target)), split_written(output.text))

    def badness(self, stat: Sequence[float]) -> float:
        return float(stat[0] - stat[1])


cased_wer = WrittenErrorRate("cased_wer", "Cased WER", "case", _cased_tokens)
punctuated_wer = WrittenErrorRate("punctuated_wer", "Punctuated WER", "marks", _punctuated_tokens)
formatted_wer = WrittenErrorRate("formatted_wer", "Formatted WER", "case-and-marks", _formatted_tokens)
punctuation_f1 = PunctuationMetric(
    "punctuation_f1", aggregate=PooledF1((0, 0), (1, 2), _describe_marks), title="Punctuation F1"
)
punctuation_precision = PunctuationMetric(
    "punctuation_precision", aggregate=RatioAggregator((0,), 2, is_share=True), title="Punctuation precision"
)
punctuation_recall = PunctuationMetric(
    "punctuation_recall", aggregate=RatioAggregator((0,), 1, is_share=True), title="Punctuation recall"
)
punctuation_ser = PunctuationMetric(
    "punctuation_ser", aggregate=RatioAggregator((3, 4, 5), 1), higher_is_better=False, title="Punctuation SER"
)
capitalisation_accuracy = CaseMetric(
    "capitalisation_accuracy",
    aggregate=RatioAggregator((1,), 0, _describe_case, is_share=True),
    title="Capitalisation accuracy",
)
capitalisation_f1 = CaseMetric(
    "capitalisation_f1",
    # Capitals of the reference are in both texts or missing, those of the answer in both or added.
    aggregate=PooledF1((2, 2), (2, 2, 3, 4), _describe_case),
    title="Capitalisation F1",
)
written_form = (
    cased_wer,
    punctuated_wer,
    formatted_wer,
    punctuation_f1,
    punctuation_precision,
    punctuation_recall,
    punctuation_ser,
    capitalisation_accuracy,
    capitalisation_f1,
)
"""All of these metrics, for `--add-metrics written_form`."""
