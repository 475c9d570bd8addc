"""How well the senders themselves did: what a run must know before its numbers are believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderHealth:
    """Measured by the senders while they sent; None where nothing was measured."""

    idle_lag_p99_s: float | None = None
    """How late an idle event loop woke, before the load: what this machine cannot do better."""
    lag_p50_s: float | None = None
    lag_p99_s: float | None = None
    """How late the event loop woke under load."""
    lag_max_s: float | None = None
    late_p50_s: float | None = None
    late_p99_s: float | None = None
    """How long after its due time a request was ready to go, waiting for the cap not counted."""
    late_max_s: float | None = None
    late_count: int = 0
    """Requests later than may be caught up in silence (a second, unless told)."""
    cpu_share: tuple[float, ...] = ()
    """Of one core, by sender."""
    stopped: str = ""
    """Why the load ended before its plan did; empty if it did not."""

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
        """From samples, in seconds, of all senders together."""
        lag, late = _percentiles(lags), _percentiles(lateness)
        return cls(
            idle_lag_p99_s=_percentiles(idle_lags)[1],
            lag_p50_s=lag[0],
            lag_p99_s=lag[1],
            lag_max_s=lag[2],
            late_p50_s=late[0],
            late_p99_s=late[1],
            late_max_s=late[2],
            late_count=sum(each > LATE_THRESHOLD_S for each in lateness),
            cpu_share=tuple(cpu_share),
            stopped=stopped,
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "cpu_share": list(self.cpu_share)}


LATE_THRESHOLD_S = 1.0  # seconds a request may be late before it counts as such


def _percentiles(samples: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Median, 99th percentile, most."""
    import numpy as np

    if not len(samples):
        return None, None, None
    median, high = np.percentile(np.asarray(samples, dtype=np.float64), [50, 99])
    return float(median), float(high), float(max(samples))
