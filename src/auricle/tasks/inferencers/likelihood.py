"""Inferencers that ask for likelihoods: of options, of first tokens, or of a text."""

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
    """Asks for the likelihood of each option. Returns one output per option, then the unconditional and whole ones."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    option: str = "{choice}"
    """How an option is written: `{choice}` is its text, `{letter}` its letter."""
    choices: str = "choices"
    unconditional: bool = False
    """Also ask for the likelihood of each option without the prompt, to score by mutual information."""
    whole: bool = False
    """Also ask for the likelihood of prompt and option together, to score by perplexity."""
    needs: ClassVar[Ability] = "loglikelihood"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        requests = self.requests(sample)
        outputs = await asyncio.gather(*(ask(request) for request in requests))
        return tuple(
            replace(cast(Likelihood, output), text=request.continuation, conditioned_on=_conditioned_on(request))
            for output, request in zip(outputs, requests, strict=True)
        )

    def requests(self, sample: Sample) -> list[LogLikelihood]:
        """Return the requests for a sample, in the order of the outputs."""
        turns = self.render_turns(sample)
        texts = self.options(sample)
        requests = [LogLikelihood(turns=turns, continuation=text) for text in texts]
        if self.unconditional:
            requests += [LogLikelihood(turns=(), continuation=text) for text in texts]
        if self.whole:
            requests += [LogLikelihood(turns=turns, continuation=text, include_context=True) for text in texts]
        return requests

    def options(self, sample: Sample) -> list[str]:
        """Return the text of each option."""
        choices = [str(choice) for choice in as_parts(sample.inputs[self.choices])]
        return [
            "".join(map(str, render(self.option, {"choice": choice, "letter": LETTERS[index % 26]})))
            for index, choice in enumerate(choices)
        ]


def _conditioned_on(request: LogLikelihood) -> Literal["context", "nothing", "itself"]:
    if request.include_context:
        return "itself"
    return "context" if request.turns else "nothing"


@dataclass(frozen=True)
class FirstToken(PromptMixin):
    """Asks for the probabilities of the first token, to compare the letters of the options. Works with chat APIs."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    tokens: int = 20
    """How many first tokens to ask for."""
    needs: ClassVar[Ability] = "first_tokens"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        turns = self.render_turns(sample)
        return (await ask(Generate(turns=turns, max_tokens=1, first_tokens=self.tokens)),)


@dataclass(frozen=True)
class Continue(PromptMixin):
    """Asks for the likelihood of a text, after a prompt if there is one, for perplexity."""

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
            raise SampleError("only the likelihood of text can be computed, not of audio or images")
        request = LogLikelihood(turns=turns, continuation="".join(map(str, parts)))
        output = cast(Likelihood, await ask(request))
        return (replace(output, text=request.continuation, conditioned_on=_conditioned_on(request)),)
