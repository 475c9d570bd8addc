"""A tagger in a few lines: the loudest moment in a band of frequencies for each label.

auricle run data/tags.jsonl --as tag -m tagger.py:tag_by_pitch
"""

import numpy as np

from auricle import Audio

RATE = 16_000
BANDS = {"hum": (80, 250), "beep": (900, 1100), "alarm": (2300, 3300), "whistle": (3900, 6100)}
"""Frequencies of each label in hertz."""


def tag_by_pitch(audio: Audio) -> dict[str, float]:
    """Return a score from 0 to 1 for each label."""
    frames = audio.decode(RATE)
    frames = frames[: len(frames) // 1024 * 1024].reshape(-1, 1024)
    power = np.abs(np.fft.rfft(frames * np.hanning(1024))) ** 2
    frequencies = np.fft.rfftfreq(1024, 1 / RATE)
    total = power.sum(axis=1) + 1.0
    shares = {
        label: power[:, (frequencies >= low) & (frequencies <= high)].sum(axis=1) / total
        for label, (low, high) in BANDS.items()
    }
    return {label: float(share.max()) for label, share in shares.items()}
