"""Named inputs in, named numbers out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from auricle.core.errors import NotFinite, SampleError
from auricle.core.types import Ability, Ask, Input, Output, Part, Predict, Sample
from auricle.prompts.placeholders import as_parts

EXCLUDED_INPUTS = ("choices", "turns")  # inputs that are lists of their own, not one named thing each


@dataclass(frozen=True)
class Measure:
    """Named inputs in, named numbers out; the raw output of a classifier or reward model."""

    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(Predict(inputs=select_named_inputs(sample.inputs))),)


@dataclass(frozen=True)
class Compare:
    """Measure two candidates under one instruction; one output per candidate."""

    candidates: tuple[str, str] = ("a", "b")
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        given = select_named_inputs(sample.inputs)
        if missing := [name for name in self.candidates if name not in given]:
            raise SampleError(f"there is no {missing[0]} to compare")
        shared = {name: part for name, part in given.items() if name not in self.candidates}
        asked = (
            _name_candidate(side, ask(Predict(inputs={**shared, "audio": given[side]}))) for side in self.candidates
        )
        return tuple(await asyncio.gather(*asked))


async def _name_candidate(candidate: str, answer: Awaitable[Output]) -> Output:
    """An answer, or what is wrong with it and of which side it is."""
    try:
        return await answer
    except NotFinite as error:
        raise NotFinite(f"{candidate}: {error}") from error


def select_named_inputs(inputs: Mapping[str, Input]) -> dict[str, Part]:
    """Inputs a model is told by name: the first of each, without what is empty."""
    given = {name: as_parts(value) for name, value in inputs.items() if name not in EXCLUDED_INPUTS}
    return {name: parts[0] for name, parts in given.items() if parts}
