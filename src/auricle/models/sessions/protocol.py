"""Base of realtime protocols: read messages robustly, and turn them into events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from auricle.core.calls import CallerInput, EventKind, SessionEvent
from auricle.core.types import Call
from auricle.models.http.fields import InvalidField, as_object
from auricle.models.http.responses import find_message
from auricle.models.sessions.pcm import PcmDecoder

BUSY_WORDS = ("limit", "capacity", "overloaded", "unavailable", "busy", "server_error")
"""Parts of error codes and types that may pass."""


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error that a server reported during a session."""

    message: str
    code: str = ""
    type: str = ""

    @property
    def may_pass(self) -> bool:
        return any(word in f"{self.code} {self.type}".lower() for word in BUSY_WORDS)


class SessionProtocol:
    """One call in the protocol of a server: what to send for each input, and what each message means."""

    last_error: ServerError | None = None
    """The latest error that the server reported."""

    def __init__(self, call: Call, redact: Callable[[str], str], output_rate: int) -> None:
        self.call = call
        self.redact = redact
        self.output_rate = output_rate
        self._pcm = PcmDecoder()
        self._received_at: float | None = None

    def open(self) -> Iterable[bytes]:
        """Return the messages that configure the session."""
        raise NotImplementedError

    def encode(self, item: CallerInput) -> Iterable[bytes]:
        """Return the messages for an input of the caller."""
        raise NotImplementedError

    def release(self) -> Iterable[bytes]:
        """Return messages that waited for what has just been read."""
        return ()

    def read(self, message: Mapping[str, Any]) -> Iterable[SessionEvent]:
        """Return what a message means; the first `READY` starts the call."""
        raise NotImplementedError

    def read_silence(self) -> Iterable[SessionEvent]:
        """Return what it means that the server does not confirm the session; by default, that the session fails."""
        return ()

    def event(self, kind: EventKind, **fields: Any) -> SessionEvent:
        return SessionEvent(kind=kind, received_at=self._received_at, **fields)

    def read_frame(self, content: str | bytes, received_at: float) -> list[SessionEvent]:
        """Return the events of a frame; one that cannot be read is an `ERROR` event."""
        self._received_at = received_at
        events: list[SessionEvent] = []
        name = ""
        try:
            message = as_object(orjson.loads(content))
            name = str(message.get("type") or next(iter(message), ""))
            events.extend(self.read(message))
        except orjson.JSONDecodeError:
            unit = "characters" if isinstance(content, str) else "bytes"
            events.append(self.event(EventKind.ERROR, text=f"not a JSON message ({len(content)} {unit})"))
        except InvalidField as error:
            events.append(self.event(EventKind.ERROR, type=name, text=f"invalid message: {error}"))
        return events

    def read_error(self, error: Any, *, name: str = "error") -> SessionEvent:
        """Return the event of an error in a message, which may be an object or a text, and remember it."""
        fields = error if isinstance(error, dict) else {}
        code, kind = str(fields.get("code") or ""), str(fields.get("type") or "")
        self.last_error = ServerError(self.redact(find_message(error)), code, kind)
        details = {"code": code, "type": kind, "event_id": str(fields.get("event_id") or "")}
        data = {key: value for key, value in details.items() if value}
        return self.event(EventKind.ERROR, type=name, text=self.last_error.message, data=data)

    def read_audio(self, data: str, item: str, name: str) -> Iterator[SessionEvent]:
        """Yield a part of the agent's speech; the first part of an item with half a sample is reported."""
        was_split = self._pcm.has_half_sample(item)
        samples = self._pcm.decode(data, item)
        if len(samples):
            seconds = len(samples) / self.output_rate
            yield self.event(EventKind.AUDIO, type=name, item=item, audio=samples, seconds=seconds)
        if self._pcm.has_half_sample(item) and not was_split:
            yield self.event(EventKind.ERROR, type=name, item=item, text="audio with an odd number of bytes")
