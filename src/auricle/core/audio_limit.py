"""The longest sound that is decoded, in this process and in the workers that it starts.

An environment variable, because sounds are decoded in threads, in worker processes and by other Pythons, far from the
settings of a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from auricle.core.errors import AudioError

DEFAULT_MAX_SECONDS = 7200.0
MAX_SECONDS_VARIABLE = "AURICLE_MAX_AUDIO"


def max_audio_seconds() -> float:
    """Return the limit in seconds."""
    return float(os.environ.get(MAX_SECONDS_VARIABLE) or DEFAULT_MAX_SECONDS)


@contextmanager
def limit_audio(seconds: float) -> Iterator[None]:
    """Set the limit for the block, and for processes that are started in it."""
    previous = os.environ.get(MAX_SECONDS_VARIABLE)
    os.environ[MAX_SECONDS_VARIABLE] = str(seconds)
    try:
        yield
    finally:
        if previous is None:
            os.environ.pop(MAX_SECONDS_VARIABLE, None)  # user code may have removed it
        else:
            os.environ[MAX_SECONDS_VARIABLE] = previous


def check_length(seconds: float, name: str) -> None:
    """Raise `AudioError` if a sound, or the slice of it that is used, is longer than the limit."""
    if seconds > (limit := max_audio_seconds()):
        raise AudioError(
            f"{name} lasts {seconds:,.0f} s or longer, more than the limit of {limit:,.0f} s per sound. "
            "Use a part of it with start and end, or raise the limit with --max-audio."
        )
