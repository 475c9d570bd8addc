"""One request as it was timed: a line of `requests.jsonl`, and all that any number is made from.

Times are seconds on one monotonic clock, from the start of the load point. What was not seen is
None, never 0.
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
    """What was sent, when it should have been, and when which part of the answer came."""

    index: int
    """Place in the schedule; turns of one conversation share it."""
    sample: str
    turn: int = 0
    user: int | None = None
    """Who asked, in a closed loop."""
    sender: int = 0
    """Which process sent it."""
    phase: Phase = "measure"
    status: Status = "ok"
    due: float | None = None
    """When the plan wanted it sent; None in a closed loop, which has no plan but its users."""
    sent: float | None = None
    """When it was sent: everything before was done with it by then. None if it never was."""
    uploaded: float | None = None
    """When the last piece of a large body was on its way; small ones are sent in one go."""
    first_byte: float | None = None
    first_token: float | None = None
    """The first piece of an answer with anything in it: text, reasoning, a tool call or sound."""
    first_content: float | None = None
    """The first that is not reasoning."""
    first_audio: float | None = None
    first_audible: float | None = None
    """The first sound louder than silence."""
    last_content: float | None = None
    done: float | None = None
    """When all had come, counts and the stream's end included; or when it failed."""
    gaps: tuple[float, ...] = ()
    """Seconds between one piece of the answer and the next, from `first_token` on."""
    token_gaps: tuple[float, ...] = ()
    """Seconds a token took from one count of them to the next, of servers that count as they go."""
    spoken: tuple[tuple[float, float], ...] = ()
    """When sound came, and how many seconds of it."""
    streamed: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    audio_seconds: float | None = None
    """How long the sounds are that were sent."""
    bytes_sent: int | None = None
    body: str = ""
    """A digest of what was sent: equal for equal requests."""
    finish: str = ""
    error: str = ""
    """A failure's kind and words."""

    def to_json_line(self) -> bytes:
        """JSON without what says nothing."""
        held = ((name, getattr(self, name)) for name in FIELD_NAMES)
        said = {name: _round_times(value) for name, value in held if value not in (None, "", ())}
        return orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def from_json(cls, source: bytes | Mapping[str, Any]) -> RequestRecord:
        held = dict(source if isinstance(source, Mapping) else orjson.loads(source))
        for name in ("gaps", "token_gaps"):
            held[name] = tuple(held.get(name, ()))
        held["spoken"] = tuple((at, seconds) for at, seconds in held.get("spoken", ()))
        return cls(**held)


FIELD_NAMES = tuple(each.name for each in fields(RequestRecord))


def _round_times(value: Any) -> Any:
    """Times to ten microseconds: what is finer is noise, and bytes."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, tuple):
        return [_round_times(each) for each in value]
    return value
