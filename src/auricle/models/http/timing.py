"""Requests that are ready to be sent, and the timing of their responses."""

from __future__ import annotations

import io
import time
from array import array
from base64 import b64decode
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from auricle.core.types import Timing
from auricle.media.audible import AUDIBLE_AMPLITUDE

if TYPE_CHECKING:
    import aiohttp

ChunkKind: TypeAlias = Literal["text", "reasoning", "tool", "audio"]
SPEECH_BYTES_PER_SECOND = 24_000 * 2  # 16-bit mono at 24 kHz, as streamed by OpenAI's protocol

CHUNKED_THRESHOLD = 1 << 20  # larger bodies are written in parts
TIMED_THRESHOLD = 1 << 16  # smaller bodies are sent too fast to be timed


class PreparedRequest(NamedTuple):
    """An encoded request, ready to be sent."""

    path: str
    body: bytes
    content_type: str


class TimedUpload(io.BytesIO):
    """A body that reports when its last part is read; all earlier parts have been sent by then."""

    def __init__(self, content: bytes, on_uploaded: Callable[[], None]) -> None:
        super().__init__(content)
        self._on_uploaded: Callable[[], None] | None = on_uploaded
        self._size = len(content)

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if (uploaded := self._on_uploaded) and self.tell() == self._size:
            self._on_uploaded = None
            uploaded()
        return piece


def prepare_upload(content: bytes, on_uploaded: Callable[[], None] | None = None) -> bytes | io.BytesIO:
    """Return a body that is written in parts if it is large, so that other requests are not delayed."""
    if on_uploaded and len(content) > TIMED_THRESHOLD:
        return TimedUpload(content, on_uploaded)
    return io.BytesIO(content) if len(content) > CHUNKED_THRESHOLD else content


@dataclass(slots=True, eq=False)
class RequestTimer:
    """Records the times of a request on the monotonic clock; None for events that did not happen.

    Only events with content count, not roles, usage, keep-alives or the end of the stream.
    """

    sent: float | None = None
    uploaded: float | None = None
    first_byte: float | None = None
    first_token: float | None = None
    first_content: float | None = None
    first_audio: float | None = None
    first_audible: float | None = None
    last_content: float | None = None
    done: float | None = None
    gaps: list[float] = field(default_factory=list)
    token_gaps: list[float] = field(default_factory=list)
    spoken: list[tuple[float, float]] = field(default_factory=list)
    streamed: bool = False
    _last_token_count: tuple[float, int] | None = None

    def start(self) -> None:
        self.sent = time.monotonic()

    def record_uploaded(self) -> None:
        """Record that the last part of a large body was handed to the socket."""
        self.uploaded = time.monotonic()

    def record_first_byte(self) -> None:
        self.first_byte = time.monotonic()

    def record_chunk(self, kind: ChunkKind, data: str = "", at: float | None = None) -> None:
        """Record a part of a streamed answer, now or at an earlier time; `data` is its audio in base64."""
        if not self.streamed:
            return
        now = time.monotonic() if at is None else at
        self._record_content(kind, now)
        if kind == "audio":
            self._record_speech(now, len(data) * 0.75 / SPEECH_BYTES_PER_SECOND, partial(_decode, data))

    def record_audio(self, samples: bytes, seconds: float) -> None:
        """Record a part of an answer that is streamed as bytes of 16-bit audio."""
        now = time.monotonic()
        self._record_content("audio", now)
        self._record_speech(now, seconds, lambda: samples)

    def _record_content(self, kind: ChunkKind, now: float) -> None:
        if self.first_token is None:
            self.first_token = now
        elif self.last_content is not None:
            self.gaps.append(now - self.last_content)
        if kind != "reasoning" and self.first_content is None:
            self.first_content = now
        self.last_content = now

    def _record_speech(self, now: float, seconds: float, read_samples: Callable[[], bytes]) -> None:
        self.first_audio = self.first_audio or now
        self.spoken.append((now, seconds))
        if self.first_audible is None and _is_audible(read_samples()):
            self.first_audible = now

    def record_token_count(self, tokens: int) -> None:
        """Record the number of tokens so far, and the mean time per token since the last count."""
        if self.last_content is None:
            return
        if self._last_token_count:
            then, before = self._last_token_count
            if tokens <= before:
                return
            self.token_gaps.append((self.last_content - then) / (tokens - before))
        self._last_token_count = self.last_content, tokens

    def stop(self) -> None:
        self.done = time.monotonic()

    def to_timing(self) -> Timing | None:
        """Return the times relative to sending, with microseconds; None if nothing was sent."""
        if (sent := self.sent) is None:
            return None
        times = (self.first_byte, self.first_token, self.first_audio, self.last_content, self.done)
        return Timing(*[None if time is None else round(time - sent, 6) for time in times])


TIMER_FACTORY: ContextVar[Callable[[], RequestTimer]] = ContextVar("timer_factory", default=RequestTimer)
"""Creates the timer of a request that a class sends itself; a load test sets it to measure such requests."""


def connection_trace_config() -> aiohttp.TraceConfig:
    """Restart the timer of a request when an open connection takes it, to exclude client-side preparation.

    If a new connection is needed, the time to open it is included.
    """
    import aiohttp

    async def restart_timer(_session: Any, context: Any, _params: Any) -> None:
        if context.trace_request_ctx is not None:
            context.trace_request_ctx.start()

    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(restart_timer)
    return config


def _decode(data: str) -> bytes:
    """Decode base64; invalid data is empty."""
    try:
        return b64decode(data)
    except ValueError:
        return b""


def _is_audible(content: bytes) -> bool:
    """Return whether a chunk is more than the silence at the start of speech."""
    samples = array("h", content[: len(content) // 2 * 2])
    return bool(samples) and max(max(samples), -min(samples)) > AUDIBLE_AMPLITUDE
