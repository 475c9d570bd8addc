"""The example of a listening test runs from sounds to results."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import paths

SCRIPT = paths.ROOT / "examples" / "listening-test" / "listening_test.py"


@pytest.mark.slow
def test_the_example_creates_answers_and_scores_a_test(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path / "example")]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = {line.split()[0]: float(line.split()[1]) for line in output.splitlines()[2:4]}
    assert rows["smooth"] - rows["buzzy"] > 0.7
    assert "L04 is excluded: failed 1 of 1 traps." in output
    assert (tmp_path / "example" / "test" / "run" / "report.html").exists()
