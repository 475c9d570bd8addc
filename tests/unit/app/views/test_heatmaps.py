"""Tests of the charts of confusion matrices."""

import pytest

from auricle.app.palette import LIGHT
from auricle.app.views import heatmaps
from auricle.metrics.matrix_difference import AxisLabel, MatrixDifference, RecallChange
from tests.unit.app.views.test_classification import MATRIX


@pytest.fixture(autouse=True)
def _light_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heatmaps, "current_palette", lambda: LIGHT)


def test_matrix_has_a_column_for_unreadable_answers() -> None:
    frame, rows, columns = heatmaps.matrix_to_frame(MATRIX)
    assert (rows, columns) == (["happy", "sad"], ["happy", "sad", "unreadable"])
    first_row = frame[frame["true"] == "happy"]
    assert first_row["share"].tolist() == [3 / 6, 2 / 6, 1 / 6]
    assert first_row["hit"].tolist() == [True, False, False]


def test_cells_are_clickable_only_with_a_selection_name() -> None:
    assert "params" not in heatmaps.confusion_chart(MATRIX).to_dict()
    assert heatmaps.confusion_chart(MATRIX, "cell").to_dict()["params"][0]["name"] == "cell"


def test_difference_of_a_row_without_samples_is_empty() -> None:
    labels = AxisLabel("happy", "happy"), AxisLabel("sad", "sad")
    change = RecallChange("happy", 0, 0, 0.5, 0.75, 0.25, 0.1, 0.4)
    matrix = MatrixDifference(rows=labels, columns=labels, cells=((0.25, -0.25), None), diagonal=(change,))
    frame, _, _ = heatmaps._difference_to_frame(matrix)
    assert frame["number"].tolist() == ["+25", "−25", "", ""]
    assert frame["hit"].tolist() == [True, False, False, False]
    assert heatmaps.difference_chart(matrix).to_dict()
