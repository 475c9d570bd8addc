"""State of one sample while an AISBench class processes it: requests, answers and reports."""

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
    """State of one sample; the object of the class is shared by all samples."""

    sample: Sample
    ask: Ask
    loop: asyncio.AbstractEventLoop
    is_local: bool
    """Whether requests come from `batch_inference` in a thread instead of `do_request`."""
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    generations: list[Generation] = field(default_factory=list)
    reports: list[Any] = field(default_factory=list)
    failure: SampleError | None = None
    """Error of the last request, if it failed."""
    fatal_error: BaseException | None = None
    """Error that ends the run; an `except` in the class must not hide it."""

    async def generate(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generation:
        """Send a prompt to the model; `options` are the class's generation arguments."""
        try:
            request = self._build_request(prompt, max_tokens, options)
            generation = cast(Generation, await self.ask(request))
        except SampleError as error:
            self.failure = error
            raise
        except (RunStopped, SpecError) as error:
            self.fatal_error = error
            raise
        self.generations.append(generation)
        return generation

    def generate_blocking(self, prompts: Sequence[Any], max_tokens: Any, options: Mapping[str, Any]) -> list[str]:
        """Send several prompts from a thread and return the texts."""
        limits = max_tokens if isinstance(max_tokens, (list, tuple)) else [max_tokens] * len(prompts)

        async def generate_all() -> list[Generation]:
            return await asyncio.gather(
                *(self.generate(prompt, limit, options) for prompt, limit in zip(prompts, limits, strict=True))
            )

        generations = asyncio.run_coroutine_threadsafe(generate_all(), self.loop).result()
        return [generation.text for generation in generations]

    def _build_request(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generate:
        requested = options.get("temperature")
        temperature = float(requested) if isinstance(requested, (int, float)) else self.temperature
        return Generate(
            turns=from_aisbench(prompt),
            max_tokens=self._resolve_max_tokens(max_tokens),
            temperature=temperature,
            stop=_stop_strings(options) or self.stop,
            answer_index=len(self.generations) if temperature else 0,  # otherwise a seed would repeat the answer
        )

    def _resolve_max_tokens(self, max_tokens: Any) -> int:
        """Return the token limit; a sample's own limit overrides the model's, which local classes pass for all."""
        sample_limit: Any = get_max_tokens(self.sample)
        limit = sample_limit if self.is_local and isinstance(sample_limit, int) else max_tokens
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise SampleError(f"max_out_len should be a positive integer, not {limit!r}")
        return limit

    def outputs(self, class_name: str) -> tuple[Generation, ...]:
        """Return what the class reported, or raise the reason why there is nothing."""
        if self.fatal_error:
            raise self.fatal_error
        if not self.reports:
            raise self.failure or SampleError(
                f"{class_name} reported nothing for this sample; it should call "
                "self.output_handler.report_cache_info or report_cache_info_sync"
            )
        return tuple(generation for report in self.reports for generation in self._to_generations(report, class_name))

    def _to_generations(self, report: Any, class_name: str) -> list[Generation]:
        if getattr(report, "success", True) is False:
            reason = getattr(report, "error_info", "") or "the request failed without a reason"
            raise self.failure or SampleError(f"{class_name} reported: {reason}")
        get_prediction = getattr(report, "get_prediction", None)
        prediction = get_prediction() if get_prediction else report
        texts = prediction if isinstance(prediction, (list, tuple)) else [prediction]
        return [self._to_generation(text, class_name) for text in texts]

    def _to_generation(self, text: Any, class_name: str) -> Generation:
        """Convert a reported text, with the metadata of the model's answer if it can be matched."""
        if isinstance(text, Generation):
            return text
        if not isinstance(text, str):
            raise SampleError(f"{class_name} should report a text, not {type(text).__name__}")
        match = next((generation for generation in self.generations if generation.text == text), None)
        if match is None and len(self.generations) == 1:
            return replace(self.generations[0], text=text, logprobs=None, first_token_logprobs=None)
        return match or Generation(text=text)


def _stop_strings(options: Mapping[str, Any]) -> tuple[str, ...]:
    stops = options.get("stopping_criteria") or options.get("stop") or ()
    if isinstance(stops, str):
        return (stops,)
    return tuple(stop for stop in stops if isinstance(stop, str))


CURRENT_SAMPLE: ContextVar[SampleContext] = ContextVar("current_sample")
