"""Made-up speech: voiced syllables of a gliding pitch, with pauses, for tests of spoken answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auricle import Audio, Generation, Sample

RATE = 16_000
FORMANTS = ((600, 80, 1.0), (1200, 100, 0.5), (2500, 150, 0.25))
"""Frequency, bandwidth and gain of resonances."""


def make_speech(seconds: float = 1.0, pitch: float = 120.0, seed: int = 0, rate: int = RATE) -> NDArray[np.float32]:
    """Return syllables at four a second, whose pitch falls from one to the next; it fades at both ends."""
    random = np.random.default_rng(seed)
    times = np.arange(round(seconds * rate)) / rate
    glide = pitch * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * times + random.uniform(0, 1)))
    phase = 2 * np.pi * np.cumsum(glide) / rate
    harmonics = np.arange(1, int(0.9 * rate / 2 / (1.2 * pitch)))
    responses = [gain / (1 + ((pitch * harmonics - centre) / width) ** 2) for centre, width, gain in FORMANTS]
    gains = np.sum(responses, axis=0)
    voice = (gains[:, None] * np.sin(harmonics[:, None] * phase)).sum(axis=0)
    voice = voice + 0.01 * random.standard_normal(len(times))
    syllables = np.clip(1.5 * np.sin(np.pi * 4 * times) ** 2, 0, 1)
    fade = np.minimum(1, np.minimum(times, times[-1] - times) / 0.05)
    sound = voice * syllables * fade
    speech: NDArray[np.float32] = (0.5 * sound / np.abs(sound).max()).astype(np.float32)
    return speech


def make_answer(samples: NDArray[np.float32] | None, rate: int = RATE, text: str = "") -> Generation:
    """Return an answer that is speech."""
    return Generation(text=text, audio=None if samples is None else Audio.of(samples, rate=rate))


def make_sample(text: str = "good morning", reference: NDArray[np.float32] | None = None, rate: int = RATE) -> Sample:
    """Return a text to speak, maybe with the recording of a person who speaks it."""
    recording = {} if reference is None else {"reference": Audio.of(reference, rate=rate)}
    return Sample(id=text, inputs={"text": text, **recording}, target=text)
