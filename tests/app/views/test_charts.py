"""Tests of the charts."""

import pandas as pd
import pytest

from auricle.app.palette import LIGHT
from auricle.app.views import charts
from auricle.metrics.matrix_difference import AxisLabel, MatrixDifference, RecallChange
from auricle.report.plot_data import Centre, Dimension, Distribution, Plane
from tests.app.views.test_results import MATRIX


@pytest.fixture(autouse=True)
def _light_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "current_palette", lambda: LIGHT)


def test_line_chart_joins_its_rows_in_their_order_and_labels_them() -> None:
    frame = pd.DataFrame({"name": ["a", "a"], "x": [2, 1], "y": [1, 2], "label": ["1", "4"]})
    lines, labels = charts.line_chart(frame, "x", "y").to_dict()["layer"]
    assert lines["encoding"]["order"]["field"] == "row"
    assert labels["encoding"]["text"]["field"] == "label"


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


def test_hits_and_misses_have_the_tints_of_the_report() -> None:
    frame, _, _ = charts.matrix_to_frame(MATRIX)
    assert (frame["tone"] >= 0).tolist() == (frame["hit"] | (frame["share"] == 0)).tolist()
    miss, none, hit = charts._heat_colours()
    assert (none, len({miss, none, hit})) == (LIGHT.background, 3)
    squares = charts.confusion_chart(MATRIX).to_dict()["layer"][0]["encoding"]["color"]
    assert (squares["field"], squares["scale"]["range"]) == ("tone", [miss, none, hit])


def test_difference_of_a_row_without_samples_is_empty() -> None:
    labels = AxisLabel("happy", "happy"), AxisLabel("sad", "sad")
    change = RecallChange("happy", 0, 0, 0.5, 0.75, 0.25, 0.1, 0.4)
    matrix = MatrixDifference(rows=labels, columns=labels, cells=((0.25, -0.25), None), diagonal=(change,))
    frame, _, _ = charts.difference_to_frame(matrix)
    assert frame["number"].tolist() == ["+25", "−25", "", ""]
    assert frame["hit"].tolist() == [True, False, False, False]
    assert frame[["r", "c"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert "params" not in charts.difference_chart(matrix).to_dict()
    assert charts.difference_chart(matrix, "cell").to_dict()["params"][0]["name"] == "cell"


@pytest.mark.parametrize("values", [[0.5, 0.5], [0.50001, 0.50002], [0.0], [None, float("nan")], [0.0, 12.0]])
def test_axis_of_shares_has_distinct_ticks_around_all_values(values: list[float | None]) -> None:
    quantity = charts.fit_quantity(values, "share")
    axis, (low, high) = quantity["axis"].to_dict(), quantity["scale"].to_dict()["domain"]
    known = [value for value in values if value is not None and value == value]
    assert all(low <= value <= high for value in known)
    decimals = int(axis["labelExpr"].partition(",.")[2].partition("f")[0])
    labels = [f"{100 * tick:.{decimals}f}" for tick in axis["values"]]
    assert len(set(labels)) == len(labels) >= 2
    assert axis["labelExpr"].endswith("+ '\u202f%'")


def test_labels_of_a_plane_have_marks_of_their_own() -> None:
    names = tuple(f"emotion {index}" for index in range(14))
    points = tuple((index, float(index), float(index)) for index in range(14))
    centres = tuple(Centre(n=1, x=float(index), y=float(index), sd_x=0.0, sd_y=0.0) for index in range(14))
    chart = charts.plane_chart(Plane(x="valence", y="arousal", names=names, points=points, centres=centres, total=14))
    encoding = chart.to_dict()["layer"][1]["encoding"]
    marks = set(zip(encoding["color"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True))
    assert len(marks) == 14


def test_models_with_long_names_have_different_labels_beside_their_points() -> None:
    models = [f"package.models.recogniser:Recogniser beam_size={size}" for size in (1, 5)]
    frame = pd.DataFrame({"model": models, "value": 0.1, "low": 0.1, "high": 0.2, "throughput": [3.0, 3.1]})
    chart = charts.speed_error_chart(frame, "WER")
    shown = list(chart.data["label"])
    assert len(set(shown)) == 2
    assert max(map(len, shown)) <= charts.MAX_LEGEND_LENGTH
