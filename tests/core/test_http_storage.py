"""Files of a web server: ranges, servers without them, failures."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from auricle.core import http_storage
from auricle.core.errors import StorageError
from auricle.core.storage import open_storage

CONTENT = bytes(range(256)) * 10


class FileServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *, ranges: bool) -> None:
        super().__init__(("127.0.0.1", 0), FileHandler)
        self.ranges = ranges
        self.failures: list[int] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/data"


class FileHandler(BaseHTTPRequestHandler):
    server: FileServer

    def do_HEAD(self) -> None:
        self._reply(with_body=False)

    def do_GET(self) -> None:
        self._reply(with_body=True)

    def _reply(self, *, with_body: bool) -> None:
        self.server.paths.append(self.path)
        if self.server.failures:
            self.send_error(self.server.failures.pop(0))
            return
        if not self.path.startswith("/data/x"):
            self.send_error(404)
            return
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if self.server.ranges else None
        start, end = (int(span[1]), int(span[2] or len(CONTENT)) + 1) if span else (0, len(CONTENT))
        if start >= len(CONTENT):
            self.send_error(416)
            return
        body = CONTENT[start:end]
        self.send_response(206 if span else 200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"v1"')
        if self.server.ranges:
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(params=[True, False], ids=["with ranges", "without ranges"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setattr(http_storage, "FIRST_DELAY", 0.0)
    with FileServer(ranges=request.param) as server:
        thread = threading.Thread(target=lambda: server.serve_forever(0.005), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_files_are_read_whole_in_ranges_and_as_a_stream(server: FileServer) -> None:
    storage = open_storage(server.url)
    assert storage.read("x.bin") == CONTENT
    assert storage.read("x.bin", 3, 9) == CONTENT[3:9]
    assert storage.read("x.bin", 2550) == CONTENT[2550:]
    assert storage.read("x.bin", 5000, 5001) == b""
    with storage.open("x.bin", buffering=100) as file:
        assert file.read(300) == CONTENT[:300]
        assert file.read() == CONTENT[300:]
    info = storage.head("x.bin")
    assert (info.size, info.etag) == (2560, '"v1"')


def test_queries_of_signed_urls_are_kept_and_not_shown(server: FileServer) -> None:
    storage = open_storage(server.url)
    storage.read("x.bin?X-Amz-Signature=abcdef0123456789")
    assert server.paths == ["/data/x.bin?X-Amz-Signature=abcdef0123456789"]
    with pytest.raises(FileNotFoundError) as caught:
        storage.read("y.bin?X-Amz-Signature=abcdef0123456789")
    assert "abcdef0123456789" not in str(caught.value)


def test_a_passing_failure_is_retried_and_a_lasting_one_reported(server: FileServer) -> None:
    storage = open_storage(server.url)
    server.failures = [503, 500]
    assert storage.read("x.bin") == CONTENT
    server.failures = [503] * 4
    with pytest.raises(StorageError, match="the server replied 503"):
        storage.read("x.bin")
    server.failures = [403]
    with pytest.raises(StorageError, match=r"replied 403 Forbidden\. Check the URL, or whether it has expired"):
        storage.read("x.bin")


def test_a_web_server_can_only_be_read(server: FileServer) -> None:
    storage = open_storage(server.url)
    with pytest.raises(StorageError, match="can only be read"):
        storage.write("x", b"")
    with pytest.raises(StorageError, match=r"cannot be listed.*shard-\{000000\.\.000999\}\.tar"):
        storage.list()


def test_an_unreachable_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_storage, "FIRST_DELAY", 0.0)
    with pytest.raises(StorageError, match=r"Cannot read http://127\.0\.0\.1:1/x: Connection refused\. Check the URL"):
        open_storage("http://127.0.0.1:1").read("x")
