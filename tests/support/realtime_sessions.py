"""A clock that tests move, and an outbox that keeps what is sent with its time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from pybase64 import b64encode

from auricle.testing.fake_server.realtime.dialect import Dialect, Message
from auricle.testing.fake_server.realtime.openai import OpenAIDialect
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript
from auricle.testing.fake_server.realtime.session import Session

FRAME_SECONDS = 0.02


class ManualTimer:
    def __init__(self) -> None:
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class ManualClock:
    """Calls functions at their exact times when it is moved past them."""

    def __init__(self) -> None:
        self._now = 0.0
        self._numbers = count()
        self._calls: list[tuple[float, int, ManualTimer, Callable[..., object], tuple[Any, ...]]] = []

    def time(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[..., object], *args: Any) -> ManualTimer:
        timer = ManualTimer()
        heappush(self._calls, (when, next(self._numbers), timer, callback, args))
        return timer

    def advance(self, until: float) -> None:
        while self._calls and self._calls[0][0] <= until + 1e-9:
            when, _, timer, callback, args = heappop(self._calls)
            self._now = max(self._now, when)
            if not timer.is_cancelled:
                callback(*args)
        self._now = max(self._now, until)


class RecordingOutbox:
    """Keeps what is sent, with the time at which it was sent."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.sent: list[tuple[float, Message]] = []
        self.disconnections: list[tuple[float, str]] = []
        self.close_codes: list[tuple[int, str]] = []
        self.pauses: list[tuple[float, float]] = []

    def send(self, messages: Iterable[Message]) -> None:
        self.sent.extend((self._clock.time(), message) for message in messages)

    def pause(self, seconds: float) -> None:
        self.pauses.append((self._clock.time(), seconds))

    def disconnect(self, how: str, code: int = 1011, reason: str = "") -> None:
        self.disconnections.append((self._clock.time(), how))
        self.close_codes.append((code, reason))


class FakeCall:
    """A session whose client sends frames of 20 ms as soon as they were spoken, by a clock that tests move."""

    def __init__(self, *turns: TurnScript, dialect: Dialect | None = None, **script: Any) -> None:
        self.clock = ManualClock()
        self.outbox = RecordingOutbox(self.clock)
        self.dialect = dialect or OpenAIDialect()
        self.script = RealtimeScript(turns=turns or (TurnScript(),), **script)
        self.session = Session(self.dialect, self.script, self.clock, self.outbox)
        self.position = 0.0
        self.rate = 24_000
        self.session.open()

    def send(self, **event: Any) -> None:
        self.session.receive(orjson.dumps(event).decode(), self.clock.time())
        self.clock.advance(self.clock.time())

    def send_sound(self, sound: NDArray[np.int16]) -> None:
        size = round(FRAME_SECONDS * self.rate)
        for start in range(0, len(sound), size):
            self.position += FRAME_SECONDS
            self.clock.advance(self.position)
            self.send_frame(sound[start : start + size].tobytes())

    def send_frame(self, pcm: bytes) -> None:
        self.send(type="input_audio_buffer.append", audio=b64encode(pcm).decode())

    def speak(self, seconds: float) -> None:
        self.send_sound(np.full(round(seconds * self.rate), 1000, np.int16))

    def wait(self, seconds: float) -> None:
        self.send_sound(np.zeros(round(seconds * self.rate), np.int16))

    @property
    def types(self) -> list[str]:
        return [message.type for _, message in self.outbox.sent]

    def times_of(self, type_: str) -> list[float]:
        return [round(at, 4) for at, message in self.outbox.sent if message.type == type_]

    def documents_of(self, type_: str) -> list[dict[str, Any]]:
        return [orjson.loads(message.content) for _, message in self.outbox.sent if message.type == type_]

    def audio_seconds(self) -> float:
        return sum(message.seconds for _, message in self.outbox.sent)
