"""The record of a timed request: a line of `requests.jsonl`, from which every number is computed.

Times are seconds on the monotonic clock since the start of the load point. Events that did not happen are None, not 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

import orjson

Phase: TypeAlias = Literal["warmup", "measure", "cooldown"]
Status: TypeAlias = Literal["ok", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """A request: when it was due and sent, and when each part of its response arrived."""

    index: int
    """Position in the schedule; the turns of a conversation share it."""
    sample: str
    turn: int = 0
    user: int | None = None
    """Number of the user, in a closed loop."""
    sender: int = 0
    """Number of the process that sent it."""
    phase: Phase = "measure"
    status: Status = "ok"
    due: float | None = None
    """Scheduled time; None in a closed loop, which has no schedule."""
    sent: float | None = None
    """When it was sent, after all preparation; None if it never was."""
    uploaded: float | None = None
    """When the last part of a large body was handed to the socket; small bodies are sent in one part."""
    first_byte: float | None = None
    first_token: float | None = None
    """The first chunk with content: text, reasoning, a tool call or audio."""
    first_content: float | None = None
    """The first chunk that is not reasoning."""
    first_audio: float | None = None
    first_audible: float | None = None
    """The first audio chunk that is not silent."""
    last_content: float | None = None
    done: float | None = None
    """When the response was complete, including usage and the end of the stream; or when it failed."""
    gaps: tuple[float, ...] = ()
    """Seconds between consecutive chunks, from `first_token` on."""
    token_gaps: tuple[float, ...] = ()
    """Seconds per token between consecutive token counts, if the server reports them while streaming."""
    spoken: tuple[tuple[float, float], ...] = ()
    """Arrival time and length of each audio chunk."""
    streamed: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    audio_seconds: float | None = None
    """Length of the audio that was sent."""
    bytes_sent: int | None = None
    body: str = ""
    """Digest of the body: equal for equal requests."""
    finish: str = ""
    error: str = ""
    """Type and message of the error."""

    def to_json_line(self) -> bytes:
        """Return the record as a JSON line without empty fields."""
        values = ((name, getattr(self, name)) for name in FIELD_NAMES)
        document = {name: _round_times(value) for name, value in values if value not in (None, "", ())}
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def from_json(cls, source: bytes | Mapping[str, Any]) -> RequestRecord:
        values = dict(source if isinstance(source, Mapping) else orjson.loads(source))
        for name in ("gaps", "token_gaps"):
            values[name] = tuple(values.get(name, ()))
        values["spoken"] = tuple((time, seconds) for time, seconds in values.get("spoken", ()))
        return cls(**values)


FIELD_NAMES = tuple(field.name for field in fields(RequestRecord))


def _round_times(value: Any) -> Any:
    """Round times to ten microseconds; finer digits are noise."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, tuple):
        return [_round_times(item) for item in value]
    return value
