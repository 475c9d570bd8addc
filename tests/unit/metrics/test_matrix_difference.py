"""One confusion matrix less another, over the labels of both."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.metrics.matrix_difference import ConfusionMatrix, match_by_meaning, subtract_matrices

LABELS = ("angry", "happy", "sad")


def matrix(rows: Any, columns: Any, counts: Any) -> Any:
    return ConfusionMatrix.from_dict({"rows": rows, "columns": columns, "counts": counts})


def square(*counts: Any, labels: Any = LABELS) -> Any:
    return matrix(labels, labels, counts)


def names(axis: Any) -> Any:
    return [each.name for each in axis]


@st.composite
def matrices(draw: Any) -> Any:
    pool = ["angry", "anger", "Happy", "happiness", "joy", "sad", "calm", "other", "<unk>", "中/sad"]
    rows = draw(st.lists(st.sampled_from(pool), unique=True, max_size=6))
    columns = draw(st.lists(st.sampled_from(pool), unique=True, max_size=6))
    size = st.integers(0, 1000)
    counts = [[draw(size) for _ in columns] for _ in rows]
    return matrix(rows, columns, counts)


@given(matrices(), matrices(), st.booleans())
def test_every_defined_row_sums_to_zero(baseline: Any, candidate: Any, exact: Any) -> None:
    found = subtract_matrices(baseline, candidate, **({"match": same} if exact else {}))
    for row, before, after in zip(found.cells, found.n_baseline, found.n_candidate, strict=True):
        assert (row is None) == (not before or not after)
        assert row is None or sum(row) == pytest.approx(0, abs=1e-9)


@given(matrices(), matrices())
def test_no_sample_is_lost_and_no_label_twice(baseline: Any, candidate: Any) -> None:
    found = subtract_matrices(baseline, candidate)
    assert sum(found.n_baseline) == sum(map(sum, baseline.counts))
    assert sum(found.n_candidate) == sum(map(sum, candidate.counts))
    for axis, size in ((found.rows, len(baseline.rows)), (found.columns, len(baseline.columns))):
        own = [each.baseline_index for each in axis if each.baseline_index is not None]
        assert sorted(own) == list(range(size))


@given(matrices())
def test_a_matrix_less_itself_is_nothing(one: Any) -> None:
    found = subtract_matrices(one, one)
    assert all(cell == 0 for row in found.cells if row for cell in row)
    assert not found.mean_absolute_diagonal
    assert found.largest_increases() == []


def same(left: Any, right: Any) -> Any:
    return [(at, right.index(name)) for at, name in enumerate(left) if name in right]


def test_shares_are_subtracted_and_not_counts() -> None:
    before = square([8, 1, 1], [0, 5, 5], [2, 0, 8])
    after = square([20, 60, 20], [0, 10, 0], [1, 0, 4])
    found = subtract_matrices(before, after)
    assert found.cells[0] == pytest.approx((-0.6, 0.5, 0.1))
    assert found.cells[1] == pytest.approx((0.0, 0.5, -0.5))
    assert found.cells[2] == pytest.approx((0.0, 0.0, 0.0))
    assert found.n_baseline == (10, 10, 10)
    assert found.n_candidate == (100, 10, 5)


def test_a_row_that_one_side_lacks_is_undefined_and_in_no_mean() -> None:
    before = square([5, 5], [0, 0], labels=("sad", "calm"))
    after = square([10, 0], [3, 3], labels=("sad", "calm"))
    found = subtract_matrices(before, after)
    assert found.cells[1] is None
    assert found.mean_absolute_diagonal == pytest.approx(0.5)
    assert [each.row for each in found.diagonal] == [0]


def test_shared_labels_come_first_then_the_baselines_then_the_candidates() -> None:
    before = matrix(["sad", "calm", "angry"], ["sad", "angry"], [[1, 1], [1, 1], [1, 1]])
    after = matrix(["bored", "angry", "sad"], ["other", "angry", "sad"], [[1, 1, 1]] * 3)
    found = subtract_matrices(before, after)
    assert names(found.rows) == ["sad", "angry", "calm", "bored"]
    assert [each.only_side for each in found.rows] == ["", "", "baseline", "candidate"]
    assert names(found.columns) == ["sad", "angry", "other"]
    assert found.cells[2] is None
    assert found.cells[3] is None


def test_labels_that_mean_the_same_are_one_in_the_baselines_spelling() -> None:
    before = square([4, 0], [0, 4], labels=("sad", "angry"))
    after = square([4, 0], [2, 2], labels=("anger", "sadness"))
    found = subtract_matrices(before, after)
    assert names(found.rows) == ["sad", "angry"]
    assert [each.candidate_spelling for each in found.rows] == ["sadness", "anger"]
    assert found.cells[0] == pytest.approx((-0.5, 0.5))
    assert found.cells[1] == pytest.approx((0.0, 0.0))


def test_synonyms_can_be_other_labels() -> None:
    before, after = square([4], labels=("joy",)), square([4], labels=("happy",))
    assert len(subtract_matrices(before, after).rows) == 1
    strict = subtract_matrices(before, after, lambda a, b: match_by_meaning(a, b, synonyms=False))
    assert len(strict.rows) == 2


def test_a_column_one_side_cannot_say_counts_as_never_said_there() -> None:
    before = matrix(["calm"], ["neutral"], [[10]])
    after = matrix(["calm"], ["neutral", "calm"], [[4, 6]])
    found = subtract_matrices(before, after)
    assert found.cells == ((pytest.approx(-0.6), pytest.approx(0.6)),)
    assert found.columns[1].only_side == "candidate"


def test_the_diagonal_is_where_row_and_column_mean_the_same() -> None:
    before = matrix(["sadness", "calm"], ["sad", "other"], [[3, 1], [2, 2]])
    found = subtract_matrices(before, before)
    ((row, column),) = [(each.row, each.column) for each in found.diagonal]
    assert (found.rows[row].name, found.columns[column].name) == ("sadness", "sad")


def test_the_largest_rises_leave_out_the_diagonal() -> None:
    before = square([10, 0, 0], [0, 10, 0], [5, 5, 0])
    after = square([5, 2, 3], [1, 9, 0], [0, 0, 10])
    rises = subtract_matrices(before, after).largest_increases(2)
    assert [(true, said) for true, said, _ in rises] == [("angry", "sad"), ("angry", "happy")]


def test_counts_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="2 rows and 3 columns"):
        matrix(["a", "b"], LABELS, [[1, 2, 3]])
