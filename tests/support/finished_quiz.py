"""A small quiz and a finished run of it."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.cli_types import RunAuricle, WriteManifest


@pytest.fixture
def quiz(manifest: WriteManifest) -> Path:
    """Write five questions that the model `echo` answers correctly."""
    rows = [
        {"id": str(index), "question": f"say number {index}", "answer": f"say number {index}", "subset": subset}
        for index, subset in enumerate("aabbb")
    ]
    return manifest(rows, "quiz.jsonl")


@pytest.fixture
def finished(auricle: RunAuricle, quiz: Path) -> CompletedProcess[str]:
    """Run the quiz with `echo` in the folder `run`."""
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert done.returncode == 0, done.stderr
    return done
