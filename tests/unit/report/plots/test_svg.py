"""Axes and the style sheet of plots."""

from typing import Any

import pytest

from auricle.report.plots.svg import fit_axis
from auricle.report.templating import load_asset


@pytest.mark.parametrize("values", [[0.0], [5.0, 5.0], [-1.2, 3.4], [1e-6, 2e-6], []])
def test_axis_ticks_are_round_and_cover_all_values(values: Any) -> None:
    scale, places = fit_axis(values)
    assert scale.low < scale.high
    assert all(scale.low <= value <= scale.high for value in values)
    assert 2 <= len(places) <= 9


def test_the_stylesheet_defines_every_colour_in_light_and_dark() -> None:
    style = load_asset("report/plots/plots.css")
    assert style.count("--hue7:") == 2
    assert "prefers-color-scheme: dark" in style
    assert "url(" not in style
