"""Small scripted WebSocket servers, and callers that hold a session with them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson
from aiohttp import WSMsgType, web

from auricle.core.calls import AudioFrame, CallerInput, EventKind, SessionEvent
from auricle.core.types import Call

Handler = Callable[["Line"], Awaitable[None]]


@dataclass
class Line:
    """The server's end of a connection."""

    socket: web.WebSocketResponse
    request: web.Request
    received: list[Any] = field(default_factory=list)

    async def send(self, *messages: Any) -> None:
        """Send messages: objects as JSON, texts and bytes as they are."""
        for message in messages:
            if isinstance(message, bytes):
                await self.socket.send_bytes(message)
            else:
                await self.socket.send_str(message if isinstance(message, str) else orjson.dumps(message).decode())

    async def receive(self) -> Any:
        """Return the next message, or None when the client has hung up."""
        message = await self.socket.receive()
        if message.type is not WSMsgType.TEXT:
            return None
        self.received.append(orjson.loads(message.data))
        return self.received[-1]

    async def receive_until(self, name: str) -> Any:
        """Return the next message of a type (OpenAI) or with a field (Gemini), or None at the end."""
        while (message := await self.receive()) is not None:
            if message.get("type") == name or name in message:
                return message
        return None

    async def receive_all(self) -> None:
        while await self.receive() is not None:
            pass


@dataclass
class ScriptedServer:
    """A server whose every connection is handled by the same script."""

    handler: Handler
    url: str = ""
    lines: list[Line] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        line = Line(socket, request)
        self.lines.append(line)
        await self.handler(line)
        await socket.close()
        return socket


@asynccontextmanager
async def running(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """Serve all paths with a handler of requests, and yield the address."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def scripted(handler: Handler) -> AsyncIterator[ScriptedServer]:
    server = ScriptedServer(handler)
    async with running(server.handle) as url:
        server.url = url
        yield server


def frame(value: int = 0, samples: int = 480) -> AudioFrame:
    return AudioFrame(np.full(samples, value, np.int16))


def call(**fields: Any) -> Call:
    return Call(**{"steps": (), **fields})


async def hold(model: Any, script: Sequence[Any], request: Call | None = None) -> list[SessionEvent]:
    """Hold a session: send the inputs, wait where the script has a kind of event, hang up, and return all events."""
    events: list[SessionEvent] = []
    arrived = asyncio.Condition()

    async def caller() -> AsyncIterator[CallerInput]:
        for index, item in enumerate(script):
            if not isinstance(item, EventKind):
                yield item
                continue
            expected = script[: index + 1].count(item)
            async with asyncio.timeout(10), arrived:
                await arrived.wait_for(lambda: [event.kind for event in events].count(item) >= expected)  # noqa: B023

    async with aclosing(model.session(request or call(), caller())) as session:
        async for event in session:
            events.append(event)
            async with arrived:
                arrived.notify_all()
    await model.close()
    return events


def kinds(events: Sequence[SessionEvent]) -> list[str]:
    """Return the kinds of events, without those of other messages."""
    return [event.kind.value for event in events if event.kind is not EventKind.OTHER]
