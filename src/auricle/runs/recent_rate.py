"""The rate of something that is counted, over the last minute."""

from __future__ import annotations

from collections import deque

WINDOW_SECONDS = 60.0
RESOLUTION_SECONDS = 0.5
"""Counts that are closer together are one observation, such as the answers of a batch."""


class RecentRate:
    """Measures a rate from the first observation on, so that what precedes it, such as loading a model, does not count.

    >>> rate = RecentRate()
    >>> for now, count in ((100.0, 8), (104.0, 16)):
    ...     rate.observe(now, count)
    >>> rate.get(104.0)
    2.0
    """

    def __init__(self) -> None:
        self._observations: deque[tuple[float, int]] = deque()

    def observe(self, now: float, count: int) -> None:
        """Record a count at a time, neither of which decreases."""
        observations = self._observations
        if observations and now - observations[-1][0] < RESOLUTION_SECONDS:
            observations[-1] = observations[-1][0], count
        else:
            observations.append((now, count))
        while len(observations) > 2 and now - observations[1][0] >= WINDOW_SECONDS:
            observations.popleft()

    def get(self, now: float) -> float | None:
        """Return the rate per second until now; None if nothing was added since the first observation."""
        if not self._observations:
            return None
        (start, before), (_, after) = self._observations[0], self._observations[-1]
        return (after - before) / (now - start) if after > before and now > start else None
