"""Audio of the fake server's spoken answers: a tone whose length depends on the number of tokens."""

from __future__ import annotations

import io
import math
import wave
from array import array
from functools import lru_cache

SAMPLE_RATE = 24_000
SECONDS_PER_TOKEN = 0.05
"""Seconds of audio per token."""


@lru_cache(maxsize=64)
def generate_pcm(token_count: int) -> bytes:
    """Generate a quiet 440 Hz tone as 16-bit PCM."""
    frames = round(max(token_count, 1) * SECONDS_PER_TOKEN * SAMPLE_RATE)
    step = 2 * math.pi * 440 / SAMPLE_RATE
    return array("h", (round(8000 * math.sin(frame * step)) for frame in range(frames))).tobytes()


def encode_wav(frames: bytes) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(frames)
    return buffer.getvalue()


def measure_seconds(content: bytes) -> float:
    """Return the length of audio by its WAV header; other formats count as 16-bit PCM at 16 kHz."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            return float(file.getnframes() / file.getframerate())
    except (wave.Error, EOFError):
        return len(content) / 32_000
