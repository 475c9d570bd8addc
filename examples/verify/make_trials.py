"""Write vowels of twelve artificial speakers, and a list of trials: python make_trials.py"""

import itertools
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE, SECONDS = 16_000, 0.5
SPEAKERS, RECORDINGS = 12, 4


def speak(rng: np.random.Generator, pitch: float, formants: tuple[float, float]) -> NDArray[np.float64]:
    """Return a hum with a speaker's pitch and formants, which vary from recording to recording."""
    times = np.arange(int(RATE * SECONDS)) / RATE
    own_pitch = pitch * rng.normal(1, 0.05)
    harmonics = own_pitch * np.arange(1, int(4_000 / own_pitch))
    centres = [formant * rng.normal(1, 0.06) for formant in formants]
    weights = np.sum([np.exp(-((harmonics - centre) ** 2) / (2 * 150.0**2)) for centre in centres], axis=0)
    sound = (weights[:, None] * np.sin(2 * np.pi * harmonics[:, None] * times)).sum(axis=0)
    noisy: NDArray[np.float64] = 0.3 * sound / np.abs(sound).max() + rng.normal(0, 0.01, len(times))
    return noisy


def main() -> None:
    rng = np.random.default_rng(0)
    names = []
    for speaker in range(SPEAKERS):
        voice = rng.uniform(90, 240), (rng.uniform(350, 900), rng.uniform(1_000, 2_500))
        folder = Path(f"speaker{speaker:02d}")
        folder.mkdir(exist_ok=True)
        for index in range(RECORDINGS):
            names.append(f"{folder}/{index}.wav")
            soundfile.write(names[-1], speak(rng, *voice), RATE)
    pairs = itertools.combinations(names, 2)
    lines = [f"{int(Path(a).parent == Path(b).parent)} {a} {b}" for a, b in pairs]
    Path("trials.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
