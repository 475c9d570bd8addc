"""One sample's stay with a borrowed class: what it asks, what it hears, what it reports."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Ask, Generate, Generation, Sample, get_max_tokens
from auricle.engine.batching import RunStopped
from auricle.interop.aisbench.prompts import from_aisbench


@dataclass(slots=True)
class SampleContext:
    """A borrowed object is shared by all samples; this is what is not."""

    sample: Sample
    ask: Ask
    loop: asyncio.AbstractEventLoop
    is_local: bool
    """Is it `batch_inference` that asks, from a thread, or `do_request`?"""
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    generations: list[Generation] = field(default_factory=list)
    reports: list[Any] = field(default_factory=list)
    failure: SampleError | None = None
    """Why the last request was not answered, if it was not."""
    fatal_error: BaseException | None = None
    """What ends more than this sample; no `except` of the class may hide it."""

    async def generate(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generation:
        """Ask the model; `given` is what the class says beside the prompt."""
        try:
            request = self._build_request(prompt, max_tokens, options)
            found = cast(Generation, await self.ask(request))
        except SampleError as error:
            self.failure = error
            raise
        except (RunStopped, SpecError) as error:
            self.fatal_error = error
            raise
        self.generations.append(found)
        return found

    def generate_blocking(self, prompts: Sequence[Any], max_tokens: Any, options: Mapping[str, Any]) -> list[str]:
        """The same from a thread, for several prompts."""
        each = max_tokens if isinstance(max_tokens, (list, tuple)) else [max_tokens] * len(prompts)

        async def all_of_them() -> list[Generation]:
            asked = zip(prompts, each, strict=True)
            return await asyncio.gather(*(self.generate(p, n, options) for p, n in asked))

        found = asyncio.run_coroutine_threadsafe(all_of_them(), self.loop).result()
        return [generation.text for generation in found]

    def _build_request(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generate:
        told = options.get("temperature")
        temperature = float(told) if isinstance(told, (int, float)) else self.temperature
        return Generate(
            turns=from_aisbench(prompt),
            max_tokens=self._resolve_max_tokens(max_tokens),
            temperature=temperature,
            stop=_stop_strings(options) or self.stop,
            answer_index=len(self.generations) if temperature else 0,  # else a seed would repeat the answer
        )

    def _resolve_max_tokens(self, max_tokens: Any) -> int:
        """A local class passes its model's limit for all; a sample's own has the last word."""
        own: Any = get_max_tokens(self.sample)
        limit = own if self.is_local and isinstance(own, int) else max_tokens
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise SampleError(f"max_out_len should be a whole number from 1, not {limit!r}")
        return limit

    def outputs(self, class_name: str) -> tuple[Generation, ...]:
        """What the class reported, or why there is nothing."""
        if self.fatal_error:
            raise self.fatal_error
        if not self.reports:
            raise self.failure or SampleError(
                f"{class_name} reported nothing for this sample; it should call "
                "self.output_handler.report_cache_info, or report_cache_info_sync"
            )
        return tuple(found for each in self.reports for found in self._to_generations(each, class_name))

    def _to_generations(self, report: Any, class_name: str) -> list[Generation]:
        if getattr(report, "success", True) is False:
            told = getattr(report, "error_info", "") or "the request failed, it is not said why"
            raise self.failure or SampleError(f"{class_name} reported: {told}")
        told_by = getattr(report, "get_prediction", None)
        said = told_by() if told_by else report
        texts = said if isinstance(said, (list, tuple)) else [said]
        return [self._to_generation(text, class_name) for text in texts]

    def _to_generation(self, text: Any, class_name: str) -> Generation:
        """With all that is known of its making, where the model wrote it; the text is as told."""
        if isinstance(text, Generation):
            return text
        if not isinstance(text, str):
            raise SampleError(f"{class_name} should report a text, not {type(text).__name__}")
        same = next((each for each in self.generations if each.text == text), None)
        if same is None and len(self.generations) == 1:
            return replace(self.generations[0], text=text, logprobs=None, first_token_logprobs=None)
        return same or Generation(text=text)


def _stop_strings(options: Mapping[str, Any]) -> tuple[str, ...]:
    found = options.get("stopping_criteria") or options.get("stop") or ()
    if isinstance(found, str):
        return (found,)
    return tuple(each for each in found if isinstance(each, str))


CURRENT_SAMPLE: ContextVar[SampleContext] = ContextVar("sitting")
