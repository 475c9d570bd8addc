"""Parse the error responses of servers."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson


def extract_error_message(content: bytes) -> str:
    """Return the message in a JSON error, or the text of any other response without tags."""
    try:
        message = find_message(orjson.loads(content))
    except orjson.JSONDecodeError:
        message = re.sub(r"<[^>]*>", " ", content.decode("utf-8", "replace"))
    return " ".join(message.split())


def find_message(value: Any) -> str:
    """Return the message in `{"error": {"message": …}}`, `{"detail": …}` and similar, or the whole value as JSON."""
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
    """Return the wait in seconds of a `Retry-After` header, which is a number or a date."""
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
