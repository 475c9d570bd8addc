"""Responses of servers: complete ones, the events of a stream, and error messages."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from auricle.core.errors import Refused, Transient
from auricle.models.http.answers import STREAM_END

if TYPE_CHECKING:
    import aiohttp

MAX_ERROR_BYTES = 20_000  # read from an error response
MAX_RESPONSE_BYTES = 1 << 28
READ_BUFFER_BYTES = 1 << 22  # half the longest line of a stream; one line may contain a minute of speech


class PendingResponse(NamedTuple):
    """A response with status 200 whose body has not been read yet."""

    response: aiohttp.ClientResponse
    host: str
    charged_tokens: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete response."""

    content: bytes
    content_type: str
    host: str
    charged_tokens: float = 0.0
    """Tokens charged to the rate limiter before the actual count was known."""

    def json(self) -> Any:
        if "html" in self.content_type or self.content.lstrip()[:1] == b"<":
            raise Refused(f"{self.host} returned a web page instead of JSON. Check base_url.")
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise Transient(f"{self.host} returned invalid JSON: {error}") from error


async def read_reply(pending: PendingResponse) -> Reply:
    """Read a response up to `MAX_RESPONSE_BYTES`."""
    chunks, size = [], 0
    async for chunk in pending.response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_RESPONSE_BYTES:
            raise Refused(f"{pending.host} returned more than {MAX_RESPONSE_BYTES >> 20} MB")
    return Reply(b"".join(chunks), pending.response.content_type, pending.host, pending.charged_tokens)


async def read_error_body(response: aiohttp.ClientResponse) -> bytes:
    """Read the start of an error response; ignore connection errors, as the status is known."""
    import aiohttp

    content = b""
    with suppress(aiohttp.ClientError, OSError):
        while len(content) < MAX_ERROR_BYTES and (chunk := await response.content.read(MAX_ERROR_BYTES)):
            content += chunk
    return content


async def iter_events(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[Any]:
    """Yield the JSON of each server-sent event, and `STREAM_END` at the end marker."""
    async for lines in _iter_lines(response, host):
        for line in lines:
            data = line.strip()
            if not data.startswith(b"data:"):
                continue  # comments, event names and empty lines
            data = data[5:].strip()
            if data == b"[DONE]":
                yield STREAM_END
                return
            if not data:
                continue  # keep-alive
            try:
                yield orjson.loads(data)
            except orjson.JSONDecodeError as error:
                raise Transient(f"{host} streamed invalid JSON: {error}") from error


async def _iter_lines(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[list[bytes]]:
    """Yield complete lines as they arrive, grouped by network chunk."""
    unfinished: list[bytes] = []  # parts of a line whose end has not arrived
    size = 0
    async for chunk in response.content.iter_any():
        first, *rest = chunk.split(b"\n")
        unfinished.append(first)
        size += len(first)
        if size > 2 * READ_BUFFER_BYTES:
            raise Refused(f"{host} streamed a line longer than {2 * READ_BUFFER_BYTES >> 20} MB")
        if rest:
            yield [b"".join(unfinished), *rest[:-1]]
            unfinished, size = [rest[-1]], len(rest[-1])
    if size:
        yield [b"".join(unfinished)]


def extract_error_message(content: bytes) -> str:
    """Return the message in a JSON error, or the text of any other response without tags."""
    try:
        message = find_message(orjson.loads(content))
    except orjson.JSONDecodeError:
        message = re.sub(r"<[^>]*>", " ", content.decode("utf-8", "replace"))
    return " ".join(message.split())


def find_message(value: Any) -> str:
    """Return the message in `{"error": {"message": …}}`, `{"detail": …}` and similar, or the whole value as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return find_message(value[0])
    if isinstance(value, dict):
        for name in ("error", "message", "detail", "msg"):
            if value.get(name):
                return find_message(value[name])
    return orjson.dumps(value).decode()


def parse_retry_after(value: str | None) -> float | None:
    """Return the wait in seconds of a `Retry-After` header, which is a number or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
