"""Inferencers that ask classifiers and reward models for named scores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from auricle.core.errors import NotFinite, SampleError
from auricle.core.types import Ability, Ask, Input, Output, Part, Predict, Sample
from auricle.prompts.placeholders import as_parts

EXCLUDED_INPUTS = ("choices", "turns")  # lists that are not inputs of a predictor


@dataclass(frozen=True)
class Measure:
    """Asks for the scores of a sample; the output is that of the classifier or reward model."""

    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(Predict(inputs=select_named_inputs(sample.inputs))),)


@dataclass(frozen=True)
class Compare:
    """Asks for the scores of two candidates with the same other inputs; one output per candidate."""

    candidates: tuple[str, str] = ("a", "b")
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        inputs = select_named_inputs(sample.inputs)
        require_inputs(self.candidates, inputs)
        shared = {name: part for name, part in inputs.items() if name not in self.candidates}
        answers = (
            _name_candidate(side, ask(Predict(inputs={**shared, "audio": inputs[side]}))) for side in self.candidates
        )
        return tuple(await asyncio.gather(*answers))


def require_inputs(names: Sequence[str], inputs: Mapping[str, object]) -> None:
    """Raise an error if the sample lacks one of these inputs."""
    if missing := [name for name in names if name not in inputs]:
        raise SampleError(f"missing input {missing[0]!r}")


async def _name_candidate(candidate: str, answer: Awaitable[Output]) -> Output:
    """Await an answer; name the candidate if its scores are not finite."""
    try:
        return await answer
    except NotFinite as error:
        raise NotFinite(f"{candidate}: {error}") from error


def select_named_inputs(inputs: Mapping[str, Input]) -> dict[str, Part]:
    """Return the first part of each input that is not empty."""
    parts_by_name = {name: as_parts(value) for name, value in inputs.items() if name not in EXCLUDED_INPUTS}
    return {name: parts[0] for name, parts in parts_by_name.items() if parts}
