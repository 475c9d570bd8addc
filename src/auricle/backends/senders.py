"""Several processes that send for one run, where one event loop is the limit.

The parent keeps data, order and journal; each child reads, encodes, posts and parses. A child
that dies costs what it had in flight another attempt, and is started again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

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
MOST_STARTS = 5  # in a row, without an answer between
CLOSING_SECONDS = 5.0


class Child:
    """One process and what it has been asked."""

    def __init__(self, model: str, arguments: Mapping[str, Any]) -> None:
        self._about = {"model": model, "arguments": dict(arguments)}
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Output]] = {}
        self._starting = asyncio.Lock()
        self._starts = self._last = 0
        self.load = 0

    async def ask(self, request: Request) -> Output:
        self.load += 1  # from here on, or all would queue for the first child while it starts
        try:
            async with self._starting:
                process = await self._running()
            return await self._answered(process, request)
        finally:
            self.load -= 1

    async def _answered(self, process: asyncio.subprocess.Process, request: Request) -> Output:
        assert process.stdin
        self._last += 1
        number = self._last
        answer: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            # A child that is gone is heard of where its answers are read.
            with suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(pack_request(number, request))
                await process.stdin.drain()
            return await answer
        finally:
            del self._waiting[number]

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process and self._listening and not self._listening.done():
            return self._process
        if self._starts == MOST_STARTS:
            raise SpecError(
                f"A sending process ended {MOST_STARTS} times without answering anything; "
                "what it said stands above. --processes 1 does without."
            )
        self._starts += 1
        # In a session of its own, because Ctrl-C is the parent's; it ends with its pipe.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "auricle.backends.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            limit=1 << 20, start_new_session=True,
        )  # fmt: skip
        await self._introduce(self._process)
        self._listening = asyncio.create_task(self._listen(self._process))
        return self._process

    async def _introduce(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(pack(self._about))
            await process.stdin.drain()
        said = await read(process.stdout)
        if said is None:
            raise Transient("a sending process ended before it was ready")
        if "error" in said:
            raise unpack_error(said["error"])

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        try:
            while message := await read(process.stdout):
                self._starts = 0
                self._hear(message)
        finally:
            process.stdin.close()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Transient("a sending process ended"))

    def _hear(self, message: dict[str, Any]) -> None:
        answer = self._waiting.get(message["number"])
        if answer is None or answer.done():
            return  # whoever asked has left
        if "error" in message:
            answer.set_exception(unpack_error(message["error"]))
        else:
            answer.set_result(unpack_output(message))

    async def close(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), CLOSING_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._listening:
            await asyncio.wait([self._listening])


class Senders(AsyncModel):
    """One model in several processes; each request goes to the one with the least to do."""

    def __init__(self, model: str, arguments: Mapping[str, Any], processes: int) -> None:
        share = {
            name: value / processes if name in SHARED and isinstance(value, (int, float)) else value
            for name, value in arguments.items()
        }
        self._children = [Child(model, share) for _ in range(processes)]

    async def _ask(self, request: Request) -> Output:
        return await min(self._children, key=lambda child: child.load).ask(request)

    async def generate(self, request: Generate) -> Generation:
        return cast(Generation, await self._ask(request))

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        return cast(Likelihood, await self._ask(request))

    async def predict(self, request: Predict) -> Prediction:
        return cast(Prediction, await self._ask(request))

    async def close(self) -> None:
        await asyncio.gather(*(child.close() for child in self._children))
