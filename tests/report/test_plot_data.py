"""The data of plots, as the report and the app draw it."""

from typing import Any

import pytest

from auricle.report.plot_data import Plane, list_averages, list_classes, list_dimensions
from auricle.scoring.confusion_matrix import UNREADABLE, ConfusionMatrix
from auricle.tasks.labels import metrics as labels
from tests.support.svg_reader import describe_spread

STATISTICS = [
    *[("难过/sad", "sad", "sad", True)] * 3,
    ("<unk>", "sad", None, True),
    *[("难过/sad", "calm", "sad", False)] * 2,
]


def describe_matrix(statistics: Any) -> Any:
    aggregator: Any = labels.uar.aggregate
    return aggregator.with_contexts([(("sad", "calm"), ("难过/sad", "<unk>"))]).details(statistics)


def test_cells_have_counts_and_shares_of_their_row() -> None:
    matrix = ConfusionMatrix.from_details(describe_matrix(STATISTICS))
    cells = [[(cell.count, cell.share, cell.is_hit) for cell in row] for row in matrix.cells]
    assert cells == [[(3, 0.75, True), (1, 0.25, False)], [(2, 1.0, False), (0, 0.0, False)]]


def test_labels_are_kept_raw_and_in_english() -> None:
    matrix = ConfusionMatrix.from_details(describe_matrix(STATISTICS))
    assert matrix.columns == ("难过/sad", "<unk>")
    assert matrix.column_names == ("sad", "unknown")
    assert not matrix.has_unreadable


def test_unreadable_answers_are_the_last_column() -> None:
    matrix = ConfusionMatrix.from_details(describe_matrix([*STATISTICS, (None, "sad")]))
    assert matrix.columns == ("难过/sad", "<unk>", UNREADABLE)
    assert matrix.predicted_labels == ("难过/sad", "<unk>")
    assert [cell.count for cell in matrix.cells[0]] == [3, 1, 1]


def test_a_cell_is_found_by_its_labels() -> None:
    matrix = ConfusionMatrix.from_details(describe_matrix(STATISTICS))
    assert matrix.find_cell(matrix.rows[1], "<unk>") == (1, 1)
    assert matrix.find_cell("absent", "<unk>") is None
    assert matrix.find_cell(matrix.rows[1], None) is None


def test_confusions_are_listed_by_frequency_without_hits() -> None:
    matrix = ConfusionMatrix.from_details(describe_matrix([*STATISTICS, (None, "sad")]))
    confusions = [
        (cell.count, matrix.row_names[cell.row], matrix.column_names[cell.column])
        for cell in matrix.frequent_confusions(2)
    ]
    assert confusions == [(2, "calm", "sad"), (1, "sad", "unknown")]


def test_row_without_samples_has_no_shares() -> None:
    matrix = ConfusionMatrix.from_details(describe_matrix(STATISTICS[:4]))
    assert [cell.share for cell in matrix.cells[1]] == [0.0, 0.0]


def test_classes_have_their_figures() -> None:
    sad, calm = list_classes(describe_matrix(STATISTICS))
    assert (sad.label, sad.precision, sad.recall, sad.support) == ("sad", 0.6, 0.75, 4)
    assert (calm.label, calm.recall, calm.support) == ("calm", 0.0, 2)


def test_averages_cover_the_classes_that_both_sides_have() -> None:
    macro, weighted = list_averages(describe_matrix(STATISTICS))
    assert (macro.label, macro.precision, macro.recall, macro.support) == (
        "macro average over shared labels",
        0.6,
        0.75,
        4,
    )
    assert (weighted.label, weighted.precision, weighted.recall) == ("weighted average over shared labels", 0.6, 0.75)


def test_numbers_without_classes_have_no_averages() -> None:
    assert list_averages({}) == []


def test_density_is_placed_on_its_grid() -> None:
    spread = describe_spread({"sad": 9, "angry": 2})
    dimension = list_dimensions(spread)[0]
    by_label = {label.label: label for label in dimension.labels}
    grid = spread["densities"]["arousal"]
    assert by_label["angry"].density == ()
    assert by_label["sad"].density[0][0] == grid["from"]
    assert by_label["sad"].density[-1][0] == pytest.approx(grid["to"])
    assert dimension.max_density == max(grid["of"]["sad"])


def test_one_dimension_has_no_plane() -> None:
    assert Plane.from_details({"dimensions": {}}) is None


def test_plane_has_points_and_centres() -> None:
    plane = Plane.from_details(describe_spread({"sad": 3, "生气/angry": 2}))
    assert plane
    assert plane.names == ("sad", "angry")
    assert (len(plane.points), plane.total, [centre.n for centre in plane.centres]) == (5, 5, [3, 2])
