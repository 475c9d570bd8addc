"""A detector in a few lines: a score for every frame and label, from the power in a band of frequencies.

auricle run data/events.jsonl --as detect -m detector.py:detect_by_pitch
"""

import numpy as np

from auricle import Audio

RATE, FRAME = 16_000, 1024
BANDS = {"hum": (80, 250), "beep": (900, 1100), "alarm": (2300, 3300), "whistle": (3900, 6100)}
"""Frequencies of each label in hertz."""


def detect_by_pitch(audio: Audio) -> list[dict[str, float | str]]:
    """Return frames with a score from 0 to 1; those above a threshold that touch are one event."""
    frames = audio.decode(RATE)
    frames = frames[: len(frames) // FRAME * FRAME].reshape(-1, FRAME)
    power = np.abs(np.fft.rfft(frames * np.hanning(FRAME))) ** 2
    frequencies = np.fft.rfftfreq(FRAME, 1 / RATE)
    total = power.sum(axis=1) + 1.0
    segments: list[dict[str, float | str]] = []
    for label, (low, high) in BANDS.items():
        scores = power[:, (frequencies >= low) & (frequencies <= high)].sum(axis=1) / total
        for index, score in enumerate(scores):
            start, end = index * FRAME / RATE, (index + 1) * FRAME / RATE
            segments.append({"start": start, "end": end, "label": label, "score": round(float(score), 4)})
    return segments
