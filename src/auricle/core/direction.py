"""Which of two numbers is better: the higher, the lower, the one closer to zero, or neither."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Literal, TypeAlias

Optimum: TypeAlias = Literal["", "zero", "none"]
"""What is best if neither higher nor lower numbers are: zero, such as for a bias, or none, such as for a duration."""


class Direction(StrEnum):
    """Which numbers of a metric are better.

    >>> Direction.ZERO.cost(-0.2), Direction.HIGHER.cost(0.9)
    (0.2, -0.9)
    """

    HIGHER = "higher"
    LOWER = "lower"
    ZERO = "zero"
    NONE = "none"

    @classmethod
    def of(cls, higher_is_better: bool, optimum: str = "") -> Direction:
        """Return the direction of a metric."""
        if optimum in (Direction.ZERO, Direction.NONE):
            return Direction(optimum)
        return Direction.HIGHER if higher_is_better else Direction.LOWER

    @property
    def arrow(self) -> str:
        """The mark after the name of a metric; empty without a direction."""
        return {Direction.HIGHER: "↑", Direction.LOWER: "↓", Direction.ZERO: "→0", Direction.NONE: ""}[self]

    @property
    def phrase(self) -> str:
        """The direction in words."""
        phrases = {
            Direction.HIGHER: "higher is better",
            Direction.LOWER: "lower is better",
            Direction.ZERO: "best at zero",
            Direction.NONE: "neither higher nor lower is better",
        }
        return phrases[self]

    def mark(self, name: str) -> str:
        """Return the name of a metric with its mark.

        >>> Direction.LOWER.mark("wer"), Direction.NONE.mark("talk_ratio")
        ('wer ↓', 'talk_ratio')
        """
        return f"{name} {self.arrow}".rstrip()

    def cost(self, value: float) -> float:
        """Return a number that is lower for better values; 0 for all without a direction."""
        if self is Direction.HIGHER:
            return -value
        if self is Direction.ZERO:
            return abs(value)
        return value if self is Direction.LOWER else 0.0

    def choose_best(self, values: Iterable[float]) -> float | None:
        """Return the best of several values; None if there are none, or none is better than the others."""
        return None if self is Direction.NONE else min(values, key=self.cost, default=None)

    def is_better(self, value: float, other: float) -> bool | None:
        """Return whether a value is better than another one; None if neither is.

        Of two values on different sides of zero neither is better, where zero is best: that both differ does not show
        which of them is closer to it.
        """
        is_undecided = self is Direction.NONE or (self is Direction.ZERO and value * other < 0)
        if is_undecided or value == other or math.isnan(value) or math.isnan(other):
            return None
        return self.cost(value) < self.cost(other)

    def compare(self, value: float, other: float) -> str:
        """Describe how a value compares with another one, in a word or two before `by …`.

        >>> Direction.LOWER.compare(0.1, 0.2), Direction.ZERO.compare(-0.1, -0.3), Direction.NONE.compare(2.0, 1.0)
        ('better', 'better (closer to zero)', 'higher')
        """
        is_better = self.is_better(value, other)
        if is_better is None:
            return "higher" if value > other else "lower"
        if self is Direction.ZERO:
            return "better (closer to zero)" if is_better else "worse (further from zero)"
        return "better" if is_better else "worse"


class Directed:
    """A number, or a comparison of numbers, of a metric with a direction."""

    __slots__ = ()

    higher_is_better: bool
    optimum: str

    @property
    def direction(self) -> Direction:
        """Which numbers are better."""
        return Direction.of(self.higher_is_better, self.optimum)
