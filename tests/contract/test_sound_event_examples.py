"""The examples of tagging and detection, run as their pages show."""

import json
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths

pytestmark = pytest.mark.slow

EXAMPLES = paths.ROOT / "examples"


def prepare(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (EXAMPLES / name).glob("*.py"):
        shutil.copy(path, folder)
    monkeypatch.setattr(sys, "argv", [script, str(folder / "data")])
    runpy.run_path(str(folder / script), run_name="__main__")


def read_numbers(run: Path) -> dict[str, Any]:
    document = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    return {number["metric"]: number["value"] for number in document["numbers"] if not number.get("field")}


def test_the_tagger_is_evaluated(auricle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, "tag", "make_tags.py", monkeypatch)
    result = auricle("run", "data/tags.jsonl", "--as", "tag", "-m", "tagger.py:tag_by_pitch", "-o", "run")
    assert result.returncode == 0, result.stderr
    numbers = read_numbers(tmp_path / "run")
    assert numbers["base_rate"] < 0.6
    assert numbers["mean_ap"] > 0.9  # a beep is mistaken for a part of the alarm
    assert numbers["mean_ap"] < 1.0
    assert "Results per label" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "only defined for several samples" in auricle("samples", "run", "--worst", "1").stdout


def test_the_detector_is_evaluated(auricle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, "detect", "make_events.py", monkeypatch)
    result = auricle("run", "data/events.jsonl", "--as", "detect", "-m", "detector.py:detect_by_pitch", "-o", "run")
    assert result.returncode == 0, result.stderr
    numbers = read_numbers(tmp_path / "run")
    assert 0.2 < numbers["event_f1"] < 0.9  # the alarm falls apart
    assert 0.0 < numbers["psds1"] < 1.0
    assert numbers["segment_miss_rate"] < 0.05
    lines = auricle("samples", "run", "--worst", "1").stdout.splitlines()
    target, answer = (next(line for line in lines if line.startswith(f"  {name} ")) for name in ("target", "answer"))
    assert "alarm 6.71–7.91 s" in target
    assert "alarm 6.78–7.10 s" in answer
    assert max(map(len, lines)) < 1_000  # no statistics of PSDS
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "turn answer confused" in report
    assert "Results per class of events" in report
