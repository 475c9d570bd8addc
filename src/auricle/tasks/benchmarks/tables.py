"""Read tables of archives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.data.file_formats import Row, read_rows
from auricle.tasks.benchmarks.sources import BenchmarkPart, Item, Items, find_below, missing_column_error

Values = Mapping[str, Any]


def convert_table(path: Path, convert: Callable[[Values], Item | None]) -> Items:
    """Yield the converted rows of a table, except those converted to None."""
    for row in read_rows(path):
        if isinstance(row, RejectedRow):
            yield row
            continue
        try:
            item = convert(row.values)
        except KeyError as error:
            raise missing_column_error(row.origin, str(error), row.values) from error
        if item is not None:
            yield item


def read_table_with_audio(
    tables: Sequence[str], audio_folders: Sequence[str], convert: Callable[[Values, Path], Item | None]
) -> Callable[[Path, BenchmarkPart], Items]:
    """Return a reader of a table and a folder of recordings.

    Args:
        tables: Possible paths of the table; `{split}` stands for the split.
        audio_folders: Possible paths of the folder.
        convert: Function of a row and the folder that returns an item, or None to skip the row.
    """

    def read(root: Path, part: BenchmarkPart) -> Items:
        table = find_below(root, *(name.format(**part) for name in tables))
        folder = find_below(root, *(name.format(**part) for name in audio_folders))
        return convert_table(table, lambda row: convert(row, folder))

    return read


def split_valid_rows(path: Path, *columns: str) -> tuple[list[Row], list[RejectedRow]]:
    """Return the rows of a table that have these columns, and the rows that do not or cannot be read."""
    valid: list[Row] = []
    rejected: list[RejectedRow] = []
    for row in read_rows(path):
        if isinstance(row, RejectedRow):
            rejected.append(row)
        elif missing := [name for name in columns if name not in row.values]:
            reason = f"missing column {missing[0]!r} (columns: {', '.join(row.values) or 'none'})"
            rejected.append(RejectedRow(row.origin, reason))
        else:
            valid.append(row)
    if rejected and not valid:
        raise DataError(f"{path}: no usable row. {rejected[0].origin}: {rejected[0].reason}.")
    return valid, rejected
