"""What an inferencer is, and which of several a model can answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from auricle.core.errors import SampleError, Unsupported
from auricle.core.types import (
    Ability,
    Ask,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Request,
    Sample,
    Turn,
    get_max_tokens,
)
from auricle.prompts import Prompt

ABILITY_PHRASES: Mapping[Ability, str] = {"first_tokens": "tell the likeliest first tokens"}
"""What an ability is called in a sentence, where its own name does not do."""
ABILITY_HINTS: Mapping[Ability, str] = {
    "loglikelihood": "causal, audio-chat, vllm, completions and vllm-chat can; of a chat API "
    "only first tokens are known (-T inferencer=first-token).",
    "first_tokens": "openai, azure, vllm-chat, causal, audio-chat and vllm can.",
}


class Inferencer(Protocol):
    """Turns one sample into outputs, by asking."""

    @property
    def needs(self) -> Ability: ...

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]: ...


class PromptMixin:
    """An inferencer with a prompt: a text will do for one."""

    prompt: Prompt | str

    def __post_init__(self, system: str) -> None:
        object.__setattr__(self, "prompt", Prompt.of(self.prompt, system=system))

    def render_turns(self, sample: Sample) -> tuple[Turn, ...]:
        """What is said about a sample."""
        return cast(Prompt, self.prompt).render(sample)


@dataclass(frozen=True)
class FirstSupported:
    """Several ways to ask the same; the first that a model can answer is taken."""

    inferencers: tuple[Inferencer, ...]

    @property
    def needs(self) -> Ability:
        return self.inferencers[0].needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return await self.inferencers[0](sample, ask)


def select_inferencer(
    inferencer: Inferencer, abilities: Sequence[Ability], task_name: str, model_name: str
) -> Inferencer:
    """The way to ask that the model can answer, or a refusal before anything is loaded."""
    ways = inferencer.inferencers if isinstance(inferencer, FirstSupported) else (inferencer,)
    for way in ways:
        if way.needs in abilities:
            return way
    needs = " or ".join(dict.fromkeys(ABILITY_PHRASES.get(way.needs, way.needs) for way in ways))
    hint = ABILITY_HINTS.get(ways[0].needs, "`auricle doctor -m MODEL` tells what one can do.")
    raise Unsupported(
        f"{task_name} needs a model that can {needs}; {model_name} can {', '.join(abilities) or 'do nothing'}. "
        f"Give another with -m: {hint}"
    )


def adapt_to_batching(inferencer: Inferencer, *, is_batch_model: bool) -> Inferencer:
    """The same inferencer; one that asks batch models otherwise has a method of this name."""
    own: Callable[[bool], Inferencer] | None = getattr(inferencer, "adapt_to_batching", None)
    return own(is_batch_model) if own else inferencer


async def close_inferencer(inferencer: Inferencer) -> None:
    """Have an inferencer close what it opened, if it opens anything."""
    if close := getattr(inferencer, "close", None):
        await close()


def resolve_max_tokens(sample: Sample, default: int, turn_index: int = 0) -> int:
    """How many tokens this answer may have: a sample's own limit has the last word."""
    own: Any = get_max_tokens(sample)
    if own is None:
        return default
    if isinstance(own, (list, tuple)) and own:
        own = own[min(turn_index, len(own) - 1)]
    if isinstance(own, str) and own.isdigit():  # as a CSV has it
        own = int(own)
    if not isinstance(own, int) or isinstance(own, bool) or own < 1:
        raise SampleError(f"max_tokens should be a whole number from 1, not {own!r}")
    return own


async def preview_requests(inferencer: Inferencer, sample: Sample) -> list[Request]:
    """What would be asked first, without asking."""
    asked: list[Request] = []

    async def ask(request: Request) -> Output:
        asked.append(request)
        if isinstance(request, LogLikelihood):
            return Likelihood(logprobs=(0.0,))
        return Generation(text="…")

    await inferencer(sample, ask)
    return asked
