"""Quality against cost and speed."""

from itertools import combinations
from typing import Any

import pytest

from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts, Throughput, Usage
from auricle.studies.leaderboards.table import Leaderboard, build_leaderboard
from auricle.studies.leaderboards.trade_offs import TradeOff, draw_trade_off, find_front, list_trade_offs, place_labels
from tests.support.app_runs import make_number

SIGNATURE = "asr:1|data@1|Respond#1|wer:1.basic:1|m|auricle 1"


def make_metrics(
    name: str, value: float | None, cost: float | None = None, throughput: float | None = None, **fields: Any
) -> Metrics:
    number = make_number("wer", value=value, signature=SIGNATURE, higher_is_better=False)
    return Metrics(
        task=TaskFacts("asr"),
        model=ModelFacts(name),
        numbers=(number,),
        complete=fields.get("complete", True),
        usage=Usage(cost=cost, currency=fields.get("currency", "USD"), samples_without_cost=0),
        speed=Throughput(wall_seconds=1.0, samples=9, throughput=throughput),
    )


def build_board(*models: Metrics) -> Leaderboard:
    return build_leaderboard((metrics.model.name, metrics) for metrics in models)


def list_all(board: Leaderboard) -> dict[str, TradeOff]:
    return {trade_off.name: trade_off for trade_off in list_trade_offs(board, board.columns[0])}


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ([(1.0, 1.0)], [True]),
        ([(1.0, 1.0), (1.0, 1.0)], [True, True]),
        ([(1.0, 2.0), (1.0, 1.0)], [True, False]),
        ([(1.0, 2.0), (2.0, 1.0), (0.5, 0.5)], [True, True, False]),
    ],
)
def test_the_front_has_the_points_that_no_other_beats(points: list[tuple[float, float]], front: list[bool]) -> None:
    assert find_front(points) == front


def test_low_errors_low_costs_and_high_speeds_are_better() -> None:
    board = build_board(
        make_metrics("good", 0.1, cost=9.0, throughput=10.0),
        make_metrics("cheap", 0.2, cost=1.0, throughput=5.0),
        make_metrics("beaten", 0.3, cost=2.0, throughput=20.0),
    )
    fronts = {name: [point.model for point in each.front] for name, each in list_all(board).items()}
    assert fronts == {"Cost (USD)": ["cheap", "good"], "Throughput": ["good", "beaten"]}


def test_costs_in_different_currencies_are_not_drawn_together() -> None:
    dollars = [make_metrics(name, 0.1, cost=1.0) for name in "ab"]
    euros = [make_metrics(name, 0.2, cost=1.0, currency="EUR") for name in "cd"]
    assert [*list_all(build_board(*dollars, *euros))] == ["Cost (EUR)", "Cost (USD)"]
    assert [*list_all(build_board(*dollars, euros[0]))] == ["Cost (USD)"]


def test_unfinished_and_unknown_results_are_left_out() -> None:
    board = build_board(
        make_metrics("a", 0.1, throughput=1.0),
        make_metrics("b", 0.2, throughput=2.0),
        make_metrics("c", 0.0, throughput=3.0, complete=False),
        make_metrics("d", None, throughput=4.0),
        make_metrics("e", 0.3),
    )
    assert [point.model for point in list_all(board)["Throughput"].points] == ["a", "b"]
    assert list_all(build_board(make_metrics("a", 0.1, throughput=1.0))) == {}


def test_speeds_of_several_orders_of_magnitude_have_a_logarithmic_axis() -> None:
    board = build_board(make_metrics("slow", 0.1, throughput=0.5), make_metrics("fast", 0.2, throughput=2000.0))
    drawn = draw_trade_off(list_all(board)["Throughput"])
    assert all(f">{tick}</text>" in drawn for tick in ("0.1", "1", "10", "100", "1,000", "10,000"))


def test_long_names_are_labelled_by_rank_and_explained_below() -> None:
    name = "a-name-that-is-too-long-for-a-label<b>"
    drawn = draw_trade_off(
        list_all(build_board(make_metrics(name, 0.1, throughput=1.0), make_metrics("fast", 0.2, throughput=2.0)))[
            "Throughput"
        ]
    )
    assert ">rank 1</text>" in drawn
    assert "rank 1: <bdi>a-name-that-is-too-long-for-a-label&lt;b&gt;</bdi>" in drawn
    assert ">fast</text>" in drawn
    assert "<b>" not in drawn


def test_labels_are_names_unless_they_are_long_or_shared() -> None:
    long = "a-model-with-a-name-that-no-plot-has-room-for"
    board = build_board(*(make_metrics(name, 0.1, throughput=2.0) for name in ("short", long)))
    (trade_off,) = list_trade_offs(board, board.columns[0])
    assert {trade_off.label(point) for point in trade_off.points} == {"short", "rank 1"}


def test_labels_of_neighbours_do_not_cover_each_other() -> None:
    places = place_labels(
        [(100.0, 100.0, "one"), (104.0, 101.0, "two"), (102.0, 103.0, "three"), (300.0, 102.0, "far")]
    )
    assert not any(one.overlaps(other) for one, other in combinations(places, 2))
    assert (places[3].x, places[3].y, places[3].css) == (291.0, 95.0, "end")


def test_labels_avoid_the_line_of_the_front_and_other_points() -> None:
    line = [(100.0, 200.0), (300.0, 150.0)]
    (below, above) = place_labels([(100.0, 200.0, "cheap"), (300.0, 150.0, "good")], line)
    assert not any(place.is_crossed(*line) for place in (below, above))
    assert below.y > 200.0
    first, _ = place_labels([(100.0, 100.0, "first"), (120.0, 95.0, "second")])
    assert not first.contains(120.0, 95.0)


def test_a_few_models_are_all_labelled_and_of_many_only_the_front() -> None:
    for count, shown in ((3, True), (20, False)):
        models = [make_metrics(f"m{at}", 0.1 + at / 100, throughput=30.0 - at) for at in range(count)]
        drawn = draw_trade_off(list_all(build_board(*models))["Throughput"])
        assert ">m0</text>" in drawn
        assert (">m2</text>" in drawn) is shown


def test_values_that_are_far_apart_are_drawn_on_a_logarithmic_axis() -> None:
    """One recogniser that repeats itself must not squeeze all others together."""
    board = build_board(
        *(make_metrics(name, value, throughput=2.0) for name, value in (("a", 0.1), ("b", 0.2), ("c", 8.0)))
    )
    (trade_off,) = list_trade_offs(board, board.columns[0])
    assert trade_off.has_far_values
    assert not trade_off.has_far_amounts
    assert ">1,000<" in draw_trade_off(trade_off)
