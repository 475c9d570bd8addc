"""Compare the likelihood of one whole prompt per label, as AISBench's PPLInferencer does."""

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
    """Asks for the likelihood of each label's whole prompt; the likeliest per token is the answer."""

    templates: Mapping[str, Any]
    needs: ClassVar[Ability] = "loglikelihood"

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

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        requests = self.build_requests(sample)
        outputs = await asyncio.gather(*(ask(request) for request in requests.values()))
        return tuple(
            replace(cast(Likelihood, output), text=label, conditioned_on="itself")
            for label, output in zip(requests, outputs, strict=True)
        )

    def build_requests(self, sample: Sample) -> dict[str, LogLikelihood]:
        """Return the request for each label."""
        return {label: _build_request(prompt, sample) for label, prompt in self.templates.items()}


def _build_request(prompt: Prompt, sample: Sample) -> LogLikelihood:
    """Build the request for a label's prompt; the last message is the continuation of the others."""
    turns = prompt.render(sample)
    *before, last = turns
    if not all(isinstance(part, str) for part in last.parts):
        raise SampleError("only the likelihood of text can be computed, not of audio or images")
    text = "".join(map(str, last.parts))
    if last.role != "assistant" and before:
        raise SampleError("the prompt of a label must end with an assistant message")
    return LogLikelihood(turns=tuple(before), continuation=text, include_context=True)
