"""Show a request as it would be sent."""

from __future__ import annotations

from typing import Any

import orjson

MAX_STRING_CHARS = 400  # a longer string without a blank is encoded media


def render_request(path: str, body: bytes) -> str:
    """Return the path and the indented body of a request, with media abbreviated to their size."""
    document = _abbreviate(orjson.loads(body))
    return f"POST {path}\n{orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()}"


def _abbreviate(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _abbreviate(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_abbreviate(item) for item in value]
    if isinstance(value, str) and len(value) > MAX_STRING_CHARS and " " not in value:
        head = value[: value.find(",") + 1] if value.startswith("data:") else ""
        return f"{head}<{len(value) - len(head):,} characters of base64>"
    return value
