"""A child process that holds one async model and answers whatever comes down its pipe."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import IO, Any

from auricle import registry
from auricle.backends.messages import HEAD, loads, pack, pack_error, pack_output, unpack_request
from auricle.models import AsyncModel, adapt
from auricle.types import ABILITY


class Worker:
    """Reads requests, answers each when it is ready, and ends when its pipe does."""

    def __init__(self, reader: asyncio.StreamReader, out: IO[bytes]) -> None:
        self._reader = reader
        self._out = out
        self._running: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        model = await self._load()
        if model is None:
            return
        try:
            while message := await read(self._reader):
                task = asyncio.create_task(self._answer(model, *message))
                self._running.add(task)
                task.add_done_callback(self._running.discard)
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            await model.close()

    async def _load(self) -> AsyncModel | None:
        first = await read(self._reader)
        if first is None:
            return None
        told = first[0]
        try:
            model = adapt(registry.model.get(told["model"]))(**told["arguments"])
        except Exception as error:  # noqa: BLE001 - told to the parent, who raises it
            self._say(pack_error(0, error))
            return None
        assert isinstance(model, AsyncModel)
        self._say(pack({"ready": True}))
        return model

    async def _answer(self, model: AsyncModel, message: dict[str, Any], behind: bytes) -> None:
        number = message["number"]
        try:
            request = unpack_request(message["request"], behind)
            output = await getattr(model, ABILITY[type(request)])(request)
            self._say(pack_output(number, output))
        except Exception as error:  # noqa: BLE001 - told to the parent, kept with its sample
            self._say(pack_error(number, error))

    def _say(self, message: bytes) -> None:
        self._out.write(message)
        self._out.flush()


async def read(reader: asyncio.StreamReader) -> tuple[dict[str, Any], bytes] | None:
    """The next message, or None where the other side is gone."""
    try:
        content, behind = HEAD.unpack(await reader.readexactly(HEAD.size))
        return loads(await reader.readexactly(content)), await reader.readexactly(behind)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, who drains
    # What a model prints must not end up among the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    reader = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    await Worker(reader, out).serve()


if __name__ == "__main__":
    asyncio.run(main())
