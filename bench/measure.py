"""Measure time and memory, and compare the results with targets.

Targets apply to wall time; processor time is printed next to it. If the two differ, the machine was busy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRINT_PEAK_MEMORY = """
import atexit
@atexit.register
def print_peak_memory():
    lines = open("/proc/self/status").read().splitlines()
    print("VmHWM", next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """Wall and processor seconds."""

    wall: float
    cpu: float


def measure_cost(work: Callable[[], Any]) -> Cost:
    """Measure one call, including all threads of this process and child processes that have ended."""
    wall, cpu = time.perf_counter(), _processor_seconds()
    work()
    return Cost(time.perf_counter() - wall, _processor_seconds() - cpu)


def _processor_seconds() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def measure_best(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, Cost]:
    """Return the best of several rounds of each; they take turns, so that a busy moment affects all."""
    costs: dict[str, list[Cost]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            costs[name].append(measure_cost(work))
    return {name: min(rounds_of_one) for name, rounds_of_one in costs.items()}


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """Peak memory and time of a process."""

    megabytes: float
    cost: Cost


def measure_process(code: str) -> ProcessCost:
    """Run Python code in a process and measure it.

    The process prints its own peak memory, because `getrusage` of a child includes the memory of its parent.
    """
    lines: list[str] = []

    def run() -> None:
        command = [sys.executable, "-c", PRINT_PEAK_MEMORY + code]
        done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
        lines.extend(done.stdout.splitlines())

    cost = measure_cost(run)
    return ProcessCost(int(lines[-1].split()[1]) / 1024, cost)


def measure_tree(module: str, function: str, *arguments: str, tree: Path | None = None) -> Cost:
    """Call a function of a benchmark in a process of its own and return the cost that it measured.

    Args:
        module: Name of the benchmark.
        function: Returns a `Cost`.
        arguments: Arguments of the function.
        tree: Source folder of the package to measure. Default: the installed one.
    """
    code = f"import {module}; cost = {module}.{function}(*{arguments!r}); print(cost.wall, cost.cpu)"
    environment = {**os.environ, **({"PYTHONPATH": str(tree)} if tree else {})}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    wall, cpu = done.stdout.splitlines()[-1].split()
    return Cost(float(wall), float(cpu))


@dataclass(frozen=True, slots=True)
class Target:
    """An upper or lower bound."""

    sign: str
    bound: float

    def is_met(self, measured: float) -> bool:
        return measured <= self.bound if self.sign == "<=" else measured >= self.bound


def at_most(bound: float) -> Target:
    return Target("<=", bound)


def at_least(bound: float) -> Target:
    return Target(">=", bound)


class Sheet:
    """Prints a line per result and records whether a target was missed."""

    def __init__(self, title: str) -> None:
        self._missed = 0
        load = " ".join(f"{average:.1f}" for average in os.getloadavg())
        print(f"{title}   (load {load}, {os.cpu_count()} cores)")
        self._print("", "measured", "target", "ratio", "", "wall / cpu")

    def line(
        self,
        name: str,
        measured: float,
        unit: str,
        target: Target | None = None,
        ratio: float | None = None,
        cost: Cost | None = None,
    ) -> None:
        """Print one result; `ratio` is relative to the baseline."""
        is_met = target is None or target.is_met(measured)
        self._missed += not is_met
        self._print(
            name,
            f"{_format_number(measured)} {unit}",
            f"{target.sign} {_format_number(target.bound)} {unit}" if target else "",
            f"{ratio:.2f} x" if ratio is not None else "",
            "" if target is None else "ok" if is_met else "MISSED",
            f"{cost.wall:.2f} s / {cost.cpu:.2f} s" if cost else "",
        )

    @property
    def exit_code(self) -> int:
        return 1 if self._missed else 0

    def _print(self, name: str, *cells: str) -> None:
        widths = (14, 16, 10, 8, 20)
        aligned = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        print(f"  {name:<44}{aligned}", flush=True)


def _format_number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
