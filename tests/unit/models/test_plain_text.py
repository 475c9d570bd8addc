"""Turns as plain text."""

import pytest

from auricle import Audio
from auricle.core.errors import SampleError
from auricle.core.types import Turn
from auricle.models.plain_text import join_turns, turn_text


def test_turns_are_joined_by_newlines_without_roles() -> None:
    assert join_turns([Turn("system", ("Be brief.",)), Turn("user", ("What ", "now?"))]) == "Be brief.\nWhat now?"


def test_audio_is_refused() -> None:
    with pytest.raises(SampleError, match="this model accepts only text, not Audio"):
        turn_text(Turn("user", (Audio("a.wav"),)))
