"""The option or the label that a free-form reply settles on, or None: nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auricle.text.claims import decide
from auricle.text.mentions import (
    label_mentions,
    label_table,
    letter_texts,
    text_mentions,
    without_label,
)
from auricle.text.replies import plain

_HALVES = re.compile(r"[/|()]")


def option(text: str, choices: Sequence[str]) -> int | None:
    """Find the option a reply chooses; without choices, the place of a letter from A to Z."""
    reply = plain(text)
    aliases = tuple((without_label(choice, index),) for index, choice in enumerate(choices))
    return _decide(reply, aliases, label_table([name for (name,) in aliases]))


def label(text: str, labels: Sequence[str]) -> str | None:
    """Find the label a reply names; of a label such as "生气/angry" either half will do."""
    aliases = tuple((name, *_halves(name)) for name in labels)
    index = _decide(plain(text), aliases, letter_texts(labels))
    return None if index is None else labels[index]


def _halves(name: str) -> list[str]:
    return [half.strip() for half in _HALVES.split(name) if half.strip() not in {"", name}]


def _decide(
    reply: str, aliases: tuple[tuple[str, ...], ...], letters: dict[str, int]
) -> int | None:
    by_text = text_mentions(reply, aliases)
    return decide(reply, [*by_text, *label_mentions(reply, letters, by_text)])
