"""Turns as a model has them that only reads, and knows no chat."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.core.errors import SampleError
from auricle.core.types import Turn


def turn_text(turn: Turn) -> str:
    """A turn's text; a model that only reads is not given a sound and left to guess."""
    for part in turn.parts:
        if not isinstance(part, str):
            raise SampleError(f"this model reads text only, and is given {type(part).__name__}")
    return "".join(str(part) for part in turn.parts)


def join_turns(turns: Sequence[Turn]) -> str:
    """Turns on lines of their own, without a word about who speaks."""
    return "\n".join(turn_text(turn) for turn in turns)
