"""Run every benchmark, or those named, each in a process of its own; 1 if any missed a target."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ALL = (
    "startup",
    "throughput",
    "scoring",
    "reward",
    "batching",
    "padded",
    "first_batch",
    "report_page",
    "ui",
    "resume",
    "memory",
    "api",
    "lanes",
    "perf_truth",
    "perf_memory",
)


def main(names: list[str]) -> int:
    missed = []
    for name in names or ALL:
        if subprocess.run([sys.executable, str(HERE / f"{name}.py")]).returncode:
            missed.append(name)
        print(flush=True)
    print(f"Missed: {', '.join(missed)}" if missed else "Every target holds.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
