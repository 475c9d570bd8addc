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

from auricle.core.errors import (
    MissingExtra,
    Refused,
    SampleError,
    SpecError,
    Transient,
    Unreachable,
    Unsupported,
)
from auricle.core.redaction import KEY_IN_URL
from auricle.core.types import Generate, Generation
from auricle.models.base import AsyncModel
from auricle.models.http.error_messages import message_of, retry_after, words_of
from auricle.models.http.limits import Endpoint, Gate, Pace, Pool
from auricle.models.http.media import Encoder
from auricle.models.http.service import Service as Service
from auricle.models.http.timing import Mark, Prepared, on_the_wire
from auricle.models.http.upload_body import in_pieces

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

MAY_PASS = {408, 409, 425, 429}
BUSY = {429, 503}
ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{80,}")  # base64, or something no reader wants
NAME = re.compile(r"\w{1,40}")
MOST_WORDS = 300
MOST_SAID = 20_000  # bytes of an error that are read
MOST_BYTES = 1 << 28  # of a whole answer
LINE = 1 << 22  # half the longest line of a stream: a minute of speech may come in one
DONE = object()


class Sent(NamedTuple):
    """A request that met a good status; its answer is yet to be read."""

    response: aiohttp.ClientResponse
    host: str
    charged: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer of a server."""

    content: bytes
    kind: str
    host: str
    charged: float = 0.0
    """What the pace was charged for it before its size was known."""

    def json(self) -> Any:
        if "html" in self.kind or self.content.lstrip()[:1] == b"<":
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
        self.service = Service.of(type(self).__name__, options)
        urls = self.service.urls(self.default_url)
        if not urls:
            raise SpecError(f"{type(self).__name__}: say where: -M base_url=http://host:port/v1.")
        self._key = self.service.key(self.default_key_env)
        self._headers = {**self.authorisation(self._key), **self.service.more_headers()}
        self._secrets = self._kept_secret(urls)
        self.encoder = Encoder(
            self.service.audio_format,  # type: ignore[arg-type]  # checked there
            self.service.sample_rate,
            self.service.max_megabytes,
        )
        self._pool = Pool([Endpoint(url, Gate(adaptive=self.service.adaptive)) for url in urls])
        self._pace = Pace(self.service.rpm, self.service.tpm)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="auricle-encode")
        self._session: aiohttp.ClientSession | None = None
        self._timed = False

    @property
    def hosts(self) -> list[str]:
        """The servers' names in messages."""
        return [each.host for each in self._pool.endpoints]

    def authorisation(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _kept_secret(self, urls: list[str]) -> list[str]:
        """Everything that proves who asks, longest first, so that no half of it is left over."""
        passwords = [urlsplit(url).password or "" for url in urls]
        in_urls = [found[2] for url in urls for found in KEY_IN_URL.finditer(url)]
        if any(passwords) and "Authorization" in self._headers:
            raise SpecError(
                "A key and a password in base_url cannot both be sent; leave one of them out."
            )
        values = list(self._headers.values())
        words = [word for value in values for word in value.split() if len(word) > 7]
        known = {
            each for each in (self._key, *passwords, *in_urls, *values, *words) if len(each) > 3
        }
        return sorted(known, key=len, reverse=True)

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do what would hold up everybody else somewhere else."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def post(self, path: str, body: bytes | Callable[[], Any], kind: str = "") -> Reply:
        """The whole answer to one request."""
        async with self.sent(path, body, kind) as sent:
            return await self.read(sent)

    def prepare(self, request: Generate) -> Prepared:
        """Everything that takes time before a request can be sent."""
        raise Unsupported(f"{type(self).__name__} cannot be measured request by request.")

    def said(self, reply: Reply) -> Generation:
        """What a whole answer says."""
        raise Unsupported(f"{type(self).__name__} cannot be measured request by request.")

    async def exchange(self, prepared: Prepared, mark: Mark) -> Generation:
        """Send what is ready, and note when what came."""
        mark.begin()
        async with self.sent(*prepared, mark) as sent:
            mark.byte()
            reply = await self.read(sent)
        mark.end()
        return self.said(reply)

    def unbounded(self) -> None:
        """Send whenever it is asked to: whoever measures decides how much that is."""
        self._pace = Pace()
        self._timed = True
        for endpoint in self._pool.endpoints:
            endpoint.gate = Gate(adaptive=False, most=math.inf)

    async def read(self, sent: Sent) -> Reply:
        """The whole answer, if it has an end within reason."""
        held, size = [], 0
        async for chunk in sent.response.content.iter_any():
            held.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                raise Refused(f"{sent.host} answered more than {MOST_BYTES >> 20} MB")
        return Reply(b"".join(held), sent.response.content_type, sent.host, sent.charged)

    @asynccontextmanager
    async def sent(
        self,
        path: str,
        body: bytes | Callable[[], Any],
        kind: str = "",
        mark: Mark | None = None,
    ) -> AsyncIterator[Sent]:
        """A response whose status is good; every way it can go wrong is told in one line."""
        import aiohttp

        charged = await self._pace.wait()
        endpoint = await self._pool.enter()
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        try:
            content = body() if callable(body) else in_pieces(body, mark.upload if mark else None)
            async with self._client().post(
                address(endpoint.url, path),
                data=content,
                headers=headers,
                allow_redirects=False,
                trace_request_ctx=mark,
            ) as response:
                if response.status != 200:
                    raise await self._fault(response, endpoint)
                yield Sent(response, endpoint.host, charged)
            self._pool.answered(endpoint)
        except (aiohttp.ClientError, OSError) as error:
            self._pool.lost(endpoint)
            raise self._lost(error, endpoint.host) from error
        finally:
            self._pool.leave(endpoint)

    def used(self, said: Generation, charged: float) -> None:
        """Count an answer's tokens against the pace; untold, they are as many as was guessed."""
        if said.tokens is not None:
            self._pace.spent(said.tokens + (said.input_tokens or 0), charged)

    def document(self, reply: Reply) -> Any:
        """The JSON of an answer, unless it is an error under a good status."""
        answer = reply.json()
        if isinstance(answer, dict) and answer.get("error"):
            raise self.complaint(answer["error"], reply.host)
        return answer

    def complaint(self, error: Any, host: str) -> SampleError:
        """What an error means that stands where an answer should."""
        code = error.get("code") if isinstance(error, dict) else None
        message = f"{host} answered with an error: {self.scrubbed(message_of(error))}"
        final = isinstance(code, int) and 400 <= code < 500 and code not in MAY_PASS
        return Refused(message) if final else Transient(message)

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            service = self.service
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(
                    total=service.timeout,
                    connect=service.connect_timeout,
                    sock_read=service.read_timeout,
                ),
                read_bufsize=LINE,
                trace_configs=[on_the_wire()] if self._timed else None,
                # It looks for proxies and passwords before every request: only where there are any.
                trust_env=bool(getproxies()),
            )
        return self._session

    async def _fault(self, response: aiohttp.ClientResponse, endpoint: Endpoint) -> SampleError:
        """What a status that is not 200 means, in the server's words."""
        status = response.status
        if status >= 500:
            self._pool.lost(endpoint)
        else:
            self._pool.reached(endpoint)
        words = self.scrubbed(words_of(await _beginning(response)))
        message = f"HTTP {status} from {endpoint.host}: {words or response.reason or 'no words'}"
        if status in MAY_PASS or status >= 500:
            wait = retry_after(response.headers.get("Retry-After"))
            if status in BUSY:
                endpoint.gate.busy(wait)
            return Transient(message, wait)
        if 300 <= status < 400:
            place = self.scrubbed(response.headers.get("Location", "nowhere"))
            return Refused(f"{message} (it points to {place})")
        return Refused(message)

    def _lost(self, error: Exception, host: str) -> Transient:
        """What became of a connection, and whether there was one."""
        import aiohttp

        service = self.service
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return Unreachable(
                f"{host} did not take a connection within {service.connect_timeout:g} s"
            )
        if isinstance(error, aiohttp.ClientConnectorError):
            return Unreachable(f"no connection to {host}: {_why(error.os_error)}")
        if isinstance(error, aiohttp.SocketTimeoutError):
            return Unreachable(f"{host} sent nothing for {service.read_timeout:g} s")
        if isinstance(error, TimeoutError):
            return Transient(f"{host} did not finish its answer within {service.timeout:g} s")
        return Transient(self.scrubbed(f"{host} broke off: {str(error) or type(error).__name__}"))

    def scrubbed(self, words: str) -> str:
        """Words that may be written down: no key, no sound, and not too many."""
        for secret in self._secrets:
            words = words.replace(secret, "…")
        words = ENCODED.sub("…", words)
        return words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 1] + "…"

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._session:
            await self._session.close()
            await asyncio.sleep(0)  # the transports close in the loop's next turn


def address(url: str, path: str) -> str:
    """A path under an address; what the address asks after its `?` stays at the end."""
    base, _, query = url.partition("?")
    asked = f"{'&' if '?' in path else '?'}{query}" if query else ""
    return f"{base.rstrip('/')}{path}{asked}"


def merged(asked: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """A body with more fields. Objects are merged; null takes a field out that a server refuses."""
    body = dict(asked)
    for name, value in extra.items():
        held = body.get(name)
        both = isinstance(held, Mapping) and isinstance(value, Mapping)
        body[name] = merged(held, value) if both else value  # type: ignore[arg-type]
    return {name: value for name, value in body.items() if value is not None}


def seeded(extra: Mapping[str, Any], nth: int) -> Mapping[str, Any]:
    """The same fields for another of several answers: with the same seed it would be the same."""
    seed = extra.get("seed")
    return {**extra, "seed": seed + nth} if nth and isinstance(seed, int) else extra


def shape(value: Any) -> str:
    """What kind of JSON it is, without repeating what may be long or secret."""
    if not isinstance(value, dict):
        return "no object"
    names = (name if NAME.fullmatch(name) else "…" for name in list(value)[:8])
    return f"an object with {', '.join(names) or 'nothing'}"


def count(value: Any) -> int | None:
    """A number of tokens, where the server tells one."""
    return int(value) if isinstance(value, int | float) else None


def _why(error: OSError) -> str:
    """The system's word for it, where the error only says that a call failed."""
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return error.strerror or str(error)


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    """As much of an error as anybody reads; its status stands, even if it breaks off."""
    import aiohttp

    held = b""
    with suppress(aiohttp.ClientError, OSError):
        while len(held) < MOST_SAID and (more := await response.content.read(MOST_SAID)):
            held += more
    return held


async def events(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[Any]:
    """The JSON of each server-sent event, and `DONE` where the server says that it is."""
    async for lines in _lines(response, host):
        for line in lines:
            data = line.strip()
            if not data.startswith(b"data:"):
                continue  # comments, event names, the empty lines between
            data = data[5:].strip()
            if data == b"[DONE]":
                yield DONE
                return
            if not data:
                continue  # to keep the connection alive
            try:
                yield orjson.loads(data)
            except orjson.JSONDecodeError as error:
                raise Transient(f"{host} streamed something that is not JSON: {error}") from error


async def _lines(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[list[bytes]]:
    """Lines as they come, those together that came together."""
    begun: list[bytes] = []  # of the line whose end is yet to come
    size = 0
    async for chunk in response.content.iter_any():
        first, *rest = chunk.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > 2 * LINE:
            raise Refused(f"{host} streamed a line longer than {2 * LINE >> 20} MB")
        if rest:
            yield [b"".join(begun), *rest[:-1]]
            begun, size = [rest[-1]], len(rest[-1])
    if size:
        yield [b"".join(begun)]
