"""Tests of `Task` and `jsonl`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle import Sample, Task
from auricle.core.errors import DataError
from auricle.tasks.base import jsonl
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers import Respond


class NotedSamples(list[Sample]):
    """Samples with a revision and a note."""

    revision = "v1"

    def notes(self) -> list[str]:
        return ["One row is missing."]


def test_revision_and_notes_come_from_the_samples() -> None:
    task = Task(NotedSamples(), Respond("{q}"), [], find_contamination=lambda model, _: [f"{model} was trained on it."])
    assert task.revision == "v1"
    assert task.notes("m", {}) == ["One row is missing.", "m was trained on it."]


def test_a_list_of_samples_has_neither_revision_nor_notes() -> None:
    task = Task([], Respond("{q}"), [])
    assert task.revision == ""
    assert task.notes("m", {}) == []


def test_with_profile_changes_only_metrics_that_normalise_text(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="exact_match,empty")
    assert [metric.signature for metric in task.with_profile("none").metrics] == ["exact_match:1.none:1", "empty:1"]


def test_jsonl_yields_rows(manifest: Any) -> None:
    assert list(jsonl(manifest([{"a": 1}, {"a": 2}]))) == [{"a": 1}, {"a": 2}]


def test_jsonl_reports_the_line_that_is_not_json(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\nnot json\n')
    with pytest.raises(DataError, match=r"rows\.jsonl:2"):
        list(jsonl(path))
