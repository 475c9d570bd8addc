"""Clips of a given length: cut out of recordings and joined, or out of speech-like sound that is made here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.core.errors import DataError, SpecError
from auricle.data.folder_scan import AUDIO_SUFFIXES
from auricle.media import Audio

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

RATE = 16_000
VOICES, VOICE_SECONDS = 4, 15.0
MAX_POOL_SECONDS = 1800.0  # seconds of recordings that are kept in memory
LEVEL = 0.1  # root mean square of a made voice
PITCHES = (90.0, 230.0)
"""Lowest and highest fundamental frequency of a voice."""
FORMANTS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410))
"""Resonances of five vowels in Hz."""
FORMANT_WIDTHS = (60.0, 90.0, 120.0)
MAX_FREQUENCY = 4000.0
PAUSE_SHARE, UNVOICED_SHARE = 0.15, 0.2
"""Shares of syllables that are silent, or noise as of consonants without voice."""


@dataclass(frozen=True, slots=True)
class SpeechPool:
    """Sounds of which clips are cut."""

    sounds: Sequence[NDArray[float32]]

    @classmethod
    def from_folder(cls, folder: Path) -> SpeechPool:
        """Read the recordings of a folder and its subfolders, up to half an hour.

        Raises:
            SpecError: The folder does not exist.
            DataError: It contains no recordings.
        """
        if not folder.is_dir():
            raise SpecError(f"pool={folder} is not a folder.")
        sounds: list[NDArray[float32]] = []
        seconds = 0.0
        for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in AUDIO_SUFFIXES):
            sounds.append(Audio(str(path)).decode(RATE))
            seconds += len(sounds[-1]) / RATE
            if seconds >= MAX_POOL_SECONDS:
                break
        if not seconds:
            raise DataError(f"No recordings in {folder}. Expected files that end in {', '.join(AUDIO_SUFFIXES)}.")
        return cls([sound for sound in sounds if len(sound)])

    @classmethod
    def made(cls) -> SpeechPool:
        """Make a few voices; they are always the same."""
        import numpy as np

        return cls([make_voice(VOICE_SECONDS, np.random.default_rng([2, voice])) for voice in range(VOICES)])

    def cut_clip(self, seconds: float, random: Generator) -> Audio:
        """Return a clip of exactly this length, from a random start and continued with other sounds."""
        import numpy as np

        missing, pieces = max(1, round(seconds * RATE)), []
        while missing:
            sound = self.sounds[int(random.integers(len(self.sounds)))]
            piece = sound[int(random.integers(len(sound))) :][:missing]
            pieces.append(piece)
            missing -= len(piece)
        return Audio.of(np.concatenate(pieces), rate=RATE)


def make_voice(seconds: float, random: Generator) -> NDArray[float32]:
    """Return syllables of vowels with formants and a changing pitch, consonant-like noise, and pauses."""
    import numpy as np

    count = round(seconds * RATE)
    base_pitch = random.uniform(*PITCHES)
    pieces: list[NDArray[Any]] = []
    length = 0
    while length < count:
        pieces.append(_make_syllable(base_pitch, random))
        length += len(pieces[-1])
    voice = np.concatenate(pieces)[:count]
    scaled: NDArray[float32] = (voice * LEVEL / max(1e-9, float(np.sqrt(np.mean(voice**2))))).astype(np.float32)
    return scaled.clip(-1, 1)


def _make_syllable(base_pitch: float, random: Generator) -> NDArray[Any]:
    import numpy as np

    count = round(random.uniform(0.1, 0.3) * RATE)
    kind = random.uniform()
    if kind < PAUSE_SHARE:
        return np.zeros(count)
    envelope = np.sin(np.linspace(0, math.pi, count))
    if kind < PAUSE_SHARE + UNVOICED_SHARE:
        return 0.2 * envelope * np.diff(random.normal(size=count + 1))
    pitch = base_pitch * np.linspace(random.uniform(0.9, 1.15), random.uniform(0.85, 1.05), count)
    phase = 2 * math.pi * np.cumsum(pitch) / RATE
    formants = FORMANTS[int(random.integers(len(FORMANTS)))]
    harmonics = np.arange(1, int(MAX_FREQUENCY / (1.2 * base_pitch)) + 1)
    amplitudes = sum(
        1 / (1 + ((harmonics * base_pitch - centre) / width) ** 2)
        for centre, width in zip(formants, FORMANT_WIDTHS, strict=True)
    )
    vowel: NDArray[Any] = envelope * (amplitudes / harmonics**0.5 @ np.sin(np.outer(harmonics, phase)))
    return vowel
