"""Measure how much of this machine other processes use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

PROC_STAT = Path("/proc/stat")
NEEDED_CORES = 2
"""Cores that a sender and a server on the same machine need."""
MAX_MISSING_CORES = 0.25
"""Share of the needed cores, in cores, that other processes may use."""


@dataclass(frozen=True, slots=True)
class MachineLoad:
    """How many cores were in use, of how many."""

    busy_cores: float
    cores: int

    @property
    def is_busy(self) -> bool:
        """Whether too little is left for a sender and a server."""
        return self.cores - self.busy_cores < min(NEEDED_CORES, self.cores) - MAX_MISSING_CORES

    def __str__(self) -> str:
        return f"{self.busy_cores:.2g} of {self.cores} cores"


def measure_machine_load(seconds: float = 1.0) -> MachineLoad | None:
    """Measure the CPU use of all processes while this one sleeps; None where the system does not report it."""
    try:
        before = PROC_STAT.read_text()
        time.sleep(seconds)
        return compare_cpu_times(before, PROC_STAT.read_text())
    except OSError:
        return None


def compare_cpu_times(before: str, after: str) -> MachineLoad | None:
    """Return the load between two contents of `/proc/stat`; None if no time has passed."""
    (busy_before, total_before), (busy_after, total_after) = map(_read_cpu_times, (before, after))
    cores = sum(line.startswith("cpu") for line in after.splitlines()) - 1
    total = total_after - total_before
    return MachineLoad(cores * (busy_after - busy_before) / total, cores) if total > 0 else None


def _read_cpu_times(content: str) -> tuple[int, int]:
    """Return busy and total time of all cores."""
    times = [int(word) for word in content.splitlines()[0].split()[1:9]]
    idle = times[3] + times[4]  # idle, and waiting for a disk
    return sum(times) - idle, sum(times)
