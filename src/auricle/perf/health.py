"""Summarise the health of senders: event-loop lag, lateness and CPU use decide whether a load point is valid."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.runs.perf_files import SenderHealth

LATE_THRESHOLD_S = 1.0  # seconds a request may be late before it counts as such


def summarise_health(
    *,
    lags: Sequence[float] = (),
    idle_lags: Sequence[float] = (),
    lateness: Sequence[float] = (),
    cpu_share: Sequence[float] = (),
    stopped: str = "",
) -> SenderHealth:
    """Summarise samples, in seconds, of all senders together."""
    lag, late = _percentiles(lags), _percentiles(lateness)
    return SenderHealth(
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


def _percentiles(samples: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Return median, 99th percentile and maximum."""
    import numpy as np

    if not len(samples):
        return None, None, None
    median, high = np.percentile(np.asarray(samples, dtype=np.float64), [50, 99])
    return float(median), float(high), float(max(samples))
