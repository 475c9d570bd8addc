"""Options of text profiles, added to a name with a plus sign: `basic+yo`, `basic+harakat+alef`.

An option makes a difference between two texts irrelevant that otherwise counts as an error. It works with every profile
and is part of the signature.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

OPTION_MARK = "+"
"""Separates a profile from its options, and these from each other."""
SPELLED = "spelled"
"""The option that undoes digits; character error rates use it with profiles that write numbers as digits."""
_DIGIT = re.compile("[0-9]")
_DIGIT_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_HARAKAT = "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"


@dataclass(frozen=True, slots=True)
class ProfileOption:
    """A further step of a profile."""

    apply: Callable[[str], str]
    summary: str
    languages: tuple[str, ...] = ()
    version: int = 1
    is_last: bool = False
    """Whether the step follows the profile. Otherwise it comes before, on text in normalisation form NFKC."""


def _translate(text: str, table: Mapping[int, int | None]) -> str:
    return text.translate(table)


def _unify_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def _spell_digits(text: str) -> str:
    """Write every digit as an English word, because `one two three` has become 123 and the number is lost."""
    if not _DIGIT.search(text):
        return text
    return " ".join(_DIGIT.sub(lambda digit: f" {_DIGIT_NAMES[int(digit[0])]} ", text).split())


_TURKISH_CASE = partial(_translate, table=str.maketrans("Iİ", "ıi"))
_YO = partial(_translate, table=str.maketrans("Ёё", "Ее"))
_TATWEEL = partial(_translate, table={0x640: None})
_ALEF_FORMS = partial(_translate, table=str.maketrans("أإآٱ", "اااا"))
OPTIONS: Mapping[str, ProfileOption] = MappingProxyType(
    {
        "turkish": ProfileOption(_TURKISH_CASE, "case of Turkish and Azerbaijani: I is ı, İ is i", ("tr", "az")),
        "yo": ProfileOption(_YO, "Cyrillic ё is е", ("ru",)),
        "harakat": ProfileOption(partial(re.compile(f"[{_HARAKAT}]").sub, ""), "no Arabic vowel marks", ("ar",)),
        "tatweel": ProfileOption(_TATWEEL, "no Arabic tatweel, which lengthens words", ("ar",)),
        "alef": ProfileOption(_ALEF_FORMS, "Arabic alef with any mark is a plain alef", ("ar",)),
        "digits": ProfileOption(_unify_digits, "decimal digits of every script are 0 to 9"),
        SPELLED: ProfileOption(_spell_digits, "each digit is an English word: 42 is four two", ("en",), is_last=True),
    }
)
"""All options by name."""


def add_steps(options: tuple[ProfileOption, ...], normalise: Callable[[str], str]) -> Callable[[str], str]:
    """Return a profile's function with the steps of its options."""
    first = [option.apply for option in options if not option.is_last]
    last = [option.apply for option in options if option.is_last]
    unify = [partial(unicodedata.normalize, "NFKC")] if first else []
    return partial(_apply_steps, steps=(*unify, *first, normalise, *last))


def _apply_steps(text: str, steps: tuple[Callable[[str], str], ...]) -> str:
    for step in steps:
        text = step(text)
    return text
