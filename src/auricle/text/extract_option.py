"""The option or the label that a free-form reply settles on, or None: nothing is guessed."""

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
    """What each option is called, and which letters and numerals stand for one."""

    aliases: tuple[tuple[str, ...], ...]
    labels: dict[str, int]


@lru_cache(maxsize=_NAME_CACHE_SIZE)
def _choice_names(choices: tuple[str, ...]) -> _OptionNames:
    texts = strip_labels(choices)
    once = [(text,) if text not in texts[:at] else () for at, text in enumerate(texts)]
    return _OptionNames(tuple(once), build_label_table(texts))


@lru_cache(maxsize=_NAME_CACHE_SIZE)
def _label_names(labels: tuple[str, ...]) -> _OptionNames:
    return _OptionNames(tuple((name, *_label_variants(name)) for name in labels), single_letter_options(labels))


def _label_variants(name: str) -> list[str]:
    """How else a label may be said: either half of "生气/angry", "sea waves" for "sea_waves"."""
    halves = [half.strip() for half in _ALTERNATIVE_SEPARATOR.split(name)]
    words = [" ".join(_WORD_SEPARATOR.split(each)).strip() for each in (name, *halves)]
    return [each for each in dict.fromkeys([*halves, *words]) if each not in {"", name}]


def _find_option(text: str, names: _OptionNames) -> int | None:
    reply = clean_reply(text)
    by_text = find_text_mentions(reply, names.aliases)
    return decide_option(reply, [*by_text, *find_label_mentions(reply, names.labels, by_text)])


def extract_option(text: str, choices: Sequence[str]) -> int | None:
    """Find the option a reply chooses; without choices, the place of a letter from A to Z."""
    texts = [_canonical_text(each) for each in strip_labels(choices)]
    if (lettered := _LETTER_AND_TEXT.fullmatch(text.strip())) and texts:
        at = string.ascii_uppercase.index(lettered["letter"])
        if at < len(texts) and _canonical_text(lettered["text"]) == texts[at]:
            return at  # a letter and the very text of its option, whatever else they might mean
    found = _find_option(text, _choice_names(tuple(choices)))
    alike = [at for at, each in enumerate(texts) if each == _canonical_text(text)]
    said_whole = found is None and len({choices[at] for at in alike}) == 1
    return alike[0] if said_whole else found


def strip_labels(choices: Sequence[str]) -> list[str]:
    """Options without their own letters, where the data carries one in each of them."""
    bare = [strip_own_label(choice, index) for index, choice in enumerate(choices)]
    labelled = all(text != choice for text, choice in zip(bare, choices, strict=True))
    return bare if labelled else list(choices)


def _canonical_text(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .*")


def extract_label(text: str, labels: Sequence[str]) -> str | None:
    """Find the label a reply names; of a label such as "生气/angry" either half will do."""
    index = _find_option(text, _label_names(tuple(labels)))
    return None if index is None else labels[index]
