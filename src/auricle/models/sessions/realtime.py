"""OpenAI's Realtime protocol: OpenAI, Azure, and compatible servers, which often speak its beta.

-m realtime -M model=gpt-realtime
-m realtime -M base_url=http://host:8000/v1 -M model=NAME -M dialect=openai-beta
-m realtime -M base_url=http://host:8000/v1 -M model=mistralai/Voxtral-Mini-4B-Realtime-2602 -M dialect=vllm
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote, urlsplit

import orjson

from auricle.core.arguments import join_choices
from auricle.core.calls import AudioFrame, CallerInput, EndOfAudio, EndOfTurn, StartOfTurn, Tool, ToolResult, Truncate
from auricle.core.errors import SpecError
from auricle.core.types import Call
from auricle.models.http.service import join_url, merge_extra
from auricle.models.sessions.pcm import append_message
from auricle.models.sessions.protocol import SessionProtocol
from auricle.models.sessions.realtime_reader import RealtimeReader
from auricle.models.sessions.vllm_realtime import VLLM_RATE, VLLMRealtime
from auricle.models.sessions.websocket import WebSocketModel

Dialect: TypeAlias = Literal["openai", "openai-beta", "vllm"]
PCM_RATE = 24_000
SESSION_TYPES = {"converse": "realtime", "transcribe": "transcription"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """What is the same in all sessions of a model."""

    model: str
    dialect: Dialect = "openai"
    voice: str = ""
    transcription: str = ""
    turn_detection: str = "server_vad"
    input_rate: int = PCM_RATE
    output_rate: int = PCM_RATE
    extra: Mapping[str, Any] = field(default_factory=dict)


class Realtime(WebSocketModel):
    """A voice agent or a streaming recogniser behind the Realtime protocol."""

    name = "realtime"
    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"

    def __init__(
        self,
        *,
        dialect: Dialect = "openai",
        voice: str = "",
        transcription: str = "",
        vad: Literal["server_vad", "semantic_vad"] = "server_vad",
        rate: int | None = None,
        **service: Any,
    ) -> None:
        """Create the model.

        Args:
            dialect: Spelling of what is sent: today's, that of the beta, or vLLM's own protocol. Answers in the first
                two are read whatever the dialect.
            voice: Voice of the agent. [default: that of the server]
            transcription: Model that transcribes the caller beside the agent, such as `gpt-4o-mini-transcribe`.
                [default: none]
            vad: How the server detects turns.
            rate: Sample rate in both directions. [default: 24000, for vLLM 16000]
            **service: Options of every model behind a server; see `ConnectionConfig`.
        """
        if dialect not in get_args(Dialect):
            raise SpecError(f"dialect must be {join_choices(get_args(Dialect))}, not {dialect!r}.")
        super().__init__(**service)
        self.input_rate = self.output_rate = rate or (VLLM_RATE if dialect == "vllm" else PCM_RATE)
        self.settings = SessionSettings(
            model=self.service.model,
            dialect=dialect,
            voice=voice,
            transcription=transcription,
            turn_detection=vad,
            input_rate=self.input_rate,
            output_rate=self.output_rate,
            extra=self.service.extra,
        )

    def auth_headers(self, key: str) -> dict[str, str]:
        hosts = [urlsplit(url).hostname or "" for url in self.service.resolve_urls(self.default_url, self.url_schemes)]
        if key and all(host.endswith(".azure.com") for host in hosts):
            return {"api-key": key}
        return super().auth_headers(key)

    def session_headers(self) -> Mapping[str, str]:
        return {"OpenAI-Beta": "realtime=v1"} if self.settings.dialect == "openai-beta" else {}

    def session_url(self, base_url: str, call: Call) -> str:
        base = base_url.removesuffix("/realtime")
        if self.settings.dialect == "vllm":
            return join_url(base, "/realtime")
        if call.mode == "transcribe":
            return join_url(base, "/realtime?intent=transcription")
        return join_url(base, f"/realtime?model={quote(self.service.model, safe='')}")

    def create_protocol(self, call: Call) -> SessionProtocol:
        if self.settings.dialect == "vllm":
            return VLLMRealtime(call, self.redact, self.service.model)
        return RealtimeProtocol(call, self.redact, self.settings)


class RealtimeProtocol(RealtimeReader):
    """One call in OpenAI's protocol."""

    def __init__(self, call: Call, redact: Callable[[str], str], settings: SessionSettings) -> None:
        super().__init__(call, redact, settings.input_rate, settings.output_rate)
        self._settings = settings

    def open(self) -> Iterator[bytes]:
        is_beta, transcribes = self._settings.dialect == "openai-beta", self.call.mode == "transcribe"
        name = "transcription_session.update" if is_beta and transcribes else "session.update"
        yield orjson.dumps({"type": name, "session": build_session(self.call, self._settings)})

    def encode(self, item: CallerInput) -> Iterator[bytes]:
        if isinstance(item, AudioFrame):
            yield append_message(item.samples)
        elif isinstance(item, StartOfTurn):
            yield from self._cancel_response()
        elif isinstance(item, EndOfTurn):
            yield from self._cancel_response()  # one that began during the turn, after the result of a tool
            yield from self._commit()
        elif isinstance(item, EndOfAudio):
            yield b'{"type":"input_audio_buffer.commit"}'
        elif isinstance(item, Truncate):
            yield from self._truncate(item)
        elif isinstance(item, ToolResult):
            output = {"type": "function_call_output", "call_id": item.call_id, "output": item.result}
            yield orjson.dumps({"type": "conversation.item.create", "item": output})
            yield b'{"type":"response.create"}'  # otherwise the agent would stay silent

    def _commit(self) -> Iterator[bytes]:
        yield b'{"type":"input_audio_buffer.commit"}'
        if self.call.mode == "converse":
            yield b'{"type":"response.create"}'

    def _cancel_response(self) -> Iterator[bytes]:
        """Stop a response that the server would not stop itself because it does not detect turns."""
        if self.active_response and self.active_response not in self.cancelled_responses:
            self.cancelled_responses.add(self.active_response)
            yield b'{"type":"response.cancel"}'

    def _truncate(self, item: Truncate) -> Iterator[bytes]:
        yield orjson.dumps(
            {
                "type": "conversation.item.truncate",
                "item_id": item.item,
                "content_index": 0,
                "audio_end_ms": int(item.seconds * 1000),
            }
        )


def build_session(call: Call, settings: SessionSettings) -> dict[str, Any]:
    """Return the `session` of a `session.update`, in the spelling of the dialect."""
    recogniser = settings.model if call.mode == "transcribe" else settings.transcription
    transcription = _without_empty({"model": recogniser, "language": call.language}) if recogniser else {}
    detection = {"type": settings.turn_detection}
    if settings.dialect == "openai-beta":
        flat = {
            "input_audio_format": "pcm16",
            "input_audio_transcription": transcription,
            "turn_detection": detection,
            **_beta_agent_fields(call, settings),
        }
        session = place = merge_extra(_without_empty(flat), settings.extra)
    else:
        audio_input = {
            "format": {"type": "audio/pcm", "rate": settings.input_rate},
            "transcription": transcription,
            "turn_detection": detection,
        }
        audio = {"input": _without_empty(audio_input), "output": _output_fields(call, settings)}
        nested = {"type": SESSION_TYPES[call.mode], **_agent_fields(call), "audio": _without_empty(audio)}
        session = merge_extra(_without_empty(nested), settings.extra)
        place = session.setdefault("audio", {}).setdefault("input", {})
    if call.turn_detection == "caller":
        place["turn_detection"] = None  # absent would mean the server's default
    return session


def _agent_fields(call: Call) -> dict[str, Any]:
    if call.mode == "transcribe":
        return {}
    return {
        "output_modalities": ["audio"],
        "instructions": call.instructions,
        "tools": [_encode_tool(tool) for tool in call.tools],
    }


def _output_fields(call: Call, settings: SessionSettings) -> dict[str, Any]:
    if call.mode == "transcribe":
        return {}
    return _without_empty({"format": {"type": "audio/pcm", "rate": settings.output_rate}, "voice": settings.voice})


def _beta_agent_fields(call: Call, settings: SessionSettings) -> dict[str, Any]:
    if call.mode == "transcribe":
        return {}
    fields = {**_agent_fields(call), "output_audio_format": "pcm16", "voice": settings.voice}
    return {"modalities": ["audio", "text"], **{key: fields[key] for key in fields if key != "output_modalities"}}


def _encode_tool(tool: Tool) -> dict[str, Any]:
    fields = {"type": "function", "name": tool.name, "description": tool.description}
    return _without_empty({**fields, "parameters": dict(tool.parameters)})


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not set, so that the server uses its default."""
    return {name: value for name, value in fields.items() if value}
