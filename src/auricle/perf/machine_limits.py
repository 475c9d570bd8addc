"""The load one sender on this machine can generate on time, as measured by `auricle perf selftest`."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from auricle.core.files import user_cache_folder
from auricle.perf.load_patterns import Load
from auricle.perf.request_columns import RequestColumns

WARNING_SHARE = 0.5
"""Share of a limit above which a load point carries a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineLimits:
    """The highest rates at which a load point of one sender is still valid."""

    requests_s: float | None
    """Requests per second that are not streamed; None if even the lowest rate was not valid."""
    events_s: float | None
    """Stream events per second."""
    idle_lag_p99_s: float | None
    """Lag of the idle event loop."""
    machine: str
    created: str

    def save(self) -> Path:
        path = limits_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2))
        return path


def limits_path() -> Path:
    return user_cache_folder() / "selftest.json"


def describe_machine() -> str:
    """Identify this machine; limits measured on another one do not apply."""
    return f"{platform.node()}, {platform.platform()}, {os.cpu_count()} cores"


def load_limits() -> MachineLimits | None:
    """Read the limits of this machine; None if there are none, or if they cannot be read."""
    try:
        limits = MachineLimits(**orjson.loads(limits_path().read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return limits if limits.machine == describe_machine() else None


def find_limit_warnings(load: Load, columns: RequestColumns, senders: int) -> Iterator[str]:
    """Yield a warning for each limit of which a load point used more than half."""
    limits = load_limits()
    if limits is None:
        return
    request_rate = load.peak_rate / senders
    if limits.requests_s and request_rate > WARNING_SHARE * limits.requests_s:
        yield _limit_warning(request_rate, limits.requests_s, "requests")
    event_rate = _event_rate(columns) / senders
    if limits.events_s and event_rate > WARNING_SHARE * limits.events_s:
        yield _limit_warning(event_rate, limits.events_s, "stream events")


def _limit_warning(rate: float, limit: float, what: str) -> str:
    return (
        f"A sender handled {rate:.3g} {what} per second, more than half of the {limit:.3g} that"
        " `auricle perf selftest` measured on this machine. Use more senders or a faster machine."
    )


def _event_rate(columns: RequestColumns) -> float:
    """Return stream chunks per second, from the first request sent to the last response."""
    import numpy as np

    streams = columns.streamed & ~np.isnan(columns["first_token"])
    if not streams.any():
        return 0.0
    span = np.nanmax(columns["done"][streams]) - np.nanmin(columns["sent"][streams])
    return float((columns.gaps.counts[streams] + 1).sum() / max(span, 1e-9))
