"""What must not be written down: keys, tokens and passwords among a model's arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SECRET = re.compile(r"(^|_)(key|token|secret|password|passwd|auth|credentials?)$", re.IGNORECASE)
USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")


def redacted(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with secrets blanked; `…_env` names where a secret is, and stays."""
    return {
        name: "…" if SECRET.search(str(name)) and value else _blanked(value)
        for name, value in arguments.items()
    }


def _blanked(value: Any) -> Any:
    if isinstance(value, dict):
        return redacted(value)
    if isinstance(value, list):
        return [_blanked(each) for each in value]
    return USER_IN_URL.sub("…@", value) if isinstance(value, str) else value
