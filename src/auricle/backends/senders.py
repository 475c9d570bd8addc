"""Several processes that send for one run, where one event loop is the limit.

The parent keeps data, order and journal; each child reads, encodes, posts and parses. A child
that dies costs what it had in flight another attempt, and is started again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

from auricle.backends.messages import pack, pack_request, unpack_error, unpack_output
from auricle.backends.worker import read
from auricle.errors import SpecError, Transient
from auricle.models import AsyncModel
from auricle.types import (
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Predict,
    Prediction,
    Request,
)

SHARED = ("rpm", "tpm")  # limits of a whole run, divided among its senders
MOST_STARTS = 5


class Child:
    """One process and what it has been asked."""

    def __init__(self, model: str, arguments: Mapping[str, Any]) -> None:
        self._about = {"model": model, "arguments": dict(arguments)}
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Output]] = {}
        self._starting = asyncio.Lock()
        self._starts = self._last = 0

    @property
    def load(self) -> int:
        return len(self._waiting)

    async def ask(self, request: Request) -> Output:
        async with self._starting:
            process = await self._running()
        self._last += 1
        number = self._last
        answer: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            assert process.stdin
            process.stdin.write(pack_request(number, request))
            await process.stdin.drain()
            return await answer
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Transient("a sending process ended") from error
        finally:
            self._waiting.pop(number, None)

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process and self._listening and not self._listening.done():
            return self._process
        if self._starts == MOST_STARTS:
            raise SpecError(f"A sending process ended {MOST_STARTS} times; its words stand above.")
        self._starts += 1
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "auricle.backends.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 20,
        )  # fmt: skip
        await self._introduce(self._process)
        self._listening = asyncio.create_task(self._listen(self._process))
        return self._process

    async def _introduce(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        process.stdin.write(pack(self._about))
        await process.stdin.drain()
        said = await read(process.stdout)
        if said is None:
            raise Transient("a sending process ended before it was ready")
        if "error" in said[0]:
            raise unpack_error(said[0]["error"])

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        while said := await read(process.stdout):
            message, behind = said
            answer = self._waiting.get(message["number"])
            if answer is None or answer.done():
                continue
            if "error" in message:
                answer.set_exception(unpack_error(message["error"]))
            else:
                answer.set_result(unpack_output(message["output"], behind))
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Transient("a sending process ended"))

    async def close(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._listening:
            await self._listening


class Senders(AsyncModel):
    """One model in several processes; each request goes to the one with the least to do."""

    def __init__(self, model: str, arguments: Mapping[str, Any], processes: int) -> None:
        share = {
            name: value / processes if name in SHARED and value else value
            for name, value in arguments.items()
        }
        self._children = [Child(model, share) for _ in range(processes)]

    async def _ask(self, request: Request) -> Output:
        return await min(self._children, key=lambda child: child.load).ask(request)

    async def generate(self, request: Generate) -> Generation:
        output = await self._ask(request)
        assert isinstance(output, Generation)
        return output

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        output = await self._ask(request)
        assert isinstance(output, Likelihood)
        return output

    async def predict(self, request: Predict) -> Prediction:
        output = await self._ask(request)
        assert isinstance(output, Prediction)
        return output

    async def close(self) -> None:
        await asyncio.gather(*(child.close() for child in self._children))
