"""Words of a reply, and phrases that are looked up in them.

Rules look up words instead of searching with patterns: the time is linear in the length of the reply, however long the
lists of phrases are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from auricle.text.profiles import simplify_chinese
from auricle.text.scripts import HAN, HANGUL, UNSPACED_SCRIPTS

Payload = TypeVar("Payload")
Payload_co = TypeVar("Payload_co", covariant=True)
_HAS_HAN = re.compile(f"[{HAN}]")
_CHARACTERS = f"{UNSPACED_SCRIPTS}{HANGUL}"
"""What is a word of its own; Korean particles follow a word without a space."""
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
"""Vowel signs, which Python does not count as letters."""
_WORD = re.compile(rf"\n|\d+(?:[.,:]\d+)*|[{_CHARACTERS}]|(?:[^\W\d_{_CHARACTERS}]|[{_MARKS}])+|[^\w\s]")
_QUOTATION_MARKS = str.maketrans(
    dict.fromkeys("“”„«»「」『』", '"') | dict.fromkeys("‘’´", "'") | {"−": "-", "_": " ", "【": "[", "】": "]"}
)


def fold(text: str) -> str:
    """Return a text with plain letters, digits and quotation marks, and simplified characters, also in Japanese."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTATION_MARKS))
    return simplify_chinese(plain) if _HAS_HAN.search(plain) else plain


class Word(NamedTuple):
    """A word, a number, a character of an unspaced script, a punctuation mark or a line break."""

    text: str
    """Without case."""
    raw: str
    is_joined: bool
    """Whether no space is before it."""


def split_words(text: str) -> list[Word]:
    """Return the words of a text; "isn't" is "is" and "not"."""
    return split_folded(fold(text))


def split_folded(folded: str) -> list[Word]:
    """Return the words of a text that was folded."""
    words, end = [], -1
    for match in _WORD.finditer(folded.replace("n't", " not").replace("N'T", " NOT")):
        raw = match[0]
        words.append(Word(raw.casefold(), raw, match.start() == end))
        end = match.end()
    return words


def is_word(word: Word) -> bool:
    """Return whether a word has letters or digits."""
    return word.raw[0].isalnum()


class Hit(NamedTuple, Generic[Payload_co]):
    """A phrase in a reply, from its first word to before `end`, and what it stands for."""

    start: int
    end: int
    payload: Payload_co


class Phrasebook(Generic[Payload]):
    """Phrases with what they stand for; of those that begin at a word, the longest counts."""

    def __init__(self, phrases: Iterable[tuple[str, Payload]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], Payload]]] = {}
        for phrase, payload in phrases:
            words = tuple(word.text for word in split_words(phrase))
            self._by_first.setdefault(words[0], []).append((words, payload))
        for candidates in self._by_first.values():
            candidates.sort(key=lambda candidate: -len(candidate[0]))

    def match(self, words: Sequence[Word], start: int) -> Hit[Payload] | None:
        """Return the longest phrase that begins at a position; None also at the end of the words."""
        if start >= len(words):
            return None
        for phrase, payload in self._by_first.get(words[start].text, ()):
            end = start + len(phrase)
            if end <= len(words) and all(words[start + at].text == phrase[at] for at in range(1, len(phrase))):
                return Hit(start, end, payload)
        return None

    def find(self, words: Sequence[Word], start: int = 0, end: int | None = None) -> Iterator[Hit[Payload]]:
        """Yield the phrases between two positions that do not overlap."""
        stop = len(words) if end is None else min(end, len(words))
        at = start
        while at < stop:
            hit = self.match(words, at) if words[at].text in self._by_first else None
            if hit and hit.end <= stop:
                yield hit
                at = hit.end
            else:
                at += 1
