"""A server with canned replies, and helpers that send requests to it."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from auricle import Generate, Turn

CHUNK = {"id": "1", "object": "chat.completion.chunk"}


class ReceivedRequest:
    """A received request: its path, headers and body."""

    def __init__(self, handler: Any, body: Any) -> None:
        self.path = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)

    def part(self, at: Any) -> Any:
        return self.json()["messages"][-1]["content"][at]


class CannedServer(ThreadingHTTPServer):
    """Returns canned replies and records the requests."""

    daemon_threads = True
    block_on_close = True

    def __init__(self, replies: Any) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = replies
        self.requests: list[ReceivedRequest] = []

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that disconnect early."""

    @property
    def url(self) -> Any:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def host(self) -> Any:
        return f"127.0.0.1:{self.server_port}"

    @property
    def last(self) -> Any:
        return self.requests[-1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        server = cast(CannedServer, self.server)
        server.requests.append(ReceivedRequest(self, body))
        reply = server.replies[min(len(server.requests), len(server.replies)) - 1]
        self.close_connection = True
        reply(self)

    def end_headers(self) -> None:
        self.send_header("Connection", "close")  # otherwise the client would reuse the connection
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(server: CannedServer) -> Iterator[CannedServer]:
    """Serve requests in a thread."""
    thread = threading.Thread(target=lambda: server.serve_forever(0.005), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def http_reply(status: int = 200, body: Any = b"", headers: Any = None, kind: str = "application/json") -> Any:
    """Return a well-formed HTTP reply."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def reply(handler: Any) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def stream_reply(*events: Any, cut: bool = False) -> Any:
    """Return a stream of events, each a document or a raw line; `cut` ends the connection early."""
    lines = [event if isinstance(event, bytes) else b"data: " + json.dumps(event).encode() for event in events]

    def reply(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for line in lines:
            content = line + b"\n\n"
            handler.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        if not cut:
            handler.wfile.write(b"0\r\n\r\n")

    return reply


def delta(content: Any = None, finish: Any = None, **more: Any) -> Any:
    answer = {} if content is None else {"content": content}
    return {**CHUNK, "choices": [{"index": 0, "delta": answer | more, "finish_reason": finish}]}


def chat(text: Any = "fine", **more: Any) -> Any:
    """Return a complete chat completion."""
    message = {"role": "assistant", "content": text, **more}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def question(*parts: Any, **settings: Any) -> Any:
    return Generate(turns=(Turn("user", parts or ("hello there",)),), **settings)


@asynccontextmanager
async def closing_model(model: Any) -> AsyncIterator[Any]:
    try:
        yield model
    finally:
        await model.close()


def run_model(model: Any, *requests: Any) -> Any:
    """Send each request once and return the answers (one answer for one request)."""

    async def main() -> Any:
        async with closing_model(model):
            return [await model.generate(item) for item in requests or (question(),)]

    answers = asyncio.run(main())
    return answers[0] if len(answers) == 1 else answers


def stream_model(model: Any, request: Any = None) -> Any:
    """Return the streamed texts of a model."""

    async def main() -> Any:
        async with closing_model(model):
            return [piece async for piece in model.stream(request or question())]

    return asyncio.run(main())
