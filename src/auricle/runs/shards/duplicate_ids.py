"""Samples whose id occurs in an earlier row: they become rejected rows, as in an ordinary run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from auricle.core.types import Failure, Record, RejectedRow, Sample

FindFirstRow = Callable[[str, int], int]
"""Returns the first row of the data in which an id occurs, from the id and a row in which it does."""
_DUPLICATE = re.compile(r"(duplicate id .*, first used in row )(\d+)", re.DOTALL)


def is_rejected(record: Record) -> bool:
    """Return whether a record stands for a row that is no sample."""
    return record.error is not None and record.error.kind == RejectedRow.__name__


def number_rows(records: Iterable[Record], offset: int, find_first_row: FindFirstRow) -> Iterator[Record]:
    """Yield the records of a shard with their rows in the data; repeated ids are rejected.

    Args:
        records: Records of a shard, in the order of its rows.
        offset: Number of rows in earlier shards.
        find_first_row: Returns the first row of an id.
    """
    ids: dict[int, str] = {}
    for record in records:
        row = offset + record.row
        if is_rejected(record):
            yield _renumber_rejection(replace(record, row=row), ids, offset, find_first_row)
            continue
        ids[record.row] = record.sample.id
        first = find_first_row(record.sample.id, row)
        yield replace(record, row=row) if first == row else _reject(record, row, first)


def _reject(record: Record, row: int, first: int) -> Record:
    """Return the record of a sample whose id is that of an earlier one."""
    sample = record.sample
    origin = sample.origin or f"row {row + 1}"
    rejected = Sample(id=f"rejected {origin}", inputs={}, target=sample.target, origin=origin)
    reason = f"duplicate id {sample.id!r}, first used in row {first + 1}"
    return Record(sample=rejected, row=row, error=Failure(RejectedRow.__name__, reason))


def _renumber_rejection(record: Record, ids: dict[int, str], offset: int, find_first_row: FindFirstRow) -> Record:
    """State the row of the data in which a repeated id was first used, instead of the row of its shard."""
    assert record.error
    match = _DUPLICATE.fullmatch(record.error.message)
    if match is None:
        return record
    local_row = int(match[2]) - 1
    first = find_first_row(ids[local_row], offset + local_row) if local_row in ids else offset + local_row
    return replace(record, error=replace(record.error, message=f"{match[1]}{first + 1}"))


def renumber_message(message: str, offset: int) -> str:
    """State the row of the data in the message of a repeated id, instead of the row of its shard.

    >>> renumber_message("duplicate id 'a', first used in row 3", 100)
    "duplicate id 'a', first used in row 103"
    """
    match = _DUPLICATE.fullmatch(message)
    return f"{match[1]}{int(match[2]) + offset}" if match else message
