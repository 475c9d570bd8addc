"""Runs killed in every lane, by the script that does so two hundred times."""

import subprocess
import sys

import pytest

from tests.support import paths
from tests.support.extras import require_extra

LANES = ["async", "batch", "replicas", "another Python", "sharded", "Ray", "API", "API, 2 processes", "judge"]


@pytest.fixture(scope="module")
def table() -> dict[str, list[int]]:
    """Kill runs twice in every lane, and return the columns of each: kills, runs, lost, doubled, different."""
    script = paths.ROOT / "bench" / "kills.py"
    command = [sys.executable, str(script), "--count", "18", "--no-warm-up"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.rsplit(maxsplit=6) for line in done.stdout.splitlines()[1:]]
    return {name: [int(column) for column in columns[:5]] for name, *columns in rows}


@pytest.mark.slow
@pytest.mark.parametrize("lane", LANES)
def test_killed_runs_lose_and_double_nothing(table: dict[str, list[int]], lane: str) -> None:
    if lane == "Ray":
        require_extra("ray")
    kills, runs, *wrong = table[lane]
    assert kills > 0
    assert runs > 0
    assert wrong == [0, 0, 0]
