"""Lengths of synthetic requests: fixed, normally distributed or uniform."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import Generator

NUMBER = r"\d+(?:\.\d+)?"
LENGTHS_PATTERN = re.compile(rf"(?P<first>{NUMBER})(?:(?P<sign>±|\+-|\.\.)(?P<second>{NUMBER}))?(?P<unit>s?)")
LENGTHS_SYNTAX = (
    "a number such as 512, 512±50 (normal, with its standard deviation; also 512+-50) or 100..500 (uniform)"
)


@dataclass(frozen=True, slots=True)
class Lengths:
    """A distribution of lengths: uniform between two bounds, or normal with a standard deviation."""

    low: float
    high: float
    deviation: float = 0.0

    @classmethod
    def parse(cls, text: str, *, seconds: bool = False) -> Lengths:
        """Parse lengths; those in seconds may end with `s`.

        Raises:
            ValueError: with what is wrong with the text.
        """
        match = LENGTHS_PATTERN.fullmatch(text.replace(" ", ""))
        if match is None or (match["unit"] and not seconds):
            raise ValueError(f"expected {LENGTHS_SYNTAX}, not {text!r}")
        first, second = float(match["first"]), float(match["second"] or 0.0)
        if match["sign"] != "..":
            lengths = cls(first, first, second)
        elif second < first:
            raise ValueError(f"the bounds of {text!r} are in the wrong order")
        else:
            lengths = cls(first, second)
        if not lengths.high > 0:
            raise ValueError(f"a length must be above 0, not {text!r}")
        return lengths

    def draw(self, random: Generator, minimum: float) -> float:
        """Draw a length, at least `minimum`."""
        if self.deviation:
            return max(minimum, float(random.normal(self.low, self.deviation)))
        return max(minimum, float(random.uniform(self.low, self.high)))

    def draw_count(self, random: Generator) -> int:
        """Draw a whole number, at least 1; both bounds of a uniform distribution are included."""
        if self.deviation or self.low == self.high:
            return round(self.draw(random, 1.0))
        return int(random.integers(max(1, math.ceil(self.low)), math.floor(self.high) + 1))
