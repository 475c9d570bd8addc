"""A sample of hostile inputs: no traceback, no hang, little memory. `scripts/fuzz.py` runs thousands."""

import re
import subprocess
import sys

import pytest
from scripts.fuzz_bombs import BOMBS

from tests.support import paths

pytestmark = pytest.mark.slow


def fuzz(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(paths.ROOT / "scripts" / "fuzz.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=500)


def test_hostile_inputs_end_no_command_with_a_traceback_a_hang_or_much_memory() -> None:
    process = fuzz("--count", "60", "--seed", "1")
    assert process.returncode == 0, process.stdout + process.stderr
    assert re.search(r"^60 inputs \(18 sounds, .+\) in \d+ commands", process.stdout, re.MULTILINE)
    assert "\n0 tracebacks, 0 hangs\n0 undocumented exit codes\n" in process.stdout


def test_each_bomb_is_refused_with_the_default_limits() -> None:
    process = fuzz("--kind", "bombs", "--count", str(len(BOMBS)))
    assert process.returncode == 0, process.stdout + process.stderr
    assert "\n0 tracebacks, 0 hangs\n" in process.stdout


def test_an_input_can_be_built_again_from_its_number() -> None:
    first, second = (fuzz("--kind", "manifests", "--only", "7").stdout.splitlines()[0] for _ in range(2))
    assert first.startswith("$ auricle run data.")
    assert first == second
