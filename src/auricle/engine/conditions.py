"""Ask the same questions under another condition: with noise, through a codec, or without the sound.

A condition is a chain of steps that change the sample (`options:shift=1`) or its recordings (`noise:snr=10`). A task
under a condition is a task like any other: its samples keep their ids and targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from auricle.core.errors import AudioError, SampleError, SpecError
from auricle.core.types import Input, Json, RejectedRow, Sample, list_parts
from auricle.data.parts import DataPart, PartSource
from auricle.engine.sample_changes import SAMPLE_CHANGES, SampleChange, replace_parts
from auricle.engine.task import Task
from auricle.media import Audio
from auricle.media.perturbations.base import ConditionStep, Perturbation, PerturbationChain, make_generator
from auricle.media.perturbations.catalogue import PERTURBATIONS, expand_steps, get_perturbation
from auricle.metrics.targets import get_choices, resolve_option

PERTURB_ARGUMENT = "perturb"
"""The argument of every task that names its condition."""
CLEAN = "clean"
"""Name of the condition that changes nothing."""
SPEAKER_FIELDS = ("speaker", "speaker_id", "spk", "session")
POOL_SIZE = 2000
"""Number of samples from which other recordings are drawn."""
MAX_LENGTH_RATIO = 1.5
"""How much longer or shorter a recording may be that replaces another one, if there is such a recording."""


@dataclass(frozen=True)
class Condition:
    """A chain of steps, applied in order."""

    steps: tuple[ConditionStep, ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse a condition with one value for each argument.

        >>> str(Condition.parse("noise:10"))
        'noise:snr=10'

        Raises:
            SpecError: if a name or a value is invalid, or the text stands for several conditions.
        """
        conditions = cls.expand(text)
        if len(conditions) != 1:
            raise SpecError(f"{text!r} stands for {len(conditions)} conditions. Give one value for each argument.")
        return conditions[0]

    @classmethod
    def expand(cls, text: str) -> list[Condition]:
        """Parse a condition in which arguments may have several values, and return all combinations."""
        return [cls(steps) for steps in expand_steps(text, _get_step_class)]

    @property
    def family(self) -> str:
        """The condition without the level of its first step: conditions of one family are points of one curve."""
        first, *others = self.steps
        return "+".join([first.family, *map(str, others)])

    @property
    def level(self) -> float | str | None:
        """The level of the first step, the horizontal axis of figures; None if it has none."""
        return self.steps[0].level

    @property
    def unit(self) -> str:
        return self.steps[0].unit

    @property
    def is_harder_if_higher(self) -> bool:
        return self.steps[0].harder_if == "higher"

    def list_paths(self) -> list[str]:
        """List the files and folders that the steps read."""
        return [str(path) for step in self.steps for name in step.path_arguments if (path := getattr(step, name))]

    def resolve_paths(self, base: Path) -> Condition:
        """Return the condition with absolute paths, relative to a folder."""

        def resolve(step: ConditionStep) -> ConditionStep:
            paths = {name: getattr(step, name) for name in step.path_arguments}
            return replace(step, **{name: str((base / path).resolve()) for name, path in paths.items() if path})

        return Condition(tuple(map(resolve, self.steps)))

    @property
    def clean_level(self) -> float | None:
        """The level that changes nothing, if there is one and nothing else is changed."""
        return self.steps[0].clean_level if len(self.steps) == 1 else None

    @property
    def is_logarithmic(self) -> bool:
        return self.steps[0].is_logarithmic

    @cached_property
    def perturbations(self) -> tuple[Perturbation, ...]:
        """The steps that change recordings."""
        return tuple(step for step in self.steps if isinstance(step, Perturbation))

    def __str__(self) -> str:
        return "+".join(map(str, self.steps))


def _get_step_class(name: str) -> type[ConditionStep]:
    return SAMPLE_CHANGES.get(name) or get_perturbation(name, SAMPLE_CHANGES)


def list_step_classes() -> dict[str, type[ConditionStep]]:
    """Return the classes of all steps by name: perturbations of recordings, then changes of samples."""
    return {name: _get_step_class(name) for name in [*PERTURBATIONS, *SAMPLE_CHANGES]}


def apply_condition(task: Task, condition: Condition, seed: int = 0) -> Task:
    """Return the same task with its samples under a condition.

    Args:
        task: The task.
        condition: What to change.
        seed: Seed of everything random; the same sample always gets the same noise.
    """
    return replace(task, samples=ConditionedSamples(task.samples, condition, seed))


class ConditionedSamples:
    """Samples under a condition.

    Args:
        samples: The original samples, which can be iterated several times.
        condition: What to change.
        seed: Seed of everything random.
        whole: All samples, whose recordings may be mixed in, if these are a part of them.
    """

    def __init__(
        self,
        samples: Iterable[Sample | RejectedRow],
        condition: Condition,
        seed: int,
        whole: ConditionedSamples | None = None,
    ) -> None:
        self._samples = samples
        self._condition = condition
        self._seed = seed
        self._whole = self if whole is None else whole

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for sample in self._samples:
            yield self._change(sample) if isinstance(sample, Sample) else sample

    def __len__(self) -> int:
        return len(self._samples)  # type: ignore[arg-type]  # raises TypeError if it is unknown

    @property
    def is_remote(self) -> bool:
        """Whether the original samples are read over a network."""
        return bool(getattr(self._samples, "is_remote", False))

    def plan_parts(self, target_bytes: int) -> Iterator[DataPart]:
        """Yield the parts of the original data, in order; see `PartSource`."""
        return self._part_source.plan_parts(target_bytes)

    def restrict(self, part: DataPart) -> Self:
        """Return the samples of a part, changed as they are among all samples: others are drawn from all of them."""
        return type(self)(self._part_source.restrict(part), self._condition, self._seed, self._whole)

    @property
    def _part_source(self) -> PartSource:
        if isinstance(self._samples, PartSource):
            return self._samples
        raise SpecError(f"The samples of {type(self._samples).__name__} cannot be divided into shards.")

    @property
    def revision(self) -> str:
        """Identifier of the data and the condition."""
        seed = f"@{self._seed}" if self._seed and self._condition.perturbations else ""
        return f"{getattr(self._samples, 'revision', '') or 'local'}+{self._condition}{seed}"

    def notes(self) -> list[str]:
        own = [f"All samples were changed: {self._condition}."]
        return [*getattr(self._samples, "notes", list)(), *own]

    def validate(self) -> None:
        getattr(self._samples, "validate", lambda: None)()

    def _change(self, sample: Sample) -> Sample | RejectedRow:
        try:
            for step in self._condition.steps:
                if isinstance(step, SampleChange):
                    sample = step.change(sample)
            return self._perturb(sample) if self._condition.perturbations else sample
        except (SampleError, AudioError) as error:
            return RejectedRow(sample.origin or sample.id, str(error), sample.target)

    def _perturb(self, sample: Sample) -> Sample:
        """Return a sample whose recordings are perturbed when they are decoded, each with noise of its own."""
        others = self._draw_others(sample)
        count = 0

        def perturb(audio: Audio) -> Audio:
            nonlocal count
            seed = f"{self._seed}|{sample.id}" + (f"|{count}" if count else "")
            count += 1
            own_steps = audio.perturbation.steps if audio.perturbation else ()  # such as masked words
            steps = (*own_steps, *self._condition.perturbations)
            return replace(audio, perturbation=PerturbationChain(steps, seed, others))

        return replace(sample, inputs={name: replace_audio(value, perturb) for name, value in sample.inputs.items()})

    def _draw_others(self, sample: Sample) -> tuple[Audio, ...]:
        """Draw the recordings that are mixed in: of other speakers, or of one other sample."""
        for step in self._condition.perturbations:
            if step.needed_sounds:
                candidates = self._list_candidates(sample, step)
                if len(candidates) < step.needed_sounds:
                    raise SampleError(
                        f"{step} needs {step.needed_sounds} other recordings "
                        f"({'of other speakers, ' if step.other_sounds == 'speakers' else ''}with another target), "
                        f"but the data has {len(candidates)}"
                    )
                random = make_generator(f"{self._seed}|{sample.id}", f"others of {step.seed_name}")
                chosen = random.choice(len(candidates), step.needed_sounds, replace=False)
                return tuple(candidates[index] for index in chosen)
        return ()

    def _list_candidates(self, sample: Sample, step: Perturbation) -> Sequence[Audio]:
        """List the recordings that may be mixed into a sample."""
        if step.other_sounds == "files":
            return step.list_files()
        entries = self._list_entries(sample, step.other_sounds)
        return [entry.audio for entry in entries]

    def _list_entries(self, sample: Sample, kind: str) -> Sequence[PoolEntry]:
        own = _describe(sample)
        others = [
            entry
            for entry in self._whole.pool
            if entry.sample_id != sample.id
            and entry.target != own.target
            and not (entry.audio.uri and entry.audio == own.audio)  # audio in memory is equal whatever it contains
        ]
        if kind == "speakers":
            return [entry for entry in others if not own.speaker or entry.speaker != own.speaker]
        seconds = own.audio.seconds
        similar = [
            entry
            for entry in others
            if seconds / MAX_LENGTH_RATIO <= self._whole.durations[entry.sample_id] <= seconds * MAX_LENGTH_RATIO
        ]
        return similar or others

    @cached_property
    def pool(self) -> list[PoolEntry]:
        """Recordings that may be mixed into others."""
        samples = (sample for sample in islice(self._samples, POOL_SIZE) if isinstance(sample, Sample))
        return [_describe(sample) for sample in samples if _list_audio(sample)]

    @cached_property
    def durations(self) -> dict[str, float]:
        """Seconds of these recordings, by sample id."""
        durations: dict[str, float] = {}
        for entry in self.pool:
            try:
                durations[entry.sample_id] = entry.audio.seconds
            except AudioError:  # such as a missing file, which costs its own sample
                durations[entry.sample_id] = 0.0
        return durations


class PoolEntry(NamedTuple):
    """A recording that may be mixed into others."""

    sample_id: str
    speaker: Json
    target: Json
    audio: Audio


def _describe(sample: Sample) -> PoolEntry:
    speaker = next((sample.meta[name] for name in SPEAKER_FIELDS if sample.meta.get(name)), "")
    return PoolEntry(sample.id, speaker, _get_answer(sample), _list_audio(sample)[0])


def _get_answer(sample: Sample) -> Json:
    """Return the target; if it names an option, the text of the option, which other samples may list elsewhere."""
    choices = get_choices(sample)
    index = resolve_option(sample.target, choices) if choices and isinstance(sample.target, (str, int)) else None
    return sample.target if index is None else choices[index]


def render_sample(sample: Sample) -> tuple[Sample, dict[str, float]]:
    """Perturb the recordings of a sample now, and return it with the values that were measured on them.

    Values of a second recording and further ones have its number in their names.
    """
    measured: dict[str, float] = {}
    count = 0

    def render(audio: Audio) -> Audio:
        nonlocal count
        count += 1
        rendered = audio.render()
        suffix = f"_{count}" if count > 1 else ""
        measured.update({f"{name}{suffix}": value for name, value in rendered.measured.items()})
        return rendered.audio

    inputs = {name: replace_audio(value, render) for name, value in sample.inputs.items()}
    return replace(sample, inputs=inputs), measured


def is_perturbed(sample: Sample) -> bool:
    """Return whether any recording of a sample is perturbed when it is decoded."""
    return any(audio.perturbation is not None for audio in _list_audio(sample))


def _list_audio(sample: Sample) -> list[Audio]:
    parts = (part for value in sample.inputs.values() for part in list_parts(value))
    return [part for part in parts if isinstance(part, Audio)]


def replace_audio(value: Input, change: Callable[[Audio], Audio]) -> Any:
    """Return an input with each of its recordings changed."""
    return replace_parts(value, lambda part: change(part) if isinstance(part, Audio) else part)
