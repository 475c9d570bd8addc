"""A toy that "speaks" a text: a humming tone for every letter, with a short gap after each word."""

from typing import Any

import numpy as np

from auricle import Audio

RATE = 16_000
LETTER_SECONDS, GAP_SECONDS = 0.06, 0.08


def speak(
    text: str, prompt_audio: Audio | None = None, prompt_text: str | None = None, seed: int = 0, late: float = 0.0
) -> tuple[np.ndarray[Any, Any], int]:
    """Return samples and their rate; `late` seconds of silence come first, as a faulty release would have them."""
    random = np.random.default_rng(seed)
    pitch = 120.0 if prompt_audio is None else 100.0 + 10.0 * prompt_audio.seconds  # the voice to imitate
    sounds = [np.zeros(round(late * RATE))]
    for word in text.split():
        times = np.arange(round(LETTER_SECONDS * len(word) * RATE)) / RATE
        glide = pitch * (1 + random.uniform(-0.05, 0.05)) * (1 + 0.1 * np.sin(2 * np.pi * times))
        phase = 2 * np.pi * np.cumsum(glide) / RATE
        hum = np.sum([np.sin(harmonic * phase) / harmonic for harmonic in range(1, 12)], axis=0)
        sounds += [0.15 * hum * np.hanning(len(times)), np.zeros(round(GAP_SECONDS * RATE))]
    return np.concatenate(sounds).astype(np.float32), RATE
