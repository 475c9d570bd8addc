"""Tests of the charts."""

import pandas as pd
import pytest

from auricle.app.palette import LIGHT
from auricle.app.views import charts
from auricle.report.plot_data import Dimension, Distribution


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
