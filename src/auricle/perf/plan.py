"""The plan of a load point, as sent to each sender."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import orjson


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
    sender_index: int = 0
    """Number of this sender, from 0."""

    def split_by_sender(self) -> list[LoadPointPlan]:
        """Return a plan for each sender."""
        return [replace(self, sender_index=index) for index in range(self.senders)]

    def own_indices(self, size: int) -> range:
        """Return which of `size` requests, or users, this sender serves; senders take turns."""
        return range(self.sender_index, size, self.senders)

    def to_json(self) -> bytes:
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, message: bytes) -> Self:
        return cls(**orjson.loads(message))

    @property
    def total_seconds(self) -> float | None:
        """Seconds after which no new request is sent; None if there is no limit."""
        if self.duration is None:
            return None
        return self.warmup + self.duration + self.cooldown
