"""Requests that say what they belong to, for models that answer each kind of task its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from auricle.core.types import Ability, Ask, Generate, Json, Output, Request, Sample
from auricle.tasks.inferencers.base import Inferencer, beside, let_go


@dataclass(frozen=True)
class Told:
    """Asks as another does; every request tells of the task, and of the sample its id and meta."""

    inner: Inferencer
    task: Mapping[str, Json]

    @property
    def needs(self) -> Ability:
        return self.inner.needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        about: dict[str, Json] = {"task": self.task, **self.about(sample)}

        async def telling(request: Request) -> Output:
            told = replace(request, about=about) if isinstance(request, Generate) else request
            return await ask(told)

        return await self.inner(sample, telling)

    def about(self, sample: Sample) -> dict[str, Json]:
        """What is told of a sample besides what it shows."""
        return {"id": sample.id, "meta": sample.meta}

    def beside(self, batch: bool) -> Told:
        return replace(self, inner=beside(self.inner, batch=batch))

    async def close(self) -> None:
        await let_go(self.inner)


def telling(inferencer: Inferencer, model: type[object], task: Mapping[str, Json]) -> Inferencer:
    """The same way to ask, and for a model that wants to be told, with what is known."""
    return Told(inferencer, task) if getattr(model, "told", False) else inferencer
