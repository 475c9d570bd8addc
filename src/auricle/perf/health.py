"""Health of the senders: event-loop lag, lateness and CPU use, by which a load point is judged valid or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderHealth:
    """What the senders measured about themselves; None where nothing was measured."""

    idle_lag_p99_s: float | None = None
    """Lag of the idle event loop, before the load: the best this machine can do."""
    lag_p50_s: float | None = None
    lag_p99_s: float | None = None
    """Lag of the event loop under load."""
    lag_max_s: float | None = None
    late_p50_s: float | None = None
    late_p99_s: float | None = None
    """Delay between a request's due time and the moment it was started, excluding waiting for the cap."""
    late_max_s: float | None = None
    late_count: int = 0
    """Requests that were more than `LATE_THRESHOLD_S` late."""
    cpu_share: tuple[float, ...] = ()
    """Share of one core that each sender used."""
    stopped: str = ""
    """Why the load ended early; empty if it did not."""

    @classmethod
    def from_samples(
        cls,
        *,
        lags: Sequence[float] = (),
        idle_lags: Sequence[float] = (),
        lateness: Sequence[float] = (),
        cpu_share: Sequence[float] = (),
        stopped: str = "",
    ) -> SenderHealth:
        """Summarise samples, in seconds, of all senders together."""
        lag, late = _percentiles(lags), _percentiles(lateness)
        return cls(
            idle_lag_p99_s=_percentiles(idle_lags)[1],
            lag_p50_s=lag[0],
            lag_p99_s=lag[1],
            lag_max_s=lag[2],
            late_p50_s=late[0],
            late_p99_s=late[1],
            late_max_s=late[2],
            late_count=sum(seconds > LATE_THRESHOLD_S for seconds in lateness),
            cpu_share=tuple(cpu_share),
            stopped=stopped,
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "cpu_share": list(self.cpu_share)}


LATE_THRESHOLD_S = 1.0  # seconds a request may be late before it counts as such


def _percentiles(samples: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Return median, 99th percentile and maximum."""
    import numpy as np

    if not len(samples):
        return None, None, None
    median, high = np.percentile(np.asarray(samples, dtype=np.float64), [50, 99])
    return float(median), float(high), float(max(samples))
