"""The task `silence`: sounds without speech, made when they are needed. What does a recogniser write for them?"""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from auricle.core.arguments import Hint
from auricle.core.errors import DataError
from auricle.core.files import sounds_folder
from auricle.core.types import Sample
from auricle.engine.inferencers import Respond
from auricle.engine.scored_language import ScoredLanguage
from auricle.engine.task import Task
from auricle.engine.task_options import check_option, is_integer, normalise_language
from auricle.media import Audio
from auricle.media.perturbations.levels import measure_rms_level, scale_to_level
from auricle.media.perturbations.noise_sources import make_coloured_noise, make_music
from auricle.metrics.capabilities import Localized
from auricle.tasks.asr.hallucination import hallucination

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Maker = Callable[[int, Generator], NDArray[Any]]

RATE = 16_000
SECONDS = (1, 5, 15, 30)
"""Lengths of the sounds of each kind."""
LEVEL, FAINT_LEVEL = -30.0, -60.0
"""Root mean square in decibels relative to full scale."""
MAX_SEEDS = 25
VERSION = 1
"""Raised whenever the same kind, length and seed would give another sound."""
QUESTION = "Please transcribe the spoken content into written text."
BEEP_SECONDS, CLICK_SECONDS, SYLLABLE_RATE = 0.2, 0.002, 4.0
CLICKS_PER_SECOND = 3
HARMONICS = (1, 2, 3, 5, 7)
"""Multiples of the mains frequency in a hum."""


def make_tone(count: int, random: Generator) -> NDArray[Any]:
    """Return a steady sine of 200 to 2,000 Hz."""
    import numpy as np

    return np.sin(2 * math.pi * random.uniform(200, 2000) * np.arange(count) / RATE)


def make_beeps(count: int, random: Generator) -> NDArray[Any]:
    """Return a tone of 0.2 s that begins anew every second."""
    import numpy as np

    return make_tone(count, random) * (np.arange(count) % RATE < BEEP_SECONDS * RATE)


def make_clicks(count: int, random: Generator) -> NDArray[Any]:
    """Return clicks of 2 ms at random times, three a second on average."""
    import numpy as np

    impulses = np.zeros(count)
    clicks = 1 + random.poisson(CLICKS_PER_SECOND * count / RATE)
    impulses[random.integers(count, size=clicks)] = random.uniform(0.5, 1, clicks)
    decay = np.exp(-np.arange(round(5 * CLICK_SECONDS * RATE)) / (CLICK_SECONDS * RATE))
    return np.convolve(impulses, decay)[:count]


def make_hum(count: int, random: Generator) -> NDArray[Any]:
    """Return the hum of mains of 50 or 60 Hz, with harmonics of random phases."""
    import numpy as np

    mains = (50, 60)[int(random.integers(2))]
    turns = mains * np.arange(count) / RATE
    phases = random.uniform(0, 1, len(HARMONICS))
    partials = [
        np.sin(2 * math.pi * (multiple * turns + phase)) / multiple
        for multiple, phase in zip(HARMONICS, phases, strict=True)
    ]
    hum: NDArray[Any] = np.sum(partials, axis=0)
    return hum


def make_modulated_noise(count: int, random: Generator) -> NDArray[Any]:
    """Return pink noise that swells about four times a second, as the syllables of speech do."""
    import numpy as np

    times = np.arange(count) / RATE
    swell = np.sin(2 * math.pi * random.uniform(0.8, 1.2) * SYLLABLE_RATE * times + random.uniform(0, 2 * math.pi))
    noise: NDArray[Any] = make_coloured_noise("pink", count, RATE, random) * (1 + swell) ** 2
    return noise


def _coloured(kind: str, count: int, random: Generator) -> NDArray[Any]:
    return make_coloured_noise(kind, count, RATE, random)


def _music(count: int, random: Generator) -> NDArray[Any]:
    return make_music(count, RATE, random)


class SoundKind(NamedTuple):
    """How a kind of sound is made, and how loud it is."""

    make: Maker | None
    """None for digital silence."""
    level: float = LEVEL


KINDS = {
    "silence": SoundKind(None),
    "faint white noise": SoundKind(partial(_coloured, "white"), FAINT_LEVEL),
    "white noise": SoundKind(partial(_coloured, "white")),
    "pink noise": SoundKind(partial(_coloured, "pink")),
    "modulated noise": SoundKind(make_modulated_noise),
    "tone": SoundKind(make_tone),
    "beeps": SoundKind(make_beeps),
    "clicks": SoundKind(make_clicks),
    "hum": SoundKind(make_hum),
    "music": SoundKind(_music),
}


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound without speech: always the same for a kind, a length and a seed."""

    kind: str
    seconds: int
    seed: int = 0

    @property
    def id(self) -> str:
        number = f"-{self.seed + 1}" if self.seed else ""
        return f"{self.kind.replace(' ', '-')}-{self.seconds}s{number}"

    def make_waveform(self) -> NDArray[Any]:
        """Return the sound as 16-bit integers at `RATE`."""
        import numpy as np

        kind, count = KINDS[self.kind], self.seconds * RATE
        if kind.make is None:
            return np.zeros(count, np.int16)
        key = hashlib.sha256(f"{self.seed}|{self.kind}|{self.seconds}".encode()).digest()
        values = kind.make(count, np.random.default_rng(int.from_bytes(key[:8], "big")))
        values = scale_to_level(values, measure_rms_level(values), kind.level)
        return np.round(np.clip(values, -1, 1) * np.iinfo(np.int16).max).astype(np.int16)

    def write(self, folder: Path) -> Path:
        """Write the sound to a file that is named after its content, unless it is there, and return the path."""
        path = folder / _file_name(self)
        if not path.exists():
            import soundfile

            folder.mkdir(parents=True, exist_ok=True)
            # Other processes may write the same file now.
            handle, scratch = tempfile.mkstemp(suffix=".wav", dir=folder)
            os.close(handle)
            soundfile.write(scratch, self.make_waveform(), RATE, subtype="PCM_16")
            Path(scratch).replace(path)
        return path


@lru_cache(maxsize=4096)
def _file_name(sound: Sound) -> str:
    digest = hashlib.blake2b(sound.make_waveform().tobytes(), digest_size=8).hexdigest()
    return f"{sound.id}-{digest}.wav"


@dataclass(frozen=True)
class NonSpeechSamples:
    """Samples of sounds without speech. The sounds are files in the user's cache folder, so that they can be played."""

    seeds: int
    question: str

    @property
    def revision(self) -> str:
        return f"seeds-{self.seeds}"

    def __len__(self) -> int:
        return len(self._list_sounds())

    def __iter__(self) -> Iterator[Sample]:
        folder = sounds_folder()
        for sound in self._list_sounds():
            try:
                path = sound.write(folder)
            except OSError as error:
                raise DataError(
                    f"Cannot write a sound to {folder}: {error}. Set XDG_CACHE_HOME to another folder."
                ) from error
            yield Sample(
                id=sound.id,
                inputs={"audio": [Audio(str(path))], "question": self.question},
                target="",
                meta={"kind": sound.kind, "seconds": sound.seconds},
            )

    def _list_sounds(self) -> list[Sound]:
        return [
            Sound(name, seconds, seed)
            for seed in range(self.seeds)
            for name, kind in KINDS.items()
            for seconds in SECONDS
            if seed == 0 or kind.make  # silence is always the same
        ]


def silence(
    *,
    seeds: int = 1,
    language: Annotated[str, Hint(is_common=True)] = "en",
    question: str = QUESTION,
    max_tokens: int = 512,
) -> Task:
    """Build the task of transcribing sounds without speech, for recognisers and audio language models.

    Args:
        seeds: How many different sounds there are of each kind and length.
        language: Language that the model is set to, and whose script and normaliser are used.
        question: What models that take instructions are asked.
        max_tokens: Most tokens of an answer.
    """
    check_option("seeds", seeds, is_integer(seeds) and 1 <= seeds <= MAX_SEEDS, f"a number from 1 to {MAX_SEEDS}")
    code = normalise_language(language)
    task = Task(
        NonSpeechSamples(seeds, question),
        Respond("{audio}{question}", max_tokens=max_tokens),
        [metric.with_language(code) if isinstance(metric, Localized) else metric for metric in hallucination],
        name="silence",
        version=VERSION,
        language=code,
        source="synthetic",
        licence="CC0-1.0",
        cluster="none",
        group_by=("kind", "seconds"),
        extra_context={"kind": "asr"},
    )
    profile = ScoredLanguage(code).profile
    return task.with_profile(profile) if profile else task
