"""Responses of servers: complete ones, the events of a stream, and error messages."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from auricle.core.errors import Rejected, Transient
from auricle.models.http.answers import STREAM_END

if TYPE_CHECKING:
    import aiohttp

MAX_ERROR_BYTES = 20_000  # read from an error response
MAX_ERROR_DEPTH = 10  # objects and lists around an error message
MESSAGE_FIELDS = ("error", "message", "detail", "msg")
READ_BUFFER_BYTES = 1 << 22  # half the longest line of a stream; one line may contain a minute of speech

TRUST_HINT = "Trust its authority with the environment variable SSL_CERT_FILE=ca.pem."
CERTIFICATE_PROBLEMS = {
    10: ("its certificate has expired", "Renew it, or check the clock of this machine."),
    9: ("its certificate is not valid yet", "Check the clock of this machine."),
    18: ("its certificate is self-signed", TRUST_HINT),
    19: ("its certificate is signed by an unknown authority", TRUST_HINT),
    20: ("its certificate is signed by an unknown authority", TRUST_HINT),
    62: ("its certificate is for another host name", "Use the name in the certificate in base_url."),
    64: ("its certificate is for another address", "Use the name in the certificate in base_url."),
}
"""What OpenSSL's verification codes mean, and what to do."""


@dataclass(slots=True, eq=False)
class ByteBudget:
    """Limits the bytes of all responses that are being read, so that a server cannot fill the memory."""

    limit: int
    in_use: int = 0

    @contextmanager
    def share(self) -> Iterator[BudgetShare]:
        """Count the bytes of one response until it is read or given up."""
        share = BudgetShare(self)
        try:
            yield share
        finally:
            self.in_use -= share.size


@dataclass(slots=True, eq=False)
class BudgetShare:
    """The bytes of one response."""

    budget: ByteBudget
    size: int = 0

    def add(self, count: int, host: str) -> None:
        """Count further bytes.

        Raises:
            Rejected: This response alone exceeds the budget.
            OverBudget: All responses together do; there may be room later, with fewer of them at a time.
        """
        self.size += count
        self.budget.in_use += count
        megabytes = self.budget.limit / 1e6
        if self.size > self.budget.limit:
            raise Rejected(f"{host} returned more than {megabytes:g} MB; raise the limit with -M response_megabytes=N")
        if self.budget.in_use > self.budget.limit:
            raise OverBudget(f"responses of {host} took more than {megabytes:g} MB at a time (response_megabytes)")


class OverBudget(Transient):
    """The responses in flight take too much memory together."""


class PendingResponse(NamedTuple):
    """A response with status 200 whose body has not been read yet."""

    response: aiohttp.ClientResponse
    host: str
    charged_tokens: float
    share: BudgetShare

    async def iter_chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, within the budget."""
        async for chunk in self.response.content.iter_any():
            self.share.add(len(chunk), self.host)
            yield chunk


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
            raise Rejected(f"{self.host} returned a web page instead of JSON. Check base_url.")
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise Transient(f"{self.host} returned invalid JSON: {error}") from error


async def read_reply(pending: PendingResponse) -> Reply:
    content = b"".join([chunk async for chunk in pending.iter_chunks()])
    return Reply(content, pending.response.content_type, pending.host, pending.charged_tokens)


async def read_error_body(response: aiohttp.ClientResponse) -> bytes:
    """Read the start of an error response; ignore connection errors, as the status is known."""
    import aiohttp

    content = b""
    with suppress(aiohttp.ClientError, OSError):
        while len(content) < MAX_ERROR_BYTES and (chunk := await response.content.read(MAX_ERROR_BYTES)):
            content += chunk
    return content


async def iter_events(pending: PendingResponse) -> AsyncIterator[Any]:
    """Yield the JSON of each server-sent event, and `STREAM_END` at the end marker."""
    async for lines in _iter_lines(pending):
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
                raise Transient(f"{pending.host} streamed invalid JSON: {error}") from error


async def _iter_lines(pending: PendingResponse) -> AsyncIterator[list[bytes]]:
    """Yield complete lines as they arrive, grouped by network chunk."""
    unfinished: list[bytes] = []  # parts of a line whose end has not arrived
    size = 0
    async for chunk in pending.iter_chunks():
        first, *rest = chunk.split(b"\n")
        unfinished.append(first)
        size += len(first)
        if size > 2 * READ_BUFFER_BYTES:
            raise Rejected(f"{pending.host} streamed a line longer than {2 * READ_BUFFER_BYTES >> 20} MB")
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
    for _ in range(MAX_ERROR_DEPTH):
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, dict) and (names := [name for name in MESSAGE_FIELDS if value.get(name)]):
            value = value[names[0]]
        else:
            break
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # nested too deeply
        return "an error without a message"


def parse_retry_after(value: str | None) -> float | None:
    """Return the wait in seconds of a `Retry-After` header, which is a number or a date; None if it is neither."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (OverflowError, TypeError, ValueError):
        return None


def describe_certificate_problem(error: Exception) -> str:
    """Return why the certificate of a server was rejected, and what to do."""
    code: int = getattr(error, "verify_code", 0)
    reason = str(getattr(error, "verify_message", "") or error).rstrip(".")
    problem, remedy = CERTIFICATE_PROBLEMS.get(code, (f"its certificate was rejected ({reason})", TRUST_HINT))
    return f"{problem}. {remedy}"
