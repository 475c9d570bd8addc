"""The most that still keeps a promise, found by doubling and then halving.

search = Search(slos, low, high)      or Search.of(plan, slos)
while (value := search.next_point()) is not None:
    search.told(value, met)           met is None where the run could not be judged
search.result() -> Found
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auricle.perf.loads import SearchPlan
from auricle.perf.slo import Slo

MAX_UNJUDGED_RUNS = 3
"""Runs of a point nobody could judge, after which it counts as not met. The lowest is left at once:
too few requests come of it, and of a higher one there are more."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The largest value that was met, the smallest that was not, and all that was tried."""

    best: float | None
    """None if not even the lowest was met."""
    beyond: float | None
    """None if the highest was met: the limit is out there."""
    tried: tuple[tuple[float, tuple[bool | None, ...]], ...]
    """Values in rising order, and what each run of them showed."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        points = [{"value": value, "met": list(met)} for value, met in self.tried]
        return {"best": self.best, "beyond": self.beyond, "tried": points}


class Search:
    """Knows what was tried, and what to try next."""

    def __init__(
        self,
        slos: Sequence[Slo],
        low: float,
        high: float,
        *,
        tolerance: float = 0.05,
        integer_only: bool = False,
        repeat: int = 1,
    ) -> None:
        """`whole` for users, of whom there are no parts; `repeat` runs vote on each point."""
        self.slos = tuple(slos)
        self._low, self._high = low, high
        self._tolerance, self._integer_only, self._repeat = tolerance, integer_only, repeat
        self._votes: dict[float, list[bool | None]] = {}
        self._best: float | None = None
        self._beyond: float | None = None

    @classmethod
    def from_plan(cls, plan: SearchPlan, slos: Sequence[Slo]) -> Search:
        """As planned."""
        whole = plan.variable == "closed"
        return cls(slos, plan.low, plan.high, tolerance=plan.tolerance, integer_only=whole, repeat=plan.repeat)

    def next_point(self) -> float | None:
        """What to try next; None when it is found."""
        for value, votes in self._votes.items():
            if value >= self._low and self._majority_vote(votes) is None:
                return value
        if self._best is None:
            return self._low if self._beyond is None else None
        if self._beyond is None:
            return None if self._best >= self._high else min(2 * self._best, self._high)
        return self._midpoint(self._best, self._beyond)

    def _midpoint(self, best: float, beyond: float) -> float | None:
        near = beyond - best <= max(self._tolerance * best, 1.0 if self._integer_only else 0.0)
        if near:
            return None
        middle = (best + beyond) / 2
        return float(int(middle)) if self._integer_only else middle

    def record_result(self, value: float, met: bool | None) -> None:
        """What a run of `value` showed."""
        votes = self._votes.setdefault(value, [])
        votes.append(met)
        decided = self._majority_vote(votes)
        if decided is True:
            self._best = value
        elif decided is False:
            self._beyond = value
        elif met is None and self._best is None:
            self._low = min(2 * value, self._high)

    def _majority_vote(self, votes: Sequence[bool | None]) -> bool | None:
        """What most say; None while more runs could tell."""
        most = self._repeat // 2 + 1
        for side in (True, False):
            if votes.count(side) >= most:
                return side
        return False if len(votes) >= max(MAX_UNJUDGED_RUNS, self._repeat) else None

    def result(self) -> SearchResult:
        tried = tuple((value, tuple(votes)) for value, votes in sorted(self._votes.items()))
        return SearchResult(self._best, self._beyond, tried)
