"""Other names of an option: its number in digits or words, forms of its verb, words of the same family."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from auricle.text.reading.languages import TABLES

# --- numbers ----------------------------------------------------------------------------

_MAX_NUMBER = 10
_HAN = "一二三四五六七八九十"


_ARTICLE = re.compile("|".join(table.articles for table in TABLES.values() if table.articles))


def _writings() -> dict[str, frozenset[str]]:
    by_value = {value: {str(value), _HAN[value - 1]} for value in range(1, _MAX_NUMBER + 1)}
    by_value[2].add("两")
    for table in TABLES.values():
        for word, value in table.number_words.items():
            if value in by_value and not _ARTICLE.fullmatch(word):
                by_value[int(value)].add(word)
    return {writing: frozenset(writings) for writings in by_value.values() for writing in writings}


_WRITINGS = _writings()
_COUNT = re.compile(
    rf"(?P<number>{'|'.join(sorted(_WRITINGS, key=len, reverse=True))})(?P<rest>(?:\s+|(?=[\u3041-\u9fff가-힣]))\S.*)"
)
"""A number of things, such as "three times" or 三次; a number alone has no other writing."""


def other_writings(name: str) -> list[str]:
    """Return a name that begins with a number up to ten, with its number written otherwise: "3 times", 3次."""
    count = _COUNT.fullmatch(name.strip().lower())
    if count is None:
        return []
    return sorted(writing + count["rest"] for writing in _WRITINGS[count["number"]] if writing != count["number"])


# --- verbs and families -----------------------------------------------------------------

_VERB_PHRASE = re.compile(r"(?:to\s+)?(?P<verb>[a-z]{2,})(?P<rest>\s+\S.*)")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnpt]")


def verb_forms(name: str) -> list[str]:
    """Return an English name of several words with other forms of its first: "going hiking" for "go hiking"."""
    phrase = _VERB_PHRASE.fullmatch(name.strip().lower())
    if phrase is None:
        return []
    verb = phrase["verb"]
    stem = verb + verb[-1] if _DOUBLED.fullmatch(verb[-3:]) else verb.removesuffix("e")
    return [form + phrase["rest"] for form in (verb, verb + "s", stem + "ing", stem + "ed") if form != name.split()[0]]


_FAMILIES = tuple(
    frozenset(family.split("|")) for table in TABLES.values() for family in table.families.split("; ") if family
)


def family_words(names: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield for each option the words of the families that it alone belongs to: "anger" for "angry"."""
    options = [{name.strip().casefold() for name in aliases} for aliases in names]
    for own in options:
        families = [family for family in _FAMILIES if family & own]
        shared = {word for family in families if sum(bool(family & other) for other in options) > 1 for word in family}
        yield sorted({word for family in families for word in family} - own - shared)
