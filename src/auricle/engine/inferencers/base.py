"""The `Inferencer` protocol, choosing an inferencer that a model supports, and passing it context."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, cast

from auricle.core.errors import SampleError, Unsupported
from auricle.core.types import (
    Ability,
    Ask,
    Generation,
    Input,
    Json,
    Likelihood,
    LogLikelihood,
    Output,
    Request,
    Sample,
    Turn,
    get_max_tokens,
)
from auricle.core.user_code import AwaitedCall, UserCall
from auricle.data.prompts import Prompt
from auricle.models.base import BatchModel
from auricle.models.catalogue import models_with_ability
from auricle.models.limits import ModelLimits

ABILITY_PHRASES: Mapping[Ability, str] = {
    "call": "hold live calls",
    "first_tokens": "return probabilities of the first token",
}
"""How an ability reads in a sentence, where its name does not fit."""


class Inferencer(Protocol):
    """Turns one sample into requests and returns the outputs."""

    @property
    def needs(self) -> Ability: ...

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]: ...


class PromptMixin:
    """Mixin for inferencers with a prompt, which may be given as text."""

    prompt: Prompt | str

    def __post_init__(self, system: str) -> None:
        object.__setattr__(self, "prompt", Prompt.of(self.prompt, system=system))

    def render_turns(self, sample: Sample) -> tuple[Turn, ...]:
        """Return the turns of the prompt, filled in for a sample."""
        return cast(Prompt, self.prompt).render(sample)


@dataclass(frozen=True)
class FirstSupported:
    """Several inferencers; the first one that the model supports is used."""

    inferencers: tuple[Inferencer, ...]

    @property
    def needs(self) -> Ability:
        return self.inferencers[0].needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return await self.inferencers[0](sample, ask)


def select_inferencer(
    inferencer: Inferencer, abilities: Sequence[Ability], task_name: str, model_name: str
) -> Inferencer:
    """Return the inferencer that a model supports.

    Args:
        inferencer: An inferencer, or several in order of preference (`FirstSupported`).
        abilities: What the model can do.
        task_name: Name of the task, for the error message.
        model_name: Name of the model, for the error message.

    Raises:
        Unsupported: if the model supports none of them.
    """
    candidates = inferencer.inferencers if isinstance(inferencer, FirstSupported) else (inferencer,)
    for candidate in candidates:
        if candidate.needs in abilities:
            return candidate
    needs = " or ".join(
        dict.fromkeys(ABILITY_PHRASES.get(candidate.needs, candidate.needs) for candidate in candidates)
    )
    alternative = getattr(candidates[0], "alternative", "")
    raise Unsupported(
        f"{task_name} needs a model that can {needs}; {model_name} can {', '.join(abilities) or 'do nothing'}. "
        f"Choose another model with -m: {', '.join(models_with_ability(candidates[0].needs))}, or your own."
        f"{alternative and ' '}{alternative}"
    )


def adapt_to_batching(inferencer: Inferencer, *, is_batch_model: bool) -> Inferencer:
    """Return the variant for batch models of an inferencer that has one (a method of this name)."""
    adapt: Callable[[bool], Inferencer] | None = getattr(inferencer, "adapt_to_batching", None)
    return adapt(is_batch_model) if adapt else inferencer


def adapt_to_pairs(inferencer: Inferencer, *, takes_pairs: bool) -> Inferencer:
    """Return the variant for models that compare of an inferencer that has one (a method of this name)."""
    adapt: Callable[[], Inferencer] | None = getattr(inferencer, "adapt_to_pairs", None)
    return adapt() if adapt and takes_pairs else inferencer


def wrap_model(inferencer: Inferencer, model: BatchModel) -> BatchModel:
    """Return what gets the batches of a run: the model, or an inferencer that is called with batches itself."""
    wrap: Callable[[BatchModel], BatchModel] | None = getattr(inferencer, "wrap_model", None)
    return wrap(model) if wrap else model


def adapt_to_load_test(inferencer: Inferencer) -> Inferencer:
    """Return the variant for load tests of an inferencer that has one (a method of this name)."""
    adapt: Callable[[], Inferencer] | None = getattr(inferencer, "adapt_to_load_test", None)
    return adapt() if adapt else inferencer


async def close_inferencer(inferencer: Inferencer) -> None:
    """Close an inferencer that has a method `close`."""
    if close := getattr(inferencer, "close", None):
        await close()


def resolve_max_tokens(sample: Sample, default: int, turn_index: int = 0) -> int:
    """Return the token limit of an answer: the sample's own limit, else the default.

    A sample may have a list of limits, one for each turn; the last one applies to further turns.
    """
    limit: Any = get_max_tokens(sample)
    if limit is None:
        return default
    if isinstance(limit, (list, tuple)) and limit:
        limit = limit[min(turn_index, len(limit) - 1)]
    if isinstance(limit, str) and limit.isdigit():  # from a CSV file
        limit = int(limit)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise SampleError(f"invalid max_tokens {limit!r}: expected a positive integer")
    return limit


class UnknownRequest(SampleError):
    """A request that an inferencer sends itself, so that it cannot be shown or prepared."""


IS_PREVIEW: ContextVar[bool] = ContextVar("is_preview", default=False)
"""Whether requests are only collected, and nothing may be sent."""


def refuse_in_preview(reason: str) -> None:
    """Raise `UnknownRequest` if nothing may be sent; for what sends requests itself instead of asking a model."""
    if IS_PREVIEW.get():
        raise UnknownRequest(reason)


async def preview_requests(inferencer: Inferencer, sample: Sample) -> list[Request]:
    """Return the requests an inferencer would send for a sample, without sending them.

    Requests that it sends itself are not among them.
    """
    requests: list[Request] = []

    async def ask(request: Request) -> Output:
        requests.append(request)
        if isinstance(request, LogLikelihood):
            return Likelihood(logprobs=(0.0,))
        return Generation(text="…")

    token = IS_PREVIEW.set(True)
    try:
        await inferencer(sample, ask)
    except UnknownRequest:
        pass
    finally:
        IS_PREVIEW.reset(token)
    return requests


@dataclass(frozen=True)
class WrappedInferencer:
    """An inferencer that changes how another one asks."""

    inner: Inferencer

    @property
    def needs(self) -> Ability:
        return self.inner.needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return await self.inner(sample, ask)

    def adapt_to_batching(self, is_batch_model: bool) -> Self:
        return replace(self, inner=adapt_to_batching(self.inner, is_batch_model=is_batch_model))

    def wrap_model(self, model: BatchModel) -> BatchModel:
        return wrap_model(self.inner, model)

    def adapt_to_load_test(self) -> Self:
        return replace(self, inner=adapt_to_load_test(self.inner))

    async def close(self) -> None:
        await close_inferencer(self.inner)


@dataclass(frozen=True, repr=False)
class ForeignInferencer(WrappedInferencer):
    """An inferencer of the user: whatever it raises fails its sample, as does code of it that blocks too long."""

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        step = UserCall(f"the inferencer {type(self.inner).__name__}", is_announced=False)
        outputs: tuple[Output, ...] = await AwaitedCall(step, self.inner, sample, ask, has_limit=False)
        return outputs

    def __repr__(self) -> str:
        return repr(self.inner)


def guard_inferencer(inferencer: Inferencer) -> Inferencer:
    """Wrap an inferencer that is not part of Auricle."""
    is_own = type(inferencer).__module__.startswith("auricle.")
    return inferencer if is_own else ForeignInferencer(inferencer)


@dataclass(frozen=True)
class WithContext(WrappedInferencer):
    """Adds the task's context and the sample's id and metadata to requests."""

    task_context: Mapping[str, Json]

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        context = self._build_context(sample)

        async def ask_with_context(request: Request) -> Output:
            return await ask(request if isinstance(request, LogLikelihood) else replace(request, context=context))

        return await self.inner(sample, ask_with_context)

    def _build_context(self, sample: Sample) -> dict[str, Json]:
        return {"task": self.task_context, **self.sample_context(sample)}

    def sample_context(self, sample: Sample) -> dict[str, Json]:
        """Return the context of a sample, which is part of its key."""
        return {"id": sample.id, "meta": sample.meta}


@dataclass(frozen=True, repr=False)
class WithNamedInputs(WithContext):
    """Adds inputs and metadata fields of the sample to requests, by name."""

    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return repr(self.inner)  # the names are those of the model's parameters: the prompt is the same

    def _build_context(self, sample: Sample) -> dict[str, Json]:
        return self.sample_context(sample)

    def sample_context(self, sample: Sample) -> dict[str, Json]:
        values = list_named_values(sample)
        return {name: values[name] for name in self.names if name in values}


@dataclass(frozen=True, repr=False)
class WithSeed(WrappedInferencer):
    """Adds the seed of the run to that of each request."""

    seed: int

    def __repr__(self) -> str:
        return repr(self.inner)  # the seed of a run is a part of its identity itself

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        async def ask_with_seed(request: Request) -> Output:
            if isinstance(request, LogLikelihood):
                return await ask(request)
            return await ask(replace(request, seed=request.seed + self.seed))

        return await self.inner(sample, ask_with_seed)


@dataclass(frozen=True, repr=False)
class WithinLimits(WrappedInferencer):
    """Skips samples that the model does not accept, before they are sent."""

    limits: ModelLimits
    language: str = ""
    """Language of the task, for samples without one."""

    def __repr__(self) -> str:
        return repr(self.inner)  # limits decide which samples are sent, not what is sent for them

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        self.limits.check_language(str(sample.meta.get("language") or self.language))

        async def ask_within_limits(request: Request) -> Output:
            await asyncio.to_thread(self.limits.check_request, request)  # reads headers of files
            return await ask(request)

        return await self.inner(sample, ask_within_limits)


def within_limits(inferencer: Inferencer, model_class: type[object], language: str) -> Inferencer:
    """Wrap an inferencer so that samples beyond the limits of the model are skipped."""
    limits = ModelLimits.of(model_class)
    return inferencer if limits == ModelLimits() else WithinLimits(inferencer, limits, language)


def with_seed(inferencer: Inferencer, seed: int) -> Inferencer:
    """Wrap an inferencer so that the seeds of its requests begin with `seed`."""
    return WithSeed(inferencer, seed) if seed else inferencer


def find_max_tokens(inferencer: Inferencer) -> int | None:
    """Return the most tokens of an answer, if an inferencer states them."""
    while isinstance(inferencer, WrappedInferencer):
        inferencer = inferencer.inner
    choices = inferencer.inferencers if isinstance(inferencer, FirstSupported) else (inferencer,)
    return next((each.max_tokens for each in choices if hasattr(each, "max_tokens")), None)


def list_seeds(inferencer: Inferencer, seed: int) -> tuple[int, ...]:
    """Return the seeds of the answers that an inferencer requests for each sample, as far as it states their number."""
    while isinstance(inferencer, WrappedInferencer):
        inferencer = inferencer.inner
    return tuple(range(seed, seed + getattr(inferencer, "samples", 1)))


def list_named_values(sample: Sample) -> dict[str, Json]:
    """Return the metadata fields and the texts among the inputs of a sample, by name."""
    texts = {name: value for name, value in sample.inputs.items() if _is_text(value)}
    return {"id": sample.id, **sample.meta, **cast(dict[str, Json], texts)}


def _is_text(value: Input) -> bool:
    return isinstance(value, str) or (isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value))


def with_context(inferencer: Inferencer, model_class: type[object], task_context: Mapping[str, Json]) -> Inferencer:
    """Wrap an inferencer so that its requests have the context that the model wants."""
    if getattr(model_class, "wants_context", False):
        return WithContext(inferencer, task_context)
    names: tuple[str, ...] = getattr(model_class, "wants_inputs", ())
    return WithNamedInputs(inferencer, {}, names) if names else inferencer
