"""Write values as text: metadata, references, and counts with their nouns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from auricle.core.types import Json


def format_group(value: Any) -> str:
    """Format the value of a metadata field."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def format_json_value(value: Json) -> str:
    """Format a target or metadata value as text.

    >>> format_json_value(["a cat", "cat"]), format_json_value({"arousal": 0.5, "valence": None})
    ('a cat / cat', 'arousal 0.5, valence ')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (list, tuple)):
        return " / ".join(map(format_json_value, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {format_json_value(item)}" for name, item in value.items())
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False, default=str)


def pluralise(value: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun: `1 sample`, `2,620 samples`."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"
