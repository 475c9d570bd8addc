"""Draw the data of a column again: how its numbers vary together, and how certain their ranks are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from auricle.core.direction import Direction
from auricle.core.signature import Signature
from auricle.metrics.base import Array
from auricle.metrics.rank_intervals import draw_numbers, find_rank_intervals
from auricle.studies.leaderboards.column_stats import ColumnStats, LoadedResult
from auricle.studies.leaderboards.table import Rank

MIN_UNITS = 2


@dataclass(frozen=True, slots=True)
class ColumnDraws:
    """The numbers of a column in data that was drawn again, the same draws for all models."""

    results: tuple[LoadedResult, ...]
    """The ranked results."""
    unit_count: int
    values: Array
    """A row per draw, a column per result."""


def draw_column(stats: ColumnStats, ranked_count: int) -> ColumnDraws | None:
    """Draw the data of a column again; None if that is not possible for every ranked result.

    Combined numbers of suites, and numbers that cannot be computed from weighted samples, cannot be drawn.

    Args:
        stats: The statistics of the column.
        ranked_count: How many of its results have a rank.
    """
    ranked = tuple(result for result in stats.results if result.cell.rank)
    models = [result.model_stats for result in ranked]
    if not ranked or len(ranked) < ranked_count or stats.unit_count < MIN_UNITS:
        return None
    if not all(model.can_be_drawn for model in models):
        return None
    values = draw_numbers(models, stats.unit_count, seed=_seed_draws(stats.column.signature))
    return ColumnDraws(ranked, stats.unit_count, values)


def _seed_draws(signature: Signature) -> int:
    """Return the seed of the draws of a data set: metrics of the same data share them, different data do not."""
    return int.from_bytes(blake2b(f"{signature.task}\n{signature.revision}".encode(), digest_size=4).digest())


def rank_draws(draws: ColumnDraws, *, direction: Direction) -> Mapping[int, Rank]:
    """Return the rank of each result with its range, by the place of its row; a single result has none."""
    if len(draws.results) < 2:
        return {}
    numbers = np.array([result.cell.value for result in draws.results], dtype=np.float64)
    intervals = find_rank_intervals(numbers, draws.values, draws.unit_count, direction=direction)
    return {
        result.place: replace(result.cell.rank, low=low, high=high)
        for result, (low, high) in zip(draws.results, intervals, strict=True)
        if result.cell.rank
    }
