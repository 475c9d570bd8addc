"""Run all benchmarks, or those named, each in a separate process; exit with 1 if a target was missed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ALL = (
    "startup",
    "throughput",
    "scoring",
    "meetings",
    "reward",
    "batching",
    "padded_encoder",
    "short_clips",
    "perturbations",
    "first_batch",
    "report_page",
    "website",
    "ui",
    "checksums",
    "resume",
    "memory",
    "api",
    "replicas",
    "perf_accuracy",
    "perf_memory",
    "voice_truth",
    "voice_load",
)


def main(names: list[str]) -> int:
    missed = []
    for name in names or ALL:
        if subprocess.run([sys.executable, str(HERE / f"{name}.py")]).returncode:
            missed.append(name)
        print(flush=True)
    print(f"Missed: {', '.join(missed)}" if missed else "All targets met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
