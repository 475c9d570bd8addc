"""Read and write the JSON documents of a run directory.

A document is a frozen dataclass. Reading validates it, so that a damaged or edited file is reported in one line.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import orjson

from auricle.core.errors import DataError
from auricle.core.files import write_atomically

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Document = TypeVar("Document")
MAX_BYTES = 50_000_000
"""Largest document that is read."""
WRITE_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_SERIALIZE_NUMPY


def read_document(path: Path, kind: type[Document], latest_format: int = 1, remedy: str = "") -> Document:
    """Read a document.

    Args:
        path: The file.
        kind: The dataclass that describes the document.
        latest_format: The newest format that can be read.
        remedy: What to do if the document is damaged; appended to the message.

    Raises:
        FileNotFoundError: if there is no such file.
        DataError: if the file is too large, is not valid JSON, has a newer format, or lacks a field.
    """
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} is larger than {MAX_BYTES // 1_000_000} MB.")
    content = path.read_bytes()
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError(_join(f"{path} is not valid JSON: {error}.", remedy)) from error
    if not isinstance(document, dict):
        raise DataError(_join(f"{path} is not a JSON object.", remedy))
    check_format(path, document.get("format", 1), latest_format)
    return _validate(path, kind, content, remedy)


def check_format(path: Path, found: Any, latest_format: int) -> None:
    """Raise `DataError` unless the format of a document can be read."""
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise DataError(f"{path} has the unknown format {found!r}; this version of Auricle reads {latest_format}.")
    if found > latest_format:
        raise DataError(
            f"{path} has format {found}, which a newer version of Auricle wrote; this version reads up to "
            f"{latest_format}. Upgrade Auricle to read it."
        )


def _validate(path: Path, kind: type[Document], content: bytes, remedy: str) -> Document:
    from pydantic import ValidationError

    try:
        document: Document = _adapter(cast("Any", kind)).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "document"
        raise DataError(_join(f"{path}: {where}: {first['msg']}.", remedy)) from error
    return document


def _join(message: str, remedy: str) -> str:
    return f"{message} {remedy}".rstrip()


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def write_document(path: Path, document: Any) -> None:
    """Write a document atomically; NaN and infinity become null."""
    write_atomically(path, encode_document(document))


def encode_document(document: Any) -> bytes:
    """Return a document as indented JSON."""
    return orjson.dumps(document, to_plain, WRITE_OPTIONS)


def to_plain(value: Any) -> Any:
    """Convert a value of a document to what JSON can express: dataclasses to mappings, other objects to text."""
    if is_dataclass(value) and not isinstance(value, type) and type(value).__str__ is object.__str__:
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return str(value)
