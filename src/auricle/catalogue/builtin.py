"""Where a built-in stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Builtin:
    """Where a built-in stands, and a line about it that costs no import."""

    path: str
    about: str
