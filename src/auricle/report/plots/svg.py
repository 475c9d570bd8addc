"""Axes and labels of plots; `templates/svg.html` draws them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from auricle.report.html_format import Scale

CHARACTER_WIDTH = 7.8  # approximate width of a letter
MAX_LABEL_LENGTH = 18


def shorten_label(label: str) -> str:
    return label if len(label) <= MAX_LABEL_LENGTH else f"{label[: MAX_LABEL_LENGTH - 1]}…"


def label_width(labels: Sequence[str]) -> float:
    """Return the width of the longest label."""
    return max((CHARACTER_WIDTH * _count_characters(shorten_label(label)) for label in labels), default=0.0)


def _count_characters(text: str) -> float:
    """Count letters; a Chinese character is as wide as two."""
    return sum(1.8 if unicodedata.east_asian_width(each) in "WF" else 1.0 for each in text)


class Axis(NamedTuple):
    """A scale and its round tick positions."""

    scale: Scale
    ticks: list[float]

    def position(self, value: float) -> float:
        """Return the position of a value between the ends of the axis, from 0 to 1."""
        return min(1.0, max(0.0, (value - self.scale.low) / (self.scale.high - self.scale.low)))


def fit_axis(values: Sequence[float]) -> Axis:
    """Return an axis around these values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    least = ((high - low) or abs(high) or 1.0) / 6
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= least)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    places = [at * step for at in range(first, max(last, first + 1) + 1)]
    return Axis(Scale(places[0], places[-1]), places)


def format_tick(value: float) -> str:
    """Format an axis tick."""
    return f"{value:.3g}".replace("-", "−")
