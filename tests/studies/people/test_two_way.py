"""Intervals over listeners and items: known answers, and coverage in simulated tests."""

import math
from typing import Any

import numpy as np
import pytest

from auricle.studies.people.two_way import encode_names, estimate_difference_of_means, estimate_mean


def draw_ratings(random: Any, listeners: int, items: int, sds: tuple[float, float, float]) -> tuple[Any, Any, Any]:
    """Return complete ratings with offsets of listeners, of items and of single ratings."""
    listener_codes, item_codes = (grid.ravel() for grid in np.meshgrid(range(listeners), range(items), indexing="ij"))
    offsets = random.normal(0, sds[0], listeners)[listener_codes] + random.normal(0, sds[1], items)[item_codes]
    return 3 + offsets + random.normal(0, sds[2], len(offsets)), listener_codes, item_codes


def test_the_variance_of_a_complete_table_is_that_of_the_classical_formula() -> None:
    values, listeners, items = draw_ratings(np.random.default_rng(0), 7, 9, (1.0, 0.8, 0.5))
    table = values.reshape(7, 9)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    by_listener = table.mean(axis=1).var(ddof=1) / 7
    by_item = table.mean(axis=0).var(ddof=1) / 9
    by_cell = table.var(ddof=1) / 63
    estimate = estimate_mean(values, listeners, items)
    assert estimate.error == pytest.approx(math.sqrt(by_listener + by_item - by_cell))
    assert rest.sum() == pytest.approx(0, abs=1e-9)
    assert (estimate.listeners, estimate.items, estimate.degrees) == (7, 9, 6)


def test_a_single_item_leaves_the_variance_over_listeners() -> None:
    values = np.array([1.0, 2.0, 4.0])
    estimate = estimate_mean(values, np.arange(3), np.zeros(3, dtype=np.int64))
    assert estimate.error == pytest.approx(values.std(ddof=1) / math.sqrt(3))
    assert estimate.degrees == 2


def test_a_single_rating_has_no_interval() -> None:
    low, high = estimate_mean(np.array([4.0]), np.array([0]), np.array([0])).interval()
    assert math.isnan(low)
    assert math.isnan(high)


def test_nothing_rated_is_undefined() -> None:
    empty: Any = np.empty(0)
    assert math.isnan(estimate_mean(empty, empty.astype(np.int64), empty.astype(np.int64)).value)


def test_an_interval_stays_on_the_scale() -> None:
    estimate = estimate_mean(np.array([5.0, 5.0, 4.0, 5.0]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    assert estimate.interval(1, 5)[1] == 5


def test_the_difference_of_a_system_with_itself_has_no_error() -> None:
    values, listeners, items = draw_ratings(np.random.default_rng(1), 5, 4, (1.0, 1.0, 1.0))
    estimate = estimate_difference_of_means((values, values), (listeners, listeners), (items, items))
    assert estimate.value == pytest.approx(0)
    assert estimate.error == pytest.approx(0, abs=1e-9)


def test_names_are_numbered_in_order_of_appearance() -> None:
    assert encode_names(["b", "a", "b"]).tolist() == [0, 1, 0]


def test_intervals_contain_the_truth_as_often_as_they_claim_and_those_over_ratings_do_not() -> None:
    random = np.random.default_rng(3)
    rounds, hits, naive_hits = 400, 0, 0
    for _ in range(rounds):
        values, listeners, items = draw_ratings(random, 12, 10, (0.4, 0.35, 0.7))
        low, high = estimate_mean(values, listeners, items).interval()
        hits += low <= 3 <= high
        naive_hits += abs(values.mean() - 3) < 1.96 * values.std() / math.sqrt(len(values))
    assert 0.93 <= hits / rounds <= 0.99
    assert naive_hits / rounds < 0.75
