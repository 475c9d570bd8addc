"""Intervals of ranks in a leaderboard."""

from pathlib import Path

import pytest

from auricle.report.leaderboard import Leaderboard, Rank, build_leaderboard
from auricle.report.ranks import UnitTable, add_rank_intervals
from tests.support.site_runs import load_runs, make_site_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_site_runs(tmp_path_factory.mktemp("runs"), 32)


def build_board(runs: list[Path]) -> Leaderboard:
    return build_leaderboard((path.name, metrics) for path, metrics in load_runs(runs))


def list_ranks(board: Leaderboard) -> dict[str, Rank | None]:
    return {cell.run: cell.rank for row in board.rows for cell in row.cells.values()}


def test_ranks_of_recognisers_get_intervals(runs: list[Path]) -> None:
    ranks = list_ranks(add_rank_intervals(build_board(runs), {path.name: path for path in runs}))
    assert ranks["best"] == Rank(1, False, 3, 1, 1)
    assert ranks["worst"] == Rank(3, False, 3, 3, 3)


def test_a_column_with_one_model_has_no_interval(runs: list[Path]) -> None:
    ranks = list_ranks(add_rank_intervals(build_board(runs), {path.name: path for path in runs}))
    assert ranks["quiz"] == Rank(1, False, 1)


def test_a_column_without_the_scores_of_a_run_has_no_intervals(runs: list[Path]) -> None:
    board = build_board(runs)
    known = {path.name: path for path in runs}
    for paths in ({**known, "best": runs[0].parent / "data"}, {name: known[name] for name in ("middle", "worst")}):
        assert list_ranks(add_rank_intervals(board, paths))["middle"] == Rank(2, False, 3)


def test_units_are_clusters_of_samples(runs: list[Path]) -> None:
    table = UnitTable()
    codes = table.encode(runs[0], ["u000", "u001", "u004", "not in the run"], "speaker")
    assert codes.tolist() == [0, 1, 0, 2]
    assert table.encode(runs[1], ["u001", "u002"], "speaker").tolist() == [1, 3]
    assert table.count == 4


def test_units_are_samples_without_a_cluster(runs: list[Path]) -> None:
    table = UnitTable()
    assert table.encode(runs[0], ["u000", "u004"], "").tolist() == [0, 1]
    assert table.encode(runs[1], ["u004", "u005"], "").tolist() == [1, 2]
