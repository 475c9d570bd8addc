"""Sweep from idle to saturation: one user, many users, then rates between their throughputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auricle.perf.load_patterns import ClosedLoop, FixedRate, LoadPattern, PointSequence, format_load, round_rate
from auricle.perf.slo import Slo

DEFAULT_MAX_USERS = 128


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
            summary = yield ClosedLoop(users)
            if summary is None:
                return None
            throughputs.append(summary.run["req_s"].value)
        for rate in self._rates_between(*throughputs):
            if (yield FixedRate("poisson", round_rate(rate))) is None:
                break
        return None

    def _rates_between(self, single_user_rate: float | None, max_rate: float | None) -> list[float]:
        """Return rates evenly between the two; from half the maximum if one user already saturates the server."""
        if not max_rate:
            return []
        lowest = min(single_user_rate or 0.0, max_rate / 2)
        parts = self.points_between + 1
        return [lowest + (max_rate - lowest) * part / parts for part in range(1, parts)]
