"""Read the events of OpenAI's Realtime protocol, in the spellings of its beta and of general availability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from auricle.core.calls import EventKind, SessionEvent
from auricle.core.errors import Rejected, Transient
from auricle.core.types import Call
from auricle.models.http.fields import as_list, as_number, as_object, as_text
from auricle.models.sessions.protocol import SessionProtocol
from auricle.models.sessions.usage import read_usage

BETA_NAMES = {
    "transcription_session.created": "session.created",
    "transcription_session.updated": "session.updated",
    "conversation.item.created": "conversation.item.added",
    "response.audio.delta": "response.output_audio.delta",
    "response.audio.done": "response.output_audio.done",
    "response.audio_transcript.delta": "response.output_audio_transcript.delta",
    "response.audio_transcript.done": "response.output_audio_transcript.done",
    "response.text.delta": "response.output_text.delta",
    "response.text.done": "response.output_text.done",
}
"""Beta names of events, and today's."""
STATUSES = ("completed", "cancelled", "failed", "incomplete")
HARMLESS_ERRORS = frozenset(("input_audio_buffer_commit_empty", "response_cancel_not_active"))
"""Errors that only state that there was nothing to do."""
TRANSCRIPTION = "conversation.item.input_audio_transcription"

Handler = Callable[[Mapping[str, Any]], Iterable[SessionEvent]]


class RealtimeReader(SessionProtocol):
    """Reads the events of a session. Events may arrive in any order, and are joined by their ids."""

    def __init__(self, call: Call, redact: Callable[[str], str], input_rate: int, output_rate: int) -> None:
        super().__init__(call, redact, output_rate)
        self._input_rate = input_rate
        self.active_response = ""
        """Id of the response that the server is sending."""
        self._is_ready = False
        self._is_created = False
        self._partial_texts: dict[str, str] = {}
        self._transcribed_items: set[str] = set()
        self._tool_names: dict[str, str] = {}
        self._finished_calls: set[str] = set()
        self.cancelled_responses: set[str] = set()
        self._response_count = 0
        self._handlers: dict[str, Handler] = {
            "session.created": self._read_created,
            "session.updated": self._read_updated,
            "input_audio_buffer.speech_started": self._read_speech_started,
            "input_audio_buffer.speech_stopped": self._read_speech_stopped,
            "input_audio_buffer.committed": self._read_committed,
            "conversation.item.truncated": self._read_truncated,
            f"{TRANSCRIPTION}.delta": self._read_partial,
            f"{TRANSCRIPTION}.completed": self._read_final,
            f"{TRANSCRIPTION}.failed": self._read_failed_transcription,
            "response.created": self._read_response_started,
            "response.output_item.added": self._read_output_item,
            "response.output_item.done": self._read_output_item,
            "response.output_audio.delta": self._read_audio,
            "response.output_audio_transcript.delta": self._read_transcript,
            "response.output_audio_transcript.done": self._read_whole_transcript,
            "response.output_text.delta": self._read_transcript,
            "response.output_text.done": self._read_whole_transcript,
            "response.function_call_arguments.done": self._read_tool_call,
            "response.done": self._read_response_done,
            "error": self._read_error,
        }

    def read(self, message: Mapping[str, Any]) -> Iterable[SessionEvent]:
        name = _text(message, "type")
        handler = self._handlers.get(BETA_NAMES.get(name, name), self._read_other)
        return handler(message)

    def read_silence(self) -> Iterable[SessionEvent]:
        """Go on with a server that began the session, but does not confirm its settings."""
        if self._is_created and not self._is_ready:
            self._is_ready = True
            yield self.event(EventKind.ERROR, text="the server did not confirm the settings of the session")
            yield self.event(EventKind.READY)

    # --- the session ------------------------------------------------------------

    def _read_created(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        self._is_created = True
        yield from self._read_other(message)

    def _read_updated(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        kind = EventKind.OTHER if self._is_ready else EventKind.READY
        self._is_ready = True
        session = as_object(message.get("session") or {})
        self._check_rates(session)
        yield self.event(kind, type=_text(message, "type"), data={"session": session} if session else {})

    def _check_rates(self, session: Mapping[str, Any]) -> None:
        """Refuse a session at another sample rate, in which speech would be too fast or too slow."""
        for side, rate in (("input", self._input_rate), ("output", self.output_rate)):
            actual = find_rate(session, side)
            if actual not in (None, rate):
                raise Rejected(f"the server's {side} is at {actual} Hz instead of {rate} Hz; set -M rate={actual}")

    def _read_other(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        data = {"rate_limits": message["rate_limits"]} if "rate_limits" in message else {}
        item = as_object(message.get("item") or {})
        yield self.event(
            EventKind.OTHER, type=_text(message, "type"), item=_text(message, "item_id") or _text(item, "id"), data=data
        )

    def _read_error(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        previous = self.last_error
        event = self.read_error(message.get("error") or message)
        if event.data.get("code") in HARMLESS_ERRORS:
            self.last_error = previous
            event = self.event(EventKind.OTHER, type=event.type, text=event.text, data=event.data)
        yield event

    # --- what the server understands ----------------------------------------------

    def _read_speech_started(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield self._positioned(EventKind.SPEECH_STARTED, message, "audio_start_ms")

    def _read_speech_stopped(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield self._positioned(EventKind.SPEECH_STOPPED, message, "audio_end_ms")

    def _positioned(self, kind: EventKind, message: Mapping[str, Any], field: str) -> SessionEvent:
        position = _seconds(message, field)
        return self.event(kind, type=_text(message, "type"), item=_text(message, "item_id"), position=position)

    def _read_committed(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield self.event(EventKind.COMMITTED, type=_text(message, "type"), item=_text(message, "item_id"))

    def _read_truncated(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        seconds = _seconds(message, "audio_end_ms")
        yield self.event(
            EventKind.TRUNCATED, type=_text(message, "type"), item=_text(message, "item_id"), seconds=seconds
        )

    def _read_partial(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        item = _text(message, "item_id")
        if delta := _text(message, "delta"):
            text = self._partial_texts[item] = self._partial_texts.get(item, "") + delta
            yield self.event(EventKind.PARTIAL, type=_text(message, "type"), item=item, text=text)

    def _read_final(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        item = _text(message, "item_id")
        text = as_text(message["transcript"]) if "transcript" in message else self._partial_texts.get(item, "")
        self._partial_texts.pop(item, None)
        yield self.event(EventKind.FINAL, type=_text(message, "type"), item=item, text=text)
        usage = read_usage(message.get("usage"))
        if seconds := _text_or_number(message.get("usage"), "seconds"):
            usage["seconds"] = seconds
        if usage:
            yield self.event(EventKind.USAGE, data={f"transcription_{name}": count for name, count in usage.items()})

    def _read_failed_transcription(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        event = self.read_error(message.get("error"), name=_text(message, "type"))
        if self.call.mode == "transcribe":  # otherwise the missing words would count as the model's mistake
            raise Transient(f"the server failed to transcribe a segment: {event.text}")
        yield event

    # --- what the server responds ---------------------------------------------------

    def _read_response_started(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        self._response_count += 1
        response = as_object(message.get("response") or {})
        self.active_response = _text(response, "id") or f"response-{self._response_count}"
        yield self.event(EventKind.RESPONSE_STARTED, type=_text(message, "type"), item=self.active_response)

    def _item_id(self, message: Mapping[str, Any]) -> str:
        """Return the id of an item of a response; a server that sends none sends one item per response."""
        return _text(message, "item_id") or _text(message, "response_id") or self.active_response

    def _read_audio(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        if _text(message, "response_id") in self.cancelled_responses:  # too late to be played
            return iter([self.event(EventKind.OTHER, type=_text(message, "type"), item=self._item_id(message))])
        return self.read_audio(_text(message, "delta"), self._item_id(message), _text(message, "type"))

    def _read_transcript(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        item = self._item_id(message)
        if delta := _text(message, "delta"):
            self._transcribed_items.add(item)
            yield self.event(EventKind.TRANSCRIPT, type=_text(message, "type"), item=item, text=delta)

    def _read_whole_transcript(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        """Use the whole text of an item only if its parts were not sent."""
        item = self._item_id(message)
        text = _text(message, "transcript") or _text(message, "text")
        kind = EventKind.OTHER if item in self._transcribed_items or not text else EventKind.TRANSCRIPT
        self._transcribed_items.add(item)
        yield self.event(kind, type=_text(message, "type"), item=item, text=text)

    def _read_output_item(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        item = as_object(message.get("item") or {})
        if item.get("type") == "function_call":
            self._tool_names[_text(item, "id")] = _text(item, "name")
            if _text(message, "type").endswith(".done"):
                yield from self._finish_tool_call(item, _text(item, "id"), _text(message, "type"))
        yield from self._read_other(message)

    def _read_tool_call(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        return self._finish_tool_call(message, _text(message, "item_id"), _text(message, "type"))

    def _finish_tool_call(self, call: Mapping[str, Any], item: str, name: str) -> Iterator[SessionEvent]:
        """Yield a complete tool call, which servers send up to three times, once."""
        call_id = _text(call, "call_id") or item
        function = _text(call, "name") or self._tool_names.get(item, "")
        if call_id in self._finished_calls or not function:
            return
        self._finished_calls.add(call_id)
        arguments = _text(call, "arguments")
        data: dict[str, Any] = {"call_id": call_id, "name": function, "arguments": {}}
        try:
            parsed = orjson.loads(arguments or "{}")
        except orjson.JSONDecodeError:
            parsed = None
        if isinstance(parsed, dict):
            data["arguments"] = parsed
        else:
            data["invalid_arguments"] = arguments
        yield self.event(EventKind.TOOL_CALL, type=name, item=item, data=data)

    def _read_response_done(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        response, name = as_object(message.get("response") or {}), _text(message, "type")
        response_id = _text(response, "id") or self.active_response
        if response_id == self.active_response:
            self.active_response = ""
        for item in as_list(response.get("output") or []):
            if isinstance(item, dict) and item.get("type") == "function_call":
                yield from self._finish_tool_call(item, _text(item, "id"), name)
        details = as_object(response.get("status_details") or {})
        reason, status = _text(details, "reason"), _text(response, "status")
        if status == "cancelled":
            self.cancelled_responses.add(response_id)
        if status == "cancelled" and reason == "turn_detected":
            yield self.event(EventKind.INTERRUPTED, type=name, item=response_id)
        data = {"status": status if status in STATUSES else "completed", "reason": reason}
        if details.get("error"):
            data["error"] = self.read_error(details["error"]).text
        data = {key: value for key, value in data.items() if value}
        yield self.event(EventKind.RESPONSE_DONE, type=name, item=response_id, data=data)
        if usage := read_usage(response.get("usage")):
            yield self.event(EventKind.USAGE, type=name, item=response_id, data=usage)


def find_rate(session: Mapping[str, Any], side: str) -> int | None:
    """Return the sample rate of the input or output of a session, if it is stated."""
    value: Any = session
    for name in ("audio", side, "format", "rate"):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, int) else None


def _text(message: Mapping[str, Any], field: str) -> str:
    """Return a field that may be missing or null."""
    value = message.get(field)
    return "" if value is None else as_text(value)


def _seconds(message: Mapping[str, Any], field: str) -> float | None:
    value = message.get(field)
    return None if value is None else as_number(value) / 1000


def _text_or_number(usage: Any, field: str) -> float | None:
    return as_number(usage[field]) if isinstance(usage, dict) and usage.get(field) is not None else None
