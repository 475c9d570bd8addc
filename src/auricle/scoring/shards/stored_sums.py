"""`sums.bin` of a merged run: the sums of all samples by bucket, from which two large runs are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from auricle.core.errors import DataError
from auricle.core.files import write_lines_atomically
from auricle.metrics.base import Array
from auricle.runs.shards.merged_files import SUMS_FILE, read_merged_sums
from auricle.scoring.shards.keyed_table import bucket_keys
from auricle.scoring.shards.packing import pack, unpack
from auricle.scoring.shards.running_column import RunningColumn
from auricle.scoring.shards.running_sums import RunningSums


class StoredSums:
    """The sums of a run by metric, group and bucket.

    Args:
        document: The groups of the run, its cluster fields, and what its columns are.
        arrays: The sums by metric and unit, one row per column.
    """

    def __init__(self, document: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self._cells = {(field, value): cell for field, value, cell in document["cells"]}
        self._columns: dict[str, dict[str, Any]] = document["columns"]
        self._arrays = arrays

    @classmethod
    def load(cls, path: Path) -> StoredSums | None:
        """Read the sums of a run; None if it has none, because its samples fit into memory.

        Raises:
            DataError: if the file is damaged.
        """
        content = read_merged_sums(path)
        try:
            return None if content is None else cls(*unpack(content))
        except (DataError, KeyError) as error:
            raise DataError(f"{path / SUMS_FILE} is damaged. Run `auricle merge {path}` to write it again.") from error

    def has_metric(self, metric: str) -> bool:
        """Return whether a metric is a function of these sums."""
        return metric in self._columns

    def has_unit(self, metric: str, unit: str) -> bool:
        """Return whether there are sums by buckets of the values of a metadata field."""
        return f"{metric}/{unit}" in self._arrays

    def list_values(self, field: str) -> list[str]:
        """Return the values of a metadata field, in the order of reports."""
        return [value for name, value in self._cells if name == field]

    def is_numeric(self, metric: str) -> bool:
        """Return whether the statistics of a metric are numbers."""
        return bool(self._columns[metric]["is_numeric"])

    def labels(self, metric: str) -> list[bytes] | None:
        """Return the statistics that the columns of a metric count, as JSON; None if the columns are sums."""
        labels = self._columns[metric]["labels"]
        return None if labels is None else [orjson.dumps(label) for label in labels]

    def list_totals(self, metric: str, unit: str, field: str = "", value: str = "all") -> Array:
        """Return the sums of all buckets of a group, one row per bucket."""
        keys = bucket_keys(self._cells[field, value])
        table = self._arrays[f"{metric}/{unit}"]
        block = np.zeros((keys.stop - keys.start, len(table)))
        available = table[:, keys].T
        block[: len(available)] = available
        return block


def store_sums(path: Path, sums: RunningSums) -> None:
    """Write the sums of a merged run.

    Args:
        path: Run directory.
        sums: The sums of all shards.
    """
    cells = [("", "all", 0), *((field, *cell) for field in sums.fields for cell in sums.list_cells(field))]
    columns: dict[str, dict[str, Any]] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, column in sums.columns.items():
        if column.kind == "none" or column.is_sampled or column.refusal_reason:
            continue
        columns[name] = {"labels": _list_labels(column), "is_numeric": column.is_numeric}
        for unit, table in column.list_tables().items():
            arrays[f"{name}/{unit}"] = table
    content = pack({"format": 1, "cells": cells, "columns": columns}, arrays)
    write_lines_atomically(path / SUMS_FILE, [content])


def _list_labels(column: RunningColumn) -> list[Any] | None:
    return None if column.kind == "sums" else [orjson.loads(label) for label in column.labels]
