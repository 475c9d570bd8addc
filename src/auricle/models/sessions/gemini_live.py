"""Gemini Live: `-m gemini-live -M model=gemini-2.5-flash-native-audio-preview -M api_key_env=GEMINI_API_KEY`.

The protocol has no ids, so responses and segments of the caller's speech are counted. It has no message for what was
not played either: the server takes what it sent before an interruption as heard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from auricle.core.calls import (
    AudioFrame,
    CallerInput,
    EndOfAudio,
    EndOfTurn,
    EventKind,
    SessionEvent,
    StartOfTurn,
    Tool,
    ToolResult,
)
from auricle.core.errors import Rejected
from auricle.core.types import Call
from auricle.models.http.fields import as_list, as_object, as_text
from auricle.models.http.service import merge_extra
from auricle.models.sessions.pcm import encode_pcm
from auricle.models.sessions.protocol import SessionProtocol
from auricle.models.sessions.usage import read_usage
from auricle.models.sessions.websocket import WebSocketModel

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

INPUT_RATE, OUTPUT_RATE = 16_000, 24_000
SERVICE = "google.ai.generativelanguage.{version}.GenerativeService.BidiGenerateContent"
DEFAULT_VERSION = "v1beta"
VERSION = re.compile(r"/(v\d+\w*)$")
AUDIO_START = f'{{"realtimeInput":{{"audio":{{"mimeType":"audio/pcm;rate={INPUT_RATE}","data":"'.encode()
RATE = re.compile(r"rate=(\d+)")
SNAKE = re.compile(r"(?<=[a-z])([A-Z])")


class GeminiLive(WebSocketModel):
    """A voice agent behind Gemini's Live API (`BidiGenerateContent`)."""

    name = "gemini-live"
    default_url = "https://generativelanguage.googleapis.com/v1beta"
    default_key_env = "GEMINI_API_KEY"
    input_rate = INPUT_RATE
    output_rate = OUTPUT_RATE

    def __init__(self, *, voice: str = "", **service: Any) -> None:
        """Create the model.

        Args:
            voice: Voice of the agent, such as `Puck`. [default: that of the server]
            **service: Options of every model behind a server; see `ConnectionConfig`.
        """
        super().__init__(**service)
        self.voice = voice

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}  # not in the URL, which ends up in logs

    def session_url(self, base_url: str, call: Call) -> str:
        parts = urlsplit(base_url)
        if parts.path.endswith("BidiGenerateContent"):
            return base_url
        match = VERSION.search(parts.path)
        prefix = parts.path[: match.start()] if match else parts.path
        service = SERVICE.format(version=match[1] if match else DEFAULT_VERSION)
        return parts._replace(path=f"{prefix.rstrip('/')}/ws/{service}").geturl()

    def create_protocol(self, call: Call) -> SessionProtocol:
        return GeminiLiveProtocol(
            call, self.redact, build_setup(call, self.service.model, self.voice, self.service.extra)
        )


class GeminiLiveProtocol(SessionProtocol):
    """One call in Gemini's protocol."""

    def __init__(self, call: Call, redact: Callable[[str], str], setup: Mapping[str, Any]) -> None:
        super().__init__(call, redact, OUTPUT_RATE)
        self._setup = setup
        self._response_count = 0
        self._is_responding = False
        self._segment = 1
        self._segment_text = ""
        self._is_caller_active = False

    # --- what is sent -------------------------------------------------------------

    def open(self) -> Iterator[bytes]:
        yield orjson.dumps({"setup": self._setup})

    def encode(self, item: CallerInput) -> Iterator[bytes]:
        if isinstance(item, AudioFrame):
            yield audio_message(item.samples)
        elif isinstance(item, StartOfTurn):
            yield from self._mark_start()
        elif isinstance(item, EndOfTurn):
            yield from self._mark_end()
        elif isinstance(item, EndOfAudio):
            yield from self._mark_end()
            yield b'{"realtimeInput":{"audioStreamEnd":true}}'
        elif isinstance(item, ToolResult):
            response = {"id": item.call_id, "name": item.name, "response": _parse_result(item.result)}
            yield orjson.dumps({"toolResponse": {"functionResponses": [response]}})

    def _mark_start(self) -> Iterator[bytes]:
        if not self._is_caller_active:
            self._is_caller_active = True
            yield b'{"realtimeInput":{"activityStart":{}}}'

    def _mark_end(self) -> Iterator[bytes]:
        if self._is_caller_active:
            self._is_caller_active = False
            yield b'{"realtimeInput":{"activityEnd":{}}}'

    # --- what is received ---------------------------------------------------------

    def read(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        is_known = False
        for name, reader in (
            ("setupComplete", self._read_setup_complete),
            ("serverContent", self._read_content),
            ("toolCall", self._read_tool_calls),
            ("voiceActivity", self._read_voice_activity),
            ("usageMetadata", self._read_usage),
            ("error", self._read_error),
        ):
            value = read_field(message, name)
            if value is not None:
                is_known = True
                yield from reader(as_object(value))
        if not is_known:
            name = next(iter(message), "")
            value = message.get(name)
            yield self.event(EventKind.OTHER, type=name, data=value if isinstance(value, dict) else {})

    def _read_setup_complete(self, _: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield self.event(EventKind.READY, type="setupComplete")

    def _read_error(self, error: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield self.read_error(dict(error))

    def _read_content(self, content: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield from self._read_heard(content)
        if turn := read_field(content, "modelTurn"):
            for part in as_list(read_field(as_object(turn), "parts") or []):
                yield from self._read_part(as_object(part))
        if text := _transcription_text(content, "outputTranscription"):
            yield from self._start_response("outputTranscription")
            yield self.event(EventKind.TRANSCRIPT, type="outputTranscription", item=self._item, text=text)
        if read_field(content, "interrupted"):
            yield self.event(EventKind.INTERRUPTED, type="interrupted", item=self._item)
            yield from self._end_response("interrupted", "cancelled")
        if read_field(content, "generationComplete"):
            yield from self._end_response("generationComplete", "completed")
        if read_field(content, "turnComplete"):
            yield from self._complete_turn(content)

    def _read_heard(self, content: Mapping[str, Any]) -> Iterator[SessionEvent]:
        """Yield what the server understood; texts are parts to be joined, and an interim text will be replaced."""
        if interim := _transcription_text(content, "interimInputTranscription"):
            yield self._heard(EventKind.PARTIAL, self._segment_text + interim, "interimInputTranscription")
        name = "inputTranscription"
        if text := _transcription_text(content, name):
            self._segment_text += text
            yield self._heard(EventKind.PARTIAL, self._segment_text, name)
        if as_object(read_field(content, name) or {}).get("finished"):
            yield from self._finish_segment(name)

    @property
    def _item(self) -> str:
        """Return the id of the current response, or of the last one."""
        return f"response-{self._response_count}" if self._response_count else ""

    def _heard(self, kind: EventKind, text: str, name: str) -> SessionEvent:
        return self.event(kind, type=name, item=f"segment-{self._segment}", text=text)

    def _finish_segment(self, name: str) -> Iterator[SessionEvent]:
        if self._segment_text:
            yield self._heard(EventKind.FINAL, self._segment_text, name)
            self._segment += 1
            self._segment_text = ""

    def _read_part(self, part: Mapping[str, Any]) -> Iterator[SessionEvent]:
        if part.get("thought"):
            return
        yield from self._start_response("modelTurn")
        if text := as_text(part.get("text") or ""):
            yield self.event(EventKind.TRANSCRIPT, type="modelTurn", item=self._item, text=text)
        if data := read_field(part, "inlineData"):
            yield from self._read_audio(as_object(data))

    def _read_audio(self, media: Mapping[str, Any]) -> Iterator[SessionEvent]:
        rate = RATE.search(as_text(read_field(media, "mimeType") or ""))
        if rate and int(rate[1]) != OUTPUT_RATE:
            raise Rejected(f"the server sends audio at {rate[1]} Hz instead of {OUTPUT_RATE} Hz")
        yield from self.read_audio(as_text(media.get("data") or ""), self._item, "modelTurn")

    def _start_response(self, name: str) -> Iterator[SessionEvent]:
        if not self._is_responding:
            self._is_responding = True
            self._response_count += 1
            yield self.event(EventKind.RESPONSE_STARTED, type=name, item=self._item)

    def _end_response(self, name: str, status: str) -> Iterator[SessionEvent]:
        """Yield the end of a response, which has been sent completely before its turn is complete."""
        if self._is_responding:
            self._is_responding = False
            yield self.event(EventKind.RESPONSE_DONE, type=name, item=self._item, data={"status": status})

    def _complete_turn(self, content: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield from self._end_response("turnComplete", "completed")
        reason = str(read_field(content, "turnCompleteReason") or "")
        yield self.event(
            EventKind.OTHER, type="turnComplete", item=self._item, data={"reason": reason} if reason else {}
        )
        yield from self._finish_segment("turnComplete")

    def _read_tool_calls(self, calls: Mapping[str, Any]) -> Iterator[SessionEvent]:
        for entry in as_list(read_field(calls, "functionCalls") or []):
            function = as_object(entry)
            name = as_text(function.get("name") or "")
            call_id = as_text(function.get("id") or name)
            data = {"call_id": call_id, "name": name, "arguments": as_object(function.get("args") or {})}
            yield self.event(EventKind.TOOL_CALL, type="toolCall", item=self._item, data=data)

    def _read_voice_activity(self, activity: Mapping[str, Any]) -> Iterator[SessionEvent]:
        name = str(read_field(activity, "voiceActivityType") or "")
        kind = EventKind.SPEECH_STARTED if name.endswith("START") else EventKind.SPEECH_STOPPED
        yield self.event(kind, type="voiceActivity", position=_parse_duration(read_field(activity, "audioOffset")))

    def _read_usage(self, usage: Mapping[str, Any]) -> Iterator[SessionEvent]:
        if counts := read_usage(usage):
            yield self.event(EventKind.USAGE, type="usageMetadata", item=self._item, data=counts)


def audio_message(samples: NDArray[int16]) -> bytes:
    """Return the message for a frame of the caller's audio."""
    return AUDIO_START + encode_pcm(samples) + b'"}}}'


def build_setup(call: Call, model: str, voice: str, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `setup` message of a call."""
    generation: dict[str, Any] = {"responseModalities": ["AUDIO"]}
    if voice:
        generation["speechConfig"] = {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}}
    setup: dict[str, Any] = {
        "model": model if "/" in model else f"models/{model}",
        "generationConfig": generation,
        "inputAudioTranscription": {},
        "outputAudioTranscription": {},
    }
    if call.instructions:
        setup["systemInstruction"] = {"parts": [{"text": call.instructions}]}
    if call.tools:
        setup["tools"] = [{"functionDeclarations": [_encode_tool(tool) for tool in call.tools]}]
    if call.turn_detection == "caller":
        setup["realtimeInputConfig"] = {"automaticActivityDetection": {"disabled": True}}
    return merge_extra(setup, extra)


def _encode_tool(tool: Tool) -> dict[str, Any]:
    fields = {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}
    return {name: value for name, value in fields.items() if value}


def _parse_result(result: str) -> dict[str, Any]:
    """Return the result of a tool as the object that the protocol requires."""
    try:
        value = orjson.loads(result)
    except orjson.JSONDecodeError:
        value = result
    return value if isinstance(value, dict) else {"result": value}


def read_field(message: Mapping[str, Any], name: str) -> Any:
    """Return a field in camel case or in snake case; both are legal, even in one message."""
    value = message.get(name)
    return value if value is not None else message.get(SNAKE.sub(r"_\1", name).lower())


def _transcription_text(content: Mapping[str, Any], name: str) -> str:
    return as_text(as_object(read_field(content, name) or {}).get("text") or "")


def _parse_duration(value: Any) -> float | None:
    """Return the seconds of a duration such as `1.25s`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(value))
    return float(match[1]) if match else None
