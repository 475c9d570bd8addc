"""Runs killed in every lane, by the script that does so two hundred times."""

import subprocess
import sys

import pytest

from tests.support import paths
from tests.support.extras import require_extra

LANES = ["async", "batch", "replicas", "another Python", "Ray", "API", "API, 2 processes", "judge"]


@pytest.mark.slow
@pytest.mark.parametrize("lane", LANES)
def test_killed_runs_lose_and_double_nothing(lane: str) -> None:
    if lane == "Ray":
        require_extra("ray")
    script = paths.ROOT / "bench" / "kills.py"
    done = subprocess.run([sys.executable, script, "--lane", lane, "--count", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    name, kills, runs, lost, doubled, different, _ = done.stdout.splitlines()[-1].split()
    assert (name, kills, lost, doubled, different) == ("all", "2", "0", "0", "0")
    assert int(runs) > 0
