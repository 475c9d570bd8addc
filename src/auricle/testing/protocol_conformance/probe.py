"""A client that sends what a check asks for, and collects everything that the server sends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from auricle.core.calls import FRAME_SECONDS
from auricle.core.types import Call
from auricle.models.sessions.websocket import Arrival, Connection, WebSocketModel

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSettings:
    """How a server is checked."""

    utterance: NDArray[int16]
    """Speech of the caller, at the input rate of the model."""
    rate: int
    pace: float = 1.0
    """Seconds of audio sent per second while the server detects turns."""
    reply_seconds: float = 3.0
    """Longest wait for the reply to a message."""
    response_seconds: float = 20.0
    """Longest wait for a response."""
    quiet_seconds: float = 0.7
    """How long nothing has to arrive where nothing is due."""
    greeting_seconds: float = 0.3
    """How long to wait for a refusal at the start of a session."""
    pause_seconds: float = 1.5
    """Pause between sessions; a server with room for one needs a moment to end it."""


@dataclass(frozen=True, slots=True)
class Received:
    """A message of the server."""

    index: int
    at: float
    message: Mapping[str, Any]


class ConnectionClosed(Exception):
    """The server closed the connection, so that nothing more can arrive."""


class Probe:
    """One session with a server under test."""

    def __init__(
        self, connection: Connection, settings: ProbeSettings, encode_audio: Callable[[NDArray[int16]], bytes]
    ) -> None:
        self.settings = settings
        self.received: list[Received] = []
        self.unreadable = 0
        """Frames that are not JSON objects."""
        self.is_closed = False
        self.is_speaking = False
        """Whether the microphone is on; some protocols forbid audio before the session is confirmed."""
        self._connection = connection
        self._encode_audio = encode_audio
        self._changed = asyncio.Event()
        self._speech: list[NDArray[int16]] = []
        """Frames that the microphone sends next; without any, it sends silence."""

    @property
    def frame_samples(self) -> int:
        return round(self.settings.rate * FRAME_SECONDS)

    async def collect(self) -> None:
        """Read messages until the connection ends."""
        while (arrival := await self._connection.receive()) is not None:
            self._add(arrival)
            self._changed.set()
        self.is_closed = True
        self._changed.set()

    def _add(self, arrival: Arrival) -> None:
        try:
            message = orjson.loads(arrival.content)
        except orjson.JSONDecodeError:
            message = None
        if isinstance(message, dict):
            self.received.append(Received(len(self.received), arrival.received_at, message))
        else:
            self.unreadable += 1

    async def send(self, message: Mapping[str, Any]) -> int:
        """Send a message, and return the index of the next one that arrives."""
        index = len(self.received)
        await self._connection.send([orjson.dumps(message)])
        return index

    async def wait_for(
        self, predicate: Callable[[Mapping[str, Any]], bool], seconds: float, since: int = 0
    ) -> Received | None:
        """Return the first message from an index on that meets a condition, or None if it does not arrive in time.

        Raises:
            ConnectionClosed: It cannot arrive any more.
        """
        deadline = time.monotonic() + seconds
        while True:
            for received in self.received[since:]:
                if predicate(received.message):
                    return received
            since = max(since, len(self.received))
            remaining = deadline - time.monotonic()
            if self.is_closed:
                raise ConnectionClosed
            if remaining <= 0:
                return None
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(remaining):
                    await self._changed.wait()

    def split_frames(self, samples: NDArray[int16]) -> list[NDArray[int16]]:
        """Return audio in frames; the last one may be shorter."""
        return [samples[start : start + self.frame_samples] for start in range(0, len(samples), self.frame_samples)]

    async def append(self, samples: NDArray[int16]) -> int:
        """Send audio as fast as possible, and return the index of the next message that arrives."""
        index = len(self.received)
        await self._connection.send(map(self._encode_audio, self.split_frames(samples)))
        return index

    def say(self, samples: NDArray[int16]) -> int:
        """Let the microphone send speech, and return the index of the next message that arrives."""
        self._speech += self.split_frames(samples)
        return len(self.received)

    async def run_microphone(self) -> None:
        """Send speech and, between utterances, silence, at the pace of a call."""
        import numpy as np

        silence = np.zeros(self.frame_samples, np.int16)
        start, count = time.monotonic(), 0
        while not self.is_closed:
            if self.is_speaking:
                frame = self._speech.pop(0) if self._speech else silence
                await self._connection.send([self._encode_audio(frame)])
            count += 1
            due = start + count * FRAME_SECONDS / self.settings.pace
            await asyncio.sleep(max(0.0, due - time.monotonic()))


@asynccontextmanager
async def open_probe(
    model: WebSocketModel,
    call: Call,
    settings: ProbeSettings,
    encode_audio: Callable[[NDArray[int16]], bytes],
    *,
    microphone: bool = False,
) -> AsyncIterator[Probe]:
    """Open a session, with a microphone if the server is to detect turns."""
    async with model.connect(call) as connection:
        probe = Probe(connection, settings, encode_audio)
        tasks = [asyncio.create_task(probe.collect())]
        if microphone:
            tasks.append(asyncio.create_task(probe.run_microphone()))
        try:
            yield probe
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
