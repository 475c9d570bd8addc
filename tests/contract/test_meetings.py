"""The example of meetings: a function that separates speakers, and files that are scored without a model."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths
from tests.support.extras import require_extra

pytestmark = pytest.mark.slow


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Copy the example to the folder in which commands are run."""
    shutil.copytree(paths.EXAMPLES / "meeting", tmp_path, dirs_exist_ok=True)
    return tmp_path


def read_numbers(run: Path) -> dict[str, float]:
    metrics = json.loads((run / "metrics.json").read_text())
    return {number["metric"]: number["value"] for number in metrics["numbers"] if not number["field"]}


def test_the_commands_of_the_example_score_turns_and_words(example: Path, auricle: Any) -> None:
    require_extra("meetings")
    (block,) = re.findall(r"```sh\n(.*?)```", (example / "README.md").read_text(), re.DOTALL)
    python, *commands = (line.split() for line in block.splitlines())
    subprocess.run([sys.executable, *python[1:]], check=True, cwd=example)
    for _, *arguments in commands:
        done = auricle(*arguments)
        assert done.returncode == 0, done.stderr
    tones, system = (read_numbers(example / "runs" / name) for name in ("tones", "system"))
    assert tones["der"] == pytest.approx(0.0183, abs=5e-5)
    assert tones["speaker_count_accuracy"] == 1.0
    assert "cpwer" not in tones
    assert system["cpwer"] == pytest.approx(26 / 200)
    assert system["dicpwer"] == pytest.approx(10 / 200)
    report = (example / "runs" / "tones" / "report.html").read_text()
    assert "Speakers of standup" in report
    done = auricle("export", "runs/system", "--as", "rttm")
    assert [Path(line).name for line in done.stdout.splitlines()] == ["hypothesis.rttm", "reference.rttm", "scored.uem"]
