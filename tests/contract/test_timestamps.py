"""Times of words from joined recordings: the example, and a real recogniser."""

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

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
GRAMMAR = f"#JSGF V1.0;\ngrammar digits;\npublic <digits> = ({' | '.join(DIGITS)})+;\n"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Copy the example to the folder in which commands are run."""
    shutil.copytree(paths.EXAMPLES / "timestamps", tmp_path, dirs_exist_ok=True)
    return tmp_path


def read_commands(folder: Path) -> list[list[str]]:
    (block,) = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    return [line.split() for line in block.splitlines()]


def test_the_commands_of_the_example_find_the_delay(example: Path, auricle: Any) -> None:
    python, *commands = read_commands(example)
    subprocess.run([sys.executable, *python[1:]], check=True, cwd=example)
    for _, *arguments in commands:
        done = auricle(*arguments)
        assert done.returncode == 0, done.stderr
    done = auricle(*commands[-1][1:], "--json")
    rows = {row["metric"]: row for row in json.loads(done.stdout)["rows"]}
    for metric in ("start_bias", "end_bias"):
        assert rows[metric]["difference"] == pytest.approx(0.1, abs=1e-9)
    for metric in ("start_error", "end_error"):
        row = rows[metric]
        assert row["value_a"] < 0.01  # half a frame of 10 ms
        assert 0.08 < row["low"] <= row["difference"] <= row["high"] < 0.11
    assert rows["wer"]["value_b"] == 0.0


def test_a_real_recogniser_has_plausible_times_on_joined_digits(tmp_path: Path, auricle: Any, digits: Path) -> None:
    require_extra("demo")
    rows = []
    for path in sorted(digits.glob("*_theo_*.flac")) + sorted(digits.glob("*_jackson_*.flac")):
        digit, speaker, _ = path.stem.split("_")
        rows.append({"audio": str(path), "text": DIGITS[int(digit)], "speaker": speaker})
    (tmp_path / "clips.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "digits.gram").write_text(GRAMMAR)
    data, run = tmp_path / "joined.jsonl", tmp_path / "run"
    assert auricle("data", "join", tmp_path / "clips.jsonl", "-o", data, "--by", "speaker", "-n", "4").returncode == 0
    model = ("-m", "pocketsphinx", "-M", "words=true", "-M", f"jsgf={tmp_path / 'digits.gram'}")
    done = auricle("run", data, "--as", "timestamps", *model, "-o", run)
    assert done.returncode == 0, done.stderr
    numbers = {number["metric"]: number for number in json.loads((run / "metrics.json").read_text())["numbers"]}
    assert numbers["word_coverage"]["value"] > 0.5
    assert 0.0 < numbers["start_error"]["value"] < 0.1
    assert 0.0 < numbers["end_error"]["value"] < 0.2
    assert numbers["invalid_times"]["value"] == 0.0
    assert numbers["start_error"]["details"]["resolution_ms"] == 10.0


@pytest.fixture
def digits() -> Path:
    """Return a folder of recordings that are not part of the project, or skip."""
    folder = paths.SHARED_DATA / "digits"
    if not folder.exists():
        pytest.skip(f"no real recordings at {folder}")
    return folder
