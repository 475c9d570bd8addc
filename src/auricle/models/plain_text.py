"""Write turns as plain text, for models without a chat format."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.core.errors import SampleError
from auricle.core.types import Turn


def turn_text(turn: Turn) -> str:
    """Return the text of a turn; raise `SampleError` if it contains audio, images or video."""
    for part in turn.parts:
        if not isinstance(part, str):
            raise SampleError(f"this model accepts only text, not {type(part).__name__}")
    return "".join(str(part) for part in turn.parts)


def join_turns(turns: Sequence[Turn]) -> str:
    """Join the text of all turns, one per line, without role names."""
    return "\n".join(turn_text(turn) for turn in turns)
