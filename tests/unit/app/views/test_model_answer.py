"""Tests of the answers on the page for single inference."""

from typing import Any

import pytest

from auricle.app.palette import LIGHT
from auricle.app.views.model_answer import class_score_chart, gauge_chart
from tests.support.app_pages import count_charts, draw_view

IMPORTS = "from auricle.core.types import Generation, Likelihood, Prediction\n"


def draw_output(output: str) -> Any:
    return draw_view(f"auricle.app.views.model_answer:{IMPORTS}draw_answer(Answer('m', 0.5, {output}))")


def chart_rows(chart: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = chart.get("data", {}).get("values") or next(iter(chart["datasets"].values()))
    return rows


def test_top_class_is_marked_by_more_than_colour() -> None:
    rows = chart_rows(class_score_chart([("sad", 0.7), ("happy", 0.3)], True, LIGHT).to_dict())
    assert [(row["name"], row["text"]) for row in rows] == [("▸ sad", "70.0%"), ("happy", "30.0%")]


def test_gauge_extends_to_values_outside_its_range() -> None:
    chart = str(gauge_chart({"arousal": 1.2, "valence": -0.1}, LIGHT).to_dict())
    assert "'domain': [-0.1, 1.2]" in chart


@pytest.mark.parametrize(
    ("output", "charts"),
    [
        ("Generation(text='hello')", 0),
        ("Prediction(values={'sad': 0.9, 'calm': 0.1}, scale='probability')", 1),
        ("Prediction(values={'arousal': 0.4}, scale='continuous')", 1),
        ("Prediction(values={'musicality': 3.5}, scale='continuous')", 0),
    ],
)
def test_output_of_each_kind_is_drawn_with_its_raw_form(output: str, charts: int) -> None:
    app = draw_output(output)
    assert count_charts(app) == charts
    assert app.caption[0].value == "Response time: 0.5 s"
    assert len(app.code) == 1


def test_empty_text_is_shown_as_empty() -> None:
    assert draw_output("Generation(text='')").text[0].value == "(empty)"


def test_error_is_escaped() -> None:
    app = draw_view("auricle.app.views.model_answer:draw_answer(Answer('m', error='**no**'))")
    assert app.error[0].value == r"\*\*no\*\*"
