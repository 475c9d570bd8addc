"""One load point: what a sender must know to play its part in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import orjson


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPointPlan:
    """What is asked of whom, under which load, for how long, and who sends it."""

    spec: dict[str, Any]
    """The task and the model, secrets included: it is passed on, never written down."""
    load: str
    folder: str
    """Where what came of it is written."""
    seed: int = 0
    count: int | None = None
    """Requests, or conversations, that are measured; None where the time decides."""
    duration: float | None = None
    """Seconds in which they are measured."""
    warmup: float = 0.0
    """Seconds of the same load before that; it goes over into the measurement without a break."""
    cooldown: float = 0.0
    """Seconds of the same load after it."""
    grace: float = 30.0
    """Seconds that what is under way at the end has left."""
    max_errors: int | None = None
    max_samples: int | None = None
    """Different samples that are made ready; they are sent over and over if there are too few."""
    stop_saturated: bool = False
    """End it once more is asked than can be answered."""
    stream: bool | None = None
    batch_size: int | None = None
    senders: int = 1
    sender_index: int = 0
    """Which of the senders this is."""

    def split_by_sender(self) -> list[LoadPointPlan]:
        return [replace(self, sender_index=share) for share in range(self.senders)]

    def to_json(self) -> bytes:
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, message: bytes) -> Self:
        return cls(**orjson.loads(message))

    @property
    def total_seconds(self) -> float | None:
        """Seconds after which nothing new is sent."""
        if self.duration is None:
            return None
        return self.warmup + self.duration + self.cooldown
