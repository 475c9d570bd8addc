"""Read rows of JSONL, JSON, CSV, TSV and Parquet files, one at a time where the format allows it.

A row that cannot be read becomes a `RejectedRow` with its position and reason. A file that cannot be read raises
`DataError`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from auricle.core.errors import DataError, MissingExtra, SampleError
from auricle.core.types import RejectedRow


class Row(NamedTuple):
    """One row and its position."""

    origin: str
    values: Mapping[str, Any]


Rows = Iterator[Row | RejectedRow]


def read_rows(path: Path) -> Rows:
    """Yield every row of a manifest, in order."""
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise DataError(f"Unsupported manifest {path}. Supported suffixes: {', '.join(READERS)}.")
    if not path.is_file():
        raise DataError(f"No such file: {path}." if not path.exists() else f"Not a file but a folder: {path}.")
    return read(path)


def file_revision(path: Path) -> str:
    """Return eight hex digits that change when the file changes."""
    digest = blake2b(digest_size=4)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def count_rows(path: Path) -> int | None:
    """Return the approximate number of rows without parsing them; None if it is unknown."""
    if path.suffix.lower() == ".parquet":
        return int(_open_parquet(path).metadata.num_rows)
    if path.suffix.lower() == ".json":
        return sum(1 for _ in _read_json(path))
    header = path.suffix.lower() in (".csv", ".tsv")
    with path.open("rb") as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
        if file.tell():
            file.seek(-1, 2)
            lines += file.read(1) != b"\n"
    return max(0, lines - header)


def parse_json_cell(text: str) -> Any:
    """Parse a cell of a table that starts like a JSON list or object."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"a cell that looks like JSON is not: {text[:60]!r}") from error


def _read_jsonl(path: Path) -> Rows:
    name = path.name
    with path.open("rb", buffering=1 << 20) as lines:
        for number, line in enumerate(lines, 1):
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
                if line.lstrip().startswith(b"["):
                    raise DataError(f"{path} is a JSON array. Convert it to one object per line: jq -c '.[]' {name}.")
            if not line.isspace():
                yield _parse_json_row(f"{name}:{number}", line)


def _read_json(path: Path) -> Rows:
    """Yield the objects of a JSON array, which may be under `data`, or of JSON lines."""
    content = path.read_bytes()
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        if content.lstrip().startswith(b"["):
            raise DataError(f"{path} is neither a JSON array nor JSON lines: {error}.") from error
        yield from _read_jsonl(path)
        return
    rows = document.get("data", document) if isinstance(document, dict) else document
    for number, values in enumerate(rows if isinstance(rows, list) else [document], 1):
        yield _to_row(f"{path.name}:{number}", values)


def _parse_json_row(origin: str, line: bytes) -> Row | RejectedRow:
    try:
        return _to_row(origin, orjson.loads(line))
    except orjson.JSONDecodeError as error:
        return RejectedRow(origin, f"not valid JSON: {error}")


def _to_row(origin: str, values: Any) -> Row | RejectedRow:
    if not isinstance(values, dict):
        return RejectedRow(origin, f"expected a JSON object, got {type(values).__name__}")
    return Row(origin, values)


def _read_csv(path: Path) -> Rows:
    csv.field_size_limit(1 << 30)  # the default limit is smaller than some transcripts
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            table = csv.DictReader(lines, delimiter=delimiter)
            for values in table:
                yield _parse_csv_row(f"{path.name}:{table.line_num}", values)
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error}.") from error


def _parse_csv_row(origin: str, values: dict[str | None, Any]) -> Row | RejectedRow:
    if None in values:
        return RejectedRow(origin, "more cells than the header has columns")
    if None in values.values():
        return RejectedRow(origin, "fewer cells than the header has columns")
    return Row(origin, {str(name): value for name, value in values.items() if value != ""})


def _read_parquet(path: Path) -> Rows:
    number = 0
    for batch in _open_parquet(path).iter_batches(batch_size=1024):
        for values in batch.to_pylist():
            number += 1
            present = {name: value for name, value in values.items() if value is not None}
            yield Row(f"{path.name}:{number}", present)


def _open_parquet(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    try:
        return pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{path} is not a Parquet file: {error}") from error


READERS: dict[str, Callable[[Path], Rows]] = {
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
}
