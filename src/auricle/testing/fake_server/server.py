"""The server as something that is started and stopped, from a coroutine or around a test."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from aiohttp import web

from auricle.testing.fake_server.handler import RequestHandler
from auricle.testing.fake_server.script import Script

SHUTDOWN_GRACE_SECONDS = 0.05
"""Seconds that requests in hand have left when the server is stopped."""


async def _yield_to_event_loop() -> None:
    """Let the loop do what it has put off: accepting and letting go take a few turns each."""
    for _ in range(8):
        await asyncio.sleep(0)


class FakeServer:
    """A fake server on this machine: `with FakeServer(Script(...)) as server: server.url`.

    The `with` runs it in a thread of its own; in a coroutine, await `start` and `stop` instead.
    """

    def __init__(self, script: Script | None = None, *, port: int = 0) -> None:
        self.script = script or Script()
        self._port = port
        self._handler = RequestHandler(self.script)
        self._runner: web.ServerRunner | None = None
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._request_stop: Callable[[], object] = lambda: None

    @property
    def url(self) -> str:
        """The base URL that a client of OpenAI's is given."""
        return f"http://127.0.0.1:{self._port}/v1"

    def stats(self) -> dict[str, Any]:
        """Exact counts, as `GET /stats` tells them; see `Counts`."""
        return self._handler.counts.to_dict()

    async def start(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", self._port), backlog=4096)
        self._port = self._socket.getsockname()[1]
        server = web.Server(self._handler, handler_cancellation=True, access_log=None)
        self._runner = web.ServerRunner(server, shutdown_timeout=SHUTDOWN_GRACE_SECONDS)
        await self._runner.setup()
        await web.SockSite(self._runner, self._socket, backlog=4096).start()

    async def stop(self) -> None:
        """End it without leaving a socket open, whatever clients are about to do."""
        if not self._runner or not self._runner.server or not self._socket:
            return
        with suppress(NotImplementedError):  # a server closed while it accepts leaks the connection
            asyncio.get_running_loop().remove_reader(self._socket)
        await _yield_to_event_loop()
        transports = [each.transport for each in self._runner.server.connections]
        await self._runner.cleanup()
        for transport in transports:
            if transport:
                transport.abort()  # closing alone waits for a client that may never read on
        await _yield_to_event_loop()
        self._runner = self._socket = None

    def __enter__(self) -> FakeServer:
        ready: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)), name="auricle-fake-server", daemon=True
        )
        self._thread.start()
        ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread
        self._request_stop()
        self._thread.join()

    async def _serve(self, ready: Future[None]) -> None:
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._request_stop = lambda: loop.call_soon_threadsafe(stopping.set)
        try:
            await self.start()
        except OSError as error:
            ready.set_exception(error)
            return
        ready.set_result(None)
        await stopping.wait()
        await self.stop()
