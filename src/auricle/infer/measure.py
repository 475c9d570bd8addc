"""Named inputs in, named numbers out."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from auricle.errors import NotFinite, SampleError
from auricle.prompts.fields import many
from auricle.types import Ability, Ask, Input, Output, Part, Predict, Prediction, Sample

ASIDE = ("choices", "turns")  # inputs that are lists of their own, not one named thing each


@dataclass(frozen=True)
class Measure:
    """Named inputs in, named numbers out; the raw output of a classifier or reward model."""

    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (finite(await ask(Predict(inputs=named(sample.inputs)))),)


@dataclass(frozen=True)
class Compare:
    """Measure two candidates under one instruction; one output per candidate."""

    candidates: tuple[str, str] = ("a", "b")
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        given = named(sample.inputs)
        if missing := [name for name in self.candidates if name not in given]:
            raise SampleError(f"there is no {missing[0]} to compare")
        shared = {name: part for name, part in given.items() if name not in self.candidates}
        asked = (ask(Predict(inputs={**shared, "audio": given[c]})) for c in self.candidates)
        found = await asyncio.gather(*asked)
        sides = zip(self.candidates, found, strict=True)
        return tuple(finite(output, f" of {side}") for side, output in sides)


def finite(output: Output, whose: str = "") -> Output:
    """An output whose numbers are numbers; NaN in one of them would poison a mean unseen."""
    values = output.values if isinstance(output, Prediction) else {}
    for name, value in values.items():
        if not math.isfinite(value):
            raise NotFinite(f"the model's {name}{whose} is {value}, which is no number")
    return output


def named(inputs: Mapping[str, Input]) -> dict[str, Part]:
    """Inputs a model is told by name: the first of each, without what is empty."""
    given = {name: many(value) for name, value in inputs.items() if name not in ASIDE}
    return {name: parts[0] for name, parts in given.items() if parts}
