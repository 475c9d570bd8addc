"""Speech synthesis from end to end: the example, and a server that streams."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.testing.fake_server import FakeServer, Script
from tests.support import paths

pytestmark = pytest.mark.slow


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Copy the example to the folder in which commands are run."""
    shutil.copytree(paths.EXAMPLES / "tts", tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_the_commands_of_the_example_find_the_silence(example: Path, auricle: Any) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", (example / "README.md").read_text(), re.DOTALL)
    commands = [line.split()[1:] for line in block.splitlines()]
    for arguments in commands:
        done = auricle(*arguments)
        assert done.returncode == 0, done.stderr
    rows = {row["metric"]: row for row in json.loads(auricle(*commands[-1], "--json").stdout)["rows"]}
    assert rows["speech_leading_silence"]["difference"] == pytest.approx(0.3, abs=0.01)
    assert rows["speech_failures"]["value_b"] == 0.0
    assert rows["speech_trailing_silence"]["difference"] == pytest.approx(0.0, abs=0.01)
    report = (example / "runs/before/report.html").read_text()
    assert report.count('aria-label="Spoken answer 3 of') == 3
    assert 'aria-label="Reference of train"' in report
    assert 'class="tracks"' in report
    assert 'class="nothing">empty' not in report


def test_a_server_that_streams_has_times_to_first_audio(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps({"text": f"one two three {n}"}) for n in range(4)))
    with FakeServer(Script(latency=0.05)) as server:
        spec = Spec(
            task="tts",
            task_args={"data": str(tmp_path / "rows.jsonl"), "language": "en"},
            model="speech",
            model_args={"base_url": server.url, "model": "fake", "api_key": "none"},
        )
        metrics: Any = evaluate(spec, tmp_path / "run").metrics
    assert metrics["time_to_first_audio"].value >= 0.05
    assert metrics["time_to_first_audible"].value >= metrics["time_to_first_audio"].value
    assert metrics["speech_duration"].value == pytest.approx(0.2, abs=0.1)
    assert metrics["synthesis_rtf"].value > 0
