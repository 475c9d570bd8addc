"""Refuse what only some systems support, before it fails with a message that explains nothing."""

from __future__ import annotations

import sys

from auricle.core.errors import SpecError


def require_posix(feature: str) -> None:
    """Raise if this is Windows.

    Args:
        feature: What needs Linux or macOS, as the subject of a sentence in the plural, such as "Worker processes".

    Raises:
        SpecError: on Windows.
    """
    if sys.platform == "win32":
        raise SpecError(f"{feature} need Linux or macOS. On Windows, use the Windows Subsystem for Linux (WSL).")
