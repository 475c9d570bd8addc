"""Inferencers that ask for likelihoods: of options, of first tokens, of a text, or of one prompt per label."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, replace
from string import ascii_uppercase
from typing import Any, ClassVar, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Ability, Ask, Generate, Likelihood, LogLikelihood, Output, Part, Sample, Turn
from auricle.data.prompts import Prompt
from auricle.data.prompts.few_shot import FewShotSelector
from auricle.data.prompts.template import as_parts, render
from auricle.engine.inferencers.base import PromptMixin
from auricle.metrics.targets import correct_option_index

LETTERS = ascii_uppercase
FIRST_TOKENS = "Chat APIs return only first tokens (-T inferencer=first-token)."
"""What to do if no model that returns likelihoods is at hand."""
OPENING_MARKS = "([{“‘"


@dataclass(frozen=True)
class Choose(PromptMixin):
    """Asks for the likelihood of each option. Returns one output per option, then the unconditional and whole ones."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    option: str = ""
    """How an option is written: `{choice}` is its text, `{letter}` its letter. [default: its letter if the prompt lists
    the options with letters, such as `A. yes`, otherwise its text]"""
    choices: str = "choices"
    unconditional: bool = False
    """Also ask for the likelihood of each option without the prompt, to score by mutual information."""
    whole: bool = False
    """Also ask for the likelihood of prompt and option together, to score by perplexity."""
    needs: ClassVar[Ability] = "loglikelihood"
    alternative: ClassVar = FIRST_TOKENS

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics of a task with this inferencer that states none."""
        further = (*("acc_pmi",) * self.unconditional, *("acc_whole",) * self.whole)
        return ("acc", "acc_token", "acc_char", "acc_byte", *further)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        turns = self.render_turns(sample)
        separator = " " if _needs_space(turns) else ""
        texts = [text if text[:1].isspace() else f"{separator}{text}" for text in self.write_options(sample, turns)]
        requests = [LogLikelihood(turns=turns, continuation=text) for text in texts]
        if self.unconditional:
            requests += [LogLikelihood(turns=(), continuation=text) for text in texts]
        if self.whole:
            requests += [LogLikelihood(turns=turns, continuation=text, include_context=True) for text in texts]
        return await _ask_likelihoods(ask, requests, [request.continuation for request in requests])

    def write_options(self, sample: Sample, turns: Sequence[Turn] = ()) -> list[str]:
        """Return the text that is scored for each option of a sample, given its rendered prompt if there is one."""
        choices = [str(choice) for choice in as_parts(sample.inputs[self.choices])]
        if len(choices) < 2:
            raise SampleError(f"choosing by likelihood needs two or more options; the row has {len(choices)}")
        parts = (part for turn in turns or self.render_turns(sample) for part in turn.parts)
        prompt = "\n".join(part for part in parts if isinstance(part, str))
        option = self.option or ("{letter}" if lists_with_letters(prompt, choices) else "{choice}")
        return [
            "".join(map(str, render(option, {"choice": choice, "letter": LETTERS[index % 26]})))
            for index, choice in enumerate(choices)
        ]

    def format_example_answer(self, sample: Sample) -> str:
        """Write the correct answer of a few-shot example as the options of a sample are scored."""
        return self.write_options(sample)[correct_option_index(sample)].strip()


def lists_with_letters(text: str, choices: Sequence[str]) -> bool:
    """Return whether a text lists every option after its letter."""
    return all(
        re.search(rf"(?<!\w){LETTERS[index % 26]}\s?[.)）:：、]\s*{re.escape(choice)}", text)
        for index, choice in enumerate(choices)
    )


def _needs_space(turns: Sequence[Turn]) -> bool:
    """Whether an answer needs a space before it, after text in a script that separates words by spaces."""
    last = turns[-1].parts[-1] if turns and turns[-1].parts else ""
    if not isinstance(last, str) or not last or last[-1].isspace():
        return False
    return last[-1] not in OPENING_MARKS and unicodedata.east_asian_width(last[-1]) not in "FW"


async def _ask_likelihoods(ask: Ask, requests: Sequence[LogLikelihood], texts: Iterable[str]) -> tuple[Output, ...]:
    """Ask for likelihoods, and return each output with its text and what it is conditioned on."""
    outputs = await asyncio.gather(*map(ask, requests))
    return tuple(
        replace(
            cast(Likelihood, output),
            text=text,
            conditioned_on="itself" if request.include_context else "context" if request.turns else "nothing",
        )
        for output, request, text in zip(outputs, requests, texts, strict=True)
    )


def _join_text(parts: Sequence[Part]) -> str:
    if not all(isinstance(part, str) for part in parts):
        raise SampleError("only the likelihood of text can be computed, not of audio or images")
    return "".join(map(str, parts))


@dataclass(frozen=True)
class FirstToken(PromptMixin):
    """Asks for the probabilities of the first token, to compare the letters of the options. Works with chat APIs."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    tokens: int = 20
    """How many first tokens to ask for."""
    needs: ClassVar[Ability] = "first_tokens"
    default_metrics: ClassVar = ("acc_first",)

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
    default_metrics: ClassVar = ("token_perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
    alternative: ClassVar = FIRST_TOKENS

    def __post_init__(self, system: str) -> None:
        if self.prompt:
            super().__post_init__(system)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        turns = self.render_turns(sample) if self.prompt else ()
        text = _join_text(render(self.text, sample.inputs))
        return await _ask_likelihoods(ask, [LogLikelihood(turns=turns, continuation=text)], [text])


@dataclass(frozen=True)
class LabelPrompts:
    """Asks for the likelihood of each label's whole prompt; the likeliest per token is the answer.

    AISBench's `PPLInferencer` does the same.
    """

    templates: Mapping[str, Any]
    needs: ClassVar[Ability] = "loglikelihood"
    default_metrics: ClassVar = ("acc_whole",)
    alternative: ClassVar = FIRST_TOKENS

    def __post_init__(self) -> None:
        if not isinstance(self.templates, Mapping) or len(self.templates) < 2:
            raise SpecError(
                "The inferencer labels needs `templates`: a mapping with the prompts of two or more labels.",
                location=("inferencer", "templates"),
            )
        prompts = {str(label): Prompt.of(template) for label, template in self.templates.items()}
        object.__setattr__(self, "templates", prompts)

    @property
    def prompt_columns(self) -> Prompt:
        """All prompts as one, to know which columns they use."""
        return Prompt(tuple(turn for prompt in self.templates.values() for turn in prompt.turns))

    def with_shots(self, shots: FewShotSelector) -> LabelPrompts:
        """Return the same prompts with few-shot examples."""
        return LabelPrompts({label: replace(prompt, shots=shots) for label, prompt in self.templates.items()})

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        requests = [_build_request(prompt, sample) for prompt in self.templates.values()]
        return await _ask_likelihoods(ask, requests, self.templates)


def _build_request(prompt: Prompt, sample: Sample) -> LogLikelihood:
    """Build the request for a label's prompt; the last message is the continuation of the others."""
    *before, last = prompt.render(sample)
    text = _join_text(last.parts)
    if last.role != "assistant" and before:
        raise SampleError("the prompt of a label must end with an assistant message")
    return LogLikelihood(turns=tuple(before), continuation=text, include_context=True)
