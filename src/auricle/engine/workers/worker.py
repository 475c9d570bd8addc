"""The entry point of a worker process: load one model and answer the requests from a pipe."""

from __future__ import annotations

import asyncio
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from auricle.core.errors import AuricleError, SampleError
from auricle.core.redaction import SECRETS, RedactingStream
from auricle.core.serialization import dumps
from auricle.core.types import ABILITY_BY_REQUEST, Output, Request
from auricle.core.user_code import DEFAULT_TIMEOUT, UserCall, limit_calls, wrap_errors
from auricle.engine.batching import check_output_count
from auricle.engine.model_log import log_records_written, loguru_records_written
from auricle.engine.outputs import normalise_output
from auricle.engine.retry import RetryingSender
from auricle.engine.settings import Settings
from auricle.engine.slots import DirectSlot, name_model, release_model
from auricle.engine.workers.lifetime import batch_deadline, end_with_parent
from auricle.engine.workers.protocol import HEADER, encode_error, pack, pack_error, pack_output, unpack, unpack_request
from auricle.models import AsyncModel, BatchModel, Model, abilities, adapt
from auricle.models.call_timer import CallTimer
from auricle.models.catalogue import MODELS
from auricle.models.limits import LIMIT_ATTRIBUTES

SINGLE_ATTEMPT = Settings(max_attempts=1)
"""The parent process decides about retries."""


class Pipe:
    """An unbuffered file that writes messages of any length completely."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, content: bytes) -> None:
        remaining = memoryview(content)
        while remaining:
            remaining = remaining[os.write(self._descriptor, remaining) :]


class WorkerServer:
    """Answers requests from a pipe until the pipe closes."""

    def __init__(self, reader: asyncio.StreamReader, out: Pipe) -> None:
        self._reader = reader
        self._out = out
        self._tasks: set[asyncio.Task[None]] = set()
        self._timeout = DEFAULT_TIMEOUT

    async def serve(self) -> None:
        first = await read_message(self._reader)
        if first is None:
            return
        try:
            self._timeout = first.get("timeout", DEFAULT_TIMEOUT)
            model = load_model(first["model"], first["arguments"])
        except AuricleError as error:
            self._send(pack({"error": encode_error(error)}))
            return
        self._send(pack({"ready": True}))
        try:
            with loguru_records_written(sys.stderr.write), limit_calls(self._timeout):
                if isinstance(model, AsyncModel):
                    await self._serve_requests(DirectSlot(model))
                else:
                    await self._serve_batches(model)
        finally:
            await release_model(model)

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
        """Collect the requests of each batch and answer it in this thread."""
        batches: dict[int, list[dict[str, Any]]] = {}
        while message := await read_message(self._reader):
            batch = batches.setdefault(message["batch"], [])
            batch.append(message)
            if len(batch) == message["size"]:
                with batch_deadline(self._timeout):
                    replies = answer_batch(model, batches.pop(message["batch"]))
                for reply in replies:
                    self._send(reply)

    async def _answer_request(self, slot: DirectSlot, message: dict[str, Any]) -> None:
        number = message["number"]
        sender = RetryingSender(slot, SINGLE_ATTEMPT)
        try:
            output = await sender(unpack_request(message))
            self._send(pack_output(number, output, sender.model_seconds))
        except Exception as error:  # noqa: BLE001 - a model may raise anything
            self._send(pack_error(number, error, sender.model_seconds))

    def _send(self, message: bytes) -> None:
        with suppress(BrokenPipeError):  # the parent has ended; the next read notices
            self._out.write(message)


def answer_batch(model: BatchModel, batch: Sequence[dict[str, Any]]) -> list[bytes]:
    """Answer a batch of messages; if the model raises, every request gets the error."""
    timer = CallTimer()
    try:
        requests = [unpack_request(message) for message in batch]
        timer.start()
        with UserCall(name_model(model), math.inf):  # the parent kills this process when the time is up
            outputs = getattr(model, ABILITY_BY_REQUEST[type(requests[0])])(requests)
            check_output_count(outputs, len(batch))
    except Exception as error:  # noqa: BLE001 - sent to the parent, which splits the batch
        timer.stop()
        return [pack_error(message["number"], error, timer.model_seconds) for message in batch]
    timer.stop()
    answers = zip(batch, requests, outputs, strict=True)
    return [
        _pack_answer(message["number"], request, output, timer.model_seconds) for message, request, output in answers
    ]


def _pack_answer(number: int, request: Request, output: Output, seconds: float) -> bytes:
    """Pack an output, or why it cannot be used; the rest of its batch is kept."""
    try:
        return pack_output(number, normalise_output(request, output), seconds)
    except SampleError as error:
        return pack_error(number, error, seconds)


def load_model(name: str, arguments: dict[str, Any]) -> Model:
    """Load a model; any error becomes a `SpecError`."""
    SECRETS.register(arguments)
    with wrap_errors(name):
        return adapt(MODELS.get(name))(**arguments)


async def read_message(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Read the next message; return None if the pipe is closed."""
    try:
        content_size, payload_size = HEADER.unpack(await reader.readexactly(HEADER.size))
        return unpack(await reader.readexactly(content_size), await reader.readexactly(payload_size))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def main() -> None:
    end_with_parent(sys.stdin.fileno())
    # Standard output carries messages; what a model prints goes to standard error.
    out = Pipe(os.dup(1))
    os.dup2(2, 1)
    sys.stdout = sys.stderr = RedactingStream(sys.stderr)
    reader = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    with log_records_written(sys.stderr.write):  # of all levels that the model's loggers pass
        await WorkerServer(reader, out).serve()


def describe_model(name: str) -> bytes:
    """Describe a model's abilities and batch limits as JSON, without loading it."""
    try:
        model = adapt(MODELS.get(name))
    except AuricleError as error:
        return dumps({"error": str(error)})
    attributes = (
        "batch_size",
        "batch_seconds",
        "sample_rate",
        "keeps_order",
        "wants_context",
        "wants_inputs",
        "required_inputs",
        *LIMIT_ATTRIBUTES,
    )
    return dumps(
        {
            "can": abilities(model),
            "asynchronous": issubclass(model, AsyncModel),
            "batches": {name: getattr(model, name) for name in attributes if hasattr(model, name)},
        }
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--describe"]:
        sys.stdout.buffer.write(describe_model(sys.argv[2]))
    else:
        asyncio.run(main())
