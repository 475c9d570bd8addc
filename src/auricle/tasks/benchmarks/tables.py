"""Rows of the tables that archives hold, whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.data.row_files import Row, read_rows
from auricle.tasks.benchmarks.base import Item, Items

Values = Mapping[str, Any]


def read_records(path: Path) -> Iterator[Row | RejectedRow]:
    """Rows of a CSV, TSV, JSONL or Parquet file, or of a JSON array (maybe under `data`)."""
    return _read_json_array(path) if path.suffix == ".json" else read_rows(path)


def convert_table(path: Path, convert: Callable[[Values], Item | None]) -> Items:
    """Every row of a table as `make` has it; None leaves it out."""
    for row in read_records(path):
        if isinstance(row, RejectedRow):
            yield row
            continue
        try:
            found = convert(row.values)
        except KeyError as error:
            there = ", ".join(row.values)
            raise DataError(f"{row.origin} has no column {error}; it has {there}.") from error
        if found is not None:
            yield found


def split_valid_rows(path: Path, *columns: str) -> tuple[list[Row], list[RejectedRow]]:
    """The rows of a table that have these columns, and those that lack one or cannot be read."""
    good: list[Row] = []
    rejected: list[RejectedRow] = []
    for row in read_records(path):
        if isinstance(row, RejectedRow):
            rejected.append(row)
        elif lacking := [name for name in columns if name not in row.values]:
            there = ", ".join(row.values) or "nothing"
            rejected.append(RejectedRow(row.origin, f"no {lacking[0]!r}; it has {there}"))
        else:
            good.append(row)
    if rejected and not good:
        raise DataError(f"{path}: no row can be used. {rejected[0].origin}: {rejected[0].reason}.")
    return good, rejected


def _read_json_array(path: Path) -> Iterator[Row]:
    try:
        found = orjson.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.") from error
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path} is not JSON: {error}.") from error
    listed = found.get("data") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise DataError(f"{path} should hold a JSON array of objects.")
    for number, values in enumerate(listed, 1):
        yield Row(f"{path.name}:{number}", values)
