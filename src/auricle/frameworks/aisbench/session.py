"""The HTTP session that AISBench's classes send requests through: it times them and remembers why one failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from auricle.core.errors import MissingExtra, Rejected, SampleError, Transient, Unreachable
from auricle.core.redaction import redact_text
from auricle.core.user_code import WATCH
from auricle.engine.inferencers.base import refuse_in_preview
from auricle.models.http.base import EVENT_STREAM
from auricle.models.http.responses import READ_BUFFER_BYTES, extract_error_message, parse_retry_after
from auricle.models.http.service import BUSY_STATUSES, MAX_MESSAGE_CHARS, RETRYABLE_STATUSES
from auricle.models.http.timing import TIMER_FACTORY, RequestTimer

if TYPE_CHECKING:
    import aiohttp

CURRENT_TIMER: ContextVar[RequestTimer | None] = ContextVar("current_timer", default=None)
"""The timer of the exchange that is open."""
READ_METHODS = ("read", "readany", "readline", "readchunk", "readuntil", "readexactly")


class TimedSession:
    """`session`: an aiohttp session that is created on first use.

    Args:
        on_failure: Called with the reason why a request failed, even if the class catches the error.
    """

    def __init__(self, on_failure: Callable[[SampleError], None]) -> None:
        self._on_failure = on_failure
        self._session: aiohttp.ClientSession | None = None

    def request(self, method: str, url: Any, **options: Any) -> Exchange:
        """Send a request; use the result with `async with` or `await`, as that of aiohttp."""
        return Exchange(lambda: self._open().request(method, url, **options), self._on_failure)

    def post(self, url: Any, **options: Any) -> Exchange:
        return self.request("POST", url, **options)

    def get(self, url: Any, **options: Any) -> Exchange:
        return self.request("GET", url, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._open(), name)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            try:
                import aiohttp
            except ImportError as error:
                raise MissingExtra("A session", "api") from error
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # the engine limits the requests in flight
                timeout=aiohttp.ClientTimeout(total=WATCH.limit),
                read_bufsize=READ_BUFFER_BYTES,
                trust_env=True,
            )
        return self._session

    async def aclose(self) -> None:
        """Close the session if it was created."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


class Exchange:
    """A request and its response."""

    def __init__(self, send: Callable[[], Any], on_failure: Callable[[SampleError], None]) -> None:
        self._send, self._on_failure = send, on_failure
        self._timer = RequestTimer()
        self._response: Any = None

    def __await__(self) -> Generator[Any, None, Any]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Any:
        try:
            refuse_in_preview("sends this request through `session`, so it is known only when it is sent")
        except SampleError as error:
            self._on_failure(error)
            raise
        self._timer = TIMER_FACTORY.get()()
        self._timer.start()
        CURRENT_TIMER.set(self._timer)
        try:
            self._response = await self._send()
        except Exception as error:
            self._record_connection_error(error)
            raise
        self._timer.record_first_byte()
        self._timer.streamed = self._response.content_type == EVENT_STREAM
        if self._response.status != 200:
            self._on_failure(await status_error(self._response))
        self._response.content = TimedStream(self._response.content, self._timer)
        return self._response

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        CURRENT_TIMER.set(None)
        self._response.content.finish()
        self._timer.stop()
        if isinstance(error, Exception):
            self._record_connection_error(error)
        self._response.release()

    def _record_connection_error(self, error: Exception) -> None:
        import aiohttp

        if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)):
            self._on_failure(Unreachable(f"no connection: {redact_text(str(error))}"))
        elif isinstance(error, (aiohttp.ClientError, TimeoutError, OSError)):
            self._on_failure(Transient(f"connection lost: {redact_text(str(error)) or type(error).__name__}"))


async def status_error(response: Any) -> SampleError:
    """Return the error for a status other than 200, with the server's message; its body can still be read."""
    message = extract_error_message(await response.read()) or response.reason or "no message"
    text = f"HTTP {response.status} from {response.url.host}: {redact_text(message)[:MAX_MESSAGE_CHARS]}"
    if response.status not in RETRYABLE_STATUSES and response.status < 500:
        return Rejected(text)
    retry_after = parse_retry_after(response.headers.get("Retry-After"))
    return Transient(text, retry_after or 0.0 if response.status in BUSY_STATUSES else retry_after)


class TimedStream:
    """The content of a response; records when its parts arrive.

    Which parts contain text is known only to the class that reads them. If it records no part itself, every part
    that arrives counts.
    """

    def __init__(self, content: Any, timer: RequestTimer) -> None:
        self._content, self._timer = content, timer
        self._arrivals: list[float] = []

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._content, name)
        if name not in READ_METHODS:
            return attribute

        async def read(*arguments: Any, **options: Any) -> Any:
            data = await attribute(*arguments, **options)
            content = data[0] if isinstance(data, tuple) else data
            if content.strip():  # not the empty line after an event
                self._arrivals.append(time.monotonic())
            return data

        return read

    def __aiter__(self) -> Any:
        return self._iterate("readline")

    def iter_any(self) -> Any:
        return self._iterate("readany")

    def iter_chunked(self, size: int) -> Any:
        return self._iterate("read", size)

    async def iter_chunks(self) -> Any:
        while (chunk := await self.readchunk()) != (b"", False):
            yield chunk

    async def _iterate(self, method: str, *arguments: Any) -> Any:
        while data := await getattr(self, method)(*arguments):
            yield data

    def finish(self) -> None:
        """Count all parts that arrived, unless the class recorded those with text."""
        if self._timer.first_token is None:
            for arrival in self._arrivals:
                self._timer.record_chunk("text", at=arrival)
