"""The data of a column drawn again, and the ranks in it."""

from pathlib import Path

import numpy as np
import pytest

from auricle.core.direction import Direction
from auricle.studies.leaderboards.column_stats import load_column
from auricle.studies.leaderboards.ranks import ColumnDraws, draw_column, rank_draws
from auricle.studies.leaderboards.table import Leaderboard, Rank, build_leaderboard
from tests.support.site_runs import load_runs, make_site_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_site_runs(tmp_path_factory.mktemp("runs"), 32)


def build_board(runs: list[Path]) -> Leaderboard:
    return build_leaderboard((path.name, metrics) for path, metrics in load_runs(runs))


def draw_first(runs: list[Path], paths: dict[str, Path], column: int = 0) -> ColumnDraws | None:
    board = build_board(runs)
    cells = board.list_cells(board.columns[column])
    return draw_column(load_column(board, board.columns[column], paths), sum(cell.rank is not None for cell in cells))


def by_name(runs: list[Path]) -> dict[str, Path]:
    return {path.name: path for path in runs}


def test_ranks_of_recognisers_get_intervals(runs: list[Path]) -> None:
    draws = draw_first(runs, by_name(runs))
    assert draws
    ranks = rank_draws(draws, direction=Direction.LOWER)
    assert ranks[0] == Rank(1, False, 3, 1, 1)
    assert ranks[2] == Rank(3, False, 3, 3, 3)


def test_draws_vary_around_the_numbers(runs: list[Path]) -> None:
    draws = draw_first(runs, by_name(runs))
    assert draws
    assert draws.values.shape == (1000, 3)
    values = [result.cell.value for result in draws.results]
    assert draws.values.mean(axis=0) == pytest.approx(values, rel=0.1)


def test_draws_are_those_of_the_data_and_the_same_each_time(runs: list[Path]) -> None:
    first, second = (draw_first(runs, by_name(runs)) for _ in range(2))
    assert first
    assert second
    assert np.array_equal(first.values, second.values)


def test_a_column_with_one_model_has_no_interval(runs: list[Path]) -> None:
    draws = draw_first(runs, by_name(runs), column=1)
    assert draws
    assert rank_draws(draws, direction=Direction.HIGHER) == {}


def test_a_column_without_the_scores_of_a_ranked_run_is_not_drawn(runs: list[Path]) -> None:
    known = by_name(runs)
    for paths in ({**known, "best": runs[0].parent / "data"}, {name: known[name] for name in ("middle", "worst")}):
        assert draw_first(runs, paths) is None
