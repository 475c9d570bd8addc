"""One sample's stay with a borrowed class: what it asks, what it hears, what it reports."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Ask, Generate, Generation, Sample, limit_of
from auricle.engine.batching import Stopped
from auricle.interop.aisbench.prompts import ours


@dataclass(slots=True)
class Sitting:
    """A borrowed object is shared by all samples; this is what is not."""

    sample: Sample
    ask: Ask
    loop: asyncio.AbstractEventLoop
    local: bool
    """Is it `batch_inference` that asks, from a thread, or `do_request`?"""
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    heard: list[Generation] = field(default_factory=list)
    reported: list[Any] = field(default_factory=list)
    failure: SampleError | None = None
    """Why the last request was not answered, if it was not."""
    ended: BaseException | None = None
    """What ends more than this sample; no `except` of the class may hide it."""

    async def generate(self, prompt: Any, limit: Any, given: Mapping[str, Any]) -> Generation:
        """Ask the model; `given` is what the class says beside the prompt."""
        try:
            request = self._request(prompt, limit, given)
            found = cast(Generation, await self.ask(request))
        except SampleError as error:
            self.failure = error
            raise
        except (Stopped, SpecError) as error:
            self.ended = error
            raise
        self.heard.append(found)
        return found

    def generate_now(
        self, prompts: Sequence[Any], limits: Any, given: Mapping[str, Any]
    ) -> list[str]:
        """The same from a thread, for several prompts."""
        each = limits if isinstance(limits, (list, tuple)) else [limits] * len(prompts)

        async def all_of_them() -> list[Generation]:
            asked = zip(prompts, each, strict=True)
            return await asyncio.gather(*(self.generate(p, n, given) for p, n in asked))

        found = asyncio.run_coroutine_threadsafe(all_of_them(), self.loop).result()
        return [generation.text for generation in found]

    def _request(self, prompt: Any, limit: Any, given: Mapping[str, Any]) -> Generate:
        told = given.get("temperature")
        temperature = float(told) if isinstance(told, (int, float)) else self.temperature
        return Generate(
            turns=ours(prompt),
            max_tokens=self._limit(limit),
            temperature=temperature,
            stop=_stops(given) or self.stop,
            nth=len(self.heard) if temperature else 0,  # else a seed would repeat the answer
        )

    def _limit(self, given: Any) -> int:
        """A local class passes its model's limit for all; a sample's own has the last word."""
        own: Any = limit_of(self.sample)
        limit = own if self.local and isinstance(own, int) else given
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise SampleError(f"max_out_len should be a whole number from 1, not {limit!r}")
        return limit

    def outputs(self, who: str) -> tuple[Generation, ...]:
        """What the class reported, or why there is nothing."""
        if self.ended:
            raise self.ended
        if not self.reported:
            raise self.failure or SampleError(
                f"{who} reported nothing for this sample; it should call "
                "self.output_handler.report_cache_info, or report_cache_info_sync"
            )
        return tuple(found for each in self.reported for found in self._read(each, who))

    def _read(self, reported: Any, who: str) -> list[Generation]:
        if getattr(reported, "success", True) is False:
            told = getattr(reported, "error_info", "") or "the request failed, it is not said why"
            raise self.failure or SampleError(f"{who} reported: {told}")
        told_by = getattr(reported, "get_prediction", None)
        said = told_by() if told_by else reported
        texts = said if isinstance(said, (list, tuple)) else [said]
        return [self._generation(text, who) for text in texts]

    def _generation(self, text: Any, who: str) -> Generation:
        """With all that is known of its making, where the model wrote it; the text is as told."""
        if isinstance(text, Generation):
            return text
        if not isinstance(text, str):
            raise SampleError(f"{who} should report a text, not {type(text).__name__}")
        same = next((each for each in self.heard if each.text == text), None)
        if same is None and len(self.heard) == 1:
            return replace(self.heard[0], text=text, logprobs=None, first=None)
        return same or Generation(text=text)


def _stops(given: Mapping[str, Any]) -> tuple[str, ...]:
    found = given.get("stopping_criteria") or given.get("stop") or ()
    if isinstance(found, str):
        return (found,)
    return tuple(each for each in found if isinstance(each, str))


SITTING: ContextVar[Sitting] = ContextVar("sitting")
