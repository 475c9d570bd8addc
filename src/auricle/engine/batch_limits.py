"""Limits on the size of a batch, and how they adapt to memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

MAX_AUTO_BATCH_SIZE = 256
"""Largest batch of `auto`; larger ones were no faster on any machine measured."""
MAX_MEMORY_SHARE = 0.5
"""Share of memory in use beyond which a batch is not made larger."""


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Limits of one batch, and the rate to which its audio is decoded in advance."""

    size: int
    seconds: float | None = None
    """Maximum seconds of audio, padding included."""
    sample_rate: int | None = None


class AdaptiveBatchLimits:
    """Batch limits that shrink when memory runs out and, with `auto_grow`, grow before that.

    The size doubles after each full batch that succeeds, so it depends on the data and not on timing.
    """

    def __init__(self, limits: BatchLimits, *, auto_grow: bool = False) -> None:
        self.limits = limits
        self._auto_grow = auto_grow

    def record_success(self, size: int) -> None:
        """Grow the limits if a full batch succeeded and memory allows."""
        if not self._auto_grow or size < self.limits.size:
            return
        if 2 * size > MAX_AUTO_BATCH_SIZE or used_memory_share() > MAX_MEMORY_SHARE:
            self._auto_grow = False
        else:
            self.limits = replace(self.limits, size=2 * size)

    def record_out_of_memory(self, size: int, padded_seconds: float) -> None:
        """Halve the limits after a batch of this size and padded duration ran out of memory."""
        self._auto_grow = False
        self.limits = replace(
            self.limits,
            size=max(1, min(self.limits.size, size // 2)),
            seconds=None if self.limits.seconds is None else min(self.limits.seconds, padded_seconds / 2),
        )


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that memory ran out; checked by name so that torch need not be imported."""
    has_type = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return has_type or "out of memory" in str(error).lower()


def used_memory_share() -> float:
    """Return the share of this machine's memory in use; 0 if it is unknown."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0.0
    sizes = {name: float(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    total = sizes.get("MemTotal", 0.0)
    return 1 - sizes.get("MemAvailable", total) / total if total else 0.0
