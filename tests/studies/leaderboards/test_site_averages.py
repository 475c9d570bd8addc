"""The data of the page of averages."""

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.metrics.intervals import compare_paired
from auricle.studies.leaderboards.column_stats import ColumnStats, load_column
from auricle.studies.leaderboards.ranks import ColumnDraws, draw_column
from auricle.studies.leaderboards.site_averages import MAX_DRAWS, describe_board, pack_draws, render_averages
from auricle.studies.leaderboards.site_names import name_column
from auricle.studies.leaderboards.site_pages import SiteView
from auricle.studies.leaderboards.table import Leaderboard, build_leaderboard
from tests.support.report_pages import EVIL
from tests.support.site_runs import load_runs, make_site_runs


@pytest.fixture(scope="module")
def board_and_stats(tmp_path_factory: pytest.TempPathFactory) -> tuple[Leaderboard, ColumnStats]:
    runs = make_site_runs(tmp_path_factory.mktemp("runs"), 64)
    board = build_leaderboard((path.name, metrics) for path, metrics in load_runs(runs))
    return board, load_column(board, board.columns[0], {path.name: path for path in runs})


@pytest.fixture(scope="module")
def draws(board_and_stats: tuple[Leaderboard, ColumnStats]) -> ColumnDraws:
    drawn = draw_column(board_and_stats[1], 3)
    assert drawn
    return drawn


def make_view(board: Leaderboard) -> SiteView:
    return SiteView(
        title="Mine",
        board=board,
        pages={column: name_column(column) for column in board.columns},
        samples={},
        other_runs=(),
        run_count=4,
        split_by_prompt=True,
        created="2026-01-01",
        version="1",
    )


def read_draws(document: dict[str, Any], cell: int) -> Any:
    """Return the drawn numbers of a cell, as the script reads them."""
    count, levels = document["draw_count"], np.frombuffer(b64decode(document["draws"]), dtype=np.uint8)
    *_, low, step = document["cells"][cell]
    return low + step * levels[cell * count : (cell + 1) * count]


def test_drawn_numbers_are_restored_from_bytes(
    board_and_stats: tuple[Leaderboard, ColumnStats], draws: ColumnDraws
) -> None:
    board, stats = board_and_stats
    document = describe_board(make_view(board), {stats.column: pack_draws(draws)})
    assert document["draw_count"] == MAX_DRAWS
    for cell in range(3):
        restored = read_draws(document, cell)
        spread = np.std(draws.values[:, cell])
        assert np.abs(restored - draws.values[:MAX_DRAWS, cell]).max() < 0.02 * spread


def test_the_paired_spread_of_draws_gives_the_interval_of_a_comparison(
    board_and_stats: tuple[Leaderboard, ColumnStats], draws: ColumnDraws
) -> None:
    """The half width that the script computes is near that of the comparison of two runs."""
    board, stats = board_and_stats
    packed = pack_draws(draws)
    document = describe_board(make_view(board), {stats.column: packed})
    changes = read_draws(document, 1) - read_draws(document, 0)
    first, second = stats.results[:2]
    stat_by_id = dict(zip(second.stored.ids, second.stored.stats, strict=True))  # in the order of the answers
    others = [stat_by_id[sample] for sample in first.stored.ids]
    difference = compare_paired(first.stored.stats, others, first.stored.metric.aggregate, first.units)
    half_width = packed.half_width * np.std(changes, ddof=1)
    assert half_width == pytest.approx((difference.high - difference.low) / 2, rel=0.15)


def test_results_that_are_undefined_in_a_draw_are_left_out(draws: ColumnDraws) -> None:
    values = draws.values.copy()
    values[7, 1] = np.nan
    assert list(pack_draws(replace(draws, values=values)).results) == [0, 2]


def test_results_that_never_vary_are_restored_exactly(draws: ColumnDraws) -> None:
    packed = pack_draws(replace(draws, values=np.full_like(draws.values, 0.25)))
    assert packed.results[0][:2] == (0.25, 0.0)


def test_a_column_that_cannot_be_drawn_has_values_only(
    board_and_stats: tuple[Leaderboard, ColumnStats], tmp_path: Path
) -> None:
    document = describe_board(make_view(board_and_stats[0]), {})
    assert (document["draw_count"], document["draws"]) == (0, "")
    assert {column["half_width"] for column in document["columns"]} == {None}
    assert all(cell[-2:] == [None, None] for cell in document["cells"])


def test_names_of_models_cannot_end_the_data(board_and_stats: tuple[Leaderboard, ColumnStats]) -> None:
    board, _ = board_and_stats
    rows = (replace(board.rows[0], model=f"{EVIL}<!--"), *board.rows[1:])
    page = render_averages(make_view(replace(board, rows=rows)), {})
    data = page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    assert json.loads(data)["models"][0]["name"] == f"{EVIL}<!--"
    assert "<!--" not in page
