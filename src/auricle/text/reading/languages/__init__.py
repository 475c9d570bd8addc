"""What replies look like in each language, as tables, and in which languages a reply is written.

A statement is read only in a language with a table: without its negations, "is not happy" would be read as "happy".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from auricle.text.reading.words import Phrasebook, Word, is_word, split_words
from auricle.text.scripts import HAN, HANGUL, KANA

_SCRIPTS = {
    "zh": HAN,
    "ja": f"{HAN}{KANA}",
    "ko": HANGUL,
    "ru": "а-яё",
    "ar": "\u0621-\u063a\u0641-\u0652",
    "hi": "\u0900-\u097f",
}
"""Characters of the languages that have a script of their own; all others are written in Latin letters."""
_LATIN = re.compile("[a-z\u00c0-\u024f\u1e00-\u1eff]")
_OTHER = "xx"
"""The table with words of languages that are only recognised, not read."""
_MIN_SHARE = 0.25
"""Share of the words of a reply that are frequent words of its language."""


@dataclass(frozen=True, slots=True)
class Language:
    """The table of one language: phrases separated by `|`, in lower case."""

    code: str
    letters: str = ""
    """Letters besides a to z, of languages in Latin script."""
    frequent: str = ""
    """Frequent words, by which the language is recognised."""
    is_small: bool = False
    """Whether a sentence states something only if all its words are in the table, which lacks many that deny."""
    answers: str = ""
    """What announces an answer: "the *correct answer* is B"."""
    links: str = ""
    """What stands between that and the answer: "the answer *is* B"."""
    choices: str = ""
    """What stands directly before an answer: "*I choose* B"."""
    confirmations: str = ""
    """What stands directly after an answer: "B *is correct*"."""
    conclusions: str = ""
    """What begins the sentence that decides: "*Therefore*, it is B"."""
    fillers: str = ""
    """Words without effect before an answer: "the answer is *most likely the option* B"."""
    nouns: str = ""
    """What stands before the letter of an option: "*option* B"."""
    negations: str = ""
    """What denies the rest of its clause: "it is *not* B"."""
    doubts: str = ""
    """What makes a clause no statement: hedges, conditions, questions."""
    asides: str = ""
    """What makes a clause name options for another reason: comparisons, reports, quantities."""
    contrasts: str = ""
    """What begins a new clause: "it is not A, *but* B"."""
    joints: str = ""
    """What joins answers, or begins a new clause under the same doubt: "it is A *and* possibly C"."""
    corrections: str = ""
    """What takes back the text before: "A. *No, wait*, B"."""
    refusals: str = ""
    """What declines to answer; `…` stands for a few other words."""
    no_audio: str = ""
    """What states that there is no audio, or that it cannot be heard."""
    yes: str = ""
    no: str = ""
    subjects: str = ""
    """What a sentence may be about, also after yes or no without a comma: "Yes *it* is"."""
    forms: str = ""
    """Forms of common labels, separated by spaces: "angry anger"."""
    ratings: str = ""
    """What announces a rating: "*score*: 4"."""
    units: str = ""
    """What follows a rating: "4 *points*"."""
    halves: str = ""
    """"Four *and a half*"."""
    shares: str = ""
    """What stands before the highest rating: "4 *out of* 5"."""
    full_marks: str = ""
    """What marks the highest rating of the scale: "满分5分"."""
    numbers: str = ""
    """Words for the numbers from zero on, those for the same number separated by `/`."""

    def phrases(self, name: str) -> list[str]:
        """Return the phrases of a field."""
        return [phrase for part in getattr(self, name).split("|") if (phrase := " ".join(part.split()))]


@cache
def all_languages() -> dict[str, Language]:
    """Return all tables by language code."""
    tables = sorted(resources.files(__package__).iterdir(), key=lambda file: file.name)
    return {
        file.name[:2]: Language(file.name[:2], **tomllib.loads(file.read_text(encoding="utf-8")))
        for file in tables
        if file.name.endswith(".toml")
    }


@lru_cache(maxsize=256)
def phrasebook(codes: tuple[str, ...] | None, *names: str) -> Phrasebook[str]:
    """Return the phrases of some fields, each with its field, in some languages; None stands for all."""
    tables = [table for code, table in all_languages().items() if codes is None or code in codes]
    return Phrasebook((phrase, name) for table in tables for name in names for phrase in table.phrases(name))


@cache
def phrases_of(name: str) -> list[str]:
    """Return the phrases of a field in all languages."""
    return [phrase for table in all_languages().values() for phrase in table.phrases(name)]


_EVIDENCE = ("frequent", "answers", "nouns", "links", "choices", "fillers", "confirmations", "yes", "no", "negations")
"""Fields whose words show the language of a reply."""


@cache
def _frequent_words() -> dict[str, frozenset[str]]:
    return {code: _words_of(table, *_EVIDENCE) for code, table in all_languages().items() if code not in _SCRIPTS}


@cache
def known_words(code: str) -> frozenset[str] | None:
    """Return the words that sentences in a language with a small table may have; None if they may have any."""
    table = all_languages()[code]
    return _words_of(table, *_EVIDENCE) if table.is_small else None


def _words_of(table: Language, *fields: str) -> frozenset[str]:
    return frozenset(word.text for name in fields for word in split_words(getattr(table, name)) if is_word(word))


@cache
def _foreign_letters() -> dict[str, re.Pattern[str]]:
    """Return what is no letter of each language in Latin script."""
    codes = (code for code in all_languages() if code not in _SCRIPTS and code != _OTHER)
    return {code: re.compile(rf"[^\x00-\x7f{all_languages()[code].letters}]") for code in codes}


_OF_SCRIPT = {code: re.compile(f"[{letters}]+") for code, letters in _SCRIPTS.items()}


def detect_languages(words: Sequence[Word], named: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the languages of a reply that have a table; none if some of its words are in another language.

    Args:
        words: The words of the reply.
        named: Words of the options, which may be in another language than the reply.
    """
    ignored = frozenset(named)
    codes: set[str] = set()
    latin: set[str] = set()
    for text in {word.text for word in words if word.raw[0].isalpha()}:
        if _LATIN.match(text):
            latin.add(text)
        elif text not in ignored:
            matching = [code for code, pattern in _OF_SCRIPT.items() if pattern.fullmatch(text)]
            if not matching:
                return ()
            codes.update(matching[:1])
    if "ja" in codes:
        codes.discard("zh")
    latin_codes = _detect_latin(latin, ignored)
    if latin - ignored and not latin_codes and (not codes or len(latin - ignored) > len(words) / 4):
        return ()
    return tuple(sorted(codes | latin_codes))


def _detect_latin(words: Set[str], ignored: Set[str]) -> Set[str]:
    """Return the languages to which most words belong, several if they share them; none if that is not clear."""
    others = words - ignored
    letters, frequent = "".join(others), _frequent_words()
    hits = {
        code: len(words & frequent[code])
        for code, foreign in _foreign_letters().items()
        if letters.isascii() or not foreign.search(letters)
    }
    most = max(hits.values(), default=0)
    if most < max(1, min(2, len(others) / 2), _MIN_SHARE * len(others)):
        return frozenset()
    best = {code for code, count in hits.items() if count == most}
    known = frozenset().union(*(frequent[code] for code in best))
    return frozenset() if others & (frequent[_OTHER] - known) else best
