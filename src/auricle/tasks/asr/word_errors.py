"""Which words a recogniser gets wrong: lost words, confusions and insertions, with the places where they happen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from markupsafe import Markup

from auricle.core.errors import SpecError
from auricle.core.types import Generation, Record
from auricle.metrics.base import Metric, has_oversized_text
from auricle.metrics.capabilities import Tokenized
from auricle.metrics.scales import wilson_interval
from auricle.metrics.targets import reference_text
from auricle.report.run_html import Page, render_if
from auricle.report.sample_view import DiffPiece, Edit, join_diff
from auricle.scoring.record_observers import RecordObserver

MAX_SAMPLES = 10_000
"""Samples whose words a report counts; the command `auricle words` counts all."""
MAX_WORDS = MAX_CONFUSIONS = MAX_INSERTIONS = 10
MAX_EXAMPLES = 5
CONTEXT = 5
"""Words before and after an error that an example shows."""
NOTHING = "∅"
"""What a deleted word became, and what an inserted word was."""
T = TypeVar("T", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class Example:
    """An error in its context."""

    id: str
    """Of the sample."""
    edits: tuple[Edit, ...]
    focus: int
    """Index of the error among the edits."""

    @property
    def pieces(self) -> list[DiffPiece]:
        return list(join_diff(self.edits))

    @property
    def text(self) -> str:
        """The context on one line, with errors as {reference→answer}.

        >>> Example("1", (Edit("equal", ("to",), ("to",)), Edit("replace", ("turin",), ("touring",))), 1).text
        'to {turin→touring}'
        """
        parts = (
            piece.separator + (piece.reference if piece.is_equal else _format_error(piece.reference, piece.answer))
            for piece in self.pieces
        )
        return "".join(parts)


def _format_error(reference: str, answer: str) -> str:
    return f"{{{reference or NOTHING}→{answer or NOTHING}}}"


@dataclass(frozen=True, slots=True)
class LostWord:
    """A word of references and how often it was not recognised."""

    word: str
    occurrences: int
    substituted: int
    deleted: int
    low: float
    high: float
    """Ends of the 95 % interval of the share, over occurrences."""
    examples: tuple[Example, ...] = ()

    @property
    def lost(self) -> int:
        """How often the word was not recognised."""
        return self.substituted + self.deleted

    @property
    def share(self) -> float:
        """How often per occurrence the word was not recognised."""
        return self.lost / self.occurrences


@dataclass(frozen=True, slots=True)
class Confusion:
    """A word of references that was recognised as another one; an inserted word has an empty reference."""

    reference: str
    answer: str
    count: int
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class WordErrors:
    """The errors of a run by word, most frequent first."""

    metric: str
    """Title of the error rate whose words these are."""
    profile: str
    samples: int
    is_truncated: bool
    """Whether the run has further samples."""
    words: tuple[LostWord, ...]
    confusions: tuple[Confusion, ...]
    insertions: tuple[Confusion, ...]

    def __bool__(self) -> bool:
        return bool(self.words or self.insertions)


def find_word_metric(metrics: Iterable[Metric], name: str = "") -> Metric | None:
    """Return the error rate whose tokens are counted: the one of a name, or the first."""
    rates = [metric for metric in metrics if metric.plot == "errors" and isinstance(metric, Tokenized)]
    if not name:
        return next(iter(rates), None)
    for metric in rates:
        if metric.name == name:
            return metric
    names = ", ".join(metric.name for metric in rates) or "none"
    raise SpecError(f"{name!r} is not an error rate of this run. Error rates: {names}.")


class _Place(NamedTuple):
    """Where an error is: a position in the aligned words of a sample."""

    sample_id: str
    pairs: Sequence[tuple[str, str]]
    position: int

    def to_example(self) -> Example:
        start = max(0, self.position - CONTEXT)
        shown = self.pairs[start : self.position + CONTEXT + 1]
        return Example(self.sample_id, tuple(_make_edit(*pair) for pair in shown), self.position - start)


class WordErrorCounter:
    """Count the errors of records by word.

    Args:
        metric: The error rate whose words are counted; nothing is counted without one.
        max_samples: Number of samples after which to stop. Default: count all.
        word: The only word to keep examples of, and all of them. Default: a few of every word.
    """

    def __init__(self, metric: Metric | None, max_samples: int | None = None, word: str = "") -> None:
        self._metric = metric
        self._tokenize = metric.tokenize if isinstance(metric, Tokenized) else None
        self._max_samples = max_samples
        self._word = word
        self._samples = 0
        self._is_truncated = False
        self._occurrences: Counter[str] = Counter()
        self._deleted: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._inserted: Counter[str] = Counter()
        self._places: defaultdict[tuple[str, ...], list[_Place]] = defaultdict(list)

    def count(self, record: Record) -> None:
        """Count the errors of a record that has one text."""
        output = record.outputs[0] if len(record.outputs) == 1 and not record.error else None
        is_text = isinstance(output, Generation) and record.sample.target is not None
        if not self._tokenize or not is_text or has_oversized_text(record):
            return
        assert isinstance(output, Generation)
        if output.segments and not output.text:  # turns of speakers without words
            return
        if self._max_samples is not None and self._samples >= self._max_samples:
            self._is_truncated = True
            return
        reference = self._tokenize(reference_text(record.sample.target))
        self.add(record.sample.id, reference, self._tokenize(output.text))

    def add(self, sample_id: str, reference: Sequence[str], answer: Sequence[str]) -> None:
        """Count the errors of two texts that are split into words."""
        from auricle.tasks.asr.words.alignment import align

        self._samples += 1
        self._occurrences.update(reference)
        if reference == answer:
            return
        pairs = [
            (
                "" if pair.reference is None else reference[pair.reference],
                "" if pair.hypothesis is None else answer[pair.hypothesis],
            )
            for pair in align(reference, answer)
        ]
        for position, (expected, written) in enumerate(pairs):
            if expected != written:
                self._add_error(expected, written, _Place(sample_id, pairs, position))

    def _add_error(self, reference: str, answer: str, place: _Place) -> None:
        if not answer:
            self._deleted[reference] += 1
        elif not reference:
            self._inserted[answer] += 1
        else:
            self._pairs[reference, answer] += 1
        for key in ((reference, answer), (reference,)) if reference else ((reference, answer),):
            is_shown = self._word in (reference, answer) if self._word else len(self._places[key]) < MAX_EXAMPLES
            if is_shown:
                self._places[key].append(place)

    def build(
        self, max_words: int | None = None, max_confusions: int | None = None, max_insertions: int | None = None
    ) -> WordErrors:
        """Return the most frequent errors; by default, all."""
        lost = Counter(self._deleted)
        for (reference, _), count in self._pairs.items():
            lost[reference] += count
        ordered = sorted(lost, key=lambda word: (-lost[word], self._occurrences[word], word))[:max_words]
        return WordErrors(
            metric=self._metric.title if self._metric else "",
            profile=self._metric.profile if self._metric else "",
            samples=self._samples,
            is_truncated=self._is_truncated,
            words=tuple(self._build_word(word, lost[word]) for word in ordered),
            confusions=tuple(
                self._build_confusion(*pair, count) for pair, count in _list_frequent(self._pairs)[:max_confusions]
            ),
            insertions=tuple(
                self._build_confusion("", word, count)
                for word, count in _list_frequent(self._inserted)[:max_insertions]
            ),
        )

    def _build_word(self, word: str, lost: int) -> LostWord:
        occurrences, deleted = self._occurrences[word], self._deleted[word]
        low, high = wilson_interval(lost / occurrences, occurrences)
        return LostWord(word, occurrences, lost - deleted, deleted, low, high, self._list_examples(word))

    def _build_confusion(self, reference: str, answer: str, count: int) -> Confusion:
        return Confusion(reference, answer, count, self._list_examples(reference, answer))

    def _list_examples(self, *key: str) -> tuple[Example, ...]:
        return tuple(place.to_example() for place in self._places.get(key, ()))

    def count_word(self, word: str) -> LostWord | None:
        """Return how often a word was lost; None if no reference has it."""
        if not self._occurrences[word]:
            return None
        substituted = sum(count for (reference, _), count in self._pairs.items() if reference == word)
        return self._build_word(word, substituted + self._deleted[word])

    def count_insertions(self, word: str) -> tuple[Confusion, ...]:
        """Return where a word was written though another, or none, was spoken; most frequent first."""
        wrong = Counter({reference: count for (reference, answer), count in self._pairs.items() if answer == word})
        if self._inserted[word]:
            wrong[""] = self._inserted[word]
        return tuple(self._build_confusion(reference, word, count) for reference, count in _list_frequent(wrong))


def _make_edit(reference: str, answer: str) -> Edit:
    kind = "equal" if reference == answer else "delete" if not answer else "insert" if not reference else "replace"
    return Edit(kind, (reference,) if reference else (), (answer,) if answer else ())


def _list_frequent(counts: Counter[T]) -> list[tuple[T, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


class WordErrorObserver(RecordObserver):
    """Counts the errors of a run by word, for its page."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._counter = WordErrorCounter(find_word_metric(metrics), MAX_SAMPLES)

    def see(self, record: Record) -> None:
        self._counter.count(record)

    def finding(self) -> WordErrors | None:
        return self._counter.build(MAX_WORDS, MAX_CONFUSIONS, MAX_INSERTIONS)


def render_words(page: Page) -> Markup | None:
    """Render which words were lost, confused and inserted; samples that have a card are linked."""
    words = page.findings.get("word-errors")
    return render_if(words, "tasks/asr/words.html", words=words, cards={sample.id for sample in page.samples})
