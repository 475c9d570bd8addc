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
_NIQQUD = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_HEBREW_LETTERS = "\u05d0-\u05f2\ufb1d\ufb1f-\ufb28\ufb2a-\ufb4f"
_GERSHAYIM = re.compile(
    rf"(?<=[{_HEBREW_LETTERS}{_NIQQUD}])[\"'`\u00b4\u2018-\u201f\u2032\u2033\u05f3\u05f4]+(?=[{_HEBREW_LETTERS}])"
)
_MIDDLE_DOTS = ".\u00b7\u0387\u2022\u2027\u2219\u22c5\u30fb\uff65"
_GEMINATE_L = re.compile(rf"(?<=[^\W\d_]l)[{_MIDDLE_DOTS}](?=l)|(?<=[^\W\d_]L)[{_MIDDLE_DOTS}](?=L)")
# A letter that looks like the middle dot, so that no profile takes it for punctuation.
_DOT_LETTER = "\ua78f"

Step = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ProfileOption:
    """Further steps of a profile: before it, on text as written or in normalisation form NFKC, and after it."""

    summary: str
    languages: tuple[str, ...] = ()
    as_written: Step | None = None
    in_nfkc: Step | None = None
    after: Step | None = None
    version: int = 1


def _translate(text: str, table: Mapping[int, int | str | None]) -> str:
    return text.translate(table)


def _unify_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def _spell_digits(text: str) -> str:
    """Write every digit as an English word, because `one two three` has become 123 and the number is lost."""
    if not _DIGIT.search(text):
        return text
    return " ".join(_DIGIT.sub(lambda digit: f" {_DIGIT_NAMES[int(digit[0])]} ", text).split())


def _mark_geminate_l(text: str) -> str:
    """Write the dot of `l·l` as a letter, whichever character it is."""
    return _GEMINATE_L.sub(_DOT_LETTER, text.replace("\u0140", "l\u00b7").replace("\u013f", "L\u00b7"))


_TURKISH_CASE = partial(_translate, table=str.maketrans("Iİ", "ıi"))
_YO = partial(_translate, table=str.maketrans("Ёё", "Ее"))
_TATWEEL = partial(_translate, table={0x640: None})
_ALEF_FORMS = partial(_translate, table=str.maketrans("أإآٱ", "اااا"))
_NO_HARAKAT = partial(re.compile(f"[{_HARAKAT}]").sub, "")
_NO_NIQQUD = partial(re.compile(f"[{_NIQQUD}]").sub, "")
OPTIONS: Mapping[str, ProfileOption] = MappingProxyType(
    {
        "turkish": ProfileOption(
            "case of Turkish and Azerbaijani: I is ı, İ is i", ("tr", "az"), in_nfkc=_TURKISH_CASE
        ),
        "yo": ProfileOption("Cyrillic ё is е", ("ru",), in_nfkc=_YO),
        "harakat": ProfileOption("no Arabic vowel marks", ("ar",), in_nfkc=_NO_HARAKAT),
        "tatweel": ProfileOption("no Arabic tatweel, which lengthens words", ("ar",), in_nfkc=_TATWEEL),
        "alef": ProfileOption("Arabic alef with any mark is a plain alef", ("ar",), in_nfkc=_ALEF_FORMS),
        "gershayim": ProfileOption(
            "no Hebrew gershayim, geresh or quotes inside words: צה״ל is צהל",
            ("he",),
            as_written=partial(_GERSHAYIM.sub, ""),
        ),
        "niqqud": ProfileOption("no Hebrew points", ("he",), in_nfkc=_NO_NIQQUD),
        "catalan": ProfileOption(
            "Catalan l·l is part of a word, with any dot: col.legi is col·legi",
            ("ca",),
            as_written=_mark_geminate_l,
            after=partial(_translate, table={ord(_DOT_LETTER): "\u00b7"}),
        ),
        "digits": ProfileOption("decimal digits of every script are 0 to 9", in_nfkc=_unify_digits),
        SPELLED: ProfileOption("each digit is an English word: 42 is four two", ("en",), after=_spell_digits),
    }
)
"""All options by name."""


def add_steps(options: tuple[ProfileOption, ...], normalise: Step) -> Step:
    """Return a profile's function with the steps of its options."""
    steps = [option.as_written for option in options if option.as_written]
    if in_nfkc := [option.in_nfkc for option in options if option.in_nfkc]:
        steps += [partial(unicodedata.normalize, "NFKC"), *in_nfkc]
    steps += [normalise, *(option.after for option in options if option.after)]
    return partial(_apply_steps, steps=tuple(steps))


def _apply_steps(text: str, steps: tuple[Step, ...]) -> str:
    for step in steps:
        text = step(text)
    return text
