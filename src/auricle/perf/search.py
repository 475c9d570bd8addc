"""Load patterns whose points depend on earlier results: a sweep to saturation, and the search for a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from auricle.perf.load_patterns import (
    ClosedLoop,
    FixedRate,
    Load,
    LoadPattern,
    LoadPoint,
    PointSequence,
    format_load,
    format_number,
    round_rate,
)
from auricle.perf.slo import Slo, evaluate_run
from auricle.runs.perf_files import LoadPointSummary, SearchResult, TriedValue

DEFAULT_MAX_USERS = 128
MAX_UNJUDGED_RUNS = 3
"""Inconclusive runs of a point after which it counts as not met. The lowest load is left instead: it yields too few
requests, and a higher load yields more."""


@dataclass(frozen=True, slots=True)
class Sweep(LoadPattern):
    """One user, then many users, then rates between the throughputs of the two."""

    points_between: int
    max_users: int = DEFAULT_MAX_USERS
    """Users expected to saturate the server."""

    def __str__(self) -> str:
        high = self.max_users if self.max_users != DEFAULT_MAX_USERS else None
        return format_load(f"sweep:{self.points_between}", high=high)

    def points(self, slos: Sequence[Slo]) -> PointSequence:
        """Yield the two closed loops, whose throughputs determine the rates that follow."""
        throughputs: list[float | None] = []
        for users in (1, self.max_users):
            summary = yield LoadPoint(ClosedLoop(users))
            if summary is None:
                return None
            throughputs.append(summary.run["req_s"].value)
        for rate in self._rates_between(*throughputs):
            if (yield LoadPoint(FixedRate("poisson", round_rate(rate)))) is None:
                break
        return None

    def _rates_between(self, single_user_rate: float | None, max_rate: float | None) -> list[float]:
        """Return rates evenly between the two; from half the maximum if one user already saturates the server."""
        if not max_rate:
            return []
        lowest = min(single_user_rate or 0.0, max_rate / 2)
        parts = self.points_between + 1
        return [lowest + (max_rate - lowest) * part / parts for part in range(1, parts)]


@dataclass(slots=True)
class Search:
    """A search by doubling and then bisection.

    Ask for the `next_point`, measure it, and `record_result`, until there is no next point.
    """

    low: float
    """First value to try."""
    high: float
    """Highest value to try."""
    tolerance: float = 0.05
    """Gap between best and failing value, relative to the best, at which the search ends."""
    integer_only: bool = False
    """Whether values are whole numbers, such as users."""
    repeat: int = 1
    """Runs per value; the majority decides."""
    _votes: dict[float, list[bool | None]] = field(default_factory=dict)
    _best: float | None = None
    _beyond: float | None = None

    def next_point(self) -> float | None:
        """Return the next value to measure; None at the end of the search."""
        for value, votes in self._votes.items():
            if value >= self.low and self._majority_vote(votes) is None:
                return value
        if self._best is None:
            return self.low if self._beyond is None else None
        if self._beyond is None:
            return None if self._best >= self.high else min(2 * self._best, self.high)
        if self._beyond - self._best <= max(self.tolerance * self._best, 1.0 if self.integer_only else 0.0):
            return None
        middle = (self._best + self._beyond) / 2
        return float(int(middle)) if self.integer_only else middle

    def record_result(self, value: float, met: bool | None) -> None:
        """Record whether a run of `value` met the SLOs; None if it was inconclusive."""
        votes = self._votes.setdefault(value, [])
        votes.append(met)
        majority = self._majority_vote(votes)
        if majority is True:
            self._best = value
        elif majority is False and self._best is None and value < self.high and not {True, False} & {*votes}:
            self.low = min(2 * value, self.high)
        elif majority is False:
            self._beyond = value

    def count_runs(self, value: float) -> int:
        """Return how often a value was measured."""
        return len(self._votes.get(value, ()))

    def _majority_vote(self, votes: Sequence[bool | None]) -> bool | None:
        """Return the majority of the votes; None while further runs could decide."""
        majority = self.repeat // 2 + 1
        for side in (True, False):
            if votes.count(side) >= majority:
                return side
        return False if len(votes) >= max(MAX_UNJUDGED_RUNS, self.repeat) else None

    def result(self, name: str = "") -> SearchResult:
        tried = tuple(TriedValue(value, tuple(votes)) for value, votes in sorted(self._votes.items()))
        return SearchResult(name, self._best, self._beyond, tried)


@dataclass(frozen=True, slots=True)
class SearchPlan(LoadPattern):
    """A search for the highest rate, or number of users, that meets the SLOs."""

    needs_slo = True
    variable: Literal["rate", "closed"]
    low: float = 1.0
    high: float = 128.0
    tolerance: float = 0.05
    """The search ends when the gap between the best and the first failing value is below this share of the best."""
    repeat: int = 1
    """Runs per point; the majority decides."""

    def __str__(self) -> str:
        tolerance = self.tolerance if self.tolerance != 0.05 else None
        repeat = self.repeat if self.repeat != 1 else None
        bounds = f"search:{self.variable},low={format_number(self.low)},high={format_number(self.high)}"
        return format_load(bounds, within=tolerance, repeat=repeat)

    def points(self, slos: Sequence[Slo]) -> PointSequence:
        """Yield the points that the search tries, and return its result.

        A point that could not be judged is measured again with another seed; for twice as long if it had too few
        requests.
        """
        integer_only = self.variable == "closed"
        search = Search(self.low, self.high, tolerance=self.tolerance, integer_only=integer_only, repeat=self.repeat)
        length_factors: dict[float, int] = {}
        while (value := search.next_point()) is not None:
            point = LoadPoint(self._load_at(value), search.count_runs(value), length_factors.get(value, 1))
            if (summary := (yield point)) is None:
                break
            if _lacks_values(slos, summary):
                search.record_result(value, None)
                break
            met = evaluate_run(slos, summary.measures, summary.run)
            if met is None:  # too few requests for a percentile; an invalid point is repeated with the same length
                length_factors[value] = 2 * point.length_factor
            is_conclusive = summary.validity.valid or met is False
            search.record_result(value, met if is_conclusive else None)
        return search.result(str(self))

    def _load_at(self, value: float) -> Load:
        return ClosedLoop(round(value)) if self.variable == "closed" else FixedRate("poisson", round_rate(value))


def _lacks_values(slos: Sequence[Slo], summary: LoadPointSummary) -> bool:
    """Return whether an SLO needs a measure that no successful request has, so that no load can be judged."""
    names = [slo.measure for slo in slos if slo.statistic]
    return bool(summary.counts.window.ok) and any(not summary.measures[name].n for name in names)
