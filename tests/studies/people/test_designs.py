"""Latin squares and Williams designs: known answers and balance."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from auricle.studies.people.designs import (
    assign_all,
    assign_conditions,
    balance_orders,
    latin_square,
    order_items,
    williams_design,
)


def test_the_latin_square_of_three_is_the_known_one() -> None:
    assert latin_square(3) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]


@pytest.mark.parametrize("size", range(2, 9))
def test_every_system_follows_every_other_one_equally_often(size: int) -> None:
    orders = williams_design(size)
    assert len(orders) == (size if size % 2 == 0 else 2 * size)
    assert all(sorted(order) == list(range(size)) for order in orders)
    counts = Counter(pair for order in orders for pair in pairwise(order))
    assert {counts[i, j] for i in range(size) for j in range(size) if i != j} == {len(orders) // size}


@pytest.mark.parametrize(("conditions", "rounds", "cycles"), [(1, 4, 3), (2, 3, 2), (3, 4, 2), (5, 2, 1)])
def test_every_listener_hears_every_item_once_and_every_condition_equally_often(
    conditions: int, rounds: int, cycles: int
) -> None:
    items = conditions * rounds
    heard: Counter[tuple[int, int]] = Counter()
    for listener in range(conditions * cycles):
        trials = assign_conditions(listener, items, conditions, np.random.default_rng(listener))
        assert sorted(item for item, _ in trials) == list(range(items))
        assert set(Counter(condition for _, condition in trials).values()) == {rounds}
        heard.update(trials)
    assert len(heard) == items * conditions
    assert set(heard.values()) == {cycles}


def test_all_conditions_of_all_items_are_heard_in_the_full_design() -> None:
    trials = assign_all(1, 4, 3, np.random.default_rng(0))
    assert sorted(trials) == [(item, condition) for item in range(4) for condition in range(3)]


def test_listeners_have_other_orders_of_the_same_pages() -> None:
    orders = [order_items(listener, 6, np.random.default_rng(9)) for listener in range(6)]
    assert all(sorted(order) == list(range(6)) for order in orders)
    assert len({tuple(order) for order in orders}) == 6


@pytest.mark.parametrize("pairs", [1, 3])
def test_orders_and_x_are_balanced_within_every_listener_and_every_item(pairs: int) -> None:
    for listener in range(4):
        own = Counter(balance_orders(listener, item, pairs) for item in range(0, 4 * pairs, pairs))
        assert set(own.values()) == {1}
    for item in range(4):
        own = Counter(balance_orders(listener, item, pairs) for listener in range(0, 4 * pairs, pairs))
        assert set(own.values()) == {1}
