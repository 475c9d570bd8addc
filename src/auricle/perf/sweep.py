"""From idle to full: one request at a time, as many as can be, and rates between the two.

sweep = Sweep(plan)
while (load := sweep.next_point()) is not None:
    sweep.told(load, req_s)      what came of it; None if nothing did
"""

from __future__ import annotations

from auricle.perf.loads import ClosedLoop, Load, SweepPlan


class Sweep:
    """Plans its rates once it knows what one user and many users get."""

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self._remaining_loads: list[Load] = [ClosedLoop(1), ClosedLoop(plan.max_users)]
        self._measured_rates: list[float | None] = []

    def next_point(self) -> Load | None:
        """What to try next; None at the end."""
        return self._remaining_loads[0] if self._remaining_loads else None

    def record_result(self, load: Load, req_s: float | None) -> None:
        """What a point achieved."""
        self._remaining_loads.remove(load)
        self._measured_rates.append(req_s)
        if len(self._measured_rates) == 2:
            self._remaining_loads = [
                self._plan.load_at(rate) for rate in self._intermediate_rates(*self._measured_rates)
            ]

    def _intermediate_rates(self, single_user_rate: float | None, max_rate: float | None) -> list[float]:
        """Evenly between the two, without them; from further below if one user fills the server."""
        if not max_rate:
            return []
        least = min(single_user_rate or 0.0, max_rate / 2)
        parts = self._plan.points + 1
        return [least + (max_rate - least) * part / parts for part in range(1, parts)]
