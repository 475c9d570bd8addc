"""What servers say when they do not answer: their words, and when to ask again."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson


def extract_error_message(content: bytes) -> str:
    """What a server says is wrong: the message of its JSON, or its text without tags."""
    try:
        found = find_message(orjson.loads(content))
    except orjson.JSONDecodeError:
        found = re.sub(r"<[^>]*>", " ", content.decode("utf-8", "replace"))
    return " ".join(found.split())


def find_message(value: Any) -> str:
    """The words in `{"error": {"message": …}}`, `{"detail": …}` and the like, or all of it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return find_message(value[0])
    if isinstance(value, dict):
        for name in ("error", "message", "detail", "msg"):
            if value.get(name):
                return find_message(value[name])
    return orjson.dumps(value).decode()


def parse_retry_after(value: str | None) -> float | None:
    """Seconds, or the time until a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
