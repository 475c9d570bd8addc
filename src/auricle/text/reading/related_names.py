"""Other names of an option: its number in digits or words, forms of its verb, other words for the same label."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from auricle.text.reading.label_words import label_words
from auricle.text.reading.languages import TABLES

# --- numbers ----------------------------------------------------------------------------

_MAX_NUMBER = 99
_HAN = "一二三四五六七八九"
_ARTICLE = re.compile("|".join(table.articles for table in TABLES.values() if table.articles))


_LARGER = {
    "de": "elf zwölf fünfzehn zwanzig dreißig vierzig fünfzig sechzig",
    "fr": "onze douze quinze vingt trente quarante cinquante soixante",
    "es": "once doce quince veinte treinta cuarenta cincuenta sesenta",
    "pt": "onze doze quinze vinte trinta quarenta cinquenta sessenta",
    "it": "undici dodici quindici venti trenta quaranta cinquanta sessanta",
    "ru": "одиннадцать двенадцать пятнадцать двадцать тридцать сорок пятьдесят шестьдесят",
}
"""The numbers 11, 12, 15, 20 and the tens up to 60, which durations and ages often have."""


def _han(value: int) -> str:
    """Write a number below 100 in Chinese characters."""
    tens, ones = divmod(value, 10)
    return (_HAN[tens - 1] if tens > 1 else "") + ("十" if tens else "") + (_HAN[ones - 1] if ones else "")


def _writings(languages: Collection[str] = TABLES) -> dict[str, frozenset[str]]:
    by_value = {value: {str(value)} for value in range(1, _MAX_NUMBER + 1)}
    if {"zh", "ja"} & set(languages):
        by_value[2].add("两")
        for value, writings in by_value.items():
            writings.add(_han(value))
    for language in languages:
        larger = dict(zip(_LARGER.get(language, "").split(), (11, 12, 15, 20, 30, 40, 50, 60), strict=False))
        for word, number in (*TABLES[language].number_words.items(), *larger.items()):
            if number in by_value and not _ARTICLE.fullmatch(word):
                by_value[int(number)].add(word)
    return {writing: frozenset(writings) for writings in by_value.values() for writing in writings}


_WRITINGS = _writings()
_VALUES = {writing: int(min(writings)) for writing, writings in _WRITINGS.items()}
_COUNT = re.compile(
    rf"(?P<number>{'|'.join(sorted(_WRITINGS, key=len, reverse=True))})(?P<rest>(?:\s+|(?=[\u3041-\u9fff가-힣]))\S.*)"
)
"""A number of things, such as "three times" or 三次."""


def other_writings(name: str) -> list[str]:
    """Return a name that begins with a number below 100, with its number written otherwise: "3 times", 3次."""
    count = _COUNT.fullmatch(name.strip().lower())
    if count is None:
        return []
    return sorted(writing + count["rest"] for writing in _WRITINGS[count["number"]] if writing != count["number"])


_UNITS = tuple(
    frozenset(units.split("|"))
    for units in (
        *("second|seconds|sec|secs|s", "minute|minutes|min|mins", "hour|hours|hr|hrs|h", "%|percent|per cent|prozent"),
        *("km|kilometer|kilometers|kilometre|kilometres", "am|a.m.", "pm|p.m.", "kg|kilo|kilos|kilogram|kilograms"),
    )
)
_QUANTITY = re.compile(r"(?P<number>.*\d)\s*(?P<unit>\D+)")


def unit_writings(name: str) -> list[str]:
    """Return a quantity in digits with its unit written otherwise: "10 min" for "10 minutes"."""
    quantity = _QUANTITY.fullmatch(name.strip().lower())
    units = next((units for units in _UNITS if quantity and quantity["unit"] in units), ())
    return [f"{quantity['number']} {unit}" for unit in sorted(units) if quantity and unit != quantity["unit"]]


ONE = frozenset({"ein", "eine", "einen", "einer", "un", "une", "una", "uno", "um", "uma", "one"})
"""Words for one that are also articles."""
_TIMES = dict(
    [
        *zip(("once", "twice", "thrice"), (1, 2, 3), strict=True),
        *zip(("einmal", "zweimal", "dreimal", "viermal", "fünfmal"), range(1, 6), strict=True),
        *zip(("дважды", "трижды"), (2, 3), strict=True),
    ]
)


def _parse_count(name: str) -> tuple[int, str] | None:
    """Return the number that a name begins with, and the first letters of what it counts, if any."""
    text = name.strip().lower()
    if text.split(" ")[0] in ONE or text in _TIMES:
        return _TIMES.get(text, 1), ""
    if text in _VALUES:
        return _VALUES[text], ""
    count = _COUNT.fullmatch(text)
    return (_VALUES[count["number"]], count["rest"].strip()[:3]) if count else None


def count_values(names: Sequence[str]) -> list[int]:
    """Return the numbers by which options differ: "3", "three", "three times"; none if they differ otherwise."""
    counts = [count for name in names if (count := _parse_count(name))]
    values = [value for value, _ in counts]
    counted = {what for value, what in counts if value > 1 and what}
    return values if len(set(values)) == len(names) and len(counted) <= 1 else []


def number_names(names: Sequence[str], languages: tuple[str, ...]) -> list[list[str]]:
    """Return the numbers by which options differ, in digits and in the words of the languages of a reply."""
    writings = _writings(languages)
    own = {name.strip().lower() for name in names}
    return [sorted(writings[str(value)] - own) for value in count_values(names)] or [[] for _ in names]


# --- verbs and labels -------------------------------------------------------------------

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


def words_for_labels(names: Sequence[Sequence[str]], languages: Collection[str]) -> Iterator[list[str]]:
    """Yield for each option other words for the labels that it alone has: "anger" and, in German, "Wut" for "angry".

    Args:
        names: The names of each option.
        languages: The languages of the reply; words in the languages of an option itself count in any reply.
    """
    options = [{name.strip().casefold() for name in aliases} for aliases in names]
    owned: list[set[str]] = [set() for _ in options]
    for label in label_words():
        owners = [index for index, own in enumerate(options) if any(own & words for words in label.values())]
        if len(owners) == 1:
            own = options[owners[0]]
            used = [words for language, words in label.items() if language in languages or own & words]
            owned[owners[0]] |= set().union(*used) - own
    yield from map(sorted, owned)
