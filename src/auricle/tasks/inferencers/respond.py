"""One prompt, one answer, or several to choose from."""

from __future__ import annotations

import asyncio
from dataclasses import InitVar, dataclass, replace
from typing import ClassVar

from auricle.core.errors import SpecError
from auricle.core.types import Ability, Ask, Generate, Output, Sample
from auricle.prompts import Prompt
from auricle.tasks.inferencers.base import PromptMixin, resolve_max_tokens


@dataclass(frozen=True)
class Respond(PromptMixin):
    """One prompt, one answer: ASR, question answering, captioning, MCQ by text."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    samples: int = 1
    """How many answers to the same; a metric says which of them counts."""
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self, system: str) -> None:
        super().__post_init__(system)
        if self.samples > 1 and not self.temperature:
            raise SpecError(
                f"{self.samples} answers to the same question would all be one at temperature 0; "
                "give a temperature, such as 0.7.",
                location=("samples",),
            )

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        request = self.request(sample)
        if self.samples == 1:
            return (await ask(request),)
        asked = (ask(replace(request, answer_index=nth)) for nth in range(self.samples))
        return tuple(await asyncio.gather(*asked))

    def request(self, sample: Sample) -> Generate:
        return Generate(
            turns=self.render_turns(sample),
            max_tokens=resolve_max_tokens(sample, self.max_tokens),
            temperature=self.temperature,
            stop=self.stop,
        )
