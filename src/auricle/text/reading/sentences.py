"""A reply as words, with its sentences, quotations and languages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from auricle.text.reading.languages import detect_languages, phrasebook
from auricle.text.reading.words import Hit, Word, is_word, split_folded

_END_MARKS = frozenset(".!?。;\n…")
_MAX_QUOTATION = 80
"""Words of a quotation; a quotation mark without another one after so many words opens none."""
_SINGLE_QUOTES = re.compile(r"(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,300})'(?!\w)")
VETOES = ("negations", "doubts", "asides")
_HARMLESS = ("choices", "ratings", "subjects")
_TITLES = frozenset(("mr", "mrs", "dr", "ms", "st"))


class Reply:
    """The words of a reply.

    Args:
        text: The reply without its thought and markup, folded.
        named: Words of the options, which may be in another language than the reply.
    """

    def __init__(self, text: str, named: Iterable[str] = ()) -> None:
        quoted = _SINGLE_QUOTES.sub(r'"\1"', text) if "'" in text else text
        self.words: Sequence[Word] = split_folded(quoted)
        self.languages = detect_languages(self.words, named)
        """The languages of the reply; none if one of them has no table."""
        self.is_quoted = _mark_quotations(self.words)
        self._ends = _find_ends(self.words, self.is_quoted)
        self._phrases: dict[tuple[str, ...], list[Hit[str]]] = {}

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Yield the first word of each sentence, and the position of its end mark."""
        start = 0
        while start < len(self.words):
            yield start, self._ends[start]
            start = self._ends[start] + 1

    def end(self, position: int) -> int:
        """Return the position of the mark that ends the sentence with a word."""
        return self._ends[position] if position < len(self._ends) else len(self.words)

    def start(self, position: int) -> int:
        """Return the first word of the sentence with a word."""
        return bisect_left(self._ends, self.end(position))

    def is_question(self, position: int) -> bool:
        """Return whether the sentence with a word ends with a question mark."""
        end = self.end(position)
        return end < len(self.words) and self.words[end].raw == "?"

    def is_spoken(self, hit: Hit[Any]) -> bool:
        """Return whether a phrase is part of a quotation of more than the phrase: "I am happy", unlike "happy"."""
        if not self.is_quoted[hit.start]:
            return False
        marks = "".join(word.raw for word in (self.words[hit.start - 1], *self.words[hit.end : hit.end + 2]))
        return not re.match(r'""|"[.,!]"', marks)

    def lines(self) -> list[range]:
        """Return the positions of the lines that have words."""
        breaks = [-1, *(at for at, word in enumerate(self.words) if word.raw == "\n"), len(self.words)]
        return [
            range(left + 1, right)
            for left, right in pairwise(breaks)
            if any(map(is_word, self.words[left + 1 : right]))
        ]

    def find(self, *fields: str, start: int = 0, end: int | None = None) -> list[Hit[str]]:
        """Return the phrases of some fields of the tables of its languages, or of all if it has none."""
        phrases = self._phrases.get(fields)
        if phrases is None:
            phrases = self._phrases[fields] = list(phrasebook(self.languages or None, *fields).find(self.words))
        first = bisect_left(phrases, start, key=lambda hit: hit.start)
        last = len(phrases) if end is None else bisect_left(phrases, end, key=lambda hit: hit.start)
        return phrases[first:last]

    def vetoes(self, start: int, end: int) -> list[Hit[str]]:
        """Return what may keep a clause from stating something; "I *would* say" does not."""
        return [hit for hit in self.find(*VETOES, *_HARMLESS, start=start, end=end) if hit.payload in VETOES]


def _mark_quotations(words: Sequence[Word]) -> list[bool]:
    """Return for each word whether it is part of a quotation."""
    is_quoted = [False] * len(words)
    marks = [at for at, word in enumerate(words) if word.raw == '"']
    at = 0
    while at + 1 < len(marks):
        left, right = marks[at], marks[at + 1]
        if right - left <= _MAX_QUOTATION:
            is_quoted[left + 1 : right] = [True] * (right - left - 1)
            at += 1
        at += 1
    return is_quoted


def _find_ends(words: Sequence[Word], is_quoted: Sequence[bool]) -> list[int]:
    """Return for each word the position of the mark that ends its sentence; a mark in a quotation ends none."""
    ends = [len(words)] * len(words)
    end = len(words)
    for at in range(len(words) - 1, -1, -1):
        if words[at].raw in _END_MARKS and not is_quoted[at] and not _is_inside(words, at):
            end = at
        ends[at] = end
    return ends


def _is_inside(words: Sequence[Word], at: int) -> bool:
    """Return whether a full stop is inside a sentence: "Mr. Smith", "B. guitar", "e.g."."""
    if words[at].raw != "." or not at or at + 1 >= len(words) or not is_word(words[at + 1]):
        return False
    before = words[at - 1]
    starts_sentence = at < 2 or words[at - 2].raw in _END_MARKS or words[at - 2].raw in ':("'
    is_letter = len(before.raw) == 1 and before.raw.isalpha() and before.raw.isascii()
    return words[at + 1].is_joined or (is_letter and starts_sentence) or before.text in _TITLES
