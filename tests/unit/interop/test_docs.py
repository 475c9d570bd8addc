"""Pages for people who come from other tools: what stands on them works."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from auricle.cli import cli
from tests.support import paths
from tests.support.framework_results import cmi, cmi_rows, kimi, lmms_eval, open_asr, ultraeval, write

DOCS = paths.DOCS
PAGES = (
    "importing-results",
    "coming-from-cmi-rewardbench",
    "coming-from-open-asr-leaderboard",
    "coming-from-ser-suites",
    "coming-from-ultraeval-audio",
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are told elsewhere; here a few draws will do."""
    monkeypatch.setattr("auricle.metrics.statistics.BOOTSTRAP_ROUNDS", 20)


def text(page: Any) -> Any:
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


def sound(path: Any, peak: float = 0.25) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.full(1600, peak, np.float32), 16_000)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The files that the pages speak of."""
    kimi(tmp_path / "eval_result")
    lmms_eval(tmp_path / "logs")
    ultraeval(tmp_path / "res", broken=[1])
    open_asr(tmp_path / "results")
    cmi(tmp_path / "cmi_results")
    rows = [{k: v for k, v in row.items() if "predict" not in k} for row in cmi_rows()]
    write(tmp_path / "data" / "all_test.jsonl", rows)
    for row in rows:
        for name in filter(None, (row["audio-path"], row["audio2"])):
            soundfile.write(_made(tmp_path / "data" / name), np.zeros(800, np.float32), 16_000)
    for name, peak in {"angry/0": 0.75, "angry/1": 0.625, "neutral/2": 0.125}.items():
        sound(tmp_path / "emotions" / f"{name}.wav", peak)
    sound(tmp_path / "clip.wav")
    write(tmp_path / "clips.jsonl", [{"id": "1", "audio": "clip.wav", "text": "hello"}])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _made(path: Any) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_runs(page: Any, place: Any) -> None:
    blocks = BLOCK.findall(text(page))
    for language, body in blocks:
        if language == "python":
            path = _made(place / re.match(r"# (\S+\.py)", body)[1])
            path.write_text(body, encoding="utf-8")
    said = [line for language, body in blocks if language == "sh" for line in body.splitlines()]
    commands = [line for line in said if line.startswith("auricle ")]
    assert commands
    for command in commands:
        done = CliRunner().invoke(cli, shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_somewhere(page: Any) -> None:
    for target in re.findall(r"\]\(([\w-]+\.md)", text(page)):
        assert (DOCS / target).is_file(), target


def test_the_wrapper_of_the_page_answers_as_by_hand(place: Any) -> None:
    body = next(b for _, b in BLOCK.findall(text("coming-from-ser-suites")) if "LoudnessW" in b)
    _made(place / "models" / "loudness_wrapper.py").write_text(body)
    words = ["ask", "-m", "ser:models/loudness_wrapper.py:LoudnessWrapper", "emotions/angry/0.wav"]
    told = json.loads(CliRunner().invoke(cli, words).stdout)
    assert told["values"] == {"angry": 0.75, "neutral": 0.25}
