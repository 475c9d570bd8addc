"""Differences of confusion matrices."""

from typing import Any

import pytest

from auricle import compare

pytestmark = pytest.mark.slow


def test_matrices_are_subtracted_over_the_labels_of_both(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="anger,happy,neutral,sadness,other")
    matrix = compare(a, b).matrix
    assert matrix is not None
    assert [label.label for label in matrix.rows] == ["angry", "happy", "neutral", "sad"]
    assert [label.only_in for label in matrix.columns] == ["", "", "", "", "candidate"]
    assert all(row and sum(row) == pytest.approx(0, abs=1e-9) for row in matrix.cells)
    assert matrix.n_baseline == matrix.n_candidate == (15, 15, 15, 15)
    assert all(label.low <= label.difference <= label.high for label in matrix.diagonal)
