"""Tests of the results of reward models."""

from pathlib import Path

import pandas as pd
import pytest

from auricle.app.views import ratings
from auricle.app.views.ratings import build_rating_pairs, rated_dimension
from tests.support.app_pages import page_text
from tests.unit.app.conftest import DrawRun


def test_predictions_are_drawn_against_ratings(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="music-fine")
    assert "lcc.musicality" in page_text(app)
    dimension = next(box for box in app.selectbox if box.label == "Dimension")
    assert dimension.options == ["musicality", "alignment"]


def test_preferences_are_listed_by_group_with_the_baseline(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="pairs-rough"))
    for part in ("genre: folk", "genre: jazz", "Always second", "all pairs"):
        assert part in text


@pytest.mark.parametrize(
    ("metric", "dimension"), [("lcc.musicality", "musicality"), ("ccc_arousal", "arousal"), ("lcc", "")]
)
def test_dimension_is_part_of_the_metric_name(metric: str, dimension: str) -> None:
    assert rated_dimension(metric) == dimension


def test_only_samples_with_prediction_and_rating_are_paired() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "stat.lcc": [1.0, 2.0], "reference.lcc": [3.0, None]})
    pairs = build_rating_pairs(frame, "lcc")
    assert pairs.to_dict("records") == [{"index": 0, "id": "a", "prediction": 1.0, "rating": 3.0}]
    assert build_rating_pairs(frame, "other").empty


def test_many_pairs_are_thinned_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "MAX_POINTS", 4)
    frame = pd.DataFrame({"id": range(8), "stat.lcc": range(8), "reference.lcc": range(8)})
    assert list(build_rating_pairs(frame, "lcc")["index"]) == [0, 2, 4, 6]
