"""Base class of models behind an HTTP API.

Errors that may pass (timeouts, lost connections, 408, 409, 425, 429, 5xx) raise `Transient` and are retried by the
engine. Final refusals raise `Rejected` with the server's message. No message contains a key, a header or media.
"""

from __future__ import annotations

import asyncio
import math
from bisect import bisect_right
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import partial
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.request import getproxies

import orjson

from auricle.core.adaptive_executor import AdaptiveExecutor
from auricle.core.arguments import takes_options
from auricle.core.errors import Rejected, SampleError, Transient, Unreachable
from auricle.core.types import Generate, Generation, Request
from auricle.models.base import AsyncModel
from auricle.models.call_timer import waiting
from auricle.models.http.answers import AnswerReader
from auricle.models.http.config import ServiceConfig
from auricle.models.http.media import AudioEncoder
from auricle.models.http.rate_limits import AdaptiveLimiter, RateLimiter
from auricle.models.http.responses import (
    READ_BUFFER_BYTES,
    ByteBudget,
    OverBudget,
    PendingResponse,
    Reply,
    iter_events,
    read_reply,
)
from auricle.models.http.service import ServiceModel, join_url
from auricle.models.http.timing import PreparedRequest, RequestTimer, connection_trace_config, prepare_upload

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

MAX_STRING_CHARS = 400  # in a preview; a longer string without a blank is encoded media
JSON, EVENT_STREAM = "application/json", "text/event-stream"


@takes_options(ServiceConfig)
class HttpModel(ServiceModel, AsyncModel):
    """Base class with connections, limits, timing and redaction for models behind an API.

    A subclass encodes requests (`prepare`) and names the reader of its protocol. Every request takes the same path,
    in runs and in load tests: prepare, send, read as a stream or as a whole.
    """

    limits_time = True
    config_class = ServiceConfig
    service: ServiceConfig
    reader: type[AnswerReader]
    """Reads the answers of the protocol."""
    streams: bool = False
    """Whether to request streamed answers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.streams = self.service.stream
        self.encoder = AudioEncoder(self.service.audio_format, self.service.sample_rate, self.service.max_megabytes)
        self._rate_limiter = RateLimiter(self.service.rpm, self.service.tpm)
        self._budget = ByteBudget(int(self.service.response_megabytes * 1e6))
        self._executor = AdaptiveExecutor(4, "auricle-encode")
        self._session: aiohttp.ClientSession | None = None
        self._times_transfers = False

    def create_limiter(self) -> AdaptiveLimiter:
        return AdaptiveLimiter(adaptive=self.service.adaptive)

    async def in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run blocking work, in a thread unless it is short."""
        return await self._executor.run(function, *arguments)

    async def post(self, path: str, body: bytes | Callable[[], Any], content_type: str = "") -> Reply:
        """Send one request and return the complete response."""
        async with self.send_request(path, body, content_type) as pending:
            return await read_reply(pending)

    def choose_model(self, request: Generate) -> str:
        """Return the model that answers a request; with several, it depends only on the request and the weights."""
        models = self.service.models
        if not models:
            return self.service.model
        text = "\0".join(str(part) for part in request.parts)
        share = int.from_bytes(blake2b(f"{request.seed} {text}".encode(), digest_size=6).digest(), "big") / 2**48
        totals = list(accumulate(models.values()))
        return list(models)[bisect_right(totals, share * totals[-1])]

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        """Encode a request in the protocol of the server."""
        raise NotImplementedError

    def prepare(self, request: Generate) -> PreparedRequest:
        """Encode a request, so that sending it takes no further work."""
        return self.encode_request(request, stream=self.streams)

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        prepared = self.prepare(request)
        return render_request(prepared.path, prepared.body) if prepared.content_type == JSON else ""

    async def generate(self, request: Generate) -> Generation:
        with waiting():
            prepared = await self.in_thread(self.prepare, request)
        return await self.send(request, prepared, RequestTimer())

    async def send(self, request: Generate, prepared: PreparedRequest, timer: RequestTimer) -> Generation:
        """Send a prepared request, read its answer and record the times of its parts."""
        reader = self.reader(request, timer)
        async for _ in self._exchange(prepared, reader):
            pass
        return reader.to_generation()

    async def stream(self, request: Generate) -> AsyncIterator[str]:
        prepared = await self.in_thread(partial(self.encode_request, request, stream=True))
        async with aclosing(self._exchange(prepared, self.reader(request, RequestTimer()))) as pieces:
            async for piece in pieces:
                yield piece

    async def _exchange(self, prepared: PreparedRequest, reader: AnswerReader) -> AsyncGenerator[str]:
        """Send a request and yield its text as it arrives; all at once if the server does not stream."""
        reply: Reply | None = None
        async with self.send_request(*prepared, reader.timer) as pending:
            reader.timer.record_first_byte()
            reader.host = pending.host
            if pending.response.content_type == EVENT_STREAM:
                async for piece in self._read_stream(pending, reader):
                    yield piece
            else:
                reply = await read_reply(pending)
        reader.timer.stop()
        if reply is not None:
            yield reader.read_document(self.parse_reply(reply))
        reader.check_answer()
        if reader.tokens is not None:
            self.record_usage(reader.tokens + (reader.input_tokens or 0), pending.charged_tokens)

    async def _read_stream(self, pending: PendingResponse, reader: AnswerReader) -> AsyncIterator[str]:
        """Yield the text of a stream as it arrives, and raise if the answer does not end."""
        import aiohttp

        reader.timer.streamed = True
        try:
            async for event in iter_events(pending):
                if isinstance(event, dict) and event.get("error"):
                    raise self.error_from_document(event["error"], pending.host)
                if piece := reader.read_event(event):
                    yield piece
        except aiohttp.ServerTimeoutError:
            raise  # no data for a while, which is worth a retry
        except TimeoutError as error:
            raise Rejected(
                f"{pending.host} did not finish its answer within {self.service.timeout:g} s "
                f"({reader.length} characters so far); raise the limit with -M timeout=SECONDS"
            ) from error
        reader.check_end()

    def prepare_for_load_test(self) -> None:
        """Remove all client-side limits, because a load test decides when to send, and time uploads exactly."""
        self._rate_limiter = RateLimiter()
        self._times_transfers = True
        for endpoint in self._pool.endpoints:
            endpoint.limiter = AdaptiveLimiter(adaptive=False, max_limit=math.inf)

    @asynccontextmanager
    async def send_request(
        self, path: str, body: bytes | Callable[[], Any], content_type: str = "", timer: RequestTimer | None = None
    ) -> AsyncIterator[PendingResponse]:
        """Send a request and yield the response; raise `Transient` if a retry may help, otherwise `Rejected`."""
        import aiohttp

        with waiting():
            charged = await self._rate_limiter.wait()
            endpoint = await self._pool.acquire()
        headers = {**self._headers, **({"Content-Type": content_type} if content_type else {})}
        try:
            on_uploaded = timer.record_uploaded if timer and self._times_transfers else None
            content = body() if callable(body) else prepare_upload(body, on_uploaded)
            if timer:
                timer.start()
            async with self._get_session().post(
                join_url(endpoint.url, path),
                data=content,
                headers=headers,
                allow_redirects=False,
                trace_request_ctx=timer,
            ) as response:
                if response.status != 200:
                    raise await self._status_error(response, endpoint)
                with self._budget.share() as share:
                    yield PendingResponse(response, endpoint.host, charged, share)
            self._pool.record_success(endpoint)
        except OverBudget:
            endpoint.limiter.record_busy(None)
            raise
        except (aiohttp.ClientError, OSError) as error:
            self._pool.record_failure(endpoint)
            raise self._connection_error(error, endpoint.host) from error
        finally:
            self._pool.release(endpoint)

    def record_usage(self, tokens: int, charged_tokens: float) -> None:
        """Correct the rate limiter with the actual token count."""
        self._rate_limiter.record_usage(tokens, charged_tokens)

    def parse_reply(self, reply: Reply) -> Any:
        """Return what the reader reads of a complete response."""
        return self.parse_json(reply)

    def parse_json(self, reply: Reply) -> Any:
        """Return the JSON of a response, or raise the error it contains."""
        document = reply.json()
        if isinstance(document, dict) and document.get("error"):
            raise self.error_from_document(document["error"], reply.host)
        return document

    def _get_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            service = self.service
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(
                    total=service.timeout, connect=service.connect_timeout, sock_read=service.read_timeout
                ),
                read_bufsize=READ_BUFFER_BYTES,
                trace_configs=[connection_trace_config()] if self._times_transfers else None,
                # With trust_env aiohttp looks for proxies and .netrc before every request: enable it only if needed.
                trust_env=bool(getproxies()),
            )
        return self._session

    def _connection_error(self, error: Exception, host: str) -> SampleError:
        import aiohttp

        if isinstance(error, aiohttp.SocketTimeoutError):
            return Unreachable(f"{host} sent nothing for {self.service.read_timeout:g} s (read_timeout)")
        if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ConnectionTimeoutError):
            return Transient(f"{host} did not finish its answer within {self.service.timeout:g} s (timeout)")
        return super()._connection_error(error, host)

    async def close(self) -> None:
        self._executor.close()
        if self._session:
            await self._session.close()
            await asyncio.sleep(0)  # transports close in the next iteration of the event loop


def sampling_seed(request: Generate) -> int | None:
    """Return the seed to send; None for a greedy request, which needs none."""
    return request.seed if request.temperature else None


def offset_seed(extra: Mapping[str, Any], request: Generate) -> Mapping[str, Any]:
    """Add the seed of a request to one among the extra fields, so that each answer has its own."""
    offset = sampling_seed(request)
    return _offset_seed(extra, offset) if offset else extra


def _offset_seed(fields: Mapping[str, Any], offset: int) -> dict[str, Any]:
    shifted = {name: _offset_seed(value, offset) for name, value in fields.items() if isinstance(value, Mapping)}
    seed = fields.get("seed")
    return {**fields, **shifted, **({"seed": seed + offset} if isinstance(seed, int) else {})}


def render_request(path: str, body: bytes) -> str:
    """Return the path and the indented body of a request, with media abbreviated to their size."""
    document = _abbreviate(orjson.loads(body))
    return f"POST {path}\n{orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()}"


def _abbreviate(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _abbreviate(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_abbreviate(item) for item in value]
    if isinstance(value, str) and len(value) > MAX_STRING_CHARS and " " not in value:
        head = value[: value.find(",") + 1] if value.startswith("data:") else ""
        return f"{head}<{len(value) - len(head):,} characters of base64>"
    return value
