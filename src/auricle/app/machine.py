"""Memory of the machine, of its GPUs, and of the processes that use them, including those of other programs."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

MEBIBYTE = 1024 * 1024
MAX_READING_AGE = 2.0
"""Seconds after which the memory of the GPUs is read again, in the background."""
NVIDIA_SMI_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Used and total memory of a machine or a GPU, in bytes."""

    name: str
    used: int
    total: int

    @property
    def share(self) -> float:
        return min(1.0, self.used / self.total) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class GpuUsage:
    """The memory of each GPU, and what each process uses of all of them."""

    memories: tuple[Memory, ...] = ()
    by_process: Mapping[int, int] = field(default_factory=dict)


def read_system_memory() -> Memory:
    """Return the memory of the machine, whatever uses it."""
    memory = psutil.virtual_memory()
    return Memory("Memory", int(memory.total - memory.available), int(memory.total))


def read_process_memory(pid: int | None = None, gpus: GpuUsage | None = None) -> tuple[int, int]:
    """Return the resident memory and the GPU memory of a process and its children, in bytes; by default of this one."""
    resident = on_gpus = 0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):  # it ended
                resident += int(member.memory_info().rss)
                on_gpus += gpus.by_process.get(member.pid, 0) if gpus else 0
    return resident, on_gpus


# --- GPUs ---------------------------------------------------------------------------------------


def read_gpus() -> GpuUsage:
    """Read the memory of all GPUs from the driver, or from torch if a model has loaded it."""
    if command := shutil.which("nvidia-smi"):
        return _read_nvidia(command)
    return _read_torch()


def _read_nvidia(command: str) -> GpuUsage:
    memories = []
    for name, used, total in _query(command, "gpu", "name,memory.used,memory.total"):
        if used.isdigit() and total.isdigit():  # otherwise `[N/A]`
            memories.append(Memory(name, int(used) * MEBIBYTE, int(total) * MEBIBYTE))
    by_process: dict[int, int] = {}
    for pid, used in _query(command, "compute-apps", "pid,used_memory") if memories else ():
        if pid.isdigit() and used.isdigit():
            by_process[int(pid)] = by_process.get(int(pid), 0) + int(used) * MEBIBYTE
    return GpuUsage(tuple(memories), by_process)


def _query(command: str, subject: str, fields: str) -> Iterator[list[str]]:
    """Yield a row for each GPU or process; none if the driver does not answer."""
    arguments = [command, f"--query-{subject}={fields}", "--format=csv,noheader,nounits"]
    try:
        result = subprocess.run(  # noqa: S603 - of the driver, and without values of users
            arguments, capture_output=True, text=True, timeout=NVIDIA_SMI_TIMEOUT, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return
    for row in csv.reader(result.stdout.splitlines(), skipinitialspace=True):
        if len(row) == fields.count(",") + 1:
            yield row


def _read_torch() -> GpuUsage:
    """Read the GPUs that torch sees, such as those of other makers; none before a model has loaded it."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return GpuUsage()
    memories = []
    for device in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(device)
        memories.append(Memory(str(torch.cuda.get_device_name(device)), total - free, total))
    return GpuUsage(tuple(memories), {os.getpid(): sum(map(torch.cuda.memory_reserved, range(len(memories))))})


def run_in_background(function: Callable[[], None]) -> None:
    """Call a function in a thread that does not keep the app from ending."""
    threading.Thread(target=function, daemon=True).start()


class GpuMonitor:
    """Keeps the last reading of the GPUs, because asking the driver takes up to a second.

    Args:
        read: Reads the GPUs.
        clock: Returns the time in seconds.
        run_task: Calls a function, now or in the background.
    """

    def __init__(
        self,
        read: Callable[[], GpuUsage] = read_gpus,
        clock: Callable[[], float] = time.monotonic,
        run_task: Callable[[Callable[[], None]], None] = lambda task: threading.Thread(
            target=task, daemon=True
        ).start(),
    ) -> None:
        self._read = read
        self._clock = clock
        self._run_task = run_task
        self._lock = threading.Lock()
        self._usage: GpuUsage | None = None
        self._read_at = 0.0
        self._is_reading = False

    def usage(self) -> GpuUsage:
        """Return the last reading, and begin another one if it is old; the first reading is waited for."""
        with self._lock:
            if self._usage is None:
                self._usage, self._read_at = self._read(), self._clock()
            is_due = self._clock() - self._read_at >= MAX_READING_AGE and not self._is_reading
            self._is_reading = self._is_reading or is_due
            usage = self._usage
        if is_due:
            self._run_task(self._refresh)
        return usage

    def _refresh(self) -> None:
        try:
            usage = self._read()
            with self._lock:
                self._usage, self._read_at = usage, self._clock()
        finally:
            self._is_reading = False
