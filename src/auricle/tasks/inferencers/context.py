"""Attach task and sample metadata to requests, for models that set `wants_context`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from auricle.core.types import Ability, Ask, Generate, Json, Output, Request, Sample
from auricle.tasks.inferencers.base import Inferencer, adapt_to_batching, close_inferencer


@dataclass(frozen=True)
class WithContext:
    """Wraps an inferencer and adds the task's context and the sample's id and metadata to its requests."""

    inner: Inferencer
    task_context: Mapping[str, Json]

    @property
    def needs(self) -> Ability:
        return self.inner.needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        context: dict[str, Json] = {"task": self.task_context, **self.sample_context(sample)}

        async def ask_with_context(request: Request) -> Output:
            return await ask(replace(request, context=context) if isinstance(request, Generate) else request)

        return await self.inner(sample, ask_with_context)

    def sample_context(self, sample: Sample) -> dict[str, Json]:
        """Return the context of a sample."""
        return {"id": sample.id, "meta": sample.meta}

    def adapt_to_batching(self, is_batch_model: bool) -> WithContext:
        return replace(self, inner=adapt_to_batching(self.inner, is_batch_model=is_batch_model))

    async def close(self) -> None:
        await close_inferencer(self.inner)


def with_context(inferencer: Inferencer, model_class: type[object], task_context: Mapping[str, Json]) -> Inferencer:
    """Wrap an inferencer in `WithContext` if the model sets `wants_context`."""
    return WithContext(inferencer, task_context) if getattr(model_class, "wants_context", False) else inferencer
