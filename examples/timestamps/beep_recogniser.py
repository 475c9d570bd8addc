"""A recogniser of beeps that reports when they start and end, in frames of 10 ms."""

from itertools import groupby

import numpy as np

from auricle import Audio, Generation, Segment

FRAME = 160
NAMES = {300: "low", 700: "middle", 1500: "high"}


def recognise(audio: Audio, late: float = 0.0) -> Generation:
    """Name each sound by its strongest frequency; `late` delays all times, as a faulty release would."""
    samples = audio.decode(16_000)
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    is_loud = np.abs(frames).max(axis=1) > 0.1
    words = []
    for loud, group in groupby(range(len(frames)), key=lambda index: bool(is_loud[index])):
        span = list(group)
        if loud:
            sound = frames[span[0] : span[-1] + 1].ravel()
            frequency = np.argmax(np.abs(np.fft.rfft(sound))) * 16_000 / len(sound)
            name = NAMES[min(NAMES, key=lambda candidate: abs(candidate - frequency))]
            words.append(Segment(span[0] / 100 + late, (span[-1] + 1) / 100 + late, name))
    return Generation(text=" ".join(word.text for word in words), segments=tuple(words))
