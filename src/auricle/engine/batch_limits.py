"""How much one call may hold: what was said, and what trying has taught."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

MAX_AUTO_BATCH_SIZE = 256
"""Requests in one call beyond which more of them bring nothing on any machine seen so far."""
MAX_MEMORY_SHARE = 0.5  # share of this machine's memory beyond which a batch is not made larger


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How much one call may hold, and at what rate its sounds are decoded beforehand."""

    size: int
    seconds: float | None = None
    sample_rate: int | None = None


class AdaptiveBatchLimits:
    """Limits that learn: smaller for good after running out of memory, larger while `growing`.

    A batch that grows does so by doubling after each full one that was answered, so its size
    depends on the data and not on the clock.
    """

    def __init__(self, limits: BatchLimits, *, auto_grow: bool = False) -> None:
        self.limits = limits
        self._auto_grow = auto_grow

    def record_success(self, size: int) -> None:
        """A batch of this size was answered."""
        if not self._auto_grow or size < self.limits.size:
            return
        if 2 * size > MAX_AUTO_BATCH_SIZE or used_memory_share() > MAX_MEMORY_SHARE:
            self._auto_grow = False
        else:
            self.limits = replace(self.limits, size=2 * size)

    def record_out_of_memory(self, size: int, padded_seconds: float) -> None:
        """A batch of this size, this long when padded, was too much for memory."""
        self._auto_grow = False
        self.limits = replace(
            self.limits,
            size=max(1, min(self.limits.size, size // 2)),
            seconds=None if self.limits.seconds is None else min(self.limits.seconds, padded_seconds / 2),
        )


def is_out_of_memory(error: BaseException) -> bool:
    """Did it need more memory than there is? Told by name, as no library is imported for it."""
    named = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return named or "out of memory" in str(error).lower()


def used_memory_share() -> float:
    """The share of this machine's memory that is in use; 0 where that is not told."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0.0
    known = {name: float(rest.split()[0]) for name, _, rest in (x.partition(":") for x in lines)}
    total = known.get("MemTotal", 0.0)
    return 1 - known.get("MemAvailable", total) / total if total else 0.0
