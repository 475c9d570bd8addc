"""How likely a model finds a text: options to choose from, or a text as it stands."""

from __future__ import annotations

import asyncio
from dataclasses import InitVar, dataclass, replace
from typing import ClassVar, Literal, cast

from auricle.core.errors import SampleError
from auricle.core.types import Ability, Ask, Generate, Likelihood, LogLikelihood, Output, Sample
from auricle.prompts import Prompt
from auricle.prompts.placeholders import as_parts, render
from auricle.tasks.inferencers.base import PromptMixin

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Choose(PromptMixin):
    """How likely is each option? One output an option, in order; then those that compare."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    option: str = "{choice}"
    """What stands for an option: `{choice}` its text, `{letter}` its letter."""
    choices: str = "choices"
    unconditional: bool = False
    """Ask also how likely each is after nothing, for decisions by mutual information."""
    whole: bool = False
    """Ask also how likely prompt and option are together, for the older perplexity rule."""
    needs: ClassVar[Ability] = "loglikelihood"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        found = await asyncio.gather(*(ask(request) for request in self.requests(sample)))
        return tuple(
            replace(cast(Likelihood, output), text=request.continuation, conditioned_on=_conditioned_on(request))
            for output, request in zip(found, self.requests(sample), strict=True)
        )

    def requests(self, sample: Sample) -> list[LogLikelihood]:
        turns = self.render_turns(sample)
        texts = self.options(sample)
        asked = [LogLikelihood(turns=turns, continuation=text) for text in texts]
        if self.unconditional:
            asked += [LogLikelihood(turns=(), continuation=text) for text in texts]
        if self.whole:
            asked += [LogLikelihood(turns=turns, continuation=t, include_context=True) for t in texts]
        return asked

    def options(self, sample: Sample) -> list[str]:
        given = [str(each) for each in as_parts(sample.inputs[self.choices])]
        return [
            "".join(map(str, render(self.option, {"choice": each, "letter": LETTERS[at % 26]})))
            for at, each in enumerate(given)
        ]


def _conditioned_on(request: LogLikelihood) -> Literal["context", "nothing", "itself"]:
    if request.include_context:
        return "itself"
    return "context" if request.turns else "nothing"


@dataclass(frozen=True)
class FirstToken(PromptMixin):
    """How likely is each option's letter as the first token of an answer? For chat APIs."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    tokens: int = 20
    needs: ClassVar[Ability] = "first_tokens"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        turns = self.render_turns(sample)
        return (await ask(Generate(turns=turns, max_tokens=1, first_tokens=self.tokens)),)


@dataclass(frozen=True)
class Continue(PromptMixin):
    """How likely is a text, after the prompt if there is one: perplexity."""

    prompt: Prompt | str = ""
    system: InitVar[str] = ""
    text: str = "{text}"
    needs: ClassVar[Ability] = "loglikelihood"

    def __post_init__(self, system: str) -> None:
        if self.prompt:
            super().__post_init__(system)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        turns = self.render_turns(sample) if self.prompt else ()
        parts = render(self.text, sample.inputs)
        if not all(isinstance(part, str) for part in parts):
            raise SampleError("only a text can be asked about, not a sound or a picture")
        request = LogLikelihood(turns=turns, continuation="".join(map(str, parts)))
        found = cast(Likelihood, await ask(request))
        return (replace(found, text=request.continuation, conditioned_on=_conditioned_on(request)),)
