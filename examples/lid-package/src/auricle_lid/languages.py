"""Sets of related languages, and how a language is read from an answer."""

import re
from collections.abc import Sequence

LANGUAGE_SETS = {
    "germanic": {"da": "Danish", "de": "German", "en": "English", "nl": "Dutch", "sv": "Swedish"},
    "romance": {"es": "Spanish", "fr": "French", "it": "Italian", "pt": "Portuguese", "ro": "Romanian"},
    "slavic": {"cs": "Czech", "pl": "Polish", "ru": "Russian", "sk": "Slovak", "uk": "Ukrainian"},
}
"""Names of languages by code. The languages of a set are related."""
NAMES = {code: name for languages in LANGUAGE_SETS.values() for code, name in languages.items()}


def find_name(language: str) -> str:
    """Return the name of a language that is given by its code or its name; empty if it is in no set."""
    names = {name.casefold(): name for name in NAMES.values()}
    return NAMES.get(language.strip().casefold(), "") or names.get(language.strip().casefold(), "")


def read_names(text: str, names: Sequence[str]) -> list[str]:
    """Return those of the names that a text contains as words; a text may also be the code of one."""
    if find_name(text) in names:
        return [find_name(text)]
    return [name for name in names if re.search(rf"\b{name}\b", text, re.IGNORECASE)]


def are_related(first: str, second: str) -> bool:
    """Return whether a set has both names."""
    return any({first, second} <= {*languages.values()} for languages in LANGUAGE_SETS.values())
