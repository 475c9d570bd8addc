"""A local S3 server, buckets in it, and a proxy that fails on purpose."""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count

import pytest

from tests.support.extras import require_extra

_NUMBERS = count()


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """Start an S3 server for all tests of this process; return its URL."""
    require_extra("cloud-test")
    import logging

    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_environment(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Set the variables by which commands and libraries reach the server; return its URL."""
    set_s3_variables(monkeypatch, s3_endpoint)
    return s3_endpoint


def set_s3_variables(patch: pytest.MonkeyPatch, endpoint: str) -> None:
    """Set the variables by which commands and libraries reach a server."""
    patch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTEST1")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret-key-of-the-tests-1")
    patch.setenv("AWS_REGION", "us-east-1")
    patch.setenv("AWS_ENDPOINT_URL", endpoint)


@pytest.fixture
def bucket(s3_environment: str) -> str:
    """Create an empty bucket; return its URL."""
    return create_bucket(s3_environment)


def create_bucket(endpoint: str) -> str:
    """Create an empty bucket on a server; return its URL."""
    name = f"bucket-{next(_NUMBERS)}"
    request = urllib.request.Request(f"{endpoint}/{name}", method="PUT")
    with urllib.request.urlopen(request) as response:
        response.read()
    return f"s3://{name}"


Fault = Callable[[socket.socket], None]


def reply_503(client: socket.socket) -> None:
    """Reply like an overloaded store."""
    client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def reset(client: socket.socket) -> None:
    """Close the connection so that the client sees a reset."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


class FaultyProxy:
    """Forwards requests to a server, with one connection per request, and fails those for which a fault is queued.

    Args:
        endpoint: URL of the server.
        faults: What happens to the first requests, in order; None forwards a request.
        after_reply: Whether a fault happens only after the server has handled the request.
    """

    def __init__(self, endpoint: str, faults: list[Fault | None], *, after_reply: bool = False) -> None:
        host, _, port = endpoint.removeprefix("http://").partition(":")
        self._server = (host, int(port))
        self._faults = faults
        self._after_reply = after_reply
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[str] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed at the end of the test
            while True:
                client, _ = self._listener.accept()
                with closing(client), suppress(OSError):
                    self._handle(client)

    def _handle(self, client: socket.socket) -> None:
        request = _read_message(client)
        if not request:
            return
        self.requests.append(request.split(b"\r\n", 1)[0].decode())
        fault = self._faults.pop(0) if self._faults else None
        if fault is not None and not self._after_reply:
            fault(client)
            return
        head, _, body = request.partition(b"\r\n\r\n")
        with socket.create_connection(self._server) as upstream:
            upstream.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
            reply = b"".join(iter(lambda: upstream.recv(1 << 16), b""))
        if fault is not None:
            fault(client)
            return
        reply_head, _, reply_body = reply.partition(b"\r\n\r\n")
        client.sendall(reply_head + b"\r\nConnection: close\r\n\r\n" + reply_body)


def _read_message(client: socket.socket) -> bytes:
    """Read a request: its head, and as much body as its length states."""
    message = b""
    while b"\r\n\r\n" not in message:
        if not (block := client.recv(1 << 16)):
            return b""
        message += block
    head, _, body = message.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += client.recv(1 << 16)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def faulty_proxy(s3_environment: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FaultyProxy]]:
    """Return a function that puts a proxy with these faults in front of the S3 server."""
    proxies: list[FaultyProxy] = []

    def start(*faults: Fault | None, after_reply: bool = False) -> FaultyProxy:
        proxies.append(FaultyProxy(s3_environment, [*faults], after_reply=after_reply))
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxies[-1].url)
        return proxies[-1]

    yield start
    for proxy in proxies:
        proxy.close()
