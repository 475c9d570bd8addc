"""Read the answers that metrics score from replies, and combine the readings of several replies.

Several metrics of a task read the same replies, one batch after the other; recent readings are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

from auricle.core.errors import AnswerRefused, Unreadable
from auricle.text import reading
from auricle.text.reading import Reading, Strength

Value = TypeVar("Value")
CACHE_SIZE = 512
QUOTED_LENGTH = 80
"""Characters of a reply in the reason why it could not be read."""
_RANKS = {strength: rank for rank, strength in enumerate(Strength)}


@lru_cache(maxsize=CACHE_SIZE)
def read_option(text: str, choices: tuple[str, ...], question: str = "") -> Reading[int]:
    """Read the index of an option."""
    return reading.read_option(text, choices, question)


@lru_cache(maxsize=CACHE_SIZE)
def read_label(text: str, labels: tuple[str, ...], question: str = "") -> Reading[str]:
    """Read a label."""
    return reading.read_label(text, labels, question)


@lru_cache(maxsize=CACHE_SIZE)
def read_number(text: str, limits: tuple[float, float] | None = None) -> Reading[float]:
    """Read a number on a scale."""
    return reading.read_number(text, limits)


def require_value(reading: Reading[Value], reply: str, problem: str) -> Value:
    """Return the value that was read from a reply.

    Args:
        reading: What was read.
        reply: The reply, which the error quotes.
        problem: What is wrong with a reply without a value, such as `names no label`.

    Raises:
        AnswerRefused: if the reply declines to answer.
        Unreadable: if it has no value for another reason.
    """
    if reading.refused:
        raise AnswerRefused(f"refuses to answer: {reply[:QUOTED_LENGTH]!r}")
    if reading.value is None:
        raise Unreadable(f"{problem}: {reply[:QUOTED_LENGTH]!r}")
    return reading.value


def as_text(reading: Reading[Value], format_value: Callable[[Value], str]) -> Reading[str]:
    """Return a reading with its value as text; what has no value stays as it is."""
    return Reading(None if reading.value is None else format_value(reading.value), reading.strength, reading.refused)


def join_readings(readings: Iterable[Reading[str]]) -> Reading[str]:
    """Return the values of several replies, with the least firm of their strengths.

    >>> join_readings([Reading("A", Strength.WEAK), Reading("B", Strength.MARKER), Reading()])
    Reading(value='A, B', strength=<Strength.WEAK: 'weak'>, refused=False)
    """
    all_readings = list(readings)
    read = [each for each in all_readings if each.value is not None]
    if not read:
        return Reading(refused=any(each.refused for each in all_readings))
    strengths = [each.strength for each in read if each.strength]
    return Reading(
        ", ".join(str(each.value) for each in read), max(strengths, key=lambda strength: _RANKS[strength], default=None)
    )
