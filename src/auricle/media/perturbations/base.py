"""The `Perturbation` class, and chains of perturbations that are applied to a recording when it is decoded."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

from auricle.core.errors import AudioError, SpecError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

    from auricle.media.media import Audio


OtherSounds: TypeAlias = Literal["", "speakers", "sample", "files"]


class Sound(NamedTuple):
    """Decoded mono audio."""

    samples: NDArray[float32]
    rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


class PerturbedSound(NamedTuple):
    """What a perturbation returns: the changed audio, and what was measured on it."""

    sound: Sound
    measured: Mapping[str, float] = {}
    """Realised values by name, such as `snr` in dB, as far as they can be measured."""


@dataclass(frozen=True)
class ConditionStep:
    """A change of a sample. Its fields are its arguments: `noise:kind=pink,snr=10`.

    The first field is the one that a value without a name sets: `codec:opus@6k`.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for lists and the documentation."""
    version: ClassVar[int] = 1
    """Part of the content key: increase it when the same arguments give another sound."""
    level_name: ClassVar[str] = ""
    """The argument that sets how strong the change is, the horizontal axis of figures; empty if there is none."""
    unit: ClassVar[str] = ""
    """Unit of the level, such as dB."""
    harder_if: ClassVar[str] = "lower"
    """Whether `lower` or `higher` levels are harder."""
    clean_level: ClassVar[float | None] = None
    """The level that changes nothing, such as a packet loss of 0; None if there is no such level. Levels are harder the
    further they are from it."""
    is_logarithmic: ClassVar[bool] = False
    """Whether levels are compared by their ratios, as bit rates are."""
    path_arguments: ClassVar[tuple[str, ...]] = ()
    """Arguments that are paths. They decide neither the content key nor the seed; the content of the files does."""

    @property
    def level(self) -> float | str | None:
        """The value of the level, or None if this perturbation has none."""
        return getattr(self, self.level_name) if self.level_name else None

    @property
    def family(self) -> str:
        """The perturbation without its level: perturbations of one family are points of one curve."""
        return self._format(self.level_name)

    def __str__(self) -> str:
        return self._format()

    def _require(self, is_valid: bool, argument: str, expected: str) -> None:
        """Raise if the value of an argument is invalid."""
        if not is_valid:
            value = format_value(getattr(self, argument))
            raise SpecError(f"{self.name}: {argument} must be {expected}, not {value or 'empty'}.")

    def _format(self, *without: str) -> str:
        """Return name and arguments as they are written, without defaults; a text that comes first needs no name."""
        arguments = []
        for index, argument in enumerate(fields(self)):
            value = getattr(self, argument.name)
            if argument.name not in without and value != _default(argument):
                text = format_value(value)
                is_named = index > 0 or not isinstance(value, str) or "=" in text
                arguments.append(f"{argument.name}={text}" if is_named else text)
        return f"{self.name}:{','.join(arguments)}" if arguments else self.name


@dataclass(frozen=True)
class Perturbation(ConditionStep, ABC):
    """A change of a recording."""

    @property
    def other_sounds(self) -> OtherSounds:
        """Which further recordings are mixed in: other speakers or another sample of the task, or `list_files`."""
        return ""

    @property
    def needed_sounds(self) -> int:
        """How many further recordings are mixed in."""
        return 1 if self.other_sounds else 0

    def list_files(self) -> Sequence[Audio]:
        """List the recordings to draw from if `other_sounds` is `files`, in a fixed order."""
        return ()

    @property
    def build(self) -> str:
        """What else decides the result, such as the versions of an encoder; part of the content key."""
        return ""

    @property
    def seed_name(self) -> str:
        """The family without paths: what decides the random numbers of a sample."""
        return self._format(self.level_name, *self.path_arguments)

    @property
    def key(self) -> str:
        """All that decides the result besides the recordings and the seed, as text."""
        return f"{self._format(*self.path_arguments)} version {self.version} {self.build}".rstrip()

    @abstractmethod
    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        """Return the changed recording; `sound` itself must not be modified.

        Args:
            sound: The recording.
            random: Source of everything random.
            others: The further recordings that `needed_sounds` asks for, with their own sample rates.
        """

    def change_duration(self, seconds: float) -> float:
        """Return the duration of a recording after this perturbation."""
        return seconds


def _default(argument: Any) -> Any:
    return argument.default if argument.default is not MISSING else None


def format_value(value: Any) -> str:
    """Return a value as it is written in a perturbation.

    Numbers have no needless decimals; characters that separate arguments and perturbations are percent-encoded.

    >>> format_value(10.0), format_value("a,b+c")
    ('10', 'a%2Cb%2Bc')
    """
    text = repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
    for character in "%,+":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


@dataclass(frozen=True)
class UnknownPerturbation(Perturbation):
    """A perturbation that a run was made with and that this version of Auricle does not have."""

    name: ClassVar[str] = "unknown"
    summary: ClassVar[str] = "A perturbation of another version."

    text: str

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        raise AudioError(f"This version of Auricle has no perturbation {self.text!r}.")

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class PerturbationChain:
    """Perturbations of one recording, applied in order, with all that decides their result.

    Args:
        steps: The perturbations.
        seed: Identifies the sample and the seed of the run; see `make_generator`.
        others: Further recordings that a step mixes in.
    """

    steps: tuple[Perturbation, ...]
    seed: str = ""
    others: tuple[Audio, ...] = field(default=())

    def __post_init__(self) -> None:
        if sum(step.needed_sounds > 0 for step in self.steps) > 1:
            raise SpecError(f"{self} mixes in other recordings twice. Use one such perturbation at a time.")

    def apply(self, sound: Sound) -> PerturbedSound:
        """Apply all steps; values measured by a later step replace those of the same name."""
        measured: dict[str, float] = {}
        earlier: list[str] = []
        for step in self.steps:
            others = [Sound(other.decode(), other.info().rate) for other in self.others] if step.needed_sounds else []
            repeats = earlier.count(step.seed_name)  # so that noise that is added twice is not the same noise
            random = make_generator(self.seed, step.seed_name + (f"|{repeats}" if repeats else ""))
            sound, values = step.apply(sound, random, others)
            earlier.append(step.seed_name)
            measured |= values
        return PerturbedSound(sound, measured)

    def change_duration(self, seconds: float) -> float:
        """Return the duration of a recording after all steps."""
        for step in self.steps:
            seconds = step.change_duration(seconds)
        return seconds

    @property
    def key(self) -> str:
        """All that decides the result besides the recording, as text."""
        steps = " + ".join(step.key for step in self.steps)
        return f"{steps} {self.seed} {[other.hash for other in self.others]}"

    def __str__(self) -> str:
        return "+".join(map(str, self.steps))


def make_generator(seed: str, name: str) -> Generator:
    """Return the generator of one sample and one family of perturbations; see `Perturbation.seed_name`.

    The level is not part of its seed: a sample gets the same noise at every level, so that levels are compared in
    pairs.
    """
    import numpy as np

    digest = hashlib.sha256(f"{seed}|{name}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))
