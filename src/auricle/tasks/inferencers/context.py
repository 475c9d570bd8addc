"""Requests that say what they belong to, for models that answer each kind of task its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from auricle.core.types import Ability, Ask, Generate, Json, Output, Request, Sample
from auricle.tasks.inferencers.base import Inferencer, adapt_to_batching, close_inferencer


@dataclass(frozen=True)
class WithContext:
    """Asks as another does; every request tells of the task, and of the sample its id and meta."""

    inner: Inferencer
    task_context: Mapping[str, Json]

    @property
    def needs(self) -> Ability:
        return self.inner.needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        about: dict[str, Json] = {"task": self.task_context, **self.sample_context(sample)}

        async def telling(request: Request) -> Output:
            told = replace(request, context=about) if isinstance(request, Generate) else request
            return await ask(told)

        return await self.inner(sample, telling)

    def sample_context(self, sample: Sample) -> dict[str, Json]:
        """What is told of a sample besides what it shows."""
        return {"id": sample.id, "meta": sample.meta}

    def adapt_to_batching(self, is_batch_model: bool) -> WithContext:
        return replace(self, inner=adapt_to_batching(self.inner, is_batch_model=is_batch_model))

    async def close(self) -> None:
        await close_inferencer(self.inner)


def with_context(inferencer: Inferencer, model_class: type[object], task_context: Mapping[str, Json]) -> Inferencer:
    """The same way to ask, and for a model that wants to be told, with what is known."""
    return WithContext(inferencer, task_context) if getattr(model_class, "wants_context", False) else inferencer
