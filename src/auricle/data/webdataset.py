"""Read WebDataset tars: adjacent members that share a name up to the first dot are the fields of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import orjson

from auricle.core.errors import SampleError
from auricle.core.size_limits import FILE_LIMIT, ROW_LIMIT, SizeLimit
from auricle.data.data_files import DataFile, RemoteFile
from auricle.data.file_formats import Row, Rows, convert_row
from auricle.data.tar_files import Member, iter_members

MEDIA_COLUMNS = {
    **dict.fromkeys(("flac", "wav", "mp3", "ogg", "opus", "m4a", "aac", "wma", "sph"), "audio"),
    **dict.fromkeys(("png", "jpg", "jpeg", "webp", "gif", "bmp"), "image"),
    **dict.fromkeys(("mp4", "webm", "mkv", "mov", "avi"), "video"),
}
"""Columns of media, by extension."""
TEXT_COLUMNS = {"txt": "text", "text": "text", "transcript": "text", "cls": "label"}
"""Columns of texts, by extension."""


def split_name(name: str) -> tuple[str, str]:
    """Return the key of a member, and its field.

    >>> split_name("dir.v1/000123.seg1.flac")
    ('dir.v1/000123', 'seg1.flac')
    """
    folder, slash, base = name.rpartition("/")
    key, _, field = base.partition(".")
    return f"{folder}{slash}{key}", field.lower()


def read_tar(path: DataFile, *, skip_binary: bool = False) -> Rows:
    """Yield the samples of a tar, in order.

    The sounds of a tar at a URL are in memory, because they were just read; those of a local tar are read when needed.

    Args:
        path: The tar.
        skip_binary: Leave out sounds, images and videos.
    """
    reads_media = isinstance(path, RemoteFile) and not skip_binary

    def limit_of(name: str) -> SizeLimit | None:
        extension = name.rpartition(".")[2].lower()
        if extension == "json" or extension in TEXT_COLUMNS:
            return ROW_LIMIT
        return FILE_LIMIT if reads_media and extension in MEDIA_COLUMNS else None

    named = ((split_name(member.name), member) for member in iter_members(path, limit_of))
    for key, group in groupby((item for item in named if item[0][1]), key=lambda item: item[0][0]):
        origin = f"{path.name}#{key}"
        fields = [(field, member) for (_, field), member in group]
        yield convert_row(origin, _make_row, origin, key, fields, skip_binary)


def _make_row(origin: str, key: str, fields: Sequence[tuple[str, Member]], skip_binary: bool) -> Row:
    values: dict[str, Any] = {}
    for field, member in sorted(fields, key=lambda item: item[0] != "json"):  # other fields replace its columns
        values |= _read_field(field, member, skip_binary=skip_binary)
    return Row(origin, values, default_id=key)


def _read_field(field: str, member: Member, *, skip_binary: bool) -> dict[str, Any]:
    """Return the columns of a field; a field of two extensions, such as `seg1.flac`, is named by the first."""
    prefix, _, extension = field.rpartition(".")
    if extension == "json":
        return _parse_json(field, member.content or b"")
    if column := TEXT_COLUMNS.get(extension):
        return {prefix or column: _decode(field, member.content or b"").strip()}
    if (column := MEDIA_COLUMNS.get(extension)) and not skip_binary:
        return {prefix or column: {"path": member.uri, "bytes": member.content}}
    return {}


def _decode(field: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SampleError(f"the field .{field} is not UTF-8 text") from error


def _parse_json(field: str, content: bytes) -> dict[str, Any]:
    try:
        values = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"the field .{field} is not valid JSON: {error}") from error
    if not isinstance(values, dict):
        raise SampleError(f"the field .{field} must be a JSON object, not {type(values).__name__}")
    return values
