"""Tests of the charts."""

import pandas as pd
import pytest

from auricle.app.palette import LIGHT
from auricle.app.views import charts
from auricle.metrics.matrix_difference import AxisLabel, MatrixDifference, RecallChange
from auricle.report.plot_data import Dimension, Distribution
from tests.unit.app.views.test_results import MATRIX


@pytest.fixture(autouse=True)
def _light_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "current_palette", lambda: LIGHT)


def test_repeated_names_are_numbered() -> None:
    assert charts.make_unique(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_line_chart_has_a_legend_only_for_several_lines() -> None:
    one = pd.DataFrame({"name": ["a", "a"], "x": [1, 2], "y": [1, 2]})
    two = pd.DataFrame({"name": ["a", "b"], "x": [1, 2], "y": [1, 2]})
    assert charts.line_chart(one, "x", "y").to_dict()["encoding"]["color"]["legend"] is None
    assert charts.line_chart(two, "x", "y").to_dict()["encoding"]["color"]["legend"]["orient"] == "top"


def test_scatter_chart_has_a_line_of_equality_only_where_the_ranges_overlap() -> None:
    overlapping = pd.DataFrame({"index": [0, 1], "id": ["a", "b"], "rating": [1.0, 3.0], "prediction": [2.0, 4.0]})
    apart = overlapping.assign(prediction=[10.0, 12.0])
    assert len(charts.scatter_chart(overlapping, ("x", "y")).to_dict()["layer"]) == 2
    assert len(charts.scatter_chart(apart, ("x", "y")).to_dict()["layer"]) == 1


def test_interval_chart_has_a_line_for_all_samples_if_there_is_a_value() -> None:
    frame = pd.DataFrame({"group": ["a"], "value": [0.1], "low": [0.0], "high": [0.2], "scored": [5]})
    assert len(charts.interval_chart(frame, "share", "WER", 0.1).to_dict()["layer"]) == 3
    assert len(charts.interval_chart(frame, "share", "WER", None).to_dict()["layer"]) == 2


def test_violins_are_below_each_other() -> None:
    density = {"calm": ((0.0, 0.0), (0.5, 1.0), (1.0, 0.0)), "sad": ()}
    labels = tuple(
        Distribution(label, label, 5, 0.3, 0.1, None, None, 0.1, 0.5, (0.2, 0.3, 0.4), heights)
        for label, heights in density.items()
    )
    chart = charts.violin_chart(Dimension("arousal", 0.1, 0.01, labels)).to_dict()
    boxes = next(rows for rows in chart["datasets"].values() if "median" in rows[0])
    assert [(box["label"], box["y"], box["median"]) for box in boxes] == [("calm", 0, 0.3), ("sad", -1, 0.3)]


# --- confusion matrices ------------------------------------------------------------------


def test_matrix_has_a_column_for_unreadable_answers() -> None:
    frame, rows, columns = charts.matrix_to_frame(MATRIX)
    assert (rows, columns) == (["happy", "sad"], ["happy", "sad", "unreadable"])
    first_row = frame[frame["true"] == "happy"]
    assert first_row["share"].tolist() == [3 / 6, 2 / 6, 1 / 6]
    assert first_row["hit"].tolist() == [True, False, False]


def test_cells_are_clickable_only_with_a_selection_name() -> None:
    assert "params" not in charts.confusion_chart(MATRIX).to_dict()
    assert charts.confusion_chart(MATRIX, "cell").to_dict()["params"][0]["name"] == "cell"


def test_difference_of_a_row_without_samples_is_empty() -> None:
    labels = AxisLabel("happy", "happy"), AxisLabel("sad", "sad")
    change = RecallChange("happy", 0, 0, 0.5, 0.75, 0.25, 0.1, 0.4)
    matrix = MatrixDifference(rows=labels, columns=labels, cells=((0.25, -0.25), None), diagonal=(change,))
    frame, _, _ = charts.difference_to_frame(matrix)
    assert frame["number"].tolist() == ["+25", "−25", "", ""]
    assert frame["hit"].tolist() == [True, False, False, False]
    assert charts.difference_chart(matrix).to_dict()
