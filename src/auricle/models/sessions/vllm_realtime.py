"""vLLM's realtime protocol, which only transcribes: OpenAI's names with other meanings.

A commit starts an utterance, and a commit with `final` ends it. Audio that arrives between the end of an utterance and
its final text would be thrown away, so it waits here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from auricle.core.calls import AudioFrame, CallerInput, EndOfAudio, EndOfTurn, EventKind, SessionEvent
from auricle.core.errors import Rejected, Transient
from auricle.core.types import Call
from auricle.models.http.fields import as_text
from auricle.models.sessions.pcm import append_message
from auricle.models.sessions.protocol import SessionProtocol
from auricle.models.sessions.usage import read_usage

VLLM_RATE = 16_000
START = b'{"type":"input_audio_buffer.commit"}'
END = b'{"type":"input_audio_buffer.commit","final":true}'
FINAL_ERRORS = frozenset(("model_not_found", "model_not_validated"))
LOST_ERRORS = frozenset(("processing_error",))
"""Errors after which no text follows."""


class VLLMRealtime(SessionProtocol):
    """One streamed transcription."""

    def __init__(self, call: Call, redact: Callable[[str], str], model: str) -> None:
        super().__init__(call, redact, VLLM_RATE)
        if call.mode != "transcribe":
            raise Rejected("vLLM's realtime protocol only transcribes; it cannot hold a conversation")
        self._model = model
        self._utterance = 1
        self._text = ""
        self._is_streaming = False
        self._is_finishing = False
        self._waiting: list[bytes] = []
        """Messages until the final text of the previous utterance."""

    def open(self) -> Iterator[bytes]:
        yield orjson.dumps({"type": "session.update", "model": self._model})

    def encode(self, item: CallerInput) -> Iterator[bytes]:
        if isinstance(item, AudioFrame):
            messages = [] if self._is_streaming else [START]
            messages.append(append_message(item.samples))
            self._is_streaming = True
        elif isinstance(item, (EndOfTurn, EndOfAudio)) and self._is_streaming:
            messages = [END]
            self._is_streaming = False
        else:
            return
        self._waiting += messages
        yield from self.release()

    def release(self) -> Iterator[bytes]:
        while self._waiting and not self._is_finishing:
            message = self._waiting.pop(0)
            self._is_finishing = message is END
            yield message

    def read(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        name, item = str(message.get("type")), f"utterance-{self._utterance}"
        if name == "session.created":
            yield self.event(EventKind.READY, type=name)  # the choice of a model is not confirmed
        elif name == "transcription.delta":
            if delta := as_text(message.get("delta") or ""):
                self._text += delta
                yield self.event(EventKind.PARTIAL, type=name, item=item, text=self._text)
        elif name == "transcription.done":
            text = as_text(message["text"]) if "text" in message else self._text
            self._text, self._is_finishing = "", False
            self._utterance += 1
            yield self.event(EventKind.FINAL, type=name, item=item, text=text)
            if usage := read_usage(message.get("usage")):
                yield self.event(EventKind.USAGE, type=name, item=item, data=usage)
        elif name == "error":
            yield self._read_error(message)
        else:
            yield self.event(EventKind.OTHER, type=name)

    def _read_error(self, message: Mapping[str, Any]) -> SessionEvent:
        event = self.read_error({"message": message.get("error"), "code": message.get("code")})
        code = event.data.get("code")
        if code in FINAL_ERRORS:
            raise Rejected(f"the server cannot transcribe: {event.text}")
        if code in LOST_ERRORS:
            raise Transient(f"the server failed to transcribe: {event.text}")
        return event
