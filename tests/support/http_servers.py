"""A server that says exactly what it was given, and how a model is asked in these tests."""

import asyncio
import json
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from auricle import Generate, Turn

CHUNK = {"id": "1", "object": "chat.completion.chunk"}


class Said:
    """One request as it came: its path, headers and body."""

    def __init__(self, handler, body):
        self.path = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = body

    def json(self):
        return json.loads(self.body)

    def part(self, at):
        return self.json()["messages"][-1]["content"][at]


class Canned(ThreadingHTTPServer):
    """Says what it was given, whoever asks, and remembers who did."""

    daemon_threads = True
    block_on_close = True

    def __init__(self, replies):
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = replies
        self.heard = []

    def handle_error(self, *_):
        """Clients may leave early; that is theirs to decide."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def host(self):
        return f"127.0.0.1:{self.server_port}"

    @property
    def last(self):
        return self.heard[-1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append(Said(self, body))
        replies = self.server.replies
        reply = replies[min(len(self.server.heard), len(replies)) - 1]
        self.close_connection = True
        reply(self)

    def end_headers(self):
        self.send_header("Connection", "close")  # as it does; who is not told would send on it
        super().end_headers()

    def log_message(self, *_):
        pass


def whole(status=200, body=b"", headers=None, kind="application/json"):
    """A reply as it should be, whatever it says."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def reply(handler):
        handler.send_response(status)
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def streamed(*events, cut=False):
    """Events, each a document or a line as it is; `cut` ends the connection in their midst."""
    lines = [each if isinstance(each, bytes) else b"data: " + json.dumps(each).encode() for each in events]

    def reply(handler):
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


def delta(content=None, finish=None, **more):
    said = {} if content is None else {"content": content}
    return {**CHUNK, "choices": [{"index": 0, "delta": said | more, "finish_reason": finish}]}


def chat(text="fine", **more):
    """A whole chat completion."""
    message = {"role": "assistant", "content": text, **more}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def question(*parts, **settings):
    return Generate(turns=(Turn("user", parts or ("hello there",)),), **settings)


@asynccontextmanager
async def held(model):
    try:
        yield model
    finally:
        await model.close()


def told(model, *requests):
    """What a model answers to each request, asked once, in a loop of its own."""

    async def main():
        async with held(model):
            return [await model.generate(each) for each in requests or (question(),)]

    answers = asyncio.run(main())
    return answers[0] if len(answers) == 1 else answers


def pieces(model, request=None):
    """What a model streams."""

    async def main():
        async with held(model):
            return [piece async for piece in model.stream(request or question())]

    return asyncio.run(main())
