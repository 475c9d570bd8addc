"""`auricle samples`: all, the worst and the failed samples of a run."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.cli_types import RunAuricle


def test_worst_samples_are_listed(auricle: RunAuricle, quiz: Path) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "wrong=0.3", "-o", "run")
    (line,) = auricle("samples", "run", "--worst", "1", "--json").stdout.splitlines()
    assert json.loads(line)["stats"]["exact_match"] == 0.0
    assert len(auricle("samples", "run", "--json").stdout.splitlines()) == 5


def test_failed_samples_are_listed_with_their_error(auricle: RunAuricle, quiz: Path) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "fake-api", "-M", "fail=1", "-o", "run")
    assert auricle("samples", "run", "--failed").stdout.count("  failed    SampleError: ") == 5


def test_sample_is_printed_with_target_answer_and_score(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    lines = auricle("samples", "run").stdout.splitlines()
    assert lines[1:4] == ["  target    say number 0", "  answer    say number 0", "  exact_match 1.0"]


def test_worst_and_failed_cannot_be_combined(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("samples", "run", "--worst", "1", "--failed")
    assert done.returncode == 2
    assert "--worst and --failed cannot be combined" in done.stderr
