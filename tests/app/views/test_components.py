"""Tests of the HTML building blocks."""

import math
from pathlib import Path

import pytest

import auricle.app
from auricle.app.views.components import build_definition_list, build_interval_bar
from auricle.report.html_format import Scale
from tests.support import app_runs
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import draw_view, page_text


def test_number_columns_are_between_text_columns() -> None:
    app = draw_view("auricle.app.views.components:draw_table(['Name', 'Count', 'Note'], [['a', '3', 'x']], 1, 1)")
    assert '<td class="number" data-label="Count">3</td>\n<td data-label="Note">x</td>' in page_text(app)


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


# --- damaged and hostile runs ------------------------------------------------------------


@pytest.mark.parametrize("run", ["markup-asr", "markup-labels"])
def test_markup_of_a_run_is_escaped_in_results(draw: DrawRun, hostile_runs: Path, run: str) -> None:
    text = page_text(draw("benchmark", hostile_runs, run=run))
    for element in ("<script", "<img"):
        assert element not in text.replace(f"\\{element}", "")
    assert "&lt;script" in text or "\\<script" in text


@pytest.mark.parametrize("page", ["samples", "compare", "leaderboard"])
def test_markup_of_a_run_is_escaped_on_every_page(draw: DrawRun, hostile_runs: Path, page: str) -> None:
    app = draw(page, hostile_runs, run="markup-asr", a="markup-asr", b="markup-labels")
    assert "<script" not in page_text(app).replace("\\<script", "")
    executed = {element.proto.body for element in app.get("html") if element.proto.unsafe_allow_javascript}
    assert executed <= {
        f"<script id='auricle-player'>{(Path(auricle.app.__file__).parent / 'player.js').read_text()}</script>"
    }
    markdown = page_text(app, include_html=False)
    assert "![" not in markdown
    assert "](javascript" not in markdown


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("truncated", "is not valid JSON"),
        ("binary", "is not valid JSON"),
        ("malformed", "This run's files are malformed"),
        ("perf-truncated", "is not valid JSON"),
    ],
)
def test_damaged_file_is_reported_in_one_line(draw: DrawRun, hostile_runs: Path, run: str, message: str) -> None:
    app = draw("benchmark", hostile_runs, run=run)
    assert message in app.error[0].value.replace("\\", "")


def test_run_with_metrics_linked_elsewhere_is_rejected(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("benchmark", hostile_runs, run="linked")
    assert "is a symbolic link to a path outside the runs folder" in app.error[0].value.replace("\\", "")


def test_items_of_a_list_are_escaped() -> None:
    app = draw_view(f"auricle.app.views.components:draw_list(['first', {app_runs.IMAGE!r}])")
    assert "<li>first</li>" in page_text(app)
    assert "<img" not in page_text(app)
