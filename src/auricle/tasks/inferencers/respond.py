"""The inferencer `respond`: one prompt, one or several answers."""

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
    """Sends one prompt and returns one answer, or several samples of it."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    samples: int = 1
    """How many answers to sample; the metric decides how to combine them."""
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self, system: str) -> None:
        super().__post_init__(system)
        if self.samples > 1 and not self.temperature:
            raise SpecError(
                f"samples={self.samples} needs a temperature: at temperature 0 all answers are the same. "
                "Set one, such as -T temperature=0.7.",
                location=("samples",),
            )

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        request = self.request(sample)
        if self.samples == 1:
            return (await ask(request),)
        answers = (ask(replace(request, answer_index=index)) for index in range(self.samples))
        return tuple(await asyncio.gather(*answers))

    def request(self, sample: Sample) -> Generate:
        """Return the request for a sample."""
        return Generate(
            turns=self.render_turns(sample),
            max_tokens=resolve_max_tokens(sample, self.max_tokens),
            temperature=self.temperature,
            stop=self.stop,
        )
