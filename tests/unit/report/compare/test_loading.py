"""Which samples are paired, and what is loaded of a run."""

import math
from typing import Any

import pytest

from auricle import SpecError, compare
from auricle.report.compare.loading import restore_stat


def test_samples_of_only_one_run_are_left_out_and_counted(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, limit=30), run("b", data)
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.only_b) == (30, 0, 10)
    assert "10 samples only in B: left out." in comparison.notes
    assert any("The data differs" in note for note in comparison.notes)
    assert comparison.pairs.coverage == 0.75


def test_samples_with_different_content_are_not_paired(run: Any, quiz: Any) -> None:
    changed = {"question": "say something else"}
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row3=changed))
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.changed) == (39, 1)
    assert any("different content" in note for note in comparison.notes)


def test_samples_with_different_references_are_not_paired(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row3={"answer": "corrected"}))
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.corrected) == (39, 1)
    assert any("different reference" in note for note in comparison.notes)


def test_missing_scores_name_the_command_that_writes_them(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    (a / "scores.jsonl").unlink()
    with pytest.raises(SpecError, match=f"auricle score {a}"):
        compare(a, a)


def test_statistics_survive_json() -> None:
    assert restore_stat([1, 2.5]) == (1, 2.5)
    assert restore_stat([None, "sad"]) == (None, "sad")
    assert restore_stat([0, [["a", None]]]) == (0, (("a", None),))
    assert math.isnan(restore_stat(None))
    assert math.isnan(restore_stat([1.0, None])[1])
