"""Base of models behind a WebSocket: connections, the exchange of messages, and errors.

A message is stamped when it arrives, before it is parsed. What a server should not send (invalid JSON, fields of the
wrong type, unknown messages) is logged as an event, and the call goes on. A lost connection raises `Transient`, a
refusal `Rejected` with the server's message. No message contains a key, a header or media.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

import orjson

from auricle.core.arguments import takes_options
from auricle.core.calls import CallerInput, EventKind, SessionEvent
from auricle.core.errors import Rejected, SampleError, Transient, Unreachable
from auricle.core.types import Call, Request
from auricle.models.base import SessionModel
from auricle.models.http.config import ConnectionConfig
from auricle.models.http.rate_limits import AdaptiveLimiter, Endpoint
from auricle.models.http.service import ServiceModel
from auricle.models.sessions.protocol import ServerError, SessionProtocol

if TYPE_CHECKING:
    import aiohttp

MAX_MESSAGE_BYTES = 64 << 20
"""Largest message that is read; a minute of speech in one message has 4 MB."""
HEARTBEAT_SECONDS = 30.0
"""Interval of pings. A server that does not answer one within half of it is lost."""
CLOSE_SECONDS = 2.0
"""Longest wait for the server's half of closing a connection."""
FINAL_CLOSE_CODES = frozenset((1002, 1003, 1007, 1008, 1009, 1010, 3000, 3003))
"""Close codes of a server that objects to what it was sent, so that trying again would not help."""
MESSAGE_TOO_BIG = 1009
MAX_WAITING_FRAMES = 10_000
"""Frames that wait to be read; a server that sends more has to wait."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A frame and when it arrived."""

    content: str | bytes
    received_at: float


class Connection:
    """An open connection, whose frames are stamped as they arrive."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, host: str) -> None:
        self.host = host
        self.hung_up = False
        """Whether the caller ended the call."""
        self.has_received = False
        self.close_reason = ""
        self.failure: Exception | None = None
        """Why the connection failed, if it was not closed by the server."""
        self._socket = socket
        self._arrivals: asyncio.Queue[Arrival | None] = asyncio.Queue(MAX_WAITING_FRAMES)
        self._reader = asyncio.create_task(self._stamp_arrivals())

    @property
    def close_code(self) -> int:
        return self._socket.close_code or 1006

    async def _stamp_arrivals(self) -> None:
        from aiohttp import WSMsgType

        while True:
            message = await self._socket.receive()
            received_at = time.monotonic()
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                break
            self.has_received = True
            await self._arrivals.put(Arrival(message.data, received_at))
        if message.type is WSMsgType.CLOSE:
            self.close_reason = str(message.extra or "")
        elif message.type is WSMsgType.ERROR:
            self.failure = message.data
        await self._arrivals.put(None)

    async def receive(self) -> Arrival | None:
        """Return the next frame, or None at the end of the connection."""
        return await self._arrivals.get()

    async def send(self, messages: Iterable[bytes]) -> None:
        """Send messages; a lost connection is noticed by the reader, which knows why."""
        from aiohttp import WSMsgType

        with suppress(ConnectionError):
            for message in messages:
                await self._socket.send_frame(message, WSMsgType.TEXT)

    async def forward(self, protocol: SessionProtocol, inputs: AsyncIterator[CallerInput]) -> None:
        """Send the inputs of the caller, and hang up after the last one."""
        try:
            async for item in inputs:
                await self.send(protocol.encode(item))
        finally:
            self.hung_up = True
            await self._socket.close()

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.wait([self._reader])
        await self._socket.close()


@takes_options(ConnectionConfig)
class WebSocketModel(ServiceModel, SessionModel):
    """Base class of models behind a WebSocket.

    A subclass names the address of a session and creates the protocol of a call.
    """

    config_class = ConnectionConfig
    url_schemes = ("ws", "wss", "http", "https")

    def create_limiter(self) -> AdaptiveLimiter:
        return AdaptiveLimiter(adaptive=False, max_limit=math.inf)  # the number of calls is the user's decision

    def session_url(self, base_url: str, call: Call) -> str:
        """Return the address of a session."""
        raise NotImplementedError

    def session_headers(self) -> Mapping[str, str]:
        """Return headers that are not secret."""
        return {}

    def create_protocol(self, call: Call) -> SessionProtocol:
        """Return the protocol for one call."""
        raise NotImplementedError

    def preview_request(self, request: Request) -> str:
        """Return the address and the first messages of a session."""
        if not isinstance(request, Call):
            return ""
        address = urlsplit(self.session_url(self._pool.endpoints[0].url, request))
        messages = map(orjson.loads, self.create_protocol(request).open())
        lines = [orjson.dumps(message, option=orjson.OPT_INDENT_2).decode() for message in messages]
        return "\n".join([f"WebSocket {address.path}", *lines])

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        protocol = self.create_protocol(call)
        async with self.connect(call) as connection:
            await connection.send(protocol.open())
            async with aclosing(self._exchange(connection, protocol, inputs)) as events:
                async for event in events:
                    yield event

    @asynccontextmanager
    async def connect(self, call: Call) -> AsyncIterator[Connection]:
        """Open a connection to the server with the most room."""
        import aiohttp

        endpoint = await self._pool.acquire()

        async def check_status(response: aiohttp.ClientResponse) -> None:
            if response.status != 101:  # aiohttp's own error would not contain the server's message
                raise await self._status_error(response, endpoint)

        try:
            async with aiohttp.ClientSession(raise_for_status=check_status, trust_env=bool(getproxies())) as session:
                socket = await self._open_socket(session, endpoint, self.session_url(endpoint.url, call))
                self._pool.record_reachable(endpoint)
                connection = Connection(socket, endpoint.host)
                try:
                    yield connection
                finally:
                    await connection.close()
        finally:
            self._pool.release(endpoint)

    async def _open_socket(
        self, session: aiohttp.ClientSession, endpoint: Endpoint, url: str
    ) -> aiohttp.ClientWebSocketResponse:
        import aiohttp

        try:
            async with asyncio.timeout(self.service.connect_timeout):
                return await session.ws_connect(
                    url,
                    headers={**self._headers, **self.session_headers()},
                    heartbeat=HEARTBEAT_SECONDS,
                    max_msg_size=MAX_MESSAGE_BYTES,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_SECONDS),
                )
        except TimeoutError as error:
            self._pool.record_failure(endpoint)
            limit = f"{self.service.connect_timeout:g} s (connect_timeout)"
            raise Unreachable(f"{endpoint.host} did not accept a connection within {limit}") from error
        except (aiohttp.ClientError, OSError) as error:
            self._pool.record_failure(endpoint)
            raise self._connection_error(error, endpoint.host) from error

    async def _exchange(
        self, connection: Connection, protocol: SessionProtocol, inputs: AsyncIterator[CallerInput]
    ) -> AsyncGenerator[SessionEvent]:
        """Yield the events of a session, and send the inputs as soon as it is ready."""
        async for event in self._wait_until_ready(connection, protocol):
            yield event
        sender = asyncio.create_task(connection.forward(protocol, inputs))
        try:
            while (arrival := await connection.receive()) is not None:
                for event in protocol.read_frame(arrival.content, arrival.received_at):
                    yield event
                await connection.send(protocol.release())
            if not connection.hung_up:
                raise self._closed_error(connection, protocol.last_error)
            await sender
        finally:
            sender.cancel()
            await asyncio.wait([sender])

    async def _wait_until_ready(
        self, connection: Connection, protocol: SessionProtocol
    ) -> AsyncGenerator[SessionEvent]:
        """Yield the events until the session is ready; an error before that is a refusal."""
        deadline = time.monotonic() + self.service.connect_timeout
        is_ready = False
        while not is_ready:
            try:
                async with asyncio.timeout(deadline - time.monotonic()):
                    arrival = await connection.receive()
            except TimeoutError as timeout:
                events = list(protocol.read_silence())
                if not events:
                    limit = f"{self.service.connect_timeout:g} s (connect_timeout)"
                    raise Unreachable(f"{connection.host} did not begin a session within {limit}") from timeout
            else:
                if arrival is None:
                    raise self._closed_error(connection, protocol.last_error)
                events = protocol.read_frame(arrival.content, arrival.received_at)
            for event in events:
                is_ready = is_ready or event.kind is EventKind.READY
                yield event
            if protocol.last_error and not is_ready:
                message = f"{connection.host} refused the session: {protocol.last_error.message}"
                raise Transient(message, 0.0) if protocol.last_error.may_pass else Rejected(message)

    def _closed_error(self, connection: Connection, error: ServerError | None) -> SampleError:
        """Convert the end of a connection to an exception, with the last error that the server reported."""
        if connection.failure is not None:
            if getattr(connection.failure, "code", None) == MESSAGE_TOO_BIG:
                return Rejected(f"{connection.host} sent a message of more than {MAX_MESSAGE_BYTES >> 20} MB")
            return self._connection_error(connection.failure, connection.host)
        reasons = [self.redact(connection.close_reason), error.message if error else ""]
        details = ": ".join([f"code {connection.close_code}", *filter(None, dict.fromkeys(reasons))])
        message = f"{connection.host} closed the connection ({details})"
        if (error and error.may_pass) or ServerError("", connection.close_reason).may_pass:
            return Transient(message, 0.0)
        if connection.close_code in FINAL_CLOSE_CODES:
            return Rejected(message)
        return Transient(message) if connection.has_received else Unreachable(message)
