"""Add noise or a competing talker at a signal-to-noise ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from auricle.core.errors import AudioError, SpecError
from auricle.media.perturbations.base import OtherSounds, Perturbation, PerturbedSound, Sound
from auricle.media.perturbations.levels import fit_full_scale, measure_active_level, measure_rms_level, scale_to_level
from auricle.media.perturbations.noise_sources import (
    EXPONENTS,
    make_coloured_noise,
    make_music,
    make_speech_shaped_noise,
)
from auricle.media.perturbations.segments import draw_segment

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from auricle.media.media import Audio

BABBLE_TALKERS = 6
SNR_LIMIT = 100.0
NOISE_SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aac", ".aiff")


@dataclass(frozen=True)
class AddedSound(Perturbation):
    """Add something at a signal-to-noise ratio.

    Args:
        snr: Signal-to-noise ratio in dB.
    """

    level_name: ClassVar[str] = "snr"
    unit: ClassVar[str] = "dB"

    snr: float

    def __post_init__(self) -> None:
        self._require(abs(self.snr) <= SNR_LIMIT, "snr", f"between -{SNR_LIMIT:g} and {SNR_LIMIT:g} dB")


@dataclass(frozen=True)
class Noise(AddedSound):
    """Add noise at a signal-to-noise ratio.

    The SNR is the active level of the recording (ITU-T P.56, method B, which ignores pauses) minus the level of the
    noise (root mean square over the recording), in dB. If the sum exceeds full scale, all of it is scaled down.

    `white`, `pink` and `brown` noise is Gaussian, with an amplitude proportional to 1, 1/sqrt(f) and 1/f, the latter
    two above 20 Hz. `speech` is Gaussian noise with the average spectrum of the recording itself. `babble` is the sum
    of six recordings of other speakers at equal active levels, from random positions, repeated with crossfades if they
    are too short. `music` is a made sequence of chords. `files` is a random part of a file of `folder`.

    Args:
        snr: Signal-to-noise ratio in dB.
        kind: Kind of noise.
        folder: Folder of recordings with noise, searched with its subfolders. Each sample gets one of them.
        measure: Level of the recording that counts: `active`, or `rms` over the whole recording with its pauses, as in
            torchaudio's `add_noise`.
    """

    name: ClassVar[str] = "noise"
    summary: ClassVar[str] = "Add noise at a signal-to-noise ratio."
    path_arguments: ClassVar[tuple[str, ...]] = ("folder",)

    kind: Literal["white", "pink", "brown", "speech", "babble", "music", "files"] = "white"
    folder: str = ""
    measure: Literal["active", "rms"] = "active"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.folder and self.kind == "white":
            object.__setattr__(self, "kind", "files")
        if bool(self.folder) != (self.kind == "files"):
            raise SpecError(
                f"noise: kind={self.kind} takes no folder." if self.folder else "noise: kind=files needs folder=PATH."
            )

    @property
    def other_sounds(self) -> OtherSounds:
        if self.kind == "files":
            return "files"
        return "speakers" if self.kind == "babble" else ""

    @property
    def needed_sounds(self) -> int:
        return BABBLE_TALKERS if self.kind == "babble" else super().needed_sounds

    def list_files(self) -> Sequence[Audio]:
        return list_noise_files(self.folder) if self.kind == "files" else ()

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        noise = self._make_noise(sound, random, others)
        level = measure_speech(sound) if self.measure == "active" else measure_rms_level(sound.samples)
        return mix(sound, noise, self.snr, level, measure_rms_level)

    def _make_noise(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> NDArray[Any]:
        import numpy as np

        count = len(sound.samples)
        if self.kind in EXPONENTS:
            return make_coloured_noise(self.kind, count, sound.rate, random)
        if self.kind == "speech":
            return make_speech_shaped_noise(sound.samples, sound.rate, random)
        if self.kind == "music":
            return make_music(count, sound.rate, random)
        segments = [draw_segment(other, count, sound.rate, random) for other in others]
        if self.kind == "files":
            return segments[0]
        levels = [measure_speech(other) for other in others]
        talkers: NDArray[Any] = np.sum(
            [scale_to_level(*pair, -20.0) for pair in zip(segments, levels, strict=True)], axis=0
        )
        return talkers


@dataclass(frozen=True)
class Talker(AddedSound):
    """Add a competing talker: a recording of another speaker of the task.

    The SNR is the active level of the recording minus that of the competing talker (ITU-T P.56), in dB. The other
    recording begins at a random position, and is repeated with a crossfade if it is too short.

    Args:
        snr: Signal-to-noise ratio in dB.
    """

    name: ClassVar[str] = "talker"
    summary: ClassVar[str] = "Add a competing talker, another speaker of the task."

    @property
    def other_sounds(self) -> OtherSounds:
        return "speakers"

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        talker = draw_segment(others[0], len(sound.samples), sound.rate, random)
        return mix(
            sound, talker, self.snr, measure_speech(sound), lambda added: measure_speech(Sound(added, sound.rate))
        )


def measure_speech(sound: Sound) -> float:
    """Measure the active level of a recording in dB."""
    return measure_active_level(sound.samples, sound.rate).level


def mix(
    sound: Sound, noise: NDArray[Any], snr: float, level: float, measure: Callable[[NDArray[Any]], float]
) -> PerturbedSound:
    """Add noise to a recording.

    Args:
        sound: The recording.
        noise: As many samples of noise, at any level.
        snr: Signal-to-noise ratio in dB.
        level: Level of the recording in dB.
        measure: Returns the level of noise in dB.
    """
    import numpy as np

    if not np.isfinite(level):
        raise AudioError("The recording is silent: a signal-to-noise ratio is undefined.")
    added = noise
    for _ in range(2):  # the thresholds of P.56 are fixed, so that levels are not exactly proportional
        added = added * 10 ** ((level - measure(added) - snr) / 20)
    mixture, gain = fit_full_scale(sound.samples + added)
    realised = mixture / 10 ** (gain / 20) - sound.samples.astype(np.float64)
    return PerturbedSound(Sound(mixture, sound.rate), {"snr": level - measure(realised), "gain": gain})


def list_noise_files(folder: str) -> list[Audio]:
    """List the recordings of a folder and its subfolders, sorted by their paths relative to it."""
    from auricle.media.media import Audio

    root = Path(folder).expanduser()
    if not root.is_dir():
        raise SpecError(f"noise: the folder {folder} does not exist.")
    paths = sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.suffix.lower() in NOISE_SUFFIXES and not path.name.startswith(".") and path.is_file()
    )
    if not paths:
        raise SpecError(f"noise: the folder {folder} contains no recordings ({', '.join(NOISE_SUFFIXES)}).")
    return [Audio.of(root / path) for path in paths]
