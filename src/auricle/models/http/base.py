"""One conversation with a server: sent, waited for, read to its end, or told why not.

What may pass (timeouts, lost connections, 408, 409, 425, 429, 5xx) is `Transient` and tried
again by the engine; a server's final no is `Refused`, in its own words. No message holds a
key, a header or a sound.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

import orjson

from auricle.core.errors import MissingExtra, Refused, SampleError, SpecError, Transient, Unreachable, Unsupported
from auricle.core.redaction import KEY_IN_URL
from auricle.core.types import Generate, Generation
from auricle.models.base import AsyncModel
from auricle.models.http.config import ServiceConfig as ServiceConfig
from auricle.models.http.error_messages import extract_error_message, find_message, parse_retry_after
from auricle.models.http.limits import AdaptiveLimiter, ConnectionPool, Endpoint, RateLimiter
from auricle.models.http.media import AudioEncoder
from auricle.models.http.timing import PreparedRequest, RequestTimer, connection_trace_config
from auricle.models.http.upload_body import prepare_upload

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

RETRYABLE_STATUSES = {408, 409, 425, 429}
BUSY_STATUSES = {429, 503}
BASE64_PATTERN = re.compile(r"[A-Za-z0-9+/=_-]{80,}")  # base64, or something no reader wants
FIELD_NAME_PATTERN = re.compile(r"\w{1,40}")
MAX_MESSAGE_CHARS = 300
MAX_ERROR_BYTES = 20_000  # bytes of an error that are read
MAX_RESPONSE_BYTES = 1 << 28  # of a whole answer
READ_BUFFER_BYTES = 1 << 22  # half the longest line of a stream: a minute of speech may come in one
STREAM_END = object()


class PendingResponse(NamedTuple):
    """A request that met a good status; its answer is yet to be read."""

    response: aiohttp.ClientResponse
    host: str
    charged_tokens: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer of a server."""

    content: bytes
    content_type: str
    host: str
    charged_tokens: float = 0.0
    """What the pace was charged for it before its size was known."""

    def json(self) -> Any:
        if "html" in self.content_type or self.content.lstrip()[:1] == b"<":
            raise Refused(f"{self.host} answered with a web page, not JSON: is base_url right?")
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise Transient(f"{self.host} answered something that is not JSON: {error}") from error


class HttpModel(AsyncModel):
    """What every model behind an API does the same way."""

    default_url = ""
    default_key_env = ""

    def __init__(self, **options: Any) -> None:
        if not (find_spec("aiohttp") and find_spec("pybase64")):
            raise MissingExtra("Models behind an API", "api")
        self.service = ServiceConfig.from_options(type(self).__name__, options)
        urls = self.service.resolve_urls(self.default_url)
        if not urls:
            raise SpecError(f"{type(self).__name__}: say where: -M base_url=http://host:port/v1.")
        self._api_key = self.service.resolve_api_key(self.default_key_env)
        self._headers = {**self.auth_headers(self._api_key), **self.service.resolve_headers()}
        self._secrets = self._collect_secrets(urls)
        self.encoder = AudioEncoder(
            self.service.audio_format,  # type: ignore[arg-type]  # checked there
            self.service.sample_rate,
            self.service.max_megabytes,
        )
        self._pool = ConnectionPool([Endpoint(url, AdaptiveLimiter(adaptive=self.service.adaptive)) for url in urls])
        self._rate_limiter = RateLimiter(self.service.rpm, self.service.tpm)
        self._executor = ThreadPoolExecutor(4, thread_name_prefix="auricle-encode")
        self._session: aiohttp.ClientSession | None = None
        self._traces_connections = False

    @property
    def hosts(self) -> list[str]:
        """The servers' names in messages."""
        return [each.host for each in self._pool.endpoints]

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _collect_secrets(self, urls: list[str]) -> list[str]:
        """Everything that proves who asks, longest first, so that no half of it is left over."""
        passwords = [urlsplit(url).password or "" for url in urls]
        in_urls = [found[2] for url in urls for found in KEY_IN_URL.finditer(url)]
        if any(passwords) and "Authorization" in self._headers:
            raise SpecError("A key and a password in base_url cannot both be sent; leave one of them out.")
        values = list(self._headers.values())
        words = [word for value in values for word in value.split() if len(word) > 7]
        known = {each for each in (self._api_key, *passwords, *in_urls, *values, *words) if len(each) > 3}
        return sorted(known, key=len, reverse=True)

    async def in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        """Do what would hold up everybody else somewhere else."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, function, *arguments)

    async def post(self, path: str, body: bytes | Callable[[], Any], content_type: str = "") -> Reply:
        """The whole answer to one request."""
        async with self.send_request(path, body, content_type) as sent:
            return await self.read_reply(sent)

    def prepare(self, request: Generate) -> PreparedRequest:
        """Everything that takes time before a request can be sent."""
        raise Unsupported(f"{type(self).__name__} cannot be measured request by request.")

    def parse_reply(self, reply: Reply) -> Generation:
        """What a whole answer says."""
        raise Unsupported(f"{type(self).__name__} cannot be measured request by request.")

    async def send_timed(self, prepared: PreparedRequest, timer: RequestTimer) -> Generation:
        """Send what is ready, and note when what came."""
        timer.start()
        async with self.send_request(*prepared, timer) as sent:
            timer.record_first_byte()
            reply = await self.read_reply(sent)
        timer.stop()
        return self.parse_reply(reply)

    def disable_limits(self) -> None:
        """Send whenever it is asked to: whoever measures decides how much that is."""
        self._rate_limiter = RateLimiter()
        self._traces_connections = True
        for endpoint in self._pool.endpoints:
            endpoint.limiter = AdaptiveLimiter(adaptive=False, max_limit=math.inf)

    async def read_reply(self, pending: PendingResponse) -> Reply:
        """The whole answer, if it has an end within reason."""
        held, size = [], 0
        async for chunk in pending.response.content.iter_any():
            held.append(chunk)
            size += len(chunk)
            if size > MAX_RESPONSE_BYTES:
                raise Refused(f"{pending.host} answered more than {MAX_RESPONSE_BYTES >> 20} MB")
        return Reply(b"".join(held), pending.response.content_type, pending.host, pending.charged_tokens)

    @asynccontextmanager
    async def send_request(
        self, path: str, body: bytes | Callable[[], Any], content_type: str = "", timer: RequestTimer | None = None
    ) -> AsyncIterator[PendingResponse]:
        """A response whose status is good; every way it can go wrong is told in one line."""
        import aiohttp

        charged = await self._rate_limiter.wait()
        endpoint = await self._pool.acquire()
        headers = {**self._headers, **({"Content-Type": content_type} if content_type else {})}
        try:
            content = body() if callable(body) else prepare_upload(body, timer.record_uploaded if timer else None)
            async with self._get_session().post(
                join_url(endpoint.url, path),
                data=content,
                headers=headers,
                allow_redirects=False,
                trace_request_ctx=timer,
            ) as response:
                if response.status != 200:
                    raise await self._status_error(response, endpoint)
                yield PendingResponse(response, endpoint.host, charged)
            self._pool.record_success(endpoint)
        except (aiohttp.ClientError, OSError) as error:
            self._pool.record_failure(endpoint)
            raise self._connection_error(error, endpoint.host) from error
        finally:
            self._pool.release(endpoint)

    def record_usage(self, generation: Generation, charged_tokens: float) -> None:
        """Count an answer's tokens against the pace; untold, they are as many as was guessed."""
        if generation.tokens is not None:
            self._rate_limiter.record_usage(generation.tokens + (generation.input_tokens or 0), charged_tokens)

    def parse_json(self, reply: Reply) -> Any:
        """The JSON of an answer, unless it is an error under a good status."""
        answer = reply.json()
        if isinstance(answer, dict) and answer.get("error"):
            raise self.error_from_document(answer["error"], reply.host)
        return answer

    def error_from_document(self, error: Any, host: str) -> SampleError:
        """What an error means that stands where an answer should."""
        code = error.get("code") if isinstance(error, dict) else None
        message = f"{host} answered with an error: {self.redact(find_message(error))}"
        final = isinstance(code, int) and 400 <= code < 500 and code not in RETRYABLE_STATUSES
        return Refused(message) if final else Transient(message)

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
                trace_configs=[connection_trace_config()] if self._traces_connections else None,
                # It looks for proxies and passwords before every request: only where there are any.
                trust_env=bool(getproxies()),
            )
        return self._session

    async def _status_error(self, response: aiohttp.ClientResponse, endpoint: Endpoint) -> SampleError:
        """What a status that is not 200 means, in the server's words."""
        status = response.status
        if status >= 500:
            self._pool.record_failure(endpoint)
        else:
            self._pool.record_reachable(endpoint)
        words = self.redact(extract_error_message(await _read_error_body(response)))
        message = f"HTTP {status} from {endpoint.host}: {words or response.reason or 'no words'}"
        if status in RETRYABLE_STATUSES or status >= 500:
            wait = parse_retry_after(response.headers.get("Retry-After"))
            if status in BUSY_STATUSES:
                endpoint.limiter.record_busy(wait)
            return Transient(message, wait)
        if 300 <= status < 400:
            place = self.redact(response.headers.get("Location", "nowhere"))
            return Refused(f"{message} (it points to {place})")
        return Refused(message)

    def _connection_error(self, error: Exception, host: str) -> Transient:
        """What became of a connection, and whether there was one."""
        import aiohttp

        service = self.service
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return Unreachable(f"{host} did not take a connection within {service.connect_timeout:g} s")
        if isinstance(error, aiohttp.ClientConnectorError):
            return Unreachable(f"no connection to {host}: {_os_error_reason(error.os_error)}")
        if isinstance(error, aiohttp.SocketTimeoutError):
            return Unreachable(f"{host} sent nothing for {service.read_timeout:g} s")
        if isinstance(error, TimeoutError):
            return Transient(f"{host} did not finish its answer within {service.timeout:g} s")
        return Transient(self.redact(f"{host} broke off: {str(error) or type(error).__name__}"))

    def redact(self, text: str) -> str:
        """Words that may be written down: no key, no sound, and not too many."""
        for secret in self._secrets:
            text = text.replace(secret, "…")
        text = BASE64_PATTERN.sub("…", text)
        return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"

    async def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._session:
            await self._session.close()
            await asyncio.sleep(0)  # the transports close in the loop's next turn


def join_url(url: str, path: str) -> str:
    """A path under an address; what the address asks after its `?` stays at the end."""
    base, _, query = url.partition("?")
    asked = f"{'&' if '?' in path else '?'}{query}" if query else ""
    return f"{base.rstrip('/')}{path}{asked}"


def merge_extra(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """A body with more fields. Objects are merged; null takes a field out that a server refuses."""
    body = dict(fields)
    for name, value in extra.items():
        held = body.get(name)
        both = isinstance(held, Mapping) and isinstance(value, Mapping)
        body[name] = merge_extra(held, value) if both else value  # type: ignore[arg-type]
    return {name: value for name, value in body.items() if value is not None}


def offset_seed(extra: Mapping[str, Any], nth: int) -> Mapping[str, Any]:
    """The same fields for another of several answers: with the same seed it would be the same."""
    seed = extra.get("seed")
    return {**extra, "seed": seed + nth} if nth and isinstance(seed, int) else extra


def describe_shape(value: Any) -> str:
    """What kind of JSON it is, without repeating what may be long or secret."""
    if not isinstance(value, dict):
        return "no object"
    names = (name if FIELD_NAME_PATTERN.fullmatch(name) else "…" for name in list(value)[:8])
    return f"an object with {', '.join(names) or 'nothing'}"


def parse_count(value: Any) -> int | None:
    """A number of tokens, where the server tells one."""
    return int(value) if isinstance(value, int | float) else None


def _os_error_reason(error: OSError) -> str:
    """The system's word for it, where the error only says that a call failed."""
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return error.strerror or str(error)


async def _read_error_body(response: aiohttp.ClientResponse) -> bytes:
    """As much of an error as anybody reads; its status stands, even if it breaks off."""
    import aiohttp

    held = b""
    with suppress(aiohttp.ClientError, OSError):
        while len(held) < MAX_ERROR_BYTES and (more := await response.content.read(MAX_ERROR_BYTES)):
            held += more
    return held


async def iter_events(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[Any]:
    """The JSON of each server-sent event, and `DONE` where the server says that it is."""
    async for lines in _iter_lines(response, host):
        for line in lines:
            data = line.strip()
            if not data.startswith(b"data:"):
                continue  # comments, event names, the empty lines between
            data = data[5:].strip()
            if data == b"[DONE]":
                yield STREAM_END
                return
            if not data:
                continue  # to keep the connection alive
            try:
                yield orjson.loads(data)
            except orjson.JSONDecodeError as error:
                raise Transient(f"{host} streamed something that is not JSON: {error}") from error


async def _iter_lines(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[list[bytes]]:
    """Lines as they come, those together that came together."""
    begun: list[bytes] = []  # of the line whose end is yet to come
    size = 0
    async for chunk in response.content.iter_any():
        first, *rest = chunk.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > 2 * READ_BUFFER_BYTES:
            raise Refused(f"{host} streamed a line longer than {2 * READ_BUFFER_BYTES >> 20} MB")
        if rest:
            yield [b"".join(begun), *rest[:-1]]
            begun, size = [rest[-1]], len(rest[-1])
    if size:
        yield [b"".join(begun)]
