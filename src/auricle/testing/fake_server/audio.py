"""A voice for the fake server: a tone as long as its words."""

from __future__ import annotations

import io
import math
import wave
from array import array
from functools import lru_cache

SAMPLE_RATE = 24_000
SECONDS_PER_TOKEN = 0.05
"""Seconds of sound for a token."""


@lru_cache(maxsize=64)
def generate_pcm(token_count: int) -> bytes:
    """A quiet 440 Hz in 16 bit."""
    frames = round(max(token_count, 1) * SECONDS_PER_TOKEN * SAMPLE_RATE)
    step = 2 * math.pi * 440 / SAMPLE_RATE
    return array("h", (round(8000 * math.sin(at * step)) for at in range(frames))).tobytes()


def encode_wav(frames: bytes) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(frames)
    return buffer.getvalue()


def measure_seconds(content: bytes) -> float:
    """How long a sound lasts: by its header if it is plain WAV, else as if it were 16 kHz."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            return float(file.getnframes() / file.getframerate())
    except (wave.Error, EOFError):
        return len(content) / 32_000
