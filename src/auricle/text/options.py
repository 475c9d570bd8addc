"""The option or the label that a free-form reply settles on, or None: nothing is guessed."""

from __future__ import annotations

import re
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


class _Names(NamedTuple):
    """What each option is called, and which letters and numerals stand for one."""

    aliases: tuple[tuple[str, ...], ...]
    labels: dict[str, int]


@lru_cache(maxsize=_REMEMBERED)
def _names_of_choices(choices: tuple[str, ...]) -> _Names:
    texts = [without_label(choice, index) for index, choice in enumerate(choices)]
    return _Names(tuple((text,) for text in texts), label_table(texts))


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
    return _decide(text, _names_of_choices(tuple(choices)))


def label(text: str, labels: Sequence[str]) -> str | None:
    """Find the label a reply names; of a label such as "生气/angry" either half will do."""
    index = _decide(text, _names_of_labels(tuple(labels)))
    return None if index is None else labels[index]
