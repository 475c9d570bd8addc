"""Each label's own prompt, asked about as a whole: what AISBench's PPLInferencer compares."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Ability, Ask, Likelihood, LogLikelihood, Output, Sample
from auricle.prompts import Prompt


@dataclass(frozen=True)
class LabelPrompts:
    """How likely is the prompt of each label, all of it? The likeliest per token is the answer."""

    templates: Mapping[str, Any]
    needs: ClassVar[Ability] = "loglikelihood"

    def __post_init__(self) -> None:
        if not isinstance(self.templates, Mapping) or len(self.templates) < 2:
            raise SpecError(
                "labels needs `templates`: a prompt for each of two labels or more.",
                location=("inferencer", "templates"),
            )
        prompts = {str(label): Prompt.of(each) for label, each in self.templates.items()}
        object.__setattr__(self, "templates", prompts)

    @property
    def prompt_columns(self) -> Prompt:
        """All prompts as one: which columns they show."""
        return Prompt(tuple(turn for each in self.templates.values() for turn in each.turns))

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        asked = self.build_requests(sample)
        found = await asyncio.gather(*(ask(each) for each in asked.values()))
        return tuple(
            replace(cast(Likelihood, each), text=label, conditioned_on="itself")
            for label, each in zip(asked, found, strict=True)
        )

    def build_requests(self, sample: Sample) -> dict[str, LogLikelihood]:
        """What is asked about each label."""
        return {label: _build_request(prompt, sample) for label, prompt in self.templates.items()}


def _build_request(prompt: Prompt, sample: Sample) -> LogLikelihood:
    """A text alone has no context; of messages, what the assistant says follows the others."""
    turns = prompt.render(sample)
    *before, last = turns
    if not all(isinstance(part, str) for part in last.parts):
        raise SampleError("only a text can be asked about, not a sound or a picture")
    text = "".join(map(str, last.parts))
    if last.role != "assistant" and before:
        raise SampleError("the prompt of a label should end with what the assistant says")
    return LogLikelihood(turns=tuple(before), continuation=text, include_context=True)
