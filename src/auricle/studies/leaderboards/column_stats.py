"""Load the statistics behind the results of a column of the leaderboard, with the independent units that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from auricle.core.errors import DataError
from auricle.core.value_text import format_group
from auricle.metrics.base import Codes
from auricle.metrics.rank_intervals import ModelStats
from auricle.runs.run_directory import Run
from auricle.scoring.stored_stats import StoredStats, load_stats
from auricle.studies.leaderboards.table import Cell, Column, Leaderboard


class UnitTable:
    """The independent units of a column: samples, or clusters of samples, numbered across its runs."""

    def __init__(self) -> None:
        self._unit_by_sample: dict[str, int] = {}
        self._unit_by_cluster: dict[str, int] = {}
        self.count = 0

    def encode(self, path: Path, ids: Sequence[str], cluster: str) -> Codes:
        """Return the unit of each sample of a run; the journal is read only for clusters of samples not seen before."""
        new_samples = set(ids) - self._unit_by_sample.keys()
        if cluster and new_samples:
            for record in Run.load(path).records():
                if record.sample.id in new_samples and cluster in record.sample.meta:
                    self._add(record.sample.id, format_group(record.sample.meta[cluster]))
        for sample in ids:
            self._add(sample)
        return np.array([self._unit_by_sample[sample] for sample in ids], dtype=np.int64)

    def _add(self, sample: str, cluster: str | None = None) -> None:
        if sample in self._unit_by_sample:
            return
        unit = self.count if cluster is None else self._unit_by_cluster.setdefault(cluster, self.count)
        self.count += unit == self.count
        self._unit_by_sample[sample] = unit


@dataclass(frozen=True, slots=True)
class LoadedResult:
    """A result with the statistics behind it."""

    place: int
    """The place of its row in the leaderboard."""
    cell: Cell
    path: Path
    stored: StoredStats
    units: Codes

    @property
    def model_stats(self) -> ModelStats:
        return ModelStats(self.stored.stats, self.units, self.stored.metric.aggregate)


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """The results of a column whose statistics can be read."""

    column: Column
    results: tuple[LoadedResult, ...]
    unit_count: int
    """Number of independent units in all of them."""


def load_column(board: Leaderboard, column: Column, paths: Mapping[str, Path]) -> ColumnStats:
    """Read the statistics of a column; results whose statistics are missing, damaged or of another metric are left out.

    Args:
        board: The leaderboard.
        column: One of its columns.
        paths: The run directory of each run, by its name in the leaderboard.
    """
    units, results = UnitTable(), []
    for place, row in enumerate(board.rows):
        cell = row.cells.get(column)
        if cell is None or cell.run not in paths:
            continue
        path = paths[cell.run]
        try:
            if stored := load_stats(path, cell.number):
                codes = units.encode(path, stored.ids, cell.number.cluster)
                results.append(LoadedResult(place, cell, path, stored, codes))
        except DataError:  # the page of the run shows why
            continue
    return ColumnStats(column, tuple(results), units.count)
