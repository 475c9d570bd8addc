"""A suite as its user meets it: run two models, stop and resume, show, compare, score, and open the pages."""

import json
from pathlib import Path

import pytest

from tests.support.cli_types import RunAuricle
from tests.support.suites import SUITE, write_suite

STOPPING_MODEL = """
import os

def answer(text):
    if "german 5" in text and not os.path.exists("second-try"):
        open("second-try", "w").close()
        os.kill(os.getpid(), 9)
    return text
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path, f"description: Quizzes in two languages\nversion: 2\nlicence: CC0\n{SUITE}")


def test_suite_runs_like_a_task_with_every_model(auricle: RunAuricle, suite: Path, tmp_path: Path) -> None:
    done = auricle("run", suite, "-m", "echo", "-m", "fake-api", "--label", "first", "--label", "second")
    assert done.returncode == 0
    assert "part=english" in done.stdout
    assert f"Report: {tmp_path / 'runs' / 'suite-first' / 'report.html'}" in done.stdout
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"suite-first", "suite-second"}
    assert (tmp_path / "runs" / "suite-first" / "german" / "outputs.jsonl").exists()
    shown = auricle("show", "runs/suite-first", "runs/suite-second", "--by", "language").stdout
    assert "language=de" in shown
    table = auricle("leaderboard", "runs/suite-first", "runs/suite-second").stdout
    assert "suite WER" in table
    assert len(table.splitlines()) == 4
    compared = auricle("compare", "runs/suite-first", "runs/suite-second", "--html", "page.html", "--json")
    rows = json.loads(compared.stdout)["rows"]
    assert [row["group"] for row in rows if row["metric"] == "wer"] == ["all", "english", "german"]
    assert "By part" in (tmp_path / "page.html").read_text()


def test_killed_suite_is_shown_as_unfinished_and_resumed(auricle: RunAuricle, suite: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(STOPPING_MODEL)
    command = ("run", suite, "-m", "model.py:answer", "-o", "run")
    killed = auricle(*command, "--batch-size", "1", timeout=100)
    assert killed.returncode == -9
    shown = auricle("show", "run")
    assert "run is not finished (german)" in shown.stdout
    english = (tmp_path / "run" / "english" / "outputs.jsonl").read_bytes()
    resumed = auricle(*command)
    assert resumed.returncode == 0
    assert "not finished" not in resumed.stdout
    assert (tmp_path / "run" / "english" / "outputs.jsonl").read_bytes() == english
    (document,) = json.loads(auricle("show", "run", "--json").stdout)
    assert [(number["metric"], number["scored"]) for number in document["numbers"][:2]] == [
        ("wer", 21),
        ("exact_match", 21),
    ]
    assert document["complete"]
    assert document["task"]["version"] == 2


def test_suite_with_other_arguments_gets_another_folder(auricle: RunAuricle, suite: Path, tmp_path: Path) -> None:
    auricle("run", suite, "-m", "echo")
    again = auricle("run", suite, "-m", "echo", "-T", "max_tokens=5")
    assert "This run is in runs/suite-echo-2" in again.stderr
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"suite-echo", "suite-echo-2"}
    fewer = tmp_path / "fewer" / "suite.yaml"
    fewer.parent.mkdir()
    fewer.write_text("suite: [../english.yaml]\n")
    resumed = auricle("run", fewer, "-m", "echo")
    assert "12 answered before" in resumed.stderr


def test_suite_is_scored_again_with_its_parts(auricle: RunAuricle, suite: Path) -> None:
    auricle("run", suite, "-m", "echo", "-o", "run", "--infer-only")
    scored = auricle("score", "run", "--metrics", "cer")
    assert scored.returncode == 0
    assert scored.stdout.count("cer ↓") == 3
    assert "part=german" in scored.stdout


def test_commands_for_runs_name_the_parts_of_a_suite(auricle: RunAuricle, suite: Path) -> None:
    auricle("run", suite, "-m", "echo", "-o", "run")
    assert "it contains a suite, whose runs are folders in it" in auricle("samples", "run").stderr
    assert "suite.yaml is a suite of several tasks" in auricle("preview", suite).stderr


def test_combined_change_can_fail_a_comparison(auricle: RunAuricle, suite: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def first(text):\n    return text.split()[0]\n")
    auricle("run", suite, "-m", "echo", "-o", "a")
    auricle("run", suite, "-m", "model.py:first", "-o", "b")
    failed = auricle("compare", "a", "b", "--fail-if", "wer>+1pp")
    assert failed.returncode == 3
    assert "Failed: wer changed by" in failed.stderr
