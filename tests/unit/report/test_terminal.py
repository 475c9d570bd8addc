"""Results as text for the terminal."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.api import load_metrics
from auricle.report.terminal import format_metrics, format_table, to_one_line
from auricle.runs.metrics import Metrics


def test_columns_are_aligned_and_empty_ones_omitted() -> None:
    lines = list(format_table(["name", "note", "n"], [["a", "", "1"], ["long", "", "22"]]))
    assert not any("note" in line for line in lines)
    assert len({len(line.rstrip()) for line in lines[1:2]}) == 1
    assert lines[-1].split() == ["long", "22"]


def test_a_message_with_control_characters_stays_on_one_line() -> None:
    assert to_one_line("first\nsecond\x1b[2J\tthird") == "first second [2J third"


@pytest.fixture
def runs(manifest: Any, tmp_path: Path) -> list[Metrics]:
    """Two runs of one model on two tasks."""
    data = str(manifest([{"question": "x", "answer": "x"}]))
    for name in ("first", "second"):
        task_args = {"data": data, "name": name, "metrics": "exact_match"}
        evaluate(Spec(task="qa", task_args=task_args, model="echo"), tmp_path / name)
    return [load_metrics(tmp_path / name) for name in ("first", "second")]


def test_a_table_of_several_tasks_has_a_task_column(runs: list[Metrics]) -> None:
    header, _, *rows = format_metrics(runs)
    assert header.split()[:3] == ["task", "model", "metric"]
    assert [row.split()[0] for row in rows] == ["first", "second"]


def test_a_table_of_one_task_has_no_task_column(runs: list[Metrics]) -> None:
    header, *_ = format_metrics([runs[0], runs[0]])
    assert header.split()[0] == "model"
