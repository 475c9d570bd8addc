"""Metrics of listening tests on ratings that can be checked by hand."""

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import Unsupported
from auricle.core.types import Generation, Prediction, Sample
from auricle.metrics.base import Metric
from auricle.metrics.intervals import compute_interval
from auricle.studies.people.scores import MedianAggregator, PreferenceAggregator, TestFacts, make_metrics, orient

MOS = TestFacts("mos", ("a", "b"), 1, 5)


def rating(value: float, listener: str = "L01", item: int = 0, **meta: Any) -> tuple[Sample, Prediction]:
    fields = {"listener": listener, "item_index": item, "check": "", "excluded": "", **meta}
    sample = Sample(id=f"{listener}/{item}", inputs={}, meta=fields)
    return sample, Prediction(values={"rating": value}, scale="continuous")


def get_metric(facts: TestFacts, name: str) -> Metric:
    return next(metric for metric in make_metrics(facts) if metric.name == name)


def test_a_system_is_scored_by_its_own_ratings() -> None:
    metric = get_metric(MOS, "mos.a")
    assert metric.score(*rating(4, "L02", 3, system="a")) == (4.0, 2.0, 3.0)
    assert metric.score(*rating(4, system="b")) is None


def test_excluded_listeners_and_checks_do_not_count() -> None:
    metric = get_metric(MOS, "mos.a")
    assert metric.score(*rating(4, system="a", excluded="failed 2 of 2 traps")) is None
    assert metric.score(*rating(4, system="a", check="repeat", passed=True)) is None


def test_an_answer_of_a_model_is_refused() -> None:
    with pytest.raises(Unsupported, match="answered by people"):
        get_metric(MOS, "mos.a").score(rating(1, system="a")[0], Generation(text="4"))


@pytest.mark.parametrize(
    ("kind", "played", "value", "expected"),
    [
        ("cmos", ("a", "b"), 2.0, -2.0),
        ("cmos", ("b", "a"), 2.0, 2.0),
        ("ab", ("a", "b"), 0.0, 1.0),
        ("ab", ("b", "a"), 0.0, 0.0),
        ("ab", ("b", "a"), 0.5, 0.5),
    ],
)
def test_pairs_are_turned_to_the_order_of_the_systems(kind: Any, played: Any, value: float, expected: float) -> None:
    sample, _ = rating(value, system=played[0], other=played[1])
    assert orient(TestFacts(kind, ("a", "b"), -3, 3), sample, value) == (0, 1, expected)


@pytest.mark.parametrize(("x", "choice", "expected"), [("first", 0.0, 1.0), ("first", 1.0, 0.0), ("second", 1.0, 1.0)])
def test_an_abx_answer_is_right_if_it_names_what_x_is(x: str, choice: float, expected: float) -> None:
    metric = get_metric(TestFacts("abx", ("a", "b"), 0, 1), "abx.a_vs_b")
    stat: Any = metric.score(*rating(choice, system="b", other="a", x=x))
    assert stat[0] == expected


def test_a_comparison_counts_as_a_win_or_a_tie_for_strengths() -> None:
    metric = get_metric(TestFacts("cmos", ("a", "b"), -3, 3), "strength.a")
    shares = [metric.score(*rating(value, system="a", other="b")) for value in (-2.0, 0.0, 3.0)]
    assert [stat[0] for stat in shares if isinstance(stat, tuple)] == [1.0, 0.5, 0.0]


def test_a_share_of_all_or_nothing_still_has_an_interval() -> None:
    stats = [(1.0, listener, item) for listener in range(8) for item in range(4)]
    interval = compute_interval(stats, PreferenceAggregator())
    assert interval.method == "two-way-wilson"
    assert 0.4 < interval.low < 0.9
    assert interval.high == 1.0


def test_a_median_has_an_interval_over_listeners_and_items() -> None:
    offsets = np.random.default_rng(0).normal(0, 10, 20)

    def rate(listeners: int, items: int, *, by_item: bool) -> list[tuple[float, int, int]]:
        return [
            (60 + round(offsets[item if by_item else listener]), listener, item)
            for listener in range(listeners)
            for item in range(items)
        ]

    aggregate = MedianAggregator()
    by_listener = compute_interval(rate(20, 10, by_item=False), aggregate)
    by_item = compute_interval(rate(10, 20, by_item=True), aggregate)
    assert (by_listener.low, by_listener.high) == (by_item.low, by_item.high)
    assert by_listener.low < aggregate(rate(20, 10, by_item=False)) < by_listener.high
    assert (by_listener.units, by_listener.method) == (20, "two-way-median")


def test_a_failed_check_is_counted_once_for_a_page() -> None:
    metric = get_metric(MOS, "check_failures")
    first: Any = metric.score(*rating(4, system="a", check="trap", passed=False, position=1))
    assert first[0] == 1.0
    assert metric.score(*rating(4, system="a", check="trap", passed=False, position=2)) is None
    assert metric.score(*rating(4, system="a")) is None


def test_names_of_metrics_follow_the_kind() -> None:
    names = [metric.name for metric in make_metrics(TestFacts("ab", ("a", "b", "c"), 0, 1))]
    assert names[:3] == ["preference.a_vs_b", "preference.a_vs_c", "preference.b_vs_c"]
    assert names[3:] == ["strength.a", "strength.b", "strength.c", "check_failures"]
