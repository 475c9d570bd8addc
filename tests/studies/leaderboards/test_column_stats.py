"""The statistics of a column, and the units that its runs share."""

from pathlib import Path

import pytest

from auricle.studies.leaderboards.column_stats import UnitTable, load_column
from auricle.studies.leaderboards.table import build_leaderboard
from tests.support.site_runs import load_runs, make_site_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_site_runs(tmp_path_factory.mktemp("runs"), 32)


def test_units_are_clusters_of_samples(runs: list[Path]) -> None:
    table = UnitTable()
    first, second, same, unknown = table.encode(runs[0], ["u000", "u001", "u006", "not in the run"], "speaker")
    assert first == same
    assert len({first, second, unknown}) == table.count == 3
    assert table.encode(runs[1], ["u001", "u002"], "speaker").tolist() == [second, 3]


def test_units_are_samples_without_a_cluster(runs: list[Path]) -> None:
    table = UnitTable()
    assert table.encode(runs[0], ["u000", "u004"], "").tolist() == [0, 1]
    assert table.encode(runs[1], ["u004", "u005"], "").tolist() == [1, 2]


def test_results_without_readable_scores_are_left_out(runs: list[Path], tmp_path: Path) -> None:
    board = build_leaderboard((path.name, metrics) for path, metrics in load_runs(runs))
    paths = {path.name: path for path in runs} | {"middle": tmp_path}
    stats = load_column(board, board.columns[0], paths)
    assert [result.cell.run for result in stats.results] == ["best", "worst"]
    assert [result.place for result in stats.results] == [0, 2]
    assert sorted(stats.results[0].stored.ids) == [f"u{at:03d}" for at in range(32)]
