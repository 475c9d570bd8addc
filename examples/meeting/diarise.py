"""A model for `--as meeting`: separate speakers by the loudest frequency of every 50 ms."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from auricle import Audio

RATE = 16_000
FRAME = 800
"""Samples of 50 ms."""
SILENCE = 0.01
"""Loudness below which there is no speech."""


def diarise(audio: Audio) -> list[dict[str, Any]]:
    """Return the turns of a recording; a speaker is named after the pitch."""
    samples = audio.decode(RATE)
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    spectra = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1))
    pitches = spectra.argmax(axis=1) * RATE // FRAME
    labels = [f"{pitch} Hz" if loud else "" for pitch, loud in zip(pitches, frames.std(axis=1) > SILENCE, strict=True)]
    turns: list[dict[str, Any]] = []
    for label, run in groupby(enumerate(labels), key=lambda item: item[1]):
        places = [place for place, _ in run]
        if label:
            seconds = FRAME / RATE
            turns.append({"start": places[0] * seconds, "end": (places[-1] + 1) * seconds, "speaker": label})
    return turns
