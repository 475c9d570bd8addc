"""The difference between two confusion matrices over the labels of both."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.metrics.intervals import newcombe_interval
from auricle.metrics.matrix_difference import AxisLabel, ConfusionMatrix, match_by_meaning, subtract_matrices

LABELS = ("angry", "happy", "sad")


def matrix(rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]]) -> ConfusionMatrix:
    return ConfusionMatrix.from_details({"rows": rows, "columns": columns, "counts": counts})


def square(*counts: list[int], labels: Sequence[str] = LABELS) -> ConfusionMatrix:
    return matrix(labels, labels, counts)


def names(axis: Sequence[AxisLabel]) -> list[str]:
    return [label.label for label in axis]


def match_equal(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    return [(index, right.index(name)) for index, name in enumerate(left) if name in right]


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    pool = ["angry", "anger", "Happy", "happiness", "joy", "sad", "calm", "other", "<unk>", "中/sad"]
    rows = draw(st.lists(st.sampled_from(pool), unique=True, max_size=6))
    columns = draw(st.lists(st.sampled_from(pool), unique=True, max_size=6))
    count = st.integers(0, 1000)
    return matrix(rows, columns, [[draw(count) for _ in columns] for _ in rows])


@pytest.mark.slow
@given(matrices(), matrices(), st.booleans())
def test_every_defined_row_sums_to_zero(baseline: ConfusionMatrix, candidate: ConfusionMatrix, exact: bool) -> None:
    difference = subtract_matrices(baseline, candidate, match_equal if exact else match_by_meaning)
    for row, before, after in zip(difference.cells, difference.n_baseline, difference.n_candidate, strict=True):
        assert (row is None) == (not before or not after)
        assert row is None or sum(row) == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@given(matrices(), matrices())
def test_every_sample_and_label_is_counted_once(baseline: ConfusionMatrix, candidate: ConfusionMatrix) -> None:
    difference = subtract_matrices(baseline, candidate)
    assert sum(difference.n_baseline) == sum(map(sum, baseline.counts))
    assert sum(difference.n_candidate) == sum(map(sum, candidate.counts))
    for axis, own in ((difference.rows, baseline.rows), (difference.columns, baseline.columns)):
        assert sorted(label.label for label in axis if label.only_in != "candidate") == sorted(own)


@pytest.mark.slow
@given(matrices())
def test_a_matrix_minus_itself_is_zero(confusion: ConfusionMatrix) -> None:
    difference = subtract_matrices(confusion, confusion)
    assert all(cell == 0 for row in difference.cells if row for cell in row)
    assert not difference.mean_absolute_diagonal
    assert difference.rises == ()


def test_shares_are_subtracted_not_counts() -> None:
    before = square([8, 1, 1], [0, 5, 5], [2, 0, 8])
    after = square([20, 60, 20], [0, 10, 0], [1, 0, 4])
    difference = subtract_matrices(before, after)
    assert difference.cells[0] == pytest.approx((-0.6, 0.5, 0.1))
    assert difference.cells[1] == pytest.approx((0.0, 0.5, -0.5))
    assert difference.cells[2] == pytest.approx((0.0, 0.0, 0.0))
    assert difference.n_baseline == (10, 10, 10)
    assert difference.n_candidate == (100, 10, 5)
    assert difference.mean_absolute_diagonal == pytest.approx((0.6 + 0.5 + 0.0) / 3)
    recalls = [(change.recall_baseline, change.recall_candidate, change.difference) for change in difference.diagonal]
    assert recalls == [pytest.approx(values) for values in ((0.8, 0.2, -0.6), (0.5, 1.0, 0.5), (0.8, 0.8, 0.0))]
    first = difference.diagonal[0]
    assert (first.low, first.high) == newcombe_interval(8, 10, 20, 100)


def test_unreadable_answers_are_a_column() -> None:
    details = {"rows": ["sad", "calm"], "columns": ["sad"], "counts": [[3], [1]], "unreadable": [1, 0]}
    confusion = ConfusionMatrix.from_details(details)
    assert confusion == ConfusionMatrix(("sad", "calm"), ("sad", "(unreadable)"), ((3, 1), (1, 0)))
    readable = ConfusionMatrix.from_details({**details, "unreadable": [0, 0]})
    assert readable == ConfusionMatrix(("sad", "calm"), ("sad",), ((3,), (1,)))


def test_a_row_that_one_side_lacks_is_undefined_and_left_out_of_means() -> None:
    before = square([5, 5], [0, 0], labels=("sad", "calm"))
    after = square([10, 0], [3, 3], labels=("sad", "calm"))
    difference = subtract_matrices(before, after)
    assert difference.cells[1] is None
    assert difference.mean_absolute_diagonal == pytest.approx(0.5)
    assert [change.row for change in difference.diagonal] == [0]


def test_shared_labels_come_first_then_those_of_the_baseline() -> None:
    before = matrix(["sad", "calm", "angry"], ["sad", "angry"], [[1, 1], [1, 1], [1, 1]])
    after = matrix(["bored", "angry", "sad"], ["other", "angry", "sad"], [[1, 1, 1]] * 3)
    difference = subtract_matrices(before, after)
    assert names(difference.rows) == ["sad", "angry", "calm", "bored"]
    assert [label.only_in for label in difference.rows] == ["", "", "baseline", "candidate"]
    assert names(difference.columns) == ["sad", "angry", "other"]
    assert difference.cells[2] is None
    assert difference.cells[3] is None


def test_matched_labels_use_the_baseline_s_spelling() -> None:
    before = square([4, 0], [0, 4], labels=("sad", "angry"))
    after = square([4, 0], [2, 2], labels=("anger", "sadness"))
    difference = subtract_matrices(before, after)
    assert names(difference.rows) == ["sad", "angry"]
    assert [label.spelled_by_candidate for label in difference.rows] == ["sadness", "anger"]
    assert difference.cells[0] == pytest.approx((-0.5, 0.5))
    assert difference.cells[1] == pytest.approx((0.0, 0.0))


def test_synonyms_can_be_separate_labels() -> None:
    before, after = square([4], labels=("joy",)), square([4], labels=("happy",))
    assert len(subtract_matrices(before, after).rows) == 1
    separate = subtract_matrices(before, after, lambda a, b: match_by_meaning(a, b, synonyms=False))
    assert len(separate.rows) == 2


def test_a_column_that_one_side_lacks_counts_as_zero_there() -> None:
    before = matrix(["calm"], ["neutral"], [[10]])
    after = matrix(["calm"], ["neutral", "calm"], [[4, 6]])
    difference = subtract_matrices(before, after)
    (cells,) = difference.cells
    assert cells == pytest.approx((-0.6, 0.6))
    assert difference.columns[1].only_in == "candidate"


def test_the_diagonal_joins_rows_and_columns_with_the_same_meaning() -> None:
    before = matrix(["sadness", "calm"], ["sad", "other"], [[3, 1], [2, 2]])
    difference = subtract_matrices(before, before)
    ((row, column),) = [(change.row, change.column) for change in difference.diagonal]
    assert (difference.rows[row].label, difference.columns[column].label) == ("sadness", "sad")


def test_the_largest_increases_exclude_the_diagonal() -> None:
    before = square([10, 0, 0], [0, 10, 0], [5, 5, 0])
    after = square([5, 2, 3], [1, 9, 0], [0, 0, 10])
    increases = subtract_matrices(before, after).rises[:2]
    assert [(rise.true, rise.predicted) for rise in increases] == [("angry", "sad"), ("angry", "happy")]


def test_the_ten_largest_increases_are_listed() -> None:
    labels = [f"class {number}" for number in range(13)]
    before = square(*([13 * (row == column) for column in range(13)] for row in range(13)), labels=labels)
    after = square(*([1] * 13 for _ in range(13)), labels=labels)
    assert len(subtract_matrices(before, after).rises) == 10


def test_counts_of_another_shape_are_rejected() -> None:
    with pytest.raises(ValueError, match="2 rows and 3 columns"):
        matrix(["a", "b"], LABELS, [[1, 2, 3]])


def test_labels_of_a_difference_are_known_as_each_side_spells_them() -> None:
    left, right = matrix(["anger"], ["anger", "calm"], [[1, 2]]), matrix(["angry"], ["angry", "joy"], [[2, 1]])
    difference = subtract_matrices(left, right)
    assert [label.spellings for label in difference.columns] == [("anger", "angry"), ("calm", None), (None, "joy")]
