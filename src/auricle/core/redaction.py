"""What must not be written down: keys, tokens and passwords among a model's arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SECRET = re.compile(r"(^|_)(key|token|secret|password|passwd|auth|credentials?)$", re.IGNORECASE)
USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")
KEY_IN_URL = re.compile(r"([?&][\w-]*(?:key|token|secret|sig|password)=)([^&\s]+)", re.IGNORECASE)


def redacted(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with secrets blanked; `…_env` names where a secret is, and stays.

    Any header may hold one, so of headers only the names are kept.
    """
    return {name: _kept(str(name), value) for name, value in arguments.items()}


def _kept(name: str, value: Any) -> Any:
    if SECRET.search(name) and value:
        return "…"
    if name == "headers" and isinstance(value, dict):
        return dict.fromkeys(value, "…")
    return _blanked(value)


def _blanked(value: Any) -> Any:
    if isinstance(value, dict):
        return redacted(value)
    if isinstance(value, list):
        return [_blanked(each) for each in value]
    if isinstance(value, str):
        return KEY_IN_URL.sub(r"\1…", USER_IN_URL.sub("…@", value))
    return value
