"""Sounds of callers that are no speech, made on this machine: vocalisations, and noises of their surroundings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from auricle.core.files import sounds_folder
from auricle.media import Audio
from auricle.media.perturbations.levels import measure_rms_level, scale_to_level
from auricle.media.perturbations.noise_sources import make_coloured_noise, make_music
from auricle.media.voices import write_sound

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Maker = Callable[[int, Generator], NDArray[Any]]

RATE = 24_000
HUM_PITCH = 150.0
COUGHS = 2
CLICKS = 6


def _noise(colour: str, count: int, random: Generator) -> NDArray[Any]:
    return make_coloured_noise(colour, count, RATE, random)


def _music(count: int, random: Generator) -> NDArray[Any]:
    return make_music(count, RATE, random)


def _hum(count: int, random: Generator) -> NDArray[Any]:
    """Return a voice-like hum: harmonics of a pitch that wavers."""
    import numpy as np

    times = np.arange(count) / RATE
    turns = np.cumsum(HUM_PITCH * (1 + 0.03 * np.sin(2 * np.pi * 2.0 * times + random.uniform(0, 6)))) / RATE
    swell = np.sin(np.pi * (np.arange(count) + 0.5) / count) ** 0.5
    hum: NDArray[Any] = swell * sum(np.sin(2 * np.pi * number * turns) / number**2 for number in range(1, 8))
    return hum


def _cough(count: int, random: Generator) -> NDArray[Any]:
    """Return bursts of noise that begin suddenly and fade."""
    import numpy as np

    burst = max(1, count // COUGHS)
    fade = np.exp(-6 * (np.arange(count) % burst) / burst)
    return make_coloured_noise("pink", count, RATE, random) * fade


def _knocks(count: int, random: Generator) -> NDArray[Any]:
    import numpy as np

    phase = np.arange(count) % max(1, count // CLICKS)
    return random.standard_normal(count) * np.exp(-phase / (0.01 * RATE))


class SoundKind(NamedTuple):
    """How a sound is made, and how long it is by default."""

    make: Maker
    seconds: float


SOUND_KINDS: Mapping[str, SoundKind] = {
    "cough": SoundKind(_cough, 0.5),
    "hum": SoundKind(_hum, 0.8),
    "white": SoundKind(partial(_noise, "white"), 1.0),
    "pink": SoundKind(partial(_noise, "pink"), 1.0),
    "brown": SoundKind(partial(_noise, "brown"), 1.0),
    "knocks": SoundKind(_knocks, 1.0),
    "music": SoundKind(_music, 3.0),
}
"""Sounds by name: vocalisations, then noises."""


def make_sound(kind: str, seconds: float, level: float) -> Audio:
    """Return a sound in a file of the user's cache folder; it is always the same for the same arguments.

    Args:
        kind: A name in `SOUND_KINDS`.
        seconds: Duration.
        level: Root mean square in decibels relative to full scale.
    """
    import numpy as np

    key = hashlib.blake2b(f"1 {kind} {seconds} {level}".encode(), digest_size=16)
    path = sounds_folder() / f"sound-{key.hexdigest()}.flac"
    if not path.exists():
        values = SOUND_KINDS[kind].make(
            max(1, round(seconds * RATE)), np.random.default_rng(int.from_bytes(key.digest()[:8], "big"))
        )
        values = scale_to_level(values, measure_rms_level(values), level)
        write_sound(path, Audio.of(values.astype(np.float32), rate=RATE).encode("flac"))
    return Audio(str(path))
