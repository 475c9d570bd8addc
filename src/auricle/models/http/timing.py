"""What a request is before it is sent, and when which part of its answer came."""

from __future__ import annotations

import time
from array import array
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import aiohttp

ChunkKind: TypeAlias = Literal["text", "reasoning", "tool", "audio"]
SPEECH_BYTES_PER_SECOND = 24_000 * 2  # a second of speech as OpenAI's protocol streams it: 16-bit mono
AUDIBLE_AMPLITUDE = 104  # of 32,768: -50 dB of full scale


class PreparedRequest(NamedTuple):
    """A request as bytes: nothing is left to do for it but to send it."""

    path: str
    body: bytes
    content_type: str


class RequestTimer:
    """Notes times as an answer comes; seconds of the monotonic clock, None where nothing came.

    Only what holds something of the answer is noted. Roles, counts, signs of life and the end of
    a stream are not.
    """

    __slots__ = (
        "_last_token_count",
        "done",
        "first_audible",
        "first_audio",
        "first_byte",
        "first_content",
        "first_token",
        "gaps",
        "last_content",
        "sent",
        "spoken",
        "streamed",
        "token_gaps",
        "uploaded",
    )

    def __init__(self) -> None:
        self.sent: float | None = None
        self.uploaded: float | None = None
        self.first_byte: float | None = None
        self.first_token: float | None = None
        self.first_content: float | None = None
        self.first_audio: float | None = None
        self.first_audible: float | None = None
        self.last_content: float | None = None
        self.done: float | None = None
        self.gaps: list[float] = []
        self.token_gaps: list[float] = []
        self._last_token_count: tuple[float, int] | None = None
        self.spoken: list[tuple[float, float]] = []
        self.streamed = False

    def start(self) -> None:
        self.sent = time.monotonic()

    def record_uploaded(self) -> None:
        """The last piece of a large body is on its way."""
        self.uploaded = time.monotonic()

    def record_first_byte(self) -> None:
        self.first_byte = time.monotonic()

    def record_chunk(self, kind: ChunkKind, data: str = "") -> None:
        """A part of the answer came; its sound, if it is one, as base64."""
        now = time.monotonic()
        if self.first_token is None:
            self.first_token = now
        elif self.last_content is not None:
            self.gaps.append(now - self.last_content)
        if kind != "reasoning" and self.first_content is None:
            self.first_content = now
        if kind == "audio":
            self.first_audio = self.first_audio or now
            self.spoken.append((now, len(data) * 0.75 / SPEECH_BYTES_PER_SECOND))
            if self.first_audible is None and _is_audible(data):
                self.first_audible = now
        self.last_content = now

    def record_token_count(self, tokens: int) -> None:
        """So many tokens have come with the latest part: how long each took, since last counted."""
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


def connection_trace_config() -> aiohttp.TraceConfig:
    """Sets a request's clock when an open connection takes it: making it ready was our own time.

    Where a connection has to be opened first, the clock runs from before that.
    """
    import aiohttp

    async def taken(_session: Any, context: Any, _told: Any) -> None:
        if context.trace_request_ctx is not None:
            context.trace_request_ctx.begin()

    traced = aiohttp.TraceConfig()
    traced.on_connection_reuseconn.append(taken)
    return traced


def _is_audible(data: str) -> bool:
    """Is there more than the silence speech begins with? Rubbish is not."""
    try:
        content = b64decode(data)
    except ValueError:
        return False
    samples = array("h", content[: len(content) // 2 * 2])
    return bool(samples) and max(max(samples), -min(samples)) > AUDIBLE_AMPLITUDE


def streamed_token_count(event: Any) -> int | None:
    """How many tokens have come so far, where an event with a part of the answer tells it."""
    usage = event.get("usage") if isinstance(event, Mapping) else None
    found = usage.get("completion_tokens") if isinstance(usage, Mapping) else None
    return found if isinstance(found, int) and event.get("choices") else None


def iter_event_parts(event: Any) -> Iterator[tuple[ChunkKind, str]]:
    """What of an answer an event of a chat stream holds, and its sound as base64."""
    choices = event.get("choices") if isinstance(event, Mapping) else None
    if not choices:
        return
    said = choices[0].get("delta") or choices[0].get("message") or {}
    if said.get("reasoning_content") or said.get("reasoning"):
        yield "reasoning", ""
    if said.get("tool_calls"):
        yield "tool", ""
    spoken = said.get("audio") or {}
    if said.get("content") or spoken.get("transcript"):
        yield "text", ""
    if data := spoken.get("data"):
        yield "audio", data
