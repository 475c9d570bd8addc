"""`auricle judge-check` on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli_types import RunAuricle

CODE = """
from auricle import AsyncModel, Generation

class First(AsyncModel):
    '''Prefers whatever it sees first.'''

    def __init__(self, model="judge-1"):
        pass

    async def generate(self, request):
        return Generation(text="Winner: A", tokens=1_000, input_tokens=5_000)
"""


@pytest.fixture
def run(auricle: RunAuricle, manifest: Any, tmp_path: Path) -> Path:
    (tmp_path / "judge.py").write_text(CODE)
    rows = [{"id": str(row), "question": f"q {row}", "answer": "x", "baseline": "y"} for row in range(20)]
    data = manifest(rows)
    judged = ("-T", "metrics=judge-pairwise", "--judge", "judge.py:First")
    auricle("run", data, "--as", "qa", "-m", "echo", "-o", "run", *judged)
    return tmp_path / "run"


def test_a_preference_for_the_first_answer_is_printed(auricle: RunAuricle, run: Path) -> None:
    done = auricle("judge-check", "run", "--samples", "15")
    assert done.returncode == 0
    assert "judge.py:First: 60 verdicts to request on 15 samples." in done.stderr
    (line,) = (line for line in done.stdout.splitlines() if "preference for the answer shown first" in line)
    assert line.split()[-2:] == ["15", "biased"]
    assert "Checks of the judge" in (run / "report.html").read_text()


def test_json_has_the_findings(auricle: RunAuricle, run: Path) -> None:
    document = json.loads(auricle("judge-check", "run", "--json").stdout)
    assert document["metric"] == "judge-pairwise"
    flips, preference = document["results"][:2]
    assert (flips["value"], flips["n"]) == (1.0, 20)
    assert (preference["value"], preference["finding"]) == (1.0, "biased")


def test_the_check_stops_at_its_budget_and_resumes(auricle: RunAuricle, run: Path, tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("'*judge.py:First': {input: 1, output: 5}\n")
    command = ("judge-check", "run", "-j", "1", "--prices", "prices.yaml", "--samples", "10")
    done = auricle(*command, "--max-cost", "0.5")
    assert done.returncode == 3
    assert "40 verdicts to request on 10 samples, up to " in done.stderr
    assert "The judge was stopped: 0.5 USD spent, the limit is 0.5 USD. Resume with: auricle judge-check" in done.stderr
    done = auricle(*command)
    assert done.returncode == 0
    assert ": 30 verdicts to request" in done.stderr


def test_labels_are_stored_for_the_check(auricle: RunAuricle, run: Path, tmp_path: Path) -> None:
    lines = ["id,label", *(f"{row},{'win' if row % 2 else 'tie'}" for row in range(20))]
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    done = auricle("judge-check", "run", "--human", "labels.csv")
    assert "verdicts equal to human labels" in done.stdout
    assert (run / "labels.json").exists()


def test_a_run_that_was_not_judged_is_refused(auricle: RunAuricle, quiz: Path) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "plain")
    done = auricle("judge-check", "plain")
    assert (done.returncode, "was not judged yet. Add --judge MODEL." in done.stderr) == (2, True)
