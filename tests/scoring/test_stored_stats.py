"""Statistics that are read from the scores of a run."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError
from auricle.metrics.capabilities import Tokenized
from auricle.runs.scores import ScoreLine, write_scores
from auricle.scoring.stored_stats import load_stats
from tests.support.app_runs import make_number


def write_stats(folder: Path, *stats: Any, metric: str = "mine") -> Path:
    write_scores(folder, [ScoreLine(f"s{row}", row, {metric: stat}) for row, stat in enumerate(stats)])
    return folder


def test_the_built_in_metric_aggregates_its_statistics(tmp_path: Path) -> None:
    path = write_stats(tmp_path, [1, 0, 0, 4, 0.25, 1], [0, 0, 0, 6, 0.0, 1], metric="wer")
    stored = load_stats(path, make_number("wer", value=0.1, signature="t:1|d|R#1|wer:1.pooled.none:1|m|a"))
    assert stored
    assert (stored.ids, stored.metric.name, stored.metric.profile) == (["s0", "s1"], "wer", "none")
    assert stored.metric.aggregate(stored.stats) == pytest.approx(0.1)
    assert isinstance(stored.metric, Tokenized)


@pytest.mark.parametrize(
    ("stats", "value"), [((1.0, 0.0), 0.5), (([1.0, 0.0], [0.0, 1.0]), 0.5), (([1, 4], [1, 6]), 0.2)]
)
def test_a_metric_that_is_not_at_hand_is_replaced_by_a_mean_or_ratio(
    tmp_path: Path, stats: tuple[Any, ...], value: float
) -> None:
    stored = load_stats(write_stats(tmp_path, *stats), make_number("mine", value=value))
    assert stored
    assert stored.metric.aggregate(stored.stats) == pytest.approx(value)


def test_the_limits_of_a_metric_that_is_not_at_hand_are_those_of_the_number(tmp_path: Path) -> None:
    number = make_number("mine", value=4.5, details={"limits": [1.0, 5.0]})
    stored = load_stats(write_stats(tmp_path, 5.0, 4.0), number)
    assert stored
    assert stored.metric.details(stored.stats) == {"limits": [1.0, 5.0]}


def test_no_aggregate_is_used_that_gives_another_number(tmp_path: Path) -> None:
    assert load_stats(write_stats(tmp_path, 1.0, 0.0), make_number("mine", value=0.7)) is None


def test_code_that_a_run_names_is_not_executed(tmp_path: Path) -> None:
    signature = "t:1|d|R#1|antigravity:geohash:1|m|a"
    stored = load_stats(write_stats(tmp_path, 1.0, 0.0), make_number("mine", value=0.5, signature=signature))
    assert stored
    with pytest.raises(NotImplementedError, match="'mine' is not available"):
        stored.metric.score()


def test_a_right_answer_is_rated_best_whichever_direction_is_better(tmp_path: Path) -> None:
    path = write_stats(tmp_path, 1.0, 0.0)
    for higher_is_better, right in ((True, 1.0), (False, 0.0)):
        number = make_number("mine", value=0.5, right_or_wrong=True, higher_is_better=higher_is_better)
        stored = load_stats(path, number)
        assert stored
        assert stored.metric.is_hit(right) is True
        assert stored.metric.badness(right) < stored.metric.badness(1.0 - right)


def test_samples_without_a_statistic_are_left_out(tmp_path: Path) -> None:
    write_scores(tmp_path, [ScoreLine("a", 0, {"mine": 1.0}), ScoreLine("b", 1, failed="Timeout"), ScoreLine("c", 2)])
    stored = load_stats(tmp_path, make_number("mine", value=1.0))
    assert stored
    assert stored.ids == ["a"]


def test_missing_and_damaged_scores_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing or damaged"):
        load_stats(tmp_path, make_number("mine", value=1.0))
    with pytest.raises(DataError, match="another shape"):
        load_stats(write_stats(tmp_path, 1.0, [1.0, 2.0]), make_number("mine", value=1.0))
