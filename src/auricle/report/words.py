"""How numbers are written, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def value_of(number: Mapping[str, Any], which: str = "value") -> str:
    """A number's value, low, high, worst or best in its own unit."""
    return written(number[which], number["unit"])


def written(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.2f} %" if unit == "share" else f"{value:.4g}" if unit else f"{value:.4f}"


def coverage_of(number: Mapping[str, Any]) -> str:
    """The share of samples behind a number; only all of them is told as 100 %."""
    if not number["total"]:
        return "–"
    share = 100 * number["scored"] / number["total"]
    return "100 %" if number["scored"] == number["total"] else f"{min(share, 99.9):.1f} %"
