"""Time, memory and a verdict: what every benchmark needs to tell slowness from a busy machine.

Wall time decides; processor time stands beside it. Where the two differ, somebody else was at work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

PEAK = """
import atexit
@atexit.register
def tell():
    lines = open("/proc/self/status").read().splitlines()
    print("VmHWM", next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """Seconds by the clock on the wall and seconds of processor."""

    wall: float
    cpu: float


def cost(work: Callable[[], Any]) -> Cost:
    """What one call takes, in all threads of this process and in children that ended."""
    wall, cpu = time.perf_counter(), _processor()
    work()
    return Cost(time.perf_counter() - wall, _processor() - cpu)


def _processor() -> float:
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def best(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, Cost]:
    """The best of several rounds of each, taken in turns so that a busy moment hits all alike."""
    seen: dict[str, list[Cost]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seen[name].append(cost(work))
    return {name: min(costs) for name, costs in seen.items()}


@dataclass(frozen=True, slots=True)
class Child:
    """What a process of its own took, at its most."""

    megabytes: float
    cost: Cost


def child(code: str) -> Child:
    """Run Python in a process of its own.

    It tells its own peak: the one `getrusage` gives for a child counts its parent's memory, too.
    """
    told: list[str] = []

    def run() -> None:
        command = [sys.executable, "-c", PEAK + code]
        ended = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
        told.extend(ended.stdout.splitlines())

    spent = cost(run)
    return Child(int(told[-1].split()[1]) / 1024, spent)


@dataclass(frozen=True, slots=True)
class Target:
    """A bound and the side of it to be on."""

    sign: str
    bound: float

    def held(self, measured: float) -> bool:
        return measured <= self.bound if self.sign == "<=" else measured >= self.bound


def at_most(bound: float) -> Target:
    return Target("<=", bound)


def at_least(bound: float) -> Target:
    return Target(">=", bound)


class Sheet:
    """Prints a line a figure and remembers whether a target was missed."""

    def __init__(self, title: str) -> None:
        self._missed = 0
        load = " ".join(f"{each:.1f}" for each in os.getloadavg())
        print(f"{title}   (load {load}, {os.cpu_count()} cores)")
        self._print("", "measured", "target", "ratio", "", "wall / cpu")

    def line(
        self,
        name: str,
        measured: float,
        unit: str,
        target: Target | None = None,
        ratio: float | None = None,
        spent: Cost | None = None,
    ) -> None:
        """One figure; `ratio` tells it in terms of the bare baseline."""
        held = target is None or target.held(measured)
        self._missed += not held
        self._print(
            name,
            f"{_short(measured)} {unit}",
            f"{target.sign} {_short(target.bound)} {unit}" if target else "",
            f"{ratio:.2f} x" if ratio is not None else "",
            "" if target is None else "ok" if held else "MISSED",
            f"{spent.wall:.2f} s / {spent.cpu:.2f} s" if spent else "",
        )

    @property
    def exit_code(self) -> int:
        return 1 if self._missed else 0

    def _print(self, name: str, *cells: str) -> None:
        widths = (14, 16, 10, 8, 20)
        told = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        print(f"  {name:<44}{told}", flush=True)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
