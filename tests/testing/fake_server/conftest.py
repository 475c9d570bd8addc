"""A client for the fake server that shares no code with it."""

from __future__ import annotations

import base64
import http.client
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from auricle.testing.fake_server import FakeServer, Script, compute_digest

CHAT_PATH = "/v1/chat/completions"
TRANSCRIPTION_PATH = "/v1/audio/transcriptions"
GEMINI_PATH = "/v1beta/models/fake:generateContent"
RECORDING = b"RIFF not really"

StartServer = Callable[..., FakeServer]


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    """Start servers with a script; they are stopped when the test ends."""
    with ExitStack() as stack:
        yield lambda **script: stack.enter_context(FakeServer(Script(**script)))


class Reply:
    """A complete HTTP response."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.content = response.read()

    def json(self) -> Any:
        return json.loads(self.content)

    def text(self) -> Any:
        """Return the text of a chat completion."""
        return self.json()["choices"][0]["message"]["content"]

    def events(self) -> list[str]:
        """Return the data of the events of a stream."""
        lines = self.content.decode().split("\n\n")
        assert lines.pop() == ""
        assert all(line.startswith("data: ") for line in lines)
        return [line.removeprefix("data: ") for line in lines]

    def deltas(self) -> list[dict[str, Any]]:
        """Return the deltas of a stream without usage events."""
        *events, last = self.events()
        assert last == "[DONE]"
        return [json.loads(event)["choices"][0]["delta"] for event in events]


def connect(url: str, timeout: float = 20) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)


def send(
    server: FakeServer | str,
    path: str,
    body: bytes | str | None = None,
    headers: Mapping[str, str] | None = None,
    method: str = "POST",
    timeout: float = 20,
) -> Reply:
    """Send one request to a server, or to a URL, on a new connection."""
    connection = connect(server if isinstance(server, str) else server.url, timeout)
    try:
        connection.request(method, path, body, dict(headers or {}))
        return Reply(connection.getresponse())
    finally:
        connection.close()


def chat_body(content: Any = "hello there world", **fields: Any) -> bytes:
    messages = [{"role": "user", "content": content}]
    return json.dumps({"model": "fake", "messages": messages, **fields}).encode()


def chat(
    server: FakeServer | str,
    content: Any = "hello there world",
    headers: Mapping[str, str] | None = None,
    timeout: float = 20,
    **fields: Any,
) -> Reply:
    return send(server, CHAT_PATH, chat_body(content, **fields), headers, timeout=timeout)


def upload(
    server: FakeServer,
    path: str = TRANSCRIPTION_PATH,
    name: str = "good_morning.wav",
    recording: bytes = RECORDING,
    **fields: str,
) -> Reply:
    """Upload a recording as a form."""
    boundary = uuid.uuid4().hex
    disposition = "Content-Disposition: form-data; name"
    parts = [f'{disposition}="{key}"\r\n\r\n{value}'.encode() for key, value in {"model": "fake", **fields}.items()]
    file_name = f'; filename="{name}"' if name else ""
    parts.append(f'{disposition}="file"{file_name}\r\nContent-Type: audio/wav\r\n\r\n'.encode() + recording)
    edge = f"--{boundary}".encode()
    content = b"".join(edge + b"\r\n" + part + b"\r\n" for part in parts) + edge + b"--\r\n"
    return send(server, path, content, {"Content-Type": f'multipart/form-data; boundary="{boundary}"'})


def encode_base64(content: bytes = RECORDING) -> str:
    return base64.b64encode(content).decode()


def audio_description(content: bytes = RECORDING) -> str:
    """Return what the server answers to audio."""
    return f"heard {compute_digest(content)[:6]}"


def eventually(condition: Callable[[], bool]) -> bool:
    """Wait up to ten seconds for a condition, and return whether it holds."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()
