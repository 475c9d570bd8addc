"""Labels of axes: names that are shortened without becoming equal, and ticks with enough digits to differ."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

CHARACTER_WIDTH = 7.8
"""Approximate width of a letter in pixels."""
MAX_LABEL_LENGTH = 18
"""Letters of a label; wide ones, such as Chinese, count nearly twice."""
MAX_DECIMALS = 6
"""With more decimals, ticks are in scientific notation."""


def measure_text(text: str) -> float:
    """Return the width of a text in letters."""
    return sum(1.8 if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in text)


def shorten_label(label: str, max_length: float = MAX_LABEL_LENGTH) -> str:
    """Shorten a long label in its middle: names often differ at their ends.

    >>> shorten_label("session-2024-speaker-017")
    'session-20…ker-017'
    """
    if measure_text(label) <= max_length:
        return label
    start, end, is_start = "", "", True
    letters = list(label)
    while letters and measure_text(start + end) + measure_text(letters[0 if is_start else -1]) <= max_length - 1:
        if is_start:
            start += letters.pop(0)
        else:
            end = letters.pop() + end
        is_start = len(start) <= len(end) + 2
    return f"{start}…{end}"


def shorten_labels(labels: Sequence[str], max_length: float = MAX_LABEL_LENGTH) -> list[str]:
    """Shorten long labels, and number those that are equal then, so that each has its own place on an axis.

    >>> shorten_labels(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    counts: dict[str, int] = {}
    shown: list[str] = []
    for label in map(str, labels):
        short = shorten_label(label, max_length)
        counts[short] = counts.get(short, 0) + 1
        if counts[short] > 1:
            number = f" ({counts[short]})"
            short = f"{shorten_label(label, max_length - len(number))}{number}"
        shown.append(short)
    return shown


def label_width(labels: Sequence[str]) -> float:
    """Return the width in pixels of the longest label, shortened if it is long."""
    return CHARACTER_WIDTH * max((measure_text(shorten_label(label)) for label in labels), default=0.0)


def tick_format(ticks: Sequence[float]) -> str:
    """Return the shortest format in which evenly spaced ticks are exact, as `str.format` and charts use it.

    >>> tick_format([0.0, 0.05, 0.1]), tick_format([0.0, 20.0]), tick_format([0.0, 2e-9])
    (',.2f', ',.0f', '.0e')
    """
    step = min((after - before for before, after in pairwise(ticks)), default=1.0)
    exponent = math.floor(math.log10(step) + 1e-9)
    if -exponent <= MAX_DECIMALS:
        return f",.{max(0, -exponent)}f"
    largest = max(map(abs, ticks))
    return f".{max(0, math.floor(math.log10(largest) + 1e-9) - exponent)}e"


def format_ticks(ticks: Sequence[float]) -> list[str]:
    """Format evenly spaced ticks, which all differ.

    >>> format_ticks([-0.5, 0.0, 0.5])
    ['−0.5', '0.0', '0.5']
    """
    number_format = tick_format(ticks)
    return [format(tick, number_format).replace("-", "−") for tick in ticks]
