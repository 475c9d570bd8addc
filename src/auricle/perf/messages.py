"""What the coordinator of a load point and its senders exchange: JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, replace
from typing import Any, TypeVar

import orjson

from auricle.runs.documents import decode

Message = TypeVar("Message")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPointPlan:
    """Task, model, load and duration of a load point, and which sender this is."""

    spec: dict[str, Any]
    """Task and model, including secrets; it is passed to the senders, never written to disk."""
    load: str
    folder: str
    """Folder of the load point."""
    seed: int = 0
    count: int | None = None
    """Requests, or conversations, to measure; None if only the duration limits them."""
    duration: float | None = None
    """Seconds to measure."""
    warmup: float = 0.0
    """Seconds of the same load before the measured phase, without a break in between."""
    cooldown: float = 0.0
    """Seconds of the same load after the measured phase."""
    grace: float = 30.0
    """Seconds that requests in flight at the end have left."""
    max_errors: int | None = None
    max_samples: int | None = None
    """Samples to prepare; they are repeated if more requests are needed."""
    stop_saturated: bool = False
    """Whether to stop when the offered load exceeds the server's capacity."""
    stream: bool | None = None
    batch_size: int | None = None
    senders: int = 1
    uses_processes: bool = False
    """Whether a single sender runs in a process of its own, too."""
    sender_index: int = 0
    """Number of this sender, from 0."""

    def split_by_sender(self) -> list[LoadPointPlan]:
        """Return a plan for each sender."""
        return [replace(self, sender_index=index) for index in range(self.senders)]

    def own_indices(self, size: int) -> range:
        """Return which of `size` requests, or users, this sender serves; senders take turns."""
        return range(self.sender_index, size, self.senders)

    @property
    def total_seconds(self) -> float | None:
        """Seconds after which no new request is sent; None if there is no limit."""
        return None if self.duration is None else self.warmup + self.duration + self.cooldown


@dataclass(slots=True)
class SenderProgress:
    """Counts that are reported while the load runs: of requests, unless they are of conversations."""

    started: int = 0
    """Conversations that began; a request without turns is one of its own."""
    sent: int = 0
    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    measured: int = 0
    """Conversations that began in the measured phase."""
    first_token_wait_seconds: float = 0.0
    """Sum of the times to first token of streamed answers."""
    streamed: int = 0
    """Answers with a first token."""

    @classmethod
    def total(cls, parts: Iterable[SenderProgress]) -> SenderProgress:
        return cls(*map(sum, zip(*map(astuple, parts), strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PointProgress:
    """The progress of a load point over all senders."""

    load: str
    seconds: float | None = None
    """Length of the load; None if there is no limit."""
    count: int | None = None
    """Conversations to measure; None if there is no limit."""
    measured: int = 0
    """Conversations that began in the measured phase."""
    started: int = 0
    """Conversations that began."""
    sent: int = 0
    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    ttft_s: float | None = None
    """Mean time to first token since the last report; None if no answer was streamed since."""
    start_time: float = 0.0
    """Start of the load on the monotonic clock."""


@dataclass(frozen=True, slots=True)
class SenderResult:
    """What a sender measured about itself: samples in seconds, its CPU use, and why it stopped early."""

    idle_lags: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    """How late the event loop woke a sleeping task, before and under the load."""
    lateness: list[float] = field(default_factory=list)
    """Delay of each request's start after its due time, before any waiting for the cap."""
    cpu_share: float = 0.0
    """Share of a core."""
    stop_reason: str = ""
    rows: int = 0
    """Rows of the data that were prepared."""
    has_unused_rows: bool = False
    """Whether the data has further rows."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SenderMessage:
    """A message of a sender in a subprocess: it is ready, has made progress, and last a result or an error."""

    ready: bool = False
    progress: SenderProgress | None = None
    result: SenderResult | None = None
    error: dict[str, Any] | None = None


def encode_message(message: LoadPointPlan | SenderMessage) -> bytes:
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def decode_message(kind: type[Message], line: bytes) -> Message:
    message: Message = decode(kind, orjson.loads(line))
    return message
