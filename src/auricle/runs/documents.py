"""Read and write the JSON documents of a run directory.

A document is a frozen dataclass; the metadata `name` of a field is its name in the document, if that is not an
identifier, and a field with the metadata `OMITTED` is not written. The items of a mapping with the metadata `INLINE`
are fields of the document; that metadata is the function that reads them from all fields of the document.
Reading validates a document, so that a damaged or edited file is reported in one line.
Pydantic would do that too, but importing it takes longer than everything else that `auricle show` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import orjson

from auricle.core.errors import DataError
from auricle.core.files import DEFAULT_MODE, read_regular_file, write_atomically, write_lines_atomically
from auricle.core.redaction import SECRETS

Document = TypeVar("Document")
Expected = TypeVar("Expected")
TYPE_NAMES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    type(None): "null",
}
OMITTED, INLINE = "omitted", "inline"
MAX_BYTES = 50_000_000
"""Largest document that is read."""
WRITE_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATACLASS


class UnknownFormat(DataError):
    """A document has a format that this version cannot read; it must not be replaced."""


def read_document(
    path: Path, kind: type[Document], latest_format: int = 1, *, remedy: str = "", missing: str = ""
) -> Document:
    """Read a document.

    Args:
        path: The file.
        kind: The dataclass that describes the document.
        latest_format: The newest format that can be read.
        remedy: What to do if the document is damaged; appended to the message.
        missing: The message of the `DataError` if there is no such file.

    Raises:
        FileNotFoundError: if there is no such file, without `missing`.
        UnknownFormat: if a newer version wrote the document.
        DataError: if the file is too large, is not valid JSON, or lacks a field.
    """
    if missing and not path.exists():
        raise DataError(missing)
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} is larger than {MAX_BYTES // 1_000_000} MB.")
    try:
        document = orjson.loads(read_regular_file(path))
    except orjson.JSONDecodeError as error:
        raise DataError(_join(f"{path} is not valid JSON: {error}.", remedy)) from error
    if not isinstance(document, dict):
        raise DataError(_join(f"{path} is not a JSON object.", remedy))
    check_format(path, document.get("format", 1), latest_format)
    try:
        decoded: Document = decode(kind, document)
    except DataError as error:
        raise DataError(_join(f"{path}: {error}.", remedy)) from error
    return decoded


def check_format(path: Path, value: Any, latest_format: int) -> None:
    """Raise `UnknownFormat` unless the format of a document can be read."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UnknownFormat(f"{path} has the unknown format {value!r}; this version of Auricle reads {latest_format}.")
    if value > latest_format:
        raise UnknownFormat(
            f"{path} has format {value}, which a newer version of Auricle wrote; this version reads up to "
            f"{latest_format}. Upgrade Auricle to read it."
        )


def decode(kind: Any, value: Any, where: str = "") -> Any:
    """Convert a value of JSON types to the type of a field.

    Args:
        kind: A dataclass, or the annotation of one of its fields. A class with `parse` may be stored as text.
        value: The value.
        where: The field that contains it, for error messages.

    Raises:
        DataError: names the first field that is missing or has a wrong type.
    """
    return _find_decoder(kind)(value, where)


Decoder: TypeAlias = Callable[[Any, str], Any]
"""Converts a value; the second argument is the field that contains it."""


@cache
def _find_decoder(kind: Any) -> Decoder:
    """Return what converts values to a type; a list of runs reads thousands of fields of few types."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value, where: value
    if origin is UnionType:
        return partial(_decode_union, arguments)
    if is_dataclass(kind):
        has_inline = any(INLINE in field.metadata for field in fields(kind))
        return partial(_decode_with_inline if has_inline else _decode_fields, kind)
    if origin in (tuple, list):
        return partial(_decode_items, origin, arguments[0])
    if origin is dict:
        return partial(_decode_values, arguments[1])
    return partial(_decode_scalar, kind)


def _decode_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None:
        return None
    kind: Any = type(value) if type(value) in kinds else kinds[0]
    return _find_decoder(kind)(value, where)


def _decode_items(container: Callable[[Iterable[Any]], Any], kind: Any, value: Any, where: str) -> Any:
    items = _expect(list, value, where)
    if kind is Any:
        return container(items)
    decode_item = _find_decoder(kind)
    return container(decode_item(item, f"{where}.{index}") for index, item in enumerate(items))


def _decode_values(kind: Any, value: Any, where: str) -> dict[str, Any]:
    items = _expect(dict, value, where)
    if kind is Any:
        return items
    decode_item = _find_decoder(kind)
    return {name: decode_item(item, f"{where}.{name}") for name, item in items.items()}


def _decode_scalar(kind: Any, value: Any, where: str) -> Any:
    if type(value) is str and kind is not str and hasattr(kind, "parse"):
        return kind.parse(value)
    if kind is float and type(value) is int:
        return float(value)
    return _expect(kind, value, where)


def _decode_fields(kind: Any, value: Any, where: str) -> Any:
    """Create a dataclass from its fields; unknown fields are ignored."""
    if isinstance(value, str) and hasattr(kind, "parse"):
        return kind.parse(value)
    values, decoded = _expect(dict, value, where), {}
    for attribute, name, decode_field, is_required in _list_fields(kind):
        if name in values:
            decoded[attribute] = decode_field(values[name], f"{where}.{name}")
        elif is_required:
            raise DataError(f"{where}.{name}".lstrip(".") + ": the field is missing")
    return kind(**decoded)


def _decode_with_inline(kind: Any, value: Any, where: str) -> Any:
    """Create a dataclass that has mappings whose items are fields of the document."""
    document = _decode_fields(kind, value, where)
    readers = {field.name: field.metadata[INLINE] for field in fields(kind) if INLINE in field.metadata}
    return replace(document, **{name: read(value) for name, read in readers.items()})


@cache
def _list_fields(kind: Any) -> list[tuple[str, str, Decoder, bool]]:
    """Return attribute, name in the document and decoder of each field of a dataclass, and whether it is required."""
    hints = get_type_hints(kind)
    return [
        (
            field.name,
            field.metadata.get("name", field.name),
            _find_decoder(hints[field.name]),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    ]


def _expect(kind: type[Expected], value: Any, where: str) -> Expected:
    if type(value) is not kind:
        actual = TYPE_NAMES.get(type(value), type(value).__name__)
        raise DataError(f"{where.lstrip('.') or 'document'}: expected {TYPE_NAMES[kind]}, not {actual}")
    return value


def _join(message: str, remedy: str) -> str:
    return f"{message} {remedy}".rstrip()


def write_document(path: Path, document: Any, *, is_derived: bool = False, mode: int = DEFAULT_MODE) -> None:
    """Write a document atomically; NaN and infinity become null. A derived one can be written again after a crash."""
    if is_derived:
        write_lines_atomically(path, [encode_document(document)])
    else:
        write_atomically(path, encode_document(document), mode)


def encode_document(document: Any) -> bytes:
    """Return a document as indented JSON, without secrets."""
    return SECRETS.redact_bytes(orjson.dumps(document, to_plain, WRITE_OPTIONS))


def to_plain(value: Any) -> Any:
    """Convert a value of a document to what JSON can express: dataclasses to mappings, arrays and
    their elements to lists and numbers, other objects to text.
    """
    if is_dataclass(value) and not isinstance(value, type) and type(value).__str__ is object.__str__:
        plain: dict[str, Any] = {}
        for field in fields(value):
            if INLINE in field.metadata:
                plain |= getattr(value, field.name)
            elif OMITTED not in field.metadata:
                plain[field.metadata.get("name", field.name)] = getattr(value, field.name)
        return plain
    return value.tolist() if hasattr(value, "tolist") else str(value)
