"""The types of the fields in a response. A server may send anything; every value that is read passes through here.

A value of another type raises `InvalidField`, which costs the sample. Token counts are only figures about an answer:
one that makes no sense is unknown.
"""

from __future__ import annotations

import math
import re
from typing import Any

MAX_TOKEN_COUNT = 10_000_000
"""Larger counts are not believed: no model reads or writes as much."""
FIELD_NAME_PATTERN = re.compile(r"\w{1,40}")


class InvalidField(ValueError):
    """A field of a response has another type than its protocol defines."""


def as_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidField(f"expected an object, got {type(value).__name__}")
    return value


def as_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidField(f"expected a list, got {type(value).__name__}")
    return value


def as_text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidField(f"expected text, got {type(value).__name__}")
    return value


def as_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidField(f"expected a number, got {type(value).__name__}")
    return float(value)


def as_count(value: Any) -> int | None:
    """Return a number of tokens, or None if it is missing or makes no sense."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= MAX_TOKEN_COUNT else None


def first_object(value: Any) -> dict[str, Any]:
    """Return the first of a list of objects, such as the only choice of an answer."""
    items = as_list(value)
    if not items:
        raise InvalidField("expected a list of objects, got an empty one")
    return as_object(items[0])


def describe_shape(value: Any) -> str:
    """Describe a JSON value by its field names, without repeating long or secret content."""
    if not isinstance(value, dict):
        return "a non-object"
    names = (name if FIELD_NAME_PATTERN.fullmatch(name) else "…" for name in list(value)[:8])
    return f"an object with {', '.join(names) or 'no fields'}"
