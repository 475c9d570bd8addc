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


def test_samples_with_other_ids_are_paired_by_content(run: Any, quiz: Any) -> None:
    renumbered = {f"row{at}": {"id": str(39 - at)} for at in range(40)}
    comparison = compare(run("a", quiz()), run("b", quiz("other.jsonl", **renumbered), model="fake-api", reply="no"))
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.only_b) == (40, 0, 0)
    assert comparison.pairs.changed == 0
    flip = comparison.flips["exact_match"][0]
    assert int(flip.id) + int(flip.id_b) == 39
    assert (flip.answer_a, flip.answer_b) == (flip.target, "no")


def test_samples_with_the_same_content_are_paired_once_each(run: Any, quiz: Any) -> None:
    twice = {"question": "say it", "answer": "it"}
    a = run("a", quiz(count=4, row1=twice, row2=twice))
    b = run("b", quiz("other.jsonl", count=4, row0=twice, row3=twice | {"id": "x"}))
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.only_b) == (2, 2, 2)


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
