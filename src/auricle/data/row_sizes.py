"""Estimate the bytes of a row from the beginning of a file that is not cut: a tar, compressed lines or CSV."""

from __future__ import annotations

import zlib
from itertools import groupby

from auricle.core.errors import DataError
from auricle.core.redaction import redact_text
from auricle.core.size_limits import ROW_LIMIT
from auricle.core.storage import open_storage, split_location
from auricle.data.data_files import COMPRESSED_SUFFIX, data_suffix, to_data_file
from auricle.data.tar_files import iter_members
from auricle.data.webdataset import split_name

INSPECTED_ROWS = 200
INSPECTED_BYTES = 1 << 20
GZIP_WINDOW = 31
"""`wbits` of zlib for the format of gzip."""
LINE_SUFFIXES = frozenset({".csv", ".tsv"})


def measure_row_size(location: str, size: int) -> float | None:
    """Return the bytes of a row; None if its format has no rows of similar sizes.

    Args:
        location: Path or URL of the file.
        size: Its size in bytes.
    """
    suffix = data_suffix(to_data_file(location))
    if suffix == ".tar":
        return _measure_tar(location, size)
    if suffix.endswith(COMPRESSED_SUFFIX) or suffix in LINE_SUFFIXES:
        return _measure_lines(location, size)
    return None


def _measure_tar(location: str, size: int) -> float:
    rows = end = 0
    members = iter_members(to_data_file(location), lambda _: None)
    for _, group in groupby(members, key=lambda member: split_name(member.name)[0]):
        if rows == INSPECTED_ROWS:
            return end / rows
        rows += 1
        end = max(member.offset + member.size for member in group)
    return size / max(1, rows)


def _measure_lines(location: str, size: int) -> float:
    folder, name = split_location(location)
    block = open_storage(folder).read(name, 0, INSPECTED_BYTES)
    is_compressed = data_suffix(to_data_file(location)).endswith(COMPRESSED_SUFFIX)
    try:
        text = zlib.decompressobj(GZIP_WINDOW).decompress(block, ROW_LIMIT.bytes) if is_compressed else block
    except zlib.error as error:
        raise DataError(f"{redact_text(location)} is not a gzip file: {error}.") from error
    rows = sum(1 for line in text.splitlines() if line.strip()) - (not is_compressed)  # the first line of CSV
    return min(size, len(block)) / max(1, rows)
