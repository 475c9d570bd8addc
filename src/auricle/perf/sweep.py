"""From idle to full: one request at a time, as many as can be, and rates between the two.

sweep = Sweep(plan)
while (load := sweep.next_point()) is not None:
    sweep.told(load, req_s)      what came of it; None if nothing did
"""

from __future__ import annotations

from auricle.perf.loads import Closed, Load, SweepPlan


class Sweep:
    """Plans its rates once it knows what one user and many users get."""

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self._left: list[Load] = [Closed(1), Closed(plan.high)]
        self._got: list[float | None] = []

    def next_point(self) -> Load | None:
        """What to try next; None at the end."""
        return self._left[0] if self._left else None

    def told(self, load: Load, req_s: float | None) -> None:
        """What a point achieved."""
        self._left.remove(load)
        self._got.append(req_s)
        if len(self._got) == 2:
            self._left = [self._plan.at(rate) for rate in self._rates(*self._got)]

    def _rates(self, serial: float | None, most: float | None) -> list[float]:
        """Evenly between the two, without them; from further below if one user fills the server."""
        if not most:
            return []
        least = min(serial or 0.0, most / 2)
        parts = self._plan.points + 1
        return [least + (most - least) * part / parts for part in range(1, parts)]
