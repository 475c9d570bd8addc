"""Runs on one line each."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.signature import Signature
from auricle.report.run_list import describe_metric, describe_status, format_runs, run_to_dict
from auricle.runs.metrics import Number
from auricle.runs.run_notes import RunNotes
from auricle.runs.run_summary import RunSummary


def make_number(metric: str, **fields: Any) -> Number:
    values = {"details": {}, "value": 0.5, "unit": "share", **fields}
    return Number(metric=metric, signature=Signature.parse(f"{metric}:1"), **values)


def summary(**fields: Any) -> RunSummary:
    return RunSummary(name="a", path=Path("a"), **fields)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"status": "done", "done": 8, "total": 8}, "✓ done"),
        ({"status": "stopped", "done": 279, "total": 1440}, "◼ stopped 279 of 1,440"),
        ({"status": "running", "done": 5}, "▶ running 5"),
        ({"status": "running", "phase": "stopping", "done": 5, "total": 8}, "▶ stopping 5 of 8"),
        ({"status": "failed", "done": 5, "total": 8}, "✕ failed"),
        ({"status": "failed", "error": "Cannot be read: x."}, "✕ unreadable"),
    ],
)
def test_status_shows_what_is_done(fields: dict[str, Any], text: str) -> None:
    assert describe_status(summary(**fields)) == text


def test_metric_has_its_unit_and_direction() -> None:
    assert describe_metric(make_number("wer", higher_is_better=False)) == "wer, % ↓"
    assert describe_metric(make_number("mos", unit="")) == "mos ↑"
    assert describe_metric(None) == ""


def test_table_has_a_line_for_each_run() -> None:
    number = make_number("wer", low=0.4, high=0.6, scored=1200, total=1300, higher_is_better=False)
    run = summary(
        status="done", task="demo", model="echo", numbers=(number,), failed=100, created="2026-11-17T12:00:30"
    )
    lines = format_runs([run, summary(status="stopped", done=3, total=9)])
    assert lines[0].split()[:6] == ["status", "run", "task", "model", "metric", "value"]
    assert "✓ done" in lines[-2]
    assert "50.00 %  40.00 – 60.00  1,200" in lines[-2]
    assert lines[-2].endswith("2026-11-17 12:00")
    assert "◼ stopped 3 of 9" in lines[-1]
    assert format_runs([]) == []


def test_task_is_a_column_only_if_there_are_several() -> None:
    runs = [summary(task="asr-test", data=f"/data/{code}/test.jsonl", revision=code) for code in ("en", "de")]
    lines = format_runs(runs)[2:]
    assert ["(en/test.jsonl)" in line for line in lines] == [True, False]
    assert ["(de/test.jsonl)" in line for line in lines] == [False, True]
    assert "task" not in format_runs([runs[0], runs[0]])[0].split()


def test_document_has_numbers_and_notes() -> None:
    run = summary(status="done", numbers=(make_number("wer", scored=9, total=10),), notes=RunNotes(tags=("paper",)))
    document = run_to_dict(run)
    assert (document["name"], document["status"], document["tags"]) == ("a", "done", ["paper"])
    assert document["numbers"][0]["coverage"] == 0.9
