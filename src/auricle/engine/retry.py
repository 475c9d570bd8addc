"""One sample's way to a model: remembered answers, patience, and giving up when all is lost."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import Literal, Protocol

from auricle.core.errors import AllRequestsFailed, NotFinite, Refused, SampleError, Transient, Unreachable
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Output, Predict, Prediction, Request

OUTPUT_TYPES: dict[type, type] = {Generate: Generation, LogLikelihood: Likelihood, Predict: Prediction}
FAIL_FAST_AFTER = 20  # requests that must not all fail alike
MAX_RETRY_AFTER = 300.0  # seconds a server may ask for; a sample that must wait longer fails


class Cache(Protocol):
    """Whoever remembers answers from one run to the next."""

    def get(self, request: Request) -> Output | None: ...
    def put(self, request: Request, output: Output) -> None: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run, as opposed to what: nothing here may change an answer."""

    concurrency: int = 64
    batch_size: int | Literal["auto"] | None = None
    """The most requests in one call: by default what the model says; `auto` finds the most."""
    limit: int | None = None
    max_attempts: int = 6
    initial_backoff: float = 0.25
    """Seconds before the second attempt; doubled for each that follows."""
    retry_failed: bool = True
    processes: int = 1
    """Senders for a model behind an API; more where one event loop is the limit."""
    replicas: int = 1
    """Processes that each hold a batch model of their own."""
    devices: tuple[str, ...] = ()
    """Devices that replicas see, one each in turn, as CUDA_VISIBLE_DEVICES names them."""
    backend: Literal["", "ray"] = ""
    ray_address: str = ""
    """A Ray cluster's; without one, Ray is started on this machine."""
    gpus_per_replica: float = 0.0
    batch_timeout: float = 600.0
    """Seconds a replica may take for a batch before it is ended and another started."""
    cache: Cache | None = None
    """Answers of earlier runs, asked before the model is."""


class Slot(Protocol):
    """A place from which one sample asks."""

    async def send(self, request: Request) -> Output: ...
    def release(self) -> None: ...
    def reacquire(self) -> None: ...


class FailFast:
    """Until anything is answered: do all requests fail alike? Then the rest would, too."""

    def __init__(self) -> None:
        self._failure_counts: Counter[str] = Counter()
        self._has_success = False

    def record_success(self) -> None:
        self._has_success = True

    def record_failure(self, error: SampleError) -> None:
        """Count a failed attempt that says something about the server, not about the sample."""
        if self._has_success or not isinstance(error, (Unreachable, Refused)):
            return
        gist = f"{type(error).__name__} {str(error).partition(' from ')[0][:8]}"
        self._failure_counts[gist] += 1
        if len(self._failure_counts) == 1 and self._failure_counts[gist] >= FAIL_FAST_AFTER:
            raise AllRequestsFailed(
                f"The first {FAIL_FAST_AFTER} requests all failed alike: {error}. "
                "Nothing was answered; put that right and give the same command again."
            ) from error


class RetryingSender:
    """One sample's way to the model: retries what may pass, and counts."""

    __slots__ = ("_fail_fast", "_settings", "_slot", "attempts", "cache_hits")

    def __init__(self, slot: Slot, settings: Settings, fail_fast: FailFast | None = None) -> None:
        self._slot = slot
        self._settings = settings
        self._fail_fast = fail_fast
        self.attempts = 1
        self.cache_hits = 0

    async def __call__(self, request: Request) -> Output:
        cache = self._settings.cache
        if cache is None:
            return await self._send_with_retries(request)
        if held := await asyncio.to_thread(cache.get, request):
            self.cache_hits += 1
            return held
        output = await self._send_with_retries(request)
        await asyncio.to_thread(cache.put, request, output)
        return output

    async def _send_with_retries(self, request: Request) -> Output:
        for attempt in range(1, self._settings.max_attempts + 1):
            try:
                output = self._check_output(request, await self._slot.send(request))
            except SampleError as error:
                if self._fail_fast:
                    self._fail_fast.record_failure(error)
                if not isinstance(error, Transient) or attempt == self._settings.max_attempts:
                    raise
                wait = self._settings.initial_backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                if (told_to := error.retry_after or 0.0) > MAX_RETRY_AFTER:
                    raise
                await self._back_off(max(wait, told_to * random.uniform(1.0, 1.2)))
                self.attempts = max(self.attempts, attempt + 1)
            else:
                if self._fail_fast:
                    self._fail_fast.record_success()
                return output
        raise AssertionError("the last attempt returns or raises")

    async def _back_off(self, seconds: float) -> None:
        self._slot.release()
        try:
            await asyncio.sleep(seconds)
        finally:
            self._slot.reacquire()

    def _check_output(self, request: Request, output: Output) -> Output:
        wanted = OUTPUT_TYPES[type(request)]
        if not isinstance(output, wanted):
            raise SampleError(f"the model returned {type(output).__name__} where {wanted.__name__} was due")
        if isinstance(output, Prediction):
            check_finite(output)
        return output


def check_finite(output: Prediction) -> None:
    """What is no finite number is nobody's score; its neighbours in a batch keep theirs."""
    for name, value in output.values.items():
        if not math.isfinite(value):
            raise NotFinite(f"the model gave {value} as {name}, which is no number to score")
