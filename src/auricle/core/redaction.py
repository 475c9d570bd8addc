"""Remove keys, tokens and passwords from arguments before they are stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SECRET_NAME = re.compile(r"(^|_)(key|token|secret|password|passwd|auth|credentials?)$", re.IGNORECASE)
USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")
KEY_IN_URL = re.compile(r"([?&][\w-]*(?:key|token|secret|sig|password)=)([^&\s]+)", re.IGNORECASE)


def redact(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with secrets replaced by `…`.

    Arguments ending in `_env` name an environment variable and are kept. Any header may contain a
    secret, so only the names of headers are kept.

    >>> redact({"api_key": "sk-1", "api_key_env": "OPENAI_API_KEY"})
    {'api_key': '…', 'api_key_env': 'OPENAI_API_KEY'}
    """
    return {name: _redact_argument(str(name), value) for name, value in arguments.items()}


def _redact_argument(name: str, value: Any) -> Any:
    if SECRET_NAME.search(name) and value:
        return "…"
    if name == "headers" and isinstance(value, dict):
        return dict.fromkeys(value, "…")
    return _redact_value(value)


def _redact_value(value: Any) -> Any:
    if isinstance(value, dict):
        return redact(value)
    if isinstance(value, list):
        return [_redact_value(item) for item in value]
    if isinstance(value, str):
        return KEY_IN_URL.sub(r"\1…", USER_IN_URL.sub("…@", value))
    return value
