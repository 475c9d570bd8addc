"""Extract the option or label that a free-form reply chooses; never guess."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from auricle.text.clean_reply import clean_reply
from auricle.text.option_claims import decide_option
from auricle.text.option_mentions import (
    build_label_table,
    find_label_mentions,
    find_text_mentions,
    single_letter_options,
    strip_own_label,
)

_NAME_CACHE_SIZE = 4_096
_ALTERNATIVE_SEPARATOR = re.compile(r"[/|()]")
_WORD_SEPARATOR = re.compile(r"[_-]+")
_LETTER_AND_TEXT = re.compile(r"[\s*(]*(?P<letter>[A-Z])[*)]*[.):：]*\s+(?P<text>\S.*)", re.DOTALL)


class _OptionNames(NamedTuple):
    """The names of each option, and the letters and numbers that label one."""

    aliases: tuple[tuple[str, ...], ...]
    labels: dict[str, int]


@lru_cache(maxsize=_NAME_CACHE_SIZE)
def _choice_names(choices: tuple[str, ...]) -> _OptionNames:
    texts = strip_labels(choices)
    aliases = [(text,) if text not in texts[:index] else () for index, text in enumerate(texts)]
    return _OptionNames(tuple(aliases), build_label_table(texts))


@lru_cache(maxsize=_NAME_CACHE_SIZE)
def _label_names(labels: tuple[str, ...]) -> _OptionNames:
    return _OptionNames(tuple((name, *_label_variants(name)) for name in labels), single_letter_options(labels))


def _label_variants(name: str) -> list[str]:
    """Return other spellings of a label: either part of "生气/angry", "sea waves" for "sea_waves"."""
    parts = [part.strip() for part in _ALTERNATIVE_SEPARATOR.split(name)]
    spaced = [" ".join(_WORD_SEPARATOR.split(text)).strip() for text in (name, *parts)]
    return [variant for variant in dict.fromkeys([*parts, *spaced]) if variant not in {"", name}]


def _find_option(text: str, names: _OptionNames) -> int | None:
    reply = clean_reply(text)
    by_text = find_text_mentions(reply, names.aliases)
    return decide_option(reply, [*by_text, *find_label_mentions(reply, names.labels, by_text)])


def extract_option(text: str, choices: Sequence[str]) -> int | None:
    """Return the index of the option that a reply chooses, or None; without choices, the index of a letter A to Z."""
    texts = [_canonical_text(option) for option in strip_labels(choices)]
    if (lettered := _LETTER_AND_TEXT.fullmatch(text.strip())) and texts:
        index = string.ascii_uppercase.index(lettered["letter"])
        if index < len(texts) and _canonical_text(lettered["text"]) == texts[index]:
            return index  # exactly the letter and the text of one option
    chosen = _find_option(text, _choice_names(tuple(choices)))
    equal = [index for index, option in enumerate(texts) if option == _canonical_text(text)]
    is_exact = chosen is None and len({choices[index] for index in equal}) == 1
    return equal[0] if is_exact else chosen


def strip_labels(choices: Sequence[str]) -> list[str]:
    """Remove the letters from options such as "(B) guitar", if all options have one."""
    texts = [strip_own_label(choice, index) for index, choice in enumerate(choices)]
    are_labelled = all(text != choice for text, choice in zip(texts, choices, strict=True))
    return texts if are_labelled else list(choices)


def _canonical_text(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .*")


def extract_label(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that a reply names, or None; either part of a label such as "生气/angry" is enough."""
    index = _find_option(text, _label_names(tuple(labels)))
    return None if index is None else labels[index]
