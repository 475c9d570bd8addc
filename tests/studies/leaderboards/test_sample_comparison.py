"""Which samples are compared, and the answers of all models to them."""

import numpy as np
import pytest

from auricle.studies.leaderboards.column_stats import ColumnStats, load_column
from auricle.studies.leaderboards.sample_comparison import choose_samples, compare_samples
from auricle.studies.leaderboards.table import build_leaderboard
from tests.support.site_runs import load_runs, make_site_runs


@pytest.fixture(scope="module")
def stats(tmp_path_factory: pytest.TempPathFactory) -> ColumnStats:
    runs = make_site_runs(tmp_path_factory.mktemp("runs"))
    board = build_leaderboard((path.name, metrics) for path, metrics in load_runs(runs))
    return load_column(board, board.columns[0], {path.name: path for path in runs})


def rates_of(stats: ColumnStats, sample: str) -> list[float]:
    """Return the error rate of each model on a sample, computed from the counts."""
    return [
        result.stored.metric.sample_value(result.stored.stats[result.stored.ids.index(sample)])
        for result in stats.results
    ]


def test_the_first_sample_sets_models_apart_and_the_second_is_the_hardest(stats: ColumnStats) -> None:
    first, second, *_ = choose_samples(stats, 16)
    spreads = {sample: np.ptp(rates_of(stats, sample)) for sample in stats.results[0].stored.ids}
    means = {sample: np.mean(rates_of(stats, sample)) for sample in stats.results[0].stored.ids if sample != first}
    assert spreads[first] == max(spreads.values())
    assert means[second] == pytest.approx(max(means.values()))


def test_every_sample_is_chosen_once_if_there_is_room(stats: ColumnStats) -> None:
    assert sorted(choose_samples(stats, 99)) == sorted(stats.results[0].stored.ids)
    assert len(choose_samples(stats, 5)) == 5
    assert choose_samples(stats, 0) == []


def test_a_column_without_statistics_has_no_samples(stats: ColumnStats) -> None:
    assert choose_samples(ColumnStats(stats.column, (), 0), 5) == []


def test_answers_of_all_models_are_side_by_side(stats: ColumnStats) -> None:
    (sample,) = compare_samples(stats, ["u003"], audio=False)
    assert sample.id == "u003"
    assert [answer.run for answer in sample.answers] == ["best", "middle", "worst"]
    assert sample.values == pytest.approx(rates_of(stats, "u003"))
    assert sample.mean == pytest.approx(np.mean(sample.values))
    assert all(answer.view.diff and answer.view.score for answer in sample.answers)
    assert sample.sounds == ()


def test_sounds_are_those_that_all_models_received(stats: ColumnStats) -> None:
    (sample,) = compare_samples(stats, ["u003"], audio=True)
    assert len(sample.sounds) == 1
    assert all(answer.view.audio == () for answer in sample.answers)


def test_samples_that_no_journal_has_are_left_out(stats: ColumnStats) -> None:
    assert list(compare_samples(stats, ["no such sample"], audio=False)) == []
