"""What one sender on this machine can do, as `auricle perf selftest` found it and left it here."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from auricle.perf.loads import FixedRate, Load, Ramp, Steps
from auricle.perf.request_columns import RequestColumns

WARNING_SHARE = 0.5
"""Of the ceiling may be asked for before a reader is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineLimits:
    """The most at which a sender is still on time, by the rules that make a load point valid."""

    requests_s: float | None
    """Answered whole; None if not even the fewest tried were on time."""
    events_s: float | None
    """Of streams: pieces of answers a second."""
    idle_lag_p99_s: float | None
    """How late the event loop wakes when it has nothing to do."""
    machine: str
    created: str

    def save(self) -> Path:
        path = limits_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2))
        return path


def limits_path() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "auricle" / "selftest.json"


def describe_machine() -> str:
    """A ceiling found elsewhere says nothing here."""
    return f"{platform.node()}, {platform.platform()}, {os.cpu_count()} cores"


def load_limits() -> MachineLimits | None:
    """What was found on this machine; None if nothing was, or it cannot be read."""
    try:
        found = MachineLimits(**orjson.loads(limits_path().read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return found if found.machine == describe_machine() else None


def find_limit_warnings(load: Load, columns: RequestColumns, senders: int) -> Iterator[str]:
    """Where a load point asked more of its senders than half of what they can do."""
    ceiling = load_limits()
    if ceiling is None:
        return
    rate = max_planned_rate(load) / senders
    if ceiling.requests_s and rate > WARNING_SHARE * ceiling.requests_s:
        yield _limit_warning(rate, ceiling.requests_s, "requests")
    events = _event_rate(columns) / senders
    if ceiling.events_s and events > WARNING_SHARE * ceiling.events_s:
        yield _limit_warning(events, ceiling.events_s, "events of streams")


def _limit_warning(rate: float, limit: float, what: str) -> str:
    return (
        f"A sender had {rate:.3g} {what} a second, more than half of the {limit:.3g} that"
        " `auricle perf selftest` found it can do here: use more senders, or a faster machine."
    )


def max_planned_rate(load: Load) -> float:
    """Requests a second at the most, where a load plans them."""
    if isinstance(load, FixedRate):
        return load.rate
    if isinstance(load, Ramp):
        return max(load.start_rate, load.end_rate)
    if isinstance(load, Steps):
        return max(rate for rate, _ in load.steps)
    return 0.0


def _event_rate(columns: RequestColumns) -> float:
    """Pieces of answers a second, over all the time in which any came."""
    import numpy as np

    streams = columns.streamed & ~np.isnan(columns["first_token"])
    if not streams.any():
        return 0.0
    span = np.nanmax(columns["done"][streams]) - np.nanmin(columns["sent"][streams])
    return float((columns.gaps.counts[streams] + 1).sum() / max(span, 1e-9))
