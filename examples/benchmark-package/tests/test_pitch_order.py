"""The data is what the script makes, right and wrong answers are scored as such, and the report has its section."""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import auricle
import pytest
import soundfile
from auricle import Audio, Sample

from auricle_pitch_order import pitch_order

PROJECT = Path(__file__).resolve().parents[1]
DATA = files("auricle_pitch_order") / "data"
ROWS = [json.loads(line) for line in (DATA / "rows.jsonl").read_text("utf-8").splitlines()]
LABELS: dict[str, str] = {row["audio"]: row["label"] for row in ROWS}


def answer_correctly(audio: Audio) -> str:
    return LABELS[Path(audio.uri).name]


def hear_large_steps(audio: Audio, semitones: int) -> str:
    return answer_correctly(audio) if semitones >= 3 else "higher"


def test_every_row_is_a_sample_with_audio() -> None:
    samples = list(pitch_order().samples)
    assert len(samples) == len(ROWS) == 12
    for sample in samples:
        assert isinstance(sample, Sample), sample
        assert sample.target in ("higher", "lower")


def test_data_is_what_the_script_makes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PROJECT / "make_data.py", tmp_path], check=True)
    assert (tmp_path / "rows.jsonl").read_text("utf-8") == (DATA / "rows.jsonl").read_text("utf-8")
    for row in ROWS:
        made, _ = soundfile.read(tmp_path / row["audio"])
        packaged, _ = soundfile.read(str(DATA / row["audio"]))
        assert (made == packaged).all(), row["audio"]


@pytest.mark.parametrize(
    ("model", "accuracy", "section"),
    [(answer_correctly, 1.0, "from 1 semitone on"), (hear_large_steps, 10 / 12, "from 3 semitones on")],
)
def test_answers_are_scored(model: Any, accuracy: float, section: str, tmp_path: Path) -> None:
    result = auricle.evaluate(auricle.Spec(task="pitch-order", model=model), tmp_path / "run")
    assert result["accuracy"].value == pytest.approx(accuracy)
    assert section in (tmp_path / "run" / "report.html").read_text("utf-8")
