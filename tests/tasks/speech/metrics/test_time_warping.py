"""Dynamic time warping against a recursion over cells."""

from __future__ import annotations

import numpy as np
import pytest

from auricle.tasks.speech.metrics.time_warping import warp


def cheapest_cost(first: np.ndarray, second: np.ndarray) -> float:
    """Fill a table cell by cell."""
    costs = np.full((len(first), len(second)), np.inf)
    for row in range(len(first)):
        for column in range(len(second)):
            arrivals = [costs[row - 1, column - 1]] if row and column else []
            arrivals += [costs[row - 1, column]] if row else []
            arrivals += [costs[row, column - 1]] if column else []
            distance = np.linalg.norm(first[row] - second[column])
            costs[row, column] = distance + min(arrivals, default=0.0)
    return float(costs[-1, -1])


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 7), (7, 1), (5, 9), (20, 13), (30, 30)])
def test_the_path_is_connected_and_costs_as_little_as_any(rows: int, columns: int) -> None:
    random = np.random.default_rng(rows * 100 + columns)
    first, second = random.standard_normal((rows, 3)), random.standard_normal((columns, 3))
    path = np.array(warp(first, second))
    assert path[:, 0].tolist() == [0, 0]
    assert path[:, -1].tolist() == [rows - 1, columns - 1]
    steps = set(map(tuple, np.diff(path, axis=1).T.tolist()))
    assert steps <= {(1, 1), (0, 1), (1, 0)}
    cost = np.linalg.norm(first[path[0]] - second[path[1]], axis=1).sum()
    assert cost == pytest.approx(cheapest_cost(first, second), abs=1e-9)


def test_equal_sequences_are_paired_frame_by_frame() -> None:
    frames = np.zeros((6, 2))
    rows, columns = warp(frames, frames)
    assert rows.tolist() == columns.tolist() == list(range(6))


def test_a_slower_copy_is_followed() -> None:
    frames = np.arange(5.0)[:, None]
    rows, columns = warp(frames, np.repeat(frames, 3, axis=0))
    np.testing.assert_array_equal(frames[rows], np.repeat(frames, 3, axis=0)[columns])
