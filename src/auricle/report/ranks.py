"""Add to a leaderboard how certain its ranks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from auricle.core.errors import DataError
from auricle.metrics.base import Codes
from auricle.metrics.rank_intervals import ModelStats, compute_rank_intervals
from auricle.report.leaderboard import Cell, Column, Leaderboard, Rank
from auricle.report.stored_stats import load_stats
from auricle.report.text_format import format_group
from auricle.runs.run_directory import Run

MIN_UNITS = 2


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


def add_rank_intervals(board: Leaderboard, paths: Mapping[str, Path]) -> Leaderboard:
    """Compute the interval of each rank from the statistics of the samples.

    A column has intervals only if the statistics of all its complete runs can be read and give the published numbers;
    combined numbers of suites have none.

    Args:
        board: The leaderboard.
        paths: The run directory of each run, by its name in the leaderboard.
    """
    ranks: dict[tuple[int, Column], Rank] = {}
    for column in board.columns:
        cells = {
            at: cell for at, row in enumerate(board.rows) if (cell := row.cells.get(column)) and cell.rank is not None
        }
        for at, rank in zip(cells, _rank_column(column, list(cells.values()), paths), strict=False):
            ranks[at, column] = rank
    return board.with_ranks(ranks)


def _rank_column(column: Column, cells: Sequence[Cell], paths: Mapping[str, Path]) -> list[Rank]:
    """Return the rank of each cell with its interval; an empty list if a run has no statistics."""
    if len(cells) < 2 or any(cell.run not in paths for cell in cells):
        return []
    units, models = UnitTable(), []
    for cell in cells:
        try:
            stored = load_stats(paths[cell.run], cell.number)
            codes = units.encode(paths[cell.run], stored.ids if stored else (), cell.number.cluster)
        except DataError:  # the page of the run shows why
            return []
        if stored is None:
            return []
        models.append(ModelStats(stored.stats, codes, stored.metric.aggregate))
    if units.count < MIN_UNITS or not all(model.can_be_drawn for model in models):
        return []
    intervals = compute_rank_intervals(models, units.count, higher_is_better=column.higher_is_better)
    return [
        replace(cell.rank, low=low, high=high)
        for cell, (low, high) in zip(cells, intervals, strict=True)
        if cell.rank is not None
    ]
