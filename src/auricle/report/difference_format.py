"""Format differences and their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auricle.metrics.intervals import Difference
    from auricle.metrics.matrix_difference import RecallChange


def format_difference(value: float, unit: str, *, signed: bool = True) -> str:
    """Format a difference with its sign; differences of shares in percentage points."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):  # the open end of an interval
        return "+∞" if value > 0 else "-∞"
    size = 100 * value if unit == "share" else value
    digits = f"{size:+.2f}" if unit == "share" else f"{size:+.4g}" if unit else f"{size:+.4f}"
    if not signed:
        digits = digits.lstrip("+-")
    return f"{digits} pp" if unit == "share" else digits


def typeset(text: str) -> str:
    """Replace hyphens and spaces by typographic ones."""
    return text.replace("-", "−").replace(" pp", "\u202fpp")


def format_difference_interval(difference: Difference | RecallChange, unit: str) -> str:
    """Format the ends of an interval for the page."""
    if math.isnan(difference.low):
        return "–"
    low, high = (format_difference(end, unit) for end in (difference.low, difference.high))
    return typeset(f"{low.removesuffix(' pp')} … {high}")
