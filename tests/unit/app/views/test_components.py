"""Tests of the HTML building blocks."""

import math

from auricle.app.views.components import build_definition_list, build_interval_bar
from auricle.report.html_format import Scale
from tests.support import app_runs
from tests.support.app_pages import draw_view, page_text


def test_number_columns_are_between_text_columns() -> None:
    app = draw_view("auricle.app.views.components:draw_table(['Name', 'Count', 'Note'], [['a', '3', 'x']], 1, 1)")
    assert '<td class="number">3</td>\n<td>x</td>' in page_text(app)


def test_text_of_a_run_is_escaped() -> None:
    app = draw_view(f"auricle.app.views.components:draw_table([{app_runs.SCRIPT!r}], [[{app_runs.IMAGE!r}]])")
    assert "<script" not in page_text(app)
    assert "<img" not in page_text(app)
    assert "<script" not in build_definition_list([("x", app_runs.SCRIPT)])


def test_interval_bar_leaves_out_missing_values() -> None:
    scale = Scale.fit([0.0, 1.0])
    assert build_interval_bar(scale, None, None, None) == '<span class="mark" aria-hidden="true"><i></i></span>'
    assert build_interval_bar(scale, math.nan, math.nan, math.nan) == build_interval_bar(scale, None, None, None)
    assert "<s " in build_interval_bar(scale, 0.1, 0.2, 0.3, 0.0)
