"""Start and stop the fake server, in a thread or in a coroutine."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import web

from auricle.core.errors import SpecError
from auricle.testing.fake_server.handler import RequestHandler
from auricle.testing.fake_server.script import Script

SHUTDOWN_GRACE_SECONDS = 0.05
"""Seconds that open requests have left when the server is stopped."""


def load_certificate(path: Path) -> ssl.SSLContext:
    """Return the TLS settings of a server with the certificate and key of a PEM file."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(path)
    except (OSError, ssl.SSLError) as error:
        raise SpecError(f"{path}: cannot be used as a certificate with its key: {error}") from error
    return context


async def _yield_to_event_loop() -> None:
    """Let the loop run pending callbacks; accepting and closing a connection take several iterations."""
    for _ in range(8):
        await asyncio.sleep(0)


class FakeServer:
    """A fake server for the OpenAI, Azure and Gemini protocols on this machine.

    `with` runs it in a thread. In a coroutine, await `start` and `stop` instead.

    Args:
        script: Its behaviour; by default it answers at once and without faults.
        port: Port to listen on; 0 for any free one.
        certificate: PEM file with a certificate and its key, to serve over TLS; by default without.

    Raises:
        SpecError: The certificate cannot be read.

    Examples:
        >>> from auricle.testing import FakeServer, Script
        >>> with FakeServer(Script(reply="yes")) as server:
        ...     server.url.startswith("http://127.0.0.1:"), server.stats()["answered"]
        (True, {})
    """

    def __init__(self, script: Script | None = None, *, port: int = 0, certificate: Path | None = None) -> None:
        self.script = script or Script()
        self._tls = load_certificate(certificate) if certificate else None
        self._port = port
        self._handler = RequestHandler(self.script)
        self._runner: web.ServerRunner | None = None
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._request_stop: Callable[[], object] = lambda: None

    @property
    def url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}/v1"

    def stats(self) -> dict[str, Any]:
        """Return exact counts of requests, answers and faults, as `GET /stats` does."""
        return self._handler.describe()

    async def start(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", self._port), backlog=4096)
        self._port = self._socket.getsockname()[1]
        server = web.Server(self._handler, handler_cancellation=True, access_log=None)
        self._runner = web.ServerRunner(server, shutdown_timeout=SHUTDOWN_GRACE_SECONDS)
        await self._runner.setup()
        await web.SockSite(self._runner, self._socket, ssl_context=self._tls, backlog=4096).start()

    async def stop(self) -> None:
        """Stop the server and close all sockets, whatever the clients do."""
        if not self._runner or not self._runner.server or not self._socket:
            return
        with suppress(NotImplementedError):  # closing a server while it accepts would leak the connection
            asyncio.get_running_loop().remove_reader(self._socket)
        await _yield_to_event_loop()
        transports = [connection.transport for connection in self._runner.server.connections]
        await self._runner.cleanup()
        for transport in transports:
            if transport:
                transport.abort()  # close() would wait for a client that may never read
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
        stop_event = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._request_stop = lambda: loop.call_soon_threadsafe(stop_event.set)
        try:
            await self.start()
        except OSError as error:
            ready.set_exception(error)
            return
        ready.set_result(None)
        await stop_event.wait()
        await self.stop()
