"""Dynamic time warping: the cheapest way to walk through two sequences of frames at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Frames = NDArray[np.float64]
Path = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Indices of the paired frames of both sequences."""

DIAGONAL, FIRST, SECOND = 0, 1, 2
"""Which sequence a step advances: both, the first or the second."""


def warp(first: Frames, second: Frames) -> Path:
    """Pair the frames of two sequences so that the sum of their Euclidean distances is smallest.

    Steps advance one sequence or both by one frame, without weights; where two paths cost the same, both advance.

    >>> rows, columns = warp(np.array([[0.0], [1.0], [1.0]]), np.array([[0.0], [1.0]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 1, 2], [0, 1, 1])
    """
    steps = _find_steps(first, second)
    row, column = len(first) - 1, len(second) - 1
    pairs = [(row, column)]
    while row or column:
        diagonal = row + column
        step = steps[diagonal][row - max(0, diagonal - len(second) + 1)]
        row -= step != SECOND
        column -= step != FIRST
        pairs.append((row, column))
    rows, columns = np.array(pairs[::-1], dtype=np.int64).T
    return rows, columns


def _find_steps(first: Frames, second: Frames) -> list[NDArray[np.int8]]:
    """Return for each pair of frames the last step of the cheapest path to it, by diagonal, then by row.

    The pairs of a diagonal, whose indices have the same sum, depend only on the two diagonals before it.
    """
    rows, columns = len(first), len(second)
    # Entry i + 1 is the cost of the path to row i; entry 0 is outside.
    previous, earlier = np.full(rows + 1, np.inf), np.full(rows + 1, np.inf)
    earlier[0] = 0.0
    steps: list[NDArray[np.int8]] = []
    for diagonal in range(rows + columns - 1):
        low, high = max(0, diagonal - columns + 1), min(diagonal, rows - 1) + 1
        differences = first[low:high] - second[diagonal - high + 1 : diagonal - low + 1][::-1]
        distances = np.sqrt(np.einsum("ij,ij->i", differences, differences))
        arrivals = np.stack([earlier[low:high], previous[low:high], previous[low + 1 : high + 1]])
        chosen = arrivals.argmin(axis=0)
        current = np.full(rows + 1, np.inf)
        current[low + 1 : high + 1] = distances + arrivals.min(axis=0)
        steps.append(chosen.astype(np.int8))
        previous, earlier = current, previous
    return steps
