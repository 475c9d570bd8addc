"""Read rows of JSONL, JSON, CSV, TSV, Parquet and tar files, and of formats that features add, as lazily as possible.

A row that cannot be read becomes a `RejectedRow` with its position and reason. A file that cannot be read raises
`DataError`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, TypeVarTuple

import orjson

from auricle.core.errors import DataError, MissingExtra, SampleError, SpecError, describe
from auricle.core.registry import Registry
from auricle.core.size_limits import FILE_LIMIT, ROW_LIMIT, iter_lines
from auricle.core.types import RejectedRow
from auricle.data.data_files import COMPRESSED_SUFFIX, DataFile, data_suffix, open_data_file

MAX_REASON_LENGTH = 500
MAX_BATCH_ROWS = 1024
MAX_BATCH_BYTES = 128_000_000
NUMBER_BYTES = 8
DELIMITERS = (",", ";", "\t", "|")
SNIFFED_BYTES = 1 << 16
SURROGATES = re.compile("[\ud800-\udfff]")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Row(NamedTuple):
    """One row and its position."""

    origin: str
    values: Mapping[str, Any]
    folder: str = ""
    """Location of the folder to which paths in the row are relative; empty for that of the manifest."""
    default_id: str = ""
    """Id of the sample if no column has one; empty for the index of the row."""
    empty_cells: tuple[str, ...] = ()
    """Columns of a table in which the row has no value."""


Rows = Iterator[Row | RejectedRow]


def read_rows(path: DataFile, *, skip_binary: bool = False) -> Rows:
    """Yield every row of a manifest, in order.

    Args:
        path: The file.
        skip_binary: Leave out sounds and images that are stored in the file itself.
    """
    read = find_reader(path)
    if isinstance(path, Path):
        with open_data_file(path):  # raises here rather than at the first row
            pass
    return read(path, skip_binary=True) if skip_binary and read in BINARY_READERS else read(path)


def find_reader(path: DataFile) -> Callable[..., Rows]:
    """Return the function that reads a file, by its suffix."""
    suffix = data_suffix(path)
    if suffix not in ROW_FORMATS:
        raise DataError(f"Unsupported manifest {path}. Supported suffixes: {', '.join(list_suffixes())}.")
    return ROW_FORMATS.get(suffix)


def convert_row(origin: str, convert: Callable[[*Ts], T], *args: *Ts) -> T | RejectedRow:
    """Return what `convert` makes of a row. Whatever the row contains costs that row, never the run."""
    try:
        return convert(*args)
    except SpecError:  # concerns the whole file or the task
        raise
    except SampleError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 - a row may contain anything
        reason = f"invalid value ({type(error).__name__}: {describe(error)})"
    return RejectedRow(origin, reason if len(reason) <= MAX_REASON_LENGTH else f"{reason[:MAX_REASON_LENGTH]}…")


def file_revision(path: DataFile) -> str:
    """Return eight hex digits that change when the file changes."""
    digest = blake2b(digest_size=4)
    with open_data_file(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def count_rows(path: Path) -> int | None:
    """Return the approximate number of rows without parsing them; None if it is unknown."""
    if path.suffix.lower() == ".parquet":
        with open_parquet(path) as file:
            return int(file.metadata.num_rows)
    suffix = data_suffix(path)
    read = _READERS.get(suffix)
    if read is _read_json or (read is None and suffix in ROW_FORMATS):
        return sum(1 for _ in find_reader(path)(path))
    if read is _read_tar or path.suffix.lower() == COMPRESSED_SUFFIX:
        return None
    header = path.suffix.lower() in (".csv", ".tsv")
    with open_data_file(path) as file:
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


def _read_jsonl(path: DataFile, *, skip_binary: bool = False) -> Rows:
    from auricle.data.shar import has_recordings, is_shar_cuts, read_cuts  # which use rows of this module

    if is_shar_cuts(path.name) and has_recordings(path):
        yield from read_cuts(path, skip_binary=skip_binary)
        return
    name = path.name
    with open_data_file(path) as lines:
        for number, line in enumerate(lines, 1):
            if number == 1:
                line = check_first_line(line, path)
            if not line.isspace():
                yield parse_json_row(f"{name}:{number}", line)


def check_first_line(line: bytes, path: DataFile) -> bytes:
    """Return the first line of JSON lines without a byte order mark; refuse a JSON array."""
    line = line.removeprefix(b"\xef\xbb\xbf")
    if line.lstrip().startswith(b"["):
        raise DataError(f"{path} is a JSON array. Convert it to one object per line: jq -c '.[]' {path.name}.")
    return line


def _read_json(path: DataFile) -> Rows:
    """Yield the objects of a JSON array, which may be under `data`, or of JSON lines."""
    with open_data_file(path) as file:
        content = file.read()
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


def parse_json_row(origin: str, line: bytes) -> Row | RejectedRow:
    try:
        return _to_row(origin, orjson.loads(line))
    except orjson.JSONDecodeError as error:
        return RejectedRow(origin, f"not valid JSON: {error}")


def _to_row(origin: str, values: Any) -> Row | RejectedRow:
    if not isinstance(values, dict):
        return RejectedRow(origin, f"expected a JSON object, got {type(values).__name__}")
    return Row(origin, values)


def _read_csv(path: DataFile) -> Rows:
    csv.field_size_limit(ROW_LIMIT.bytes)  # the default limit is smaller than some transcripts
    with open_data_file(path) as file:
        delimiter = "\t" if path.suffix.lower() == ".tsv" else sniff_delimiter(file.read(SNIFFED_BYTES))
        file.seek(0)
        # Bytes that are not UTF-8 become surrogates, so that they cost only their own row.
        lines = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        table = csv.DictReader(iter_lines(lines.readline, str(path)), delimiter=delimiter)
        while (row := _read_csv_row(table, path.name)) is not None:
            yield row


def sniff_delimiter(start: bytes) -> str:
    """Return the delimiter that splits most of the first lines of a CSV file like its header; by default a comma."""
    text = start.decode("utf-8-sig", "replace")
    complete = text if len(start) < SNIFFED_BYTES else text[: text.rfind("\n")]
    shares = {delimiter: _share_like_header(complete, delimiter) for delimiter in DELIMITERS}
    return max(shares, key=lambda delimiter: shares[delimiter])  # the first of equals


def _share_like_header(text: str, delimiter: str) -> float:
    """Return the share of rows with as many cells as the header; 0 if the header is one cell."""
    try:
        header, *rows = [
            len(cells) for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if cells
        ]
    except (csv.Error, ValueError):  # not CSV with this delimiter, or an empty file
        return 0.0
    return sum(count == header for count in [header, *rows]) / (1 + len(rows)) if header > 1 else 0.0


def _read_csv_row(table: csv.DictReader[str], name: str) -> Row | RejectedRow | None:
    try:
        values = next(table, None)
    except csv.Error as error:
        return RejectedRow(f"{name}:{table.line_num}", f"not valid CSV: {error}")
    if values is None:
        return None
    origin = f"{name}:{table.line_num}"
    if None in values:
        return RejectedRow(origin, "more cells than the header has columns")
    if None in values.values():
        return RejectedRow(origin, "fewer cells than the header has columns")
    if any(map(SURROGATES.search, chain.from_iterable(values.items()))):
        return RejectedRow(origin, "not UTF-8 text")
    filled = {name: value for name, value in values.items() if value != ""}
    return Row(origin, filled, empty_cells=tuple(name for name in values if name not in filled))


def _read_parquet(path: DataFile, *, skip_binary: bool = False) -> Rows:
    return (row for _, row in read_row_groups(path, skip_binary=skip_binary))


def read_row_groups(
    path: DataFile, start: int = 0, end: int | None = None, *, skip_binary: bool = False
) -> Iterator[tuple[int, Row | RejectedRow]]:
    """Yield the rows of some row groups of a Parquet file, with their index in the file."""
    import pyarrow

    with open_parquet(path) as file:
        names = [field.name for field in file.schema_arrow if "binary" not in str(field.type)] if skip_binary else None
        count = sum(file.metadata.row_group(index).num_rows for index in range(start))
        groups = list(range(file.num_row_groups)[start:end])
        try:
            rows_at_once = _limit_batch(file.metadata, groups, names, str(path))
            for batch in file.iter_batches(batch_size=rows_at_once, row_groups=groups, columns=names) if groups else ():
                rows = _parquet_rows(batch, [f"{path.name}:{count + index + 1}" for index in range(len(batch))])
                yield from enumerate(rows, count)
                count += len(batch)
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{path} is damaged after row {count:,}: {error}") from error


def _limit_batch(metadata: Any, groups: Sequence[int], names: Sequence[str] | None, name: str) -> int:
    """Return how many rows of a Parquet file to read at once, by the numbers and sizes of values that it states.

    All rows of a group may refer to one value of its dictionary, so that each of them may be as large as that. Only the
    compressed size of a dictionary is stated; it is taken to be compressed like the rest of the column.
    """
    most = 1.0
    for index in groups:
        group = metadata.row_group(index)
        mean = largest = 0.0
        for column in map(group.column, range(group.num_columns)):
            if names is None or column.path_in_schema.split(".")[0] in names:
                size = max(column.total_uncompressed_size, NUMBER_BYTES * column.num_values)
                mean += size / max(group.num_rows, 1)
                largest += size / max(group.num_rows, 1)
                if column.has_dictionary_page:
                    stored = column.data_page_offset - column.dictionary_page_offset
                    largest += min(size, stored * size / max(column.total_compressed_size, 1))
        FILE_LIMIT.check(int(mean), f"A row of {name}")
        most = max(most, largest)
    return max(1, min(MAX_BATCH_ROWS, int(MAX_BATCH_BYTES / most)))


def _parquet_rows(batch: Any, origins: list[str]) -> list[Row | RejectedRow]:
    """Return the rows of a batch; if a value of it cannot be converted, its row is rejected."""
    rows = convert_row("", batch.to_pylist)
    if not isinstance(rows, RejectedRow):
        return [Row(origin, _drop_nulls(values, origin)) for origin, values in zip(origins, rows, strict=True)]
    return [convert_row(origin, _parquet_row, batch, index, origin) for index, origin in enumerate(origins)]


def _parquet_row(batch: Any, index: int, origin: str) -> Row:
    (values,) = batch.slice(index, 1).to_pylist()
    return Row(origin, _drop_nulls(values, origin))


def _drop_nulls(values: Mapping[str, Any], origin: str) -> dict[str, Any]:
    for name, value in values.items():
        if isinstance(value, str):
            ROW_LIMIT.check(len(value), f"The column {name!r} of {origin}")
    return {name: value for name, value in values.items() if value is not None}


@contextmanager
def open_parquet(path: DataFile) -> Iterator[Any]:
    """Open a Parquet file; only its footer is read."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    with open_data_file(path, buffering=0) as stream:
        try:
            file = pyarrow.parquet.ParquetFile(path if isinstance(path, Path) else stream, pre_buffer=True)
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{path} is not a Parquet file: {error}") from error
        with file:
            yield file


def _read_tar(path: DataFile, *, skip_binary: bool = False) -> Rows:
    """Yield the samples of a WebDataset tar."""
    from auricle.data.webdataset import read_tar  # which uses rows of this module

    return read_tar(path, skip_binary=skip_binary)


_READERS: Mapping[str, Callable[..., Rows]] = {
    **dict.fromkeys((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"), _read_jsonl),
    ".json": _read_json,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".tar": _read_tar,
}
ROW_FORMATS: Registry[Callable[..., Rows]] = Registry("row format", _READERS, expects=(Callable, "a function"))
"""Functions that yield the rows of a file, by its suffix."""
BINARY_READERS = (_read_jsonl, _read_parquet, _read_tar)
"""Readers of formats that may contain sounds and images, which they can leave out."""


def list_suffixes() -> list[str]:
    """List the suffixes of files that can be read: those of tables, then those that features add."""
    return list(dict.fromkeys([*ROW_FORMATS.builtin, *ROW_FORMATS]))
