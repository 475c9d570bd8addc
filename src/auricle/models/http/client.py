"""One conversation with a server: sent, waited for, read to its end, or told why not.

What may pass (timeouts, lost connections, 408, 409, 425, 429, 5xx) is `Transient` and tried
again by the engine; a server's final no is `Refused`, in its own words. No message holds a
key, a header or a sound.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

import orjson

from auricle.errors import MissingExtra, Refused, SampleError, SpecError, Transient, Unreachable
from auricle.models.base import AsyncModel
from auricle.models.http.flow import Endpoint, Gate, Pace, Pool
from auricle.models.http.media import Encoder

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

MAY_PASS = {408, 409, 425, 429}
BUSY = {429, 503}
ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{80,}")  # base64, or something no reader wants
MOST_WORDS = 300
LINE = 1 << 20  # the longest line of a stream


@dataclass(frozen=True, slots=True)
class Service:
    """Where a server is, who asks, and how long one waits: `-M name=value` of every API model."""

    model: str = ""
    base_url: str | Sequence[str] = ""
    """One server, or several that serve the same: a list, or with commas between."""
    api_key_env: str = ""
    """The environment variable that holds the key; the key itself is never written down."""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers; `$NAME` in a value stands for an environment variable."""
    timeout: float = 600.0
    """Seconds for a whole answer."""
    connect_timeout: float = 10.0
    read_timeout: float = 180.0
    """Seconds without a byte."""
    rpm: float | None = None
    """Requests a minute."""
    tpm: float | None = None
    """Tokens a minute."""
    adaptive: bool = True
    """Find out how many requests at once help; otherwise send all that the run allows."""
    audio_format: str = "auto"
    sample_rate: int | None = None
    max_megabytes: float = 25.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Anything else the body should hold."""

    @classmethod
    def of(cls, name: str, given: Mapping[str, Any]) -> Service:
        known = [each.name for each in fields(cls)]
        if unknown := [each for each in given if each not in known]:
            raise SpecError(f"{name} takes no {', '.join(unknown)}; it takes {', '.join(known)}.")
        service = cls(**given)
        service._check(name)
        return service

    def _check(self, name: str) -> None:
        for limit in ("timeout", "connect_timeout", "read_timeout", "max_megabytes", "rpm", "tpm"):
            value = getattr(self, limit)
            if value is not None and not (isinstance(value, (int, float)) and value > 0):
                raise SpecError(f"{name}: {limit} should be a number above 0, not {value!r}.")
        for mapping in ("headers", "extra"):
            if not isinstance(getattr(self, mapping), Mapping):
                raise SpecError(
                    f'{name}: {mapping} should be an object: -M \'{mapping}={{"name": "value"}}\'.'
                )

    def urls(self, default: str = "") -> list[str]:
        given = self.base_url or default
        listed = given.split(",") if isinstance(given, str) else list(given)
        found = [each.strip().rstrip("/") for each in listed if each.strip()]
        for url in found:
            if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
                raise SpecError(f"base_url should be http://host:port/path, not {url!r}.")
        return found

    def key(self, default_env: str = "") -> str:
        """The key, from where it was said to be; a variable that was named must be set."""
        if self.api_key:
            return str(self.api_key)
        if self.api_key_env and not os.environ.get(self.api_key_env):
            raise SpecError(f"api_key_env names {self.api_key_env}, which is not set.")
        return os.environ.get(self.api_key_env or default_env, "")


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer of a server."""

    content: bytes
    kind: str
    host: str

    def json(self) -> Any:
        if "html" in self.kind or self.content.lstrip()[:1] == b"<":
            raise Refused(f"{self.host} answered with a web page, not JSON: is base_url right?")
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise Transient(f"{self.host} answered something that is not JSON: {error}") from error

    def shape(self) -> str:
        """What kind of JSON it is, without repeating what may be long or secret."""
        value = self.json()
        names = ", ".join(list(value)[:8]) if isinstance(value, dict) else ""
        return f"an object with {names or 'nothing'}" if isinstance(value, dict) else "no object"


class HttpModel(AsyncModel):
    """What every model behind an API does the same way."""

    default_url = ""
    default_key_env = ""

    def __init__(self, **options: Any) -> None:
        self.service = Service.of(type(self).__name__, options)
        urls = self.service.urls(self.default_url)
        if not urls:
            raise SpecError(f"{type(self).__name__}: say where: -M base_url=http://host:port/v1.")
        self._key = self.service.key(self.default_key_env)
        self._headers = {**self.authorisation(self._key), **self._more_headers()}
        self._secrets = [each for each in (self._key, *self._headers.values()) if len(each) > 3]
        self.encoder = Encoder(
            self.service.audio_format,  # type: ignore[arg-type]  # checked there
            self.service.sample_rate,
            self.service.max_megabytes,
        )
        self._pool = Pool([Endpoint(url, Gate(adaptive=self.service.adaptive)) for url in urls])
        self._pace = Pace(self.service.rpm, self.service.tpm)
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="auricle-encode")
        self._session: aiohttp.ClientSession | None = None

    def authorisation(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _more_headers(self) -> dict[str, str]:
        return {n: os.path.expandvars(str(v)) for n, v in self.service.headers.items()}

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do what would hold up everybody else somewhere else."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def post(self, path: str, body: bytes | Callable[[], Any], kind: str = "") -> Reply:
        """The whole answer to one request."""
        async with self.sent(path, body, kind) as (response, host):
            return Reply(await response.read(), response.content_type, host)

    @asynccontextmanager
    async def sent(
        self, path: str, body: bytes | Callable[[], Any], kind: str = ""
    ) -> AsyncIterator[tuple[aiohttp.ClientResponse, str]]:
        """A response whose status is good; every way it can go wrong is told in one line."""
        import aiohttp

        await self._pace.wait()
        endpoint = await self._pool.enter()
        host = urlsplit(endpoint.url).netloc
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        content = body() if callable(body) else body
        try:
            async with self._client().post(
                endpoint.url + path, data=content, headers=headers, allow_redirects=False
            ) as response:
                if response.status != 200:
                    raise await self._fault(response, endpoint, host)
                yield response, host
            self._pool.answered(endpoint)
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, aiohttp.ConnectionTimeoutError | aiohttp.ClientConnectorError):
                self._pool.lost(endpoint)
                raise Unreachable(self._lost(error, host)) from error
            raise Transient(self._lost(error, host)) from error
        finally:
            self._pool.leave(endpoint)

    def used(self, tokens: int | None) -> None:
        """Count tokens against the pace."""
        if tokens:
            self._pace.spent(tokens)

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            try:
                import aiohttp
            except ImportError as error:
                raise MissingExtra("Models behind an API", "api") from error
            service = self.service
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(
                    total=service.timeout,
                    sock_connect=service.connect_timeout,
                    sock_read=service.read_timeout,
                ),
                read_bufsize=LINE,
                # Looked up for every request where it is on, so only where there is a proxy.
                trust_env=bool(getproxies()),
            )
        return self._session

    async def _fault(
        self, response: aiohttp.ClientResponse, endpoint: Endpoint, host: str
    ) -> SampleError:
        """What a status that is not 200 means, in the server's words."""
        status = response.status
        words = self.scrubbed(_words(await response.content.read(20_000)))
        message = f"HTTP {status} from {host}: {words or response.reason or 'no words'}"
        if status in MAY_PASS or status >= 500:
            wait = _retry_after(response.headers.get("Retry-After"))
            if status in BUSY:
                endpoint.gate.busy(wait)
            return Transient(message, wait)
        if 300 <= status < 400:
            return Refused(f"{message} (it points to {response.headers.get('Location')})")
        return Refused(message)

    def _lost(self, error: Exception, host: str) -> str:
        import aiohttp

        service = self.service
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return f"{host} did not take a connection within {service.connect_timeout:g} s"
        if isinstance(error, aiohttp.SocketTimeoutError):
            return f"{host} sent nothing for {service.read_timeout:g} s"
        if isinstance(error, TimeoutError):
            return f"{host} did not finish its answer within {service.timeout:g} s"
        if isinstance(error, aiohttp.ClientConnectorError):
            return f"no connection to {host}: {error.strerror or error.os_error}"
        return self.scrubbed(f"{host} broke off: {str(error) or type(error).__name__}")

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


def _words(content: bytes) -> str:
    """What a server says is wrong: the message of its JSON, or its text without tags."""
    try:
        found = _message(orjson.loads(content))
    except orjson.JSONDecodeError:
        found = re.sub(r"<[^>]*>", " ", content.decode("utf-8", "replace"))
    return " ".join(found.split())


def _message(value: Any) -> str:
    """The words in `{"error": {"message": …}}`, `{"detail": …}` and the like, or all of it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return _message(value[0])
    if isinstance(value, dict):
        for name in ("error", "message", "detail", "msg"):
            if value.get(name):
                return _message(value[name])
    return orjson.dumps(value).decode()


def _retry_after(value: str | None) -> float | None:
    """Seconds, or the time until a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        from datetime import UTC, datetime

        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


async def events(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[Any]:
    """The JSON of each server-sent event, until `[DONE]` or the end."""
    async for line in _lines(response, host):
        data = line.strip()
        if not data.startswith(b"data:"):
            continue  # comments, event names, the empty lines between
        data = data[5:].strip()
        if data == b"[DONE]":
            return
        try:
            yield orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise Transient(f"{host} streamed something that is not JSON: {error}") from error


async def _lines(response: aiohttp.ClientResponse, host: str) -> AsyncIterator[bytes]:
    try:
        async for line in response.content:
            yield line
    except ValueError as error:
        raise Refused(f"{host} streamed a line longer than {2 * LINE} bytes") from error
