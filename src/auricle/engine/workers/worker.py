"""A child process that holds one model and answers whatever comes down its pipe."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from auricle.core.errors import AuricleError, SampleError, SpecError, describe
from auricle.core.serialization import dumps
from auricle.core.types import ABILITY_BY_REQUEST, Output
from auricle.engine.retry import RetryingSender, Settings
from auricle.engine.run_loop import ESCAPING_ERRORS, DirectSlot, close_model
from auricle.engine.workers.protocol import HEADER, pack, pack_error, pack_output, unpack, unpack_request
from auricle.models import AsyncModel, BatchModel, Model, abilities, adapt
from auricle.models.catalogue import MODELS

SINGLE_ATTEMPT = Settings(max_attempts=1)
"""Whoever asked decides whether it is worth another attempt."""


class Pipe:
    """A file of which all that is written is sent at once, however long."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, content: bytes) -> None:
        left = memoryview(content)
        while left:
            left = left[os.write(self._descriptor, left) :]


class WorkerServer:
    """Reads requests, answers each when it is ready, and ends when its pipe does."""

    def __init__(self, reader: asyncio.StreamReader, out: Pipe) -> None:
        self._reader = reader
        self._out = out
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        first = await read_message(self._reader)
        if first is None:
            return
        try:
            model = load_model(first["model"], first["arguments"])
        except AuricleError as error:
            self._send(pack_error(0, error))
            return
        self._send(pack({"ready": True}))
        try:
            if isinstance(model, AsyncModel):
                await self._serve_requests(DirectSlot(model, capacity=1))
            else:
                await self._serve_batches(model)
        finally:
            await close_model(model)

    async def _serve_requests(self, slot: DirectSlot) -> None:
        try:
            while message := await read_message(self._reader):
                task = asyncio.create_task(self._answer_request(slot, message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve_batches(self, model: BatchModel) -> None:
        """Gather each batch as its requests come, and answer it in this thread: it is all we do."""
        batches: dict[int, list[dict[str, Any]]] = {}
        while message := await read_message(self._reader):
            batch = batches.setdefault(message["batch"], [])
            batch.append(message)
            if len(batch) == message["size"]:
                for said in answer_batch(model, batches.pop(message["batch"])):
                    self._send(said)

    async def _answer_request(self, slot: DirectSlot, message: dict[str, Any]) -> None:
        number = message["number"]
        try:
            output = await RetryingSender(slot, SINGLE_ATTEMPT)(unpack_request(message))
            self._send(pack_output(number, output))
        except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
            self._send(pack_error(number, error))

    def _send(self, message: bytes) -> None:
        with suppress(BrokenPipeError):  # nobody listens any more: the next read tells
            self._out.write(message)


def answer_batch(model: BatchModel, batch: Sequence[dict[str, Any]]) -> list[bytes]:
    """What a model says to a list of messages; one failure is the list's."""
    try:
        requests = [unpack_request(message) for message in batch]
        outputs = _check_output_count(getattr(model, ABILITY_BY_REQUEST[type(requests[0])])(requests), batch)
        return [pack_output(m["number"], o) for m, o in zip(batch, outputs, strict=True)]
    except (Exception, *ESCAPING_ERRORS) as error:  # noqa: BLE001 - told to the parent, who halves
        return [pack_error(message["number"], error) for message in batch]


def _check_output_count(outputs: Sequence[Output], batch: Sequence[Any]) -> Sequence[Output]:
    if len(outputs) != len(batch):
        raise SampleError(f"the model gave {len(outputs)} answers to {len(batch)} requests")
    return outputs


def load_model(name: str, arguments: dict[str, Any]) -> Model:
    """The model, or why it cannot be had: the user's move, whoever raised it."""
    try:
        return adapt(MODELS.get(name))(**arguments)
    except AuricleError:
        raise
    except Exception as error:
        raise SpecError(f"{name} raised {type(error).__name__}: {describe(error)}") from error


async def read_message(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message, or None where the other side is gone."""
    try:
        content, behind = HEADER.unpack(await reader.readexactly(HEADER.size))
        return unpack(await reader.readexactly(content), await reader.readexactly(behind))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def main() -> None:
    # What a model prints must not end up among the messages.
    out = Pipe(os.dup(1))
    os.dup2(2, 1)
    reader = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    await WorkerServer(reader, out).serve()


def describe_model(name: str) -> bytes:
    """What a model can do and how it wants to be asked, without loading it."""
    try:
        model = adapt(MODELS.get(name))
    except AuricleError as error:
        return dumps({"error": str(error)})
    batches = ("batch_size", "batch_seconds", "sample_rate", "wants_context")
    return dumps(
        {
            "can": abilities(model),
            "asynchronous": issubclass(model, AsyncModel),
            "batches": {each: getattr(model, each) for each in batches if hasattr(model, each)},
        }
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--describe"]:
        sys.stdout.buffer.write(describe_model(sys.argv[2]))
    else:
        asyncio.run(main())
