"""Cut data into parts that can be read independently of each other.

A part is a range of one file that a reader can enter without reading what precedes it: bytes of JSON lines, row groups
of Parquet, or a whole file of another format. The rows of all parts, in order, are the rows of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Protocol, Self, runtime_checkable

from auricle.core.errors import DataError
from auricle.core.redaction import HIDDEN, redact_text
from auricle.core.storage import is_remote, split_location
from auricle.core.types import RejectedRow, Sample
from auricle.data.data_files import DataFile, data_suffix, open_data_file, stat_data_file, to_data_file
from auricle.data.file_formats import Row, check_first_line, open_parquet, parse_json_row, read_row_groups, read_rows
from auricle.data.shar import is_shar_cuts
from auricle.data.sources import PARALLEL_REQUESTS, DataSource, SourceFile

Unit = Literal["bytes", "row_groups", "rows", "file"]
LINE_SUFFIXES = (".jsonl", ".ndjson")
MAX_LINE_BUFFER = 8 << 20
MIN_LINE_BUFFER = 64 << 10


@dataclass(frozen=True, slots=True)
class DataPart:
    """A range of a data file."""

    source: str
    """Path or URL of the file; of Lhotse Shar that of the cuts."""
    unit: Unit
    """What `start` and `end` count."""
    start: int = 0
    end: int | None = None
    """None for the end of the file."""
    rows: int | None = None
    """Number of rows, if it is known without reading them."""
    size: int = 0
    """Size of the file when the part was planned."""
    etag: str = ""
    """Version of the file when the part was planned."""

    @property
    def revision(self) -> str:
        """What identifies the content, as far as it is known without reading it."""
        return f"{self.size} {self.etag} {self.unit}[{self.start}:{'' if self.end is None else self.end}]"


@runtime_checkable
class PartSource(Protocol):
    """Samples that can be cut into parts."""

    def plan_parts(self, target_bytes: int) -> Iterator[DataPart]:
        """Yield the parts of the data, in order, each of about this size; the data itself is not read."""

    def restrict(self, part: DataPart) -> Self:
        """Return the same data with only the samples of a part."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]: ...


def check_unchanged(part: DataPart) -> None:
    """Raise `DataError` if a file has changed since its parts were planned."""
    is_readable = HIDDEN not in part.source  # otherwise its reader checks it
    if part.etag and is_readable and stat_data_file(to_data_file(part.source)).etag != part.etag:
        raise DataError(
            f"{redact_text(part.source)} has changed since the run was planned. Run the same command again; "
            "only the shards of this file are processed again."
        )


def plan_parts(source: DataSource, target_bytes: int) -> Iterator[DataPart]:
    """Yield the parts of the files of a data set, in order, from their sizes and footers.

    Args:
        source: The data.
        target_bytes: Size of a part; row groups and files are not cut.
    """
    files = source.files
    if data_suffix(to_data_file(files[0].location)) == ".parquet" and is_remote(files[0].location):
        with ThreadPoolExecutor(PARALLEL_REQUESTS) as pool:  # one request after the other would take minutes
            for parts in pool.map(partial(_plan_file, target_bytes=target_bytes), files):
                yield from parts
        return
    for file in files:
        yield from _plan_file(file, target_bytes)


def _plan_file(file: SourceFile, target_bytes: int) -> list[DataPart]:
    location = to_data_file(file.location)
    if data_suffix(location) == ".parquet":
        return list(_plan_row_groups(file, location, target_bytes))
    if not _has_plain_lines(location):
        return [DataPart(file.location, "file", size=file.size, etag=file.etag)]
    starts = range(0, file.size, max(1, target_bytes))
    ends = [*starts[1:], file.size][: len(starts)]  # an empty file has no parts
    return [
        DataPart(file.location, "bytes", start, end, size=file.size, etag=file.etag)
        for start, end in zip(starts, ends, strict=True)
    ]


def _has_plain_lines(location: DataFile) -> bool:
    """Return whether a file consists of lines that are rows; Shar has other files beside them."""
    return data_suffix(location) in LINE_SUFFIXES and not is_shar_cuts(location.name)


def _plan_row_groups(file: SourceFile, location: DataFile, target_bytes: int) -> Iterator[DataPart]:
    """Yield parts of one row group or of several small ones."""
    start = rows = size = 0
    with open_parquet(location) as parquet:
        metadata = parquet.metadata
        for index in range(metadata.num_row_groups):
            group = metadata.row_group(index)
            if rows and size + group.total_byte_size > target_bytes:
                yield DataPart(file.location, "row_groups", start, index, rows, file.size, file.etag)
                start, rows, size = index, 0, 0
            rows, size = rows + group.num_rows, size + group.total_byte_size
        if rows:
            yield DataPart(file.location, "row_groups", start, metadata.num_row_groups, rows, file.size, file.etag)


def read_single(source: DataSource, *, skip_binary: bool = False) -> Iterator[Row | RejectedRow]:
    """Yield the rows of data that is one file, with the folder to which their paths are relative."""
    folder = split_location(source.location)[0]
    for row in read_rows(to_data_file(source.location), skip_binary=skip_binary):
        yield row if isinstance(row, RejectedRow) else row._replace(folder=folder)


def read_source(source: DataSource, *, skip_binary: bool = False) -> Iterator[Row | RejectedRow]:
    """Yield the rows of all files, with the ids and origins that they have as parts."""
    for file in source.files:
        part = _whole_file(file)
        yield from (row for _, row in read_part(source, part, skip_binary=skip_binary))


def _whole_file(file: SourceFile) -> DataPart:
    location = to_data_file(file.location)
    is_parquet = data_suffix(location) == ".parquet"
    unit: Unit = "row_groups" if is_parquet else "bytes" if _has_plain_lines(location) else "file"
    return DataPart(file.location, unit)


def read_part(
    source: DataSource, part: DataPart, *, skip_binary: bool = False
) -> Iterator[tuple[int, Row | RejectedRow]]:
    """Yield the rows of a part with their index in the file, or in the part if that is unknown.

    Rows without an id get the same one however the data is cut: the file and the offset of a JSON line, otherwise the
    index of the row, preceded by the file if there are several.

    Args:
        source: The data that the part belongs to.
        part: A part of it.
        skip_binary: Leave out sounds and images that are stored in the file itself.
    """
    file, label = to_data_file(part.source), source.label(part.source)
    folder = split_location(part.source)[0]
    for index, row in _read_unit(part, file, label or file.name, skip_binary):
        origin = label + row.origin.removeprefix(file.name) if label else row.origin
        if isinstance(row, RejectedRow):
            yield index, replace(row, origin=origin)
        else:
            default_id = row.default_id or (f"{label}:{index}" if label else "")
            yield index, row._replace(origin=origin, folder=folder, default_id=default_id)


def _read_unit(
    part: DataPart, file: DataFile, label: str, skip_binary: bool
) -> Iterator[tuple[int, Row | RejectedRow]]:
    if part.unit == "bytes":
        return enumerate(_read_lines(file, label, part.start, part.end))
    if part.unit == "row_groups":
        return read_row_groups(file, part.start, part.end, skip_binary=skip_binary)
    return enumerate(read_rows(file, skip_binary=skip_binary))


def _read_lines(file: DataFile, label: str, start: int, end: int | None) -> Iterator[Row | RejectedRow]:
    """Yield the JSON lines that begin from `start` to before `end`."""
    limit = (
        MAX_LINE_BUFFER if end is None else max(MIN_LINE_BUFFER, min(MAX_LINE_BUFFER, end - start + MIN_LINE_BUFFER))
    )
    with open_data_file(file, buffering=limit) as lines:
        offset = start
        if start:  # the line in which the part begins belongs to the part before, unless it ends right there
            lines.seek(start - 1)
            offset = start - 1 + len(lines.readline())
        while (end is None or offset < end) and (line := lines.readline()):
            begin, offset = offset, offset + len(line)
            if begin == 0:
                line = check_first_line(line, file)
            if line and not line.isspace():
                name = f"{label}@{begin}"
                row = parse_json_row(f"{file.name}@{begin}", line)
                yield row if isinstance(row, RejectedRow) else row._replace(default_id=name)
