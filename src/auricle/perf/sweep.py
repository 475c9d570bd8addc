"""Sweep from idle to saturation: one user, many users, then rates between their throughputs."""

from __future__ import annotations

from auricle.perf.load_patterns import ClosedLoop, Load, SweepPlan


class Sweep:
    """A sweep: ask for the `next_point`, measure it, and `record_result`, until there is no next point."""

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self._remaining_loads: list[Load] = [ClosedLoop(1), ClosedLoop(plan.max_users)]
        self._measured_rates: list[float | None] = []

    def next_point(self) -> Load | None:
        """Return the next load; None at the end."""
        return self._remaining_loads[0] if self._remaining_loads else None

    def record_result(self, load: Load, req_s: float | None) -> None:
        """Record the throughput of a load; None if no request succeeded. The first two determine the rates."""
        self._remaining_loads.remove(load)
        self._measured_rates.append(req_s)
        if len(self._measured_rates) == 2:
            self._remaining_loads = [
                self._plan.load_at(rate) for rate in self._intermediate_rates(*self._measured_rates)
            ]

    def _intermediate_rates(self, single_user_rate: float | None, max_rate: float | None) -> list[float]:
        """Return rates evenly between the two; from half the maximum if one user already saturates the server."""
        if not max_rate:
            return []
        lowest = min(single_user_rate or 0.0, max_rate / 2)
        parts = self._plan.points + 1
        return [lowest + (max_rate - lowest) * part / parts for part in range(1, parts)]
