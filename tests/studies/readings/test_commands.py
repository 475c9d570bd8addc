"""`auricle audit`: a sheet of replies, its labels, and the accuracy of the reader."""

import csv
import json
from pathlib import Path

import pytest

from tests.support.cli_types import RunAuricle

REPLIES = ("The answer is A.", "A", "I hear a cat.", "hm")


@pytest.fixture
def quiz_run(auricle: RunAuricle, tmp_path: Path) -> Path:
    """A run whose replies are read in four ways, 12 samples."""
    rows = [
        {"id": f"q{row}", "question": REPLIES[row % 4], "choices": ["cat", "dog"], "target": "A"} for row in range(12)
    ]
    (tmp_path / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "model.py").write_text("def answer(question):\n    return question\n")
    auricle("run", "quiz.jsonl", "--as", "mcq", "-m", "model.py:answer", "-o", "run")
    return tmp_path / "run"


def test_labels_of_the_sheet_give_the_accuracy_in_show_and_report(auricle: RunAuricle, quiz_run: Path) -> None:
    drawn = auricle("audit", "run", "--count", "6")
    assert "3 of 3 replies that were read from a statement and 6 of 9 others, at random" in drawn.stdout
    with (quiz_run / "audit.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["label"] = "wrong" if row["id"] == "q2" else "right"
    with (quiz_run / "audit.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    done = auricle("audit", "run", "--labels", "run/audit.csv")
    accuracy, *wrong = done.stdout.splitlines()
    assert accuracy.startswith("Answers read right (option_accuracy): 91.67 % (95 % interval ")
    assert accuracy.endswith(" … 91.67 %; 9 of 9 replies labelled, 1 read wrongly)")
    assert wrong == ["q2: read as A. cat (statement)", "  I hear a cat."]
    assert accuracy in auricle("show", "run").stdout
    assert "Answers read right (option_accuracy): 91.67 %" in (quiz_run / "report.html").read_text()
    assert json.loads(auricle("show", "run", "--json").stdout)[0]["audit"]["wrong"] == 1
    assert json.loads(auricle("audit", "run", "--labels", "run/audit.csv", "--json").stdout)["labelled"] == 9


def test_an_existing_sheet_is_not_replaced(auricle: RunAuricle, quiz_run: Path) -> None:
    assert json.loads(auricle("audit", "run", "--seed", "3", "--json").stdout)["seed"] == 3
    again = auricle("audit", "run")
    assert again.returncode == 2
    assert "exists already. Store its labels with --labels run/audit.csv, or choose another with -o." in again.stderr
    assert auricle("audit", "run", "-o", "other.csv").returncode == 0


def test_labels_need_an_audit(auricle: RunAuricle, quiz_run: Path) -> None:
    (quiz_run / "sheet.csv").write_text("id,label\n")
    done = auricle("audit", "run", "--labels", "run/sheet.csv")
    assert done.returncode == 2
    assert "run has no audit. Run `auricle audit run` to draw replies." in done.stderr
