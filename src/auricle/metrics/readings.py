"""Read the answers that metrics score from replies, and combine the readings of several replies.

Of a reply that was cut off, the unfinished end could have gone on otherwise: "The answer is C" with "ello", or with "or
D". So an answer counts only if the finished part announces it and the end does not change it.

Several metrics of a task read the same replies, one batch after the other; recent readings are cached.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import TypeVar

from auricle.core.errors import AnswerRefused, Truncated, Unreadable
from auricle.core.types import Generation
from auricle.text import reading
from auricle.text.reading import Reading, Strength

Value = TypeVar("Value")
CACHE_SIZE = 512
QUOTED_LENGTH = 80
"""Characters of a reply in the reason why it could not be read."""
CUT_OFF = "was cut off before it gave an answer"
_RANKS = {strength: rank for rank, strength in enumerate(Strength)}

_FIRM = frozenset((Strength.STRUCTURE, Strength.MARKER))
_FINISHED = re.compile(
    r".*(?:\n|(?<![.…])[.!?][\"'”’)\]*_]*\s|[。！？]|\]\]|</\w+>|\}|\"\w+\"\s*:\s*(?:\"[^\"\n]*\"|-?[0-9]+(?:\.[0-9]+)?(?=\s*,)))",
    re.DOTALL,
)
"""A reply up to its last whole line, sentence or piece of markup, such as `\\boxed{B}` or `"answer": "B"`; an ellipsis
ends no sentence."""


@lru_cache(maxsize=CACHE_SIZE)
def read_option(text: str, choices: tuple[str, ...], question: str = "", *, is_cut_off: bool = False) -> Reading[int]:
    """Read the index of an option."""
    read = partial(reading.read_option, choices=choices, question=question)
    return _read_finished(text, read, partial(read, is_whole=False)) if is_cut_off else read(text)


@lru_cache(maxsize=CACHE_SIZE)
def read_label(text: str, labels: tuple[str, ...], question: str = "", *, is_cut_off: bool = False) -> Reading[str]:
    """Read a label."""
    read = partial(reading.read_label, labels=labels, question=question)
    return _read_finished(text, read, partial(read, is_whole=False)) if is_cut_off else read(text)


@lru_cache(maxsize=CACHE_SIZE)
def read_number(text: str, limits: tuple[float, float] | None = None, *, is_cut_off: bool = False) -> Reading[float]:
    """Read a number on a scale."""
    read = partial(reading.read_number, limits=limits)
    return _read_finished(text, read, read) if is_cut_off else read(text)


def _read_finished(
    text: str, read: Callable[[str], Reading[Value]], read_beginning: Callable[[str], Reading[Value]]
) -> Reading[Value]:
    """Read what the finished part of a reply that was cut off announces, if the rest does not change it."""
    finished = _FINISHED.match(text)
    if finished is None:
        return Reading()
    announced = read_beginning(finished[0])
    is_firm = announced.strength in _FIRM and announced == read(text)
    return announced if is_firm else Reading()


def require_value(reading: Reading[Value], output: Generation, problem: str) -> Value:
    """Return the value that was read from a reply.

    Args:
        reading: What was read.
        output: The reply, which the error quotes.
        problem: What is wrong with a reply without a value, such as `names no label`.

    Raises:
        AnswerRefused: if the reply declines to answer.
        Truncated: if it was cut off before it gave an answer.
        Unreadable: if it has no value for another reason.
    """
    if reading.refused:
        raise AnswerRefused(f"refuses to answer: {output.text[:QUOTED_LENGTH]!r}")
    if reading.value is None and output.is_cut_off:
        raise Truncated(CUT_OFF)
    if reading.value is None:
        raise Unreadable(f"{problem}: {output.text[:QUOTED_LENGTH]!r}")
    return reading.value


def as_text(reading: Reading[Value], format_value: Callable[[Value], str]) -> Reading[str]:
    """Return a reading with its value as text; what has no value stays as it is."""
    return Reading(None if reading.value is None else format_value(reading.value), reading.strength, reading.refused)


def join_readings(readings: Iterable[Reading[str]]) -> Reading[str]:
    """Return the values of several replies, with the least firm of their strengths.

    >>> join_readings([Reading("A", Strength.STATEMENT), Reading("B", Strength.MARKER), Reading()])
    Reading(value='A, B', strength=<Strength.STATEMENT: 'statement'>, refused=False)
    """
    all_readings = list(readings)
    read = [each for each in all_readings if each.value is not None]
    if not read:
        return Reading(refused=any(each.refused for each in all_readings))
    strengths = [each.strength for each in read if each.strength]
    return Reading(
        ", ".join(str(each.value) for each in read), max(strengths, key=lambda strength: _RANKS[strength], default=None)
    )
