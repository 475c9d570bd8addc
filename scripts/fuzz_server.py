"""An HTTP server that answers wrongly: broken HTTP, broken JSON, impossible values, endless or stalled streams.

The first parts of a path are seed, number of the first response and count: `/0/120/10/…/chat/completions` gets the
responses 120 to 129 of seed 0, one for each different request, in the order of arrival. Further requests get a valid
answer. The fourth part distinguishes commands.

A path that begins with `/endless` is a file without end: `/endless/line/…` is one line, `/endless/rows/…` are valid
rows, and `/endless/stated/…` has a header that states 6 GB and that ranges of it can be read.
"""

from __future__ import annotations

import gzip
import json
import random
import socketserver
import threading
import time
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from fuzz_inputs import damage, hostile_json

CHAT = {
    "id": "x",
    "object": "chat.completion",
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "yes", "reasoning_content": "hm", "tool_calls": []},
            "finish_reason": "stop",
            "logprobs": {"content": [{"token": "yes", "logprob": -0.1, "top_logprobs": []}]},
        }
    ],
    "usage": {
        "prompt_tokens": 3,
        "completion_tokens": 1,
        "total_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 1},
    },
}
COMPLETION = {
    "choices": [{"index": 0, "text": "yes", "finish_reason": "stop", "logprobs": None}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
}
TRANSCRIPTION = {
    "text": "yes",
    "language": "en",
    "duration": 0.2,
    "segments": [{"start": 0.0, "end": 0.2, "text": "yes"}],
}
GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "yes"}], "role": "model"}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4},
}
DELTA = {"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": None}], "usage": None}
TEXT_DELTA = {"choices": [{"index": 0, "text": "yes", "finish_reason": None}]}
TRANSCRIPT_DELTA = {"type": "transcript.text.delta", "delta": "yes"}
ERROR = {"error": {"message": "no", "type": "server_error", "code": 500, "param": None}}
RETRY_AFTER = (
    "0",
    "-1",
    "nan",
    "1e400",
    "9" * 400,
    "soon",
    "Fri, 31 Dec 99999999999999999999 23:59:59 GMT",
    "",
    "\x7f",
)
STATUSES = (
    200,
    201,
    204,
    206,
    300,
    302,
    304,
    400,
    401,
    403,
    404,
    408,
    413,
    418,
    422,
    429,
    500,
    502,
    503,
    529,
    599,
    999,
)
STALL_SECONDS = 1.0
"""How long a server that stops answering keeps the connection open."""
BOMB_BYTES = 400 * 2**20


def documents(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a valid answer and a valid event of the protocol."""
    if "transcriptions" in path:
        return TRANSCRIPTION, TRANSCRIPT_DELTA
    if "enerateContent" in path:
        return GEMINI, GEMINI
    if path.endswith("/chat/completions"):
        return CHAT, DELTA
    return COMPLETION, TEXT_DELTA


def head(status: int, headers: dict[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Status\r\n{lines}\r\n".encode("latin-1", "replace")


def whole(body: bytes, status: int = 200, content_type: str = "application/json", **headers: str) -> bytes:
    fields = {"Content-Type": content_type, "Content-Length": str(len(body)), "Connection": "close"}
    return head(status, {**fields, **{name.replace("_", "-"): value for name, value in headers.items()}}) + body


def valid(path: str, streamed: bool) -> bytes:
    document, event = documents(path)
    if not streamed:
        return whole(json.dumps(document).encode())
    return whole(f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode(), content_type="text/event-stream")


@cache
def compressed_bomb(kind: str) -> bytes:
    block = b" " * 2**20
    if kind == "deflate":
        compressor = zlib.compressobj(9)
        return b"".join(compressor.compress(block) for _ in range(BOMB_BYTES // len(block))) + compressor.flush()
    return gzip.compress(b" " * BOMB_BYTES, 9)


def response(path: str, streamed: bool, rng: random.Random) -> Iterator[bytes | float]:
    """Yield the bytes of a response; numbers are pauses in seconds."""
    document, event = documents(path)
    choice = rng.random()
    if choice < 0.12:
        yield from broken_http(rng, valid(path, streamed))
    elif choice < 0.3:
        yield error_response(rng)
    elif choice < 0.34:
        yield from without_end(rng, streamed)
    elif streamed:
        yield from stream(event, rng)
    else:
        yield body_response(document, rng)


def body_response(document: dict[str, Any], rng: random.Random) -> bytes:
    body = hostile_json(document, rng).encode("utf-8", "surrogatepass")
    choice = rng.random()
    if choice < 0.2:
        body = damage(body, rng)
    elif choice < 0.25:
        body = rng.choice(
            [b"", b"null", b"[]", b"<html>", b"\xff\xfe", b"\0" * 1000, b"[" * 100_000, b'"yes"', b"1e999"]
        )
    elif choice < 0.3:
        encoding = rng.choice(["gzip", "deflate", "br", "zstd", "x"])
        return whole(rng.choice([body, b"\x1f\x8b" + body, zlib.compress(body)]), Content_Encoding=encoding)
    elif choice < 0.32:
        encoding = rng.choice(["gzip", "deflate"])
        return whole(compressed_bomb(encoding), Content_Encoding=encoding)
    kinds = [
        "application/json",
        "text/html",
        "",
        "application/json; charset=utf-7",
        "application/json; charset=nonsense",
    ]
    return whole(body, content_type=rng.choice([kinds[0], kinds[0], *kinds]))


def error_response(rng: random.Random) -> bytes:
    status = rng.choice(STATUSES)
    bodies = [
        hostile_json(ERROR, rng).encode("utf-8", "surrogatepass"),
        b"",
        b"[" * 1000,
        b"\x1b]0;title\x07\x1b[2J",
        b"\xff" * 2000,
    ]
    headers = {"Retry_After": rng.choice(RETRY_AFTER)} if status in (429, 503) or rng.random() < 0.1 else {}
    if 300 <= status < 400:
        headers["Location"] = rng.choice(["/", "//", "http://127.0.0.1:9/", "file:///etc/hostname", "\x00", ""])
    return whole(rng.choice(bodies), status, **headers)


def broken_http(rng: random.Random, answer: bytes) -> Iterator[bytes | float]:
    """Yield what is no HTTP, or HTTP that contradicts itself."""
    start = answer.partition(b"\r\n\r\n")[2]
    chunked = head(200, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
    yield rng.choice(
        [
            b"",
            b"\r\n\r\n",
            b"HTTP/1.1\r\n\r\n",
            b"HTTP/9.9 abc def\r\n\r\n",
            b"SSH-2.0-server\r\n",
            b"\x16\x03\x01\x00\xa5" + rng.randbytes(165),
            rng.randbytes(500),
            answer[: rng.randrange(len(answer))],
            damage(answer, rng),
            answer.replace(b"Content-Length: ", b"Content-Length: 9"),
            answer.replace(b"Content-Length: ", b"Content-Length: -"),
            answer.replace(b"Connection: close", b"X: " + b"y" * 100_000),
            answer.replace(b"Connection: close", b"\r\n".join(b"X%d: y" % number for number in range(5000))),
            answer.replace(b"\r\n", b"\n"),
            b"HTTP/1.1 100 Continue\r\n\r\n" * 50 + answer,
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            chunked + b"zz\r\n" + start,
            chunked + b"ffffffffffffffff\r\n" + start,
            chunked + b"5\r\n" + start,
            chunked + b"-1\r\n" + start,
            chunked + b"1;" + b"x" * 70_000 + b"\r\n",
        ]
    )


def without_end(rng: random.Random, streamed: bool) -> Iterator[bytes | float]:
    """Yield a response that stalls, drips or does not stop until it is cut off."""
    kind = "text/event-stream" if streamed else "application/json"
    yield head(200, {"Content-Type": kind})
    action = rng.randrange(3)
    if action == 0:
        yield STALL_SECONDS
    elif action == 1:
        for _ in range(10):
            yield b'data: {"choices": []}\n\n' if streamed else b" "
            yield 0.05
    else:
        block = b"data: " + b"x" * 2**20 if rng.random() < 0.5 else b" " * 2**20
        for _ in range(100):
            yield block


def stream(event: dict[str, Any], rng: random.Random) -> Iterator[bytes | float]:
    """Yield events of which some are hostile, with line ends and fields of several kinds."""
    yield head(200, {"Content-Type": rng.choice(["text/event-stream"] * 4 + ["application/json", ""])})
    end = rng.choice([b"\n\n", b"\n\n", b"\r\n\r\n", b"\r\r", b"\n"])
    extras = [
        b": comment",
        b"event: error",
        b"data:",
        b"data",
        b"id: \0",
        b"retry: 1e9",
        b"\xff\xfe",
        b"data: [DONE]",
        b"\xef\xbb\xbf",
    ]
    for _ in range(rng.choice([1, 3, 10])):
        text = hostile_json(event, rng) if rng.random() < 0.4 else json.dumps(event)
        line = rng.choice([b"data: ", b"data: ", b"data:", b"Data: ", b""]) + text.encode("utf-8", "surrogatepass")
        if rng.random() < 0.2:
            line = rng.choice([*extras, damage(line, rng), b"data: " + json.dumps(ERROR).encode()])
        yield line + end
    if rng.random() < 0.7:
        yield b"data: [DONE]" + end


def without_end_of_file(path: str, method: str) -> Iterator[bytes | float]:
    """Yield a file until the client gives up."""
    _, _, kind, *_ = path.split("/")
    row = b'{"question": "why?", "answer": "yes"}\n'
    block = row * (2**20 // len(row)) if kind == "rows" else b"x" * 2**20
    stated = {"Content-Length": "6000000000", "Accept-Ranges": "bytes"} if kind == "stated" else {}
    yield head(200, {"Content-Type": "application/octet-stream", "Connection": "close", **stated})
    while method == "GET":
        yield block


class Handler(socketserver.StreamRequestHandler):
    """Reads one request and sends the response of its number."""

    server: FuzzServer

    def handle(self) -> None:
        try:
            method, path, body = self._read_request()
            streamed = (
                b'"stream": true' in body or b'"stream":true' in body or b'name="stream"' in body or "stream" in path
            )
            is_file = path.startswith("/endless/")
            parts = without_end_of_file(path, method) if is_file else self.server.response_to(path, body, streamed)
            for part in parts:
                if isinstance(part, float):
                    time.sleep(part)
                else:
                    self.wfile.write(part)
        except (OSError, ValueError):
            pass  # the client gave up, as it may

    def _read_request(self) -> tuple[str, str, bytes]:
        method, path = self.rfile.readline().decode().split()[:2]
        length = 0
        while (line := self.rfile.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return method, path, self.rfile.read(length)


class FuzzServer(socketserver.ThreadingTCPServer):
    """Listens on a free port of the loopback interface."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._lock = threading.Lock()
        self._requests: dict[str, list[bytes]] = {}

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def response_to(self, path: str, body: bytes, streamed: bool) -> Iterator[bytes | float]:
        seed, first, count = (int(part) for part in path.split("/")[1:4])
        with self._lock:
            requests = self._requests.setdefault("/".join(path.split("/")[1:5]), [])
            if body not in requests:
                requests.append(body)
            number = requests.index(body)
        if number >= count:
            return iter([valid(path, streamed)])
        return response(path, streamed, random.Random(f"{seed}:responses:{first + number}"))
