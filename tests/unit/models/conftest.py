"""Servers for models behind an API: a scripted fake server, and one with canned replies."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.support.http_servers import CannedServer, http_reply


@pytest.fixture
def serve() -> Iterator[Any]:
    """Start a fake server with this script; it is stopped when the test ends."""
    pytest.importorskip("aiohttp")
    from auricle.testing.fake_server import FakeServer, Script

    with ExitStack() as servers:
        yield lambda **script: servers.enter_context(FakeServer(Script(**script)))


@pytest.fixture
def canned(request: pytest.FixtureRequest) -> Any:
    """Start a server that returns these replies in turn and then repeats the last one."""

    def start(*replies: Any) -> Any:
        server = CannedServer([reply if callable(reply) else http_reply(body=reply) for reply in replies])
        thread = threading.Thread(target=lambda: server.serve_forever(0.005), daemon=True)
        thread.start()

        def stop() -> None:
            server.shutdown()
            thread.join()
            server.server_close()

        request.addfinalizer(stop)
        return server

    return start
