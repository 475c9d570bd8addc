"""A request as it goes over the wire, for people to read."""

from __future__ import annotations

from typing import Any

import orjson

MAX_STRING_CHARS = 400  # characters; what is longer and has no blank is a sound, not a sentence


def render_request(path: str, body: bytes) -> str:
    """A request's path and body, indented; sounds and pictures only by their size."""
    document = _abbreviate(orjson.loads(body))
    return f"POST {path}\n{orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()}"


def _abbreviate(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _abbreviate(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_abbreviate(each) for each in value]
    if isinstance(value, str) and len(value) > MAX_STRING_CHARS and " " not in value:
        head = value[: value.find(",") + 1] if value.startswith("data:") else ""
        return f"{head}<{len(value) - len(head):,} characters of base64>"
    return value
