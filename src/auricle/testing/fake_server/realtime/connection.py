"""A WebSocket of the fake realtime server: send what is due, and record when everything was sent and received."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import WSCloseCode, WSMsgType, web

from auricle.testing.fake_server.realtime.dialect import AppendAudio, Dialect, Message, ProtocolError
from auricle.testing.fake_server.realtime.script import RealtimeScript
from auricle.testing.fake_server.realtime.session import Session
from auricle.testing.fake_server.realtime.speaker import Disconnection

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
CLOSE_GRACE_SECONDS = 1.0
"""Seconds that a client has to answer a close frame."""
MAX_REASON_BYTES = 123
"""Longest reason of a close frame."""
EXPIRY_NOTICE = 0.8
"""Share of the session time after which clients are warned, in protocols that do so."""


@dataclass(slots=True)
class SessionLog:
    """What happened in a session; times are those of the monotonic clock."""

    dialect: str
    path: str
    opened: float
    closed: float | None = None
    frames: int = 0
    """Frames of audio received."""
    audio_seconds: float = 0.0
    first_frame: float | None = None
    last_frame: float | None = None
    events: list[tuple[float, str, str, float]] = field(default_factory=list)
    """Time, `sent` or `received`, type, and seconds of audio, of everything but audio received."""
    session: Session | None = None

    def record_audio(self, action: AppendAudio, arrival: float) -> None:
        self.frames += 1
        self.audio_seconds += len(action.pcm) / 2 / action.rate
        self.first_frame = self.first_frame or arrival
        self.last_frame = arrival

    def to_dict(self) -> dict[str, Any]:
        names = ("dialect", "path", "opened", "closed", "frames", "audio_seconds", "first_frame", "last_frame")
        session = self.session
        return {
            **{name: getattr(self, name) for name in names},
            "events": list(self.events),
            "turns": session.describe_turns() if session else [],
            "ignored": list(session.ignored) if session else [],
            "truncations": list(session.truncations) if session else [],
        }


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Disconnect:
    how: Disconnection
    code: int = WSCloseCode.INTERNAL_ERROR
    reason: str = ""


OutboxItem: TypeAlias = Message | Pause | Disconnect


class Connection:
    """Connects a session to a WebSocket; the outbox of the session.

    Args:
        websocket: The prepared WebSocket.
        request: Its request.
        dialect: Protocol of the client.
        script: Behaviour of the session.
        log: Where events are recorded.
        has_faults: Whether the faults of the script occur.
    """

    def __init__(
        self,
        websocket: web.WebSocketResponse,
        request: web.BaseRequest,
        dialect: Dialect,
        script: RealtimeScript,
        log: SessionLog,
        *,
        has_faults: bool,
    ) -> None:
        self._websocket = websocket
        self._request = request
        self._dialect = dialect
        self._script = script
        self._log = log
        self._queue: asyncio.Queue[OutboxItem] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._is_over = False
        self.session = log.session = Session(dialect, script, self, self, has_faults=has_faults)

    # --- outbox and scheduler of the session ------------------------------------------

    def send(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._queue.put_nowait(message)

    def pause(self, seconds: float) -> None:
        self._queue.put_nowait(Pause(seconds))

    def disconnect(self, how: Disconnection, code: int = WSCloseCode.INTERNAL_ERROR, reason: str = "") -> None:
        self._queue.put_nowait(Disconnect(how, code, reason))

    def time(self) -> float:
        return self._loop.time()

    def call_at(self, when: float, callback: Any, *args: Any) -> asyncio.TimerHandle:
        """Call a function of the session, unless the connection is over by then."""
        return self._loop.call_at(when, self._call, callback, args)

    def _call(self, callback: Any, args: tuple[Any, ...]) -> None:
        if not self._is_over:
            callback(*args)

    # --- the connection -----------------------------------------------------------------

    async def serve(self) -> None:
        """Hold the session until either side closes it."""
        sender = asyncio.create_task(self._send_queued())
        seconds = self._script.session_seconds
        if seconds is not None:
            self.call_at(self.time() + seconds * EXPIRY_NOTICE, self._warn_of_expiry, seconds * (1 - EXPIRY_NOTICE))
            self.call_at(self.time() + seconds, self._expire)
        self.session.open()
        try:
            async for frame in self._websocket:
                arrival = time.monotonic()
                if frame.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    break
                actions = self.session.receive(frame.data, arrival)
                if len(actions) == 1 and isinstance(actions[0], AppendAudio):
                    self._log.record_audio(actions[0], arrival)
                else:
                    names = [type(action).__name__ for action in actions] or ["invalid"]
                    self._log.events.extend((arrival, "received", name, 0.0) for name in names)
        finally:
            self._is_over = True
            self._log.closed = time.monotonic()
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def refuse(self, error: ProtocolError) -> None:
        """Send an error and close."""
        for message in self._dialect.error(error):
            await self._send_message(message)
        await self._websocket.close(code=WSCloseCode.POLICY_VIOLATION, message=error.code.encode())
        self._log.closed = time.monotonic()

    async def _send_queued(self) -> None:
        while True:
            item = await self._queue.get()
            if isinstance(item, Message):
                await self._send_message(item)
            elif isinstance(item, Pause):
                self._log.events.append((time.monotonic(), "sent", "pause", item.seconds))
                await asyncio.sleep(item.seconds)
            else:
                await self._disconnect(item)

    async def _send_message(self, message: Message) -> None:
        self._log.events.append((time.monotonic(), "sent", message.type, message.seconds))
        if isinstance(message.content, str):
            await self._websocket.send_str(message.content)
        else:
            await self._websocket.send_bytes(message.content)

    async def _disconnect(self, item: Disconnect) -> None:
        self._is_over = True
        self._log.events.append((time.monotonic(), "sent", item.how, 0.0))
        transport = self._request.transport
        if item.how == "close":
            await self._websocket.close(code=item.code, message=item.reason.encode()[:MAX_REASON_BYTES])
        elif transport and item.how == "eof":
            transport.close()
        elif transport:
            connected_socket = transport.get_extra_info("socket")
            connected_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()

    def _warn_of_expiry(self, seconds_left: float) -> None:
        self.send(self._dialect.expiring(seconds_left))

    def _expire(self) -> None:
        error = ProtocolError("session_expired", "Your session hit the maximum duration.")
        self.send(self._dialect.error(error))
        self.disconnect("close", WSCloseCode.GOING_AWAY, error.code)
