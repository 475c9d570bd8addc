"""Tests of the HTML building blocks."""

from auricle.app.views.components import build_definition_list, build_interval_bar, build_table
from auricle.report.html_format import Scale
from tests.support import app_runs
from tests.support.app_pages import draw_view, page_text


def test_number_columns_are_between_text_columns() -> None:
    table = build_table(["Name", "Count", "Note"], [["a", "3", "x"]], 1, 1)
    assert '<td class="number">3</td><td>x</td>' in table


def test_text_of_a_run_is_escaped() -> None:
    table = build_table([app_runs.SCRIPT], [[app_runs.IMAGE]])
    assert "<script" not in table
    assert "<img" not in table
    assert "<script" not in build_definition_list([("x", app_runs.SCRIPT)])


def test_interval_bar_leaves_out_missing_values() -> None:
    scale = Scale.fit([0.0, 1.0])
    assert build_interval_bar(scale, None, None, None) == '<span class="mark" aria-hidden="true"><i></i></span>'
    assert "<s " in build_interval_bar(scale, 0.1, 0.2, 0.3, 0.0)


def test_style_sheet_has_all_colours() -> None:
    style = page_text(draw_view("auricle.app.views.components:apply_styles()"))
    assert "--muted: #" in style
    assert "{muted}" not in style
