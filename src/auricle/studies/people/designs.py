"""Which listener hears what, in which order: Latin squares and Williams designs.

Listeners are divided into as many groups as there are systems (or pairs of systems), and items into as many blocks. In
a Latin square, group g hears block b from system (g + b) mod k, so that a listener hears every item once and every
system equally often, and all groups together hear every item from every system. The order follows a Williams design,
in which every system comes directly after every other one equally often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import Generator


def latin_square(size: int) -> list[list[int]]:
    """Return the system that each group (row) hears in each block (column).

    >>> latin_square(3)
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    return [[(group + block) % size for block in range(size)] for group in range(size)]


def williams_design(size: int) -> list[list[int]]:
    """Return orders in which every system directly follows every other one equally often.

    There are as many orders as systems if their number is even, and twice as many if it is odd.

    >>> williams_design(4)
    [[0, 3, 1, 2], [1, 0, 2, 3], [2, 1, 3, 0], [3, 2, 0, 1]]
    """
    first = [(place + 1) // 2 if place % 2 == 0 else size - (place + 1) // 2 for place in range(size)]
    rows = [[(system + shift) % size for system in first] for shift in range(size)]
    return rows if size % 2 == 0 else rows + [row[::-1] for row in rows]


def assign_conditions(listener: int, item_count: int, condition_count: int, random: Generator) -> list[tuple[int, int]]:
    """Return the (item, condition) of each trial of a listener, in order; a condition is a system or a pair.

    Args:
        listener: Index of the listener; its remainder by the number of conditions is the group.
        item_count: Number of items, a multiple of the number of conditions.
        condition_count: Number of conditions.
        random: Shuffles the items within each block.
    """
    square, orders = latin_square(condition_count), williams_design(condition_count)
    group = square[listener % condition_count]
    blocks = [list(range(block, item_count, condition_count)) for block in range(condition_count)]
    items_by_condition = {group[block]: random.permutation(items).tolist() for block, items in enumerate(blocks)}
    rounds = item_count // condition_count
    trials = []
    for place in range(rounds):
        order = orders[(listener // condition_count + listener + place) % len(orders)]
        trials += [(items_by_condition[condition][place], condition) for condition in order]
    return trials


def assign_all(listener: int, item_count: int, condition_count: int, random: Generator) -> list[tuple[int, int]]:
    """Return (item, condition) of each trial if a listener hears every item under every condition."""
    orders = williams_design(condition_count)
    items = [random.permutation(item_count).tolist() for _ in range(condition_count)]
    trials = []
    for place in range(item_count):
        order = orders[(listener + place) % len(orders)]
        trials += [(items[condition][place], condition) for condition in order]
    return trials


def order_items(listener: int, item_count: int, random: Generator) -> list[int]:
    """Return the order of the pages of a listener: a row of a Williams design over shuffled items.

    The same generator, or one with the same seed, has to be passed for all listeners.
    """
    names = random.permutation(item_count).tolist()
    orders = williams_design(item_count)
    return [names[place] for place in orders[listener % len(orders)]]


def balance_orders(listener: int, item: int, pair_count: int) -> tuple[bool, bool]:
    """Return whether the second system of a pair is played first, and whether X of an ABX trial is what is played last.

    Both are so in half of the trials of every listener and of every item, in all combinations.
    """
    number = listener // pair_count + item // pair_count
    return number % 2 == 1, number // 2 % 2 == 1
