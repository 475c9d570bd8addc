"""The composite action: its steps, executed by a shell as a build server would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle import Spec, evaluate
from tests.support import paths

pytestmark = pytest.mark.slow
ACTION = yaml.safe_load((paths.ROOT / "action" / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    rows = [f'{{"id": "s{at}", "question": "which number is {at}", "answer": "number {at}"}}' for at in range(40)]
    (folder / "data.jsonl").write_text("\n".join(rows))
    for name, wrong in (("old", 0.1), ("bad", 0.9)):
        arguments = {"data": str(folder / "data.jsonl"), "metrics": "wer"}
        evaluate(Spec(task="qa", task_args=arguments, model="echo", model_args={"wrong": wrong}), folder / name)
    return folder


def run_step(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the step of the action with these inputs, as the runner fills them in."""
    (step,) = ACTION["runs"]["steps"]
    values = {name: str(field.get("default", "")) for name, field in ACTION["inputs"].items()} | inputs
    filled = {name: values[text.removeprefix("${{ inputs.").removesuffix(" }}")] for name, text in step["env"].items()}
    files = {name: str(folder / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    environment = {**os.environ, **files, "RUNNER_TEMP": str(folder), **filled}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def inputs(runs: Path, candidate: str, **others: str) -> dict[str, Any]:
    command = f"{sys.executable} -m auricle"
    return {"baseline": str(runs / "old"), "candidate": str(runs / candidate), "command": command, **others}


def test_a_worse_candidate_fails_the_build_with_a_summary(runs: Path, tmp_path: Path) -> None:
    done = run_step(tmp_path, **inputs(runs, "bad", metrics="wer", margins="99pp\nwer=1pp\n"))
    assert done.returncode == 4, done.stderr
    assert "exit-code=4" in (tmp_path / "github_output").read_text()
    assert "The candidate is worse" in (tmp_path / "github_step_summary").read_text()
    assert (tmp_path / "auricle-gate.xml").is_file()


def test_an_undecided_gate_fails_the_build_unless_that_is_allowed(runs: Path, tmp_path: Path) -> None:
    done = run_step(tmp_path, **inputs(runs, "old"))
    assert done.returncode == 5, done.stderr
    assert run_step(tmp_path, **inputs(runs, "old", **{"allow-undecided": "true"})).returncode == 0


def test_a_gate_that_cannot_decide_does_not_repeat_the_summary_of_another_one(runs: Path, tmp_path: Path) -> None:
    run_step(tmp_path, **inputs(runs, "old", junit=""))
    assert not (tmp_path / "auricle-gate.xml").exists()
    summary = (tmp_path / "github_step_summary").read_text()
    assert run_step(tmp_path, **inputs(runs, "old", metrics="nothing")).returncode == 2
    assert (tmp_path / "github_step_summary").read_text() == summary


def test_a_value_that_is_neither_true_nor_false_is_refused(runs: Path, tmp_path: Path) -> None:
    done = run_step(tmp_path, **inputs(runs, "old", **{"allow-undecided": "yes"}))
    assert done.returncode == 2
    assert "allow-undecided is 'yes': expected true or false." in done.stderr


def test_the_text_of_an_input_is_not_executed(runs: Path, tmp_path: Path) -> None:
    done = run_step(tmp_path, **inputs(runs, "old", by='"; touch pwned; echo "'))
    assert done.returncode == 2
    assert not (tmp_path / "pwned").exists()


def test_no_step_writes_an_input_into_its_script() -> None:
    assert not [step for step in ACTION["runs"]["steps"] if "${{" in step["run"]]
