"""The option or the label that a free-form reply settles on, or None: nothing is guessed."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from auricle.text.claims import decide
from auricle.text.mentions import (
    label_mentions,
    label_table,
    letter_texts,
    text_mentions,
    without_label,
)
from auricle.text.replies import plain

_REMEMBERED = 4_096
_HALVES = re.compile(r"[/|()]")
_JOINTS = re.compile(r"[_-]+")
_LETTERED = re.compile(r"[\s*(]*(?P<letter>[A-Z])[*)]*[.):：]*\s+(?P<text>\S.*)", re.DOTALL)


class _Names(NamedTuple):
    """What each option is called, and which letters and numerals stand for one."""

    aliases: tuple[tuple[str, ...], ...]
    labels: dict[str, int]


@lru_cache(maxsize=_REMEMBERED)
def _names_of_choices(choices: tuple[str, ...]) -> _Names:
    texts = without_labels(choices)
    once = [(text,) if text not in texts[:at] else () for at, text in enumerate(texts)]
    return _Names(tuple(once), label_table(texts))


@lru_cache(maxsize=_REMEMBERED)
def _names_of_labels(labels: tuple[str, ...]) -> _Names:
    return _Names(tuple((name, *_spoken(name)) for name in labels), letter_texts(labels))


def _spoken(name: str) -> list[str]:
    """How else a label may be said: either half of "生气/angry", "sea waves" for "sea_waves"."""
    halves = [half.strip() for half in _HALVES.split(name)]
    words = [" ".join(_JOINTS.split(each)).strip() for each in (name, *halves)]
    return [each for each in dict.fromkeys([*halves, *words]) if each not in {"", name}]


def _decide(text: str, names: _Names) -> int | None:
    reply = plain(text)
    by_text = text_mentions(reply, names.aliases)
    return decide(reply, [*by_text, *label_mentions(reply, names.labels, by_text)])


def option(text: str, choices: Sequence[str]) -> int | None:
    """Find the option a reply chooses; without choices, the place of a letter from A to Z."""
    texts = [_bare(each) for each in without_labels(choices)]
    if (lettered := _LETTERED.fullmatch(text.strip())) and texts:
        at = string.ascii_uppercase.index(lettered["letter"])
        if at < len(texts) and _bare(lettered["text"]) == texts[at]:
            return at  # a letter and the very text of its option, whatever else they might mean
    found = _decide(text, _names_of_choices(tuple(choices)))
    alike = [at for at, each in enumerate(texts) if each == _bare(text)]
    said_whole = found is None and len({choices[at] for at in alike}) == 1
    return alike[0] if said_whole else found


def without_labels(choices: Sequence[str]) -> list[str]:
    """Options without their own letters, where the data carries one in each of them."""
    bare = [without_label(choice, index) for index, choice in enumerate(choices)]
    labelled = all(text != choice for text, choice in zip(bare, choices, strict=True))
    return bare if labelled else list(choices)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .*")


def label(text: str, labels: Sequence[str]) -> str | None:
    """Find the label a reply names; of a label such as "生气/angry" either half will do."""
    index = _decide(text, _names_of_labels(tuple(labels)))
    return None if index is None else labels[index]
