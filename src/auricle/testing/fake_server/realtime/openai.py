"""OpenAI's realtime protocol, as generally available and as in its beta; also its transcription sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from auricle.testing.fake_server.realtime.dialect import (
    AddItem,
    AppendAudio,
    CancelResponse,
    ClearAudio,
    ClientAction,
    Commit,
    Configure,
    CreateResponse,
    Dialect,
    Document,
    Message,
    ProtocolError,
    Response,
    ReturnToolResult,
    TruncateItem,
    Turn,
    decode_audio,
    parse_json,
    render,
    split_text,
)
from auricle.testing.fake_server.realtime.script import ScriptedToolCall
from auricle.testing.fake_server.realtime.voice import AudioChunk

RATE = 24_000
DEFAULT_VAD: Document = {
    "type": "server_vad",
    "threshold": 0.5,
    "prefix_padding_ms": 300,
    "silence_duration_ms": 500,
    "create_response": True,
    "interrupt_response": True,
}
BETA_TYPES = {
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
    "response.output_text.delta": "response.text.delta",
    "response.output_text.done": "response.text.done",
    "conversation.item.added": "conversation.item.created",
}
"""Beta names of events, by their current names."""


class OpenAIDialect(Dialect):
    """OpenAI's realtime protocol.

    Args:
        model: Name of the model.
        transcription: Whether the session transcribes only.
        beta: Use the names and the flat session of the beta.
    """

    def __init__(self, model: str = "fake", *, transcription: bool = False, beta: bool = False) -> None:
        super().__init__()
        self.name = "openai-beta" if beta else "openai"
        self._beta = beta
        self._event_numbers = count(1)
        self._last_item: str | None = None
        self.settings.only_transcribes = transcription
        self.settings.transcribes = transcription
        self.session = build_session(model, transcription=transcription, beta=beta)

    # --- reading -------------------------------------------------------------------

    def read(self, content: str | bytes) -> list[ClientAction]:
        if isinstance(content, bytes):
            raise ProtocolError("invalid_frame", "Binary frames are not supported.")
        event = parse_json(content)
        if event.get("type") == "input_audio_buffer.append":  # first: fifty times a second
            return [AppendAudio(decode_audio(event.get("audio")), RATE)]
        try:
            return self._read_event(event)
        except ProtocolError as error:
            error.event_id = event.get("event_id")
            raise

    def _read_event(self, event: Document) -> list[ClientAction]:
        match event.get("type"):
            case "session.update" | "transcription_session.update":
                self._update_session(_get_mapping(event, "session"))
                return [Configure()]
            case "input_audio_buffer.commit":
                return [Commit()]
            case "input_audio_buffer.clear":
                return [ClearAudio()]
            case "response.create":
                return [CreateResponse()]
            case "response.cancel":
                return [CancelResponse(event.get("response_id"))]
            case "conversation.item.create":
                return [self._read_item(_get_mapping(event, "item"))]
            case "conversation.item.truncate":
                return [TruncateItem(str(event.get("item_id")), float(event.get("audio_end_ms") or 0) / 1000)]
            case other:
                raise ProtocolError("invalid_value", f"Invalid value: {other!r}. Expected a known type of event.")

    def _read_item(self, item: Document) -> ClientAction:
        added = {"id": item.get("id") or f"item_client_{next(self._event_numbers)}", "object": "realtime.item", **item}
        if item.get("type") == "function_call_output":
            return ReturnToolResult(str(item.get("call_id")), added)
        return AddItem(added)

    def _update_session(self, changes: Mapping[str, Any]) -> None:
        kind = changes.get("type")
        if not self._beta and kind not in ("realtime", "transcription"):
            raise ProtocolError("missing_required_parameter", "Missing required parameter: 'session.type'.")
        if not self._beta and (kind == "transcription") != self.settings.only_transcribes:
            raise ProtocolError("invalid_value", f"This session cannot become one of type {kind!r}.")
        modalities = changes.get("modalities" if self._beta else "output_modalities")
        if not self._beta and modalities is not None and sorted(modalities) not in (["audio"], ["text"]):
            raise ProtocolError("invalid_value", f"Invalid output_modalities {modalities!r}: choose audio or text.")
        _merge(self.session, changes)
        _check_format(self._input_fields())
        self._apply_settings()

    def _input_fields(self) -> Mapping[str, Any]:
        """Return format, transcription and turn_detection of the session."""
        if self._beta:
            names = {
                "format": "input_audio_format",
                "transcription": "input_audio_transcription",
                "turn_detection": "turn_detection",
            }
            return {name: self.session.get(beta_name) for name, beta_name in names.items()}
        fields: Mapping[str, Any] = self.session["audio"]["input"]
        return fields

    def _apply_settings(self) -> None:
        settings, fields = self.settings, self._input_fields()
        detection = fields.get("turn_detection")
        settings.detects_turns = detection is not None
        detection = detection or {}
        milliseconds = detection.get("silence_duration_ms")
        settings.silence_seconds = None if milliseconds is None else milliseconds / 1000
        settings.creates_response = detection.get("create_response", True)
        settings.interrupts_response = detection.get("interrupt_response", True)
        settings.transcribes = bool(fields.get("transcription")) or settings.only_transcribes
        modalities = self.session.get("modalities" if self._beta else "output_modalities") or ["audio"]
        settings.speaks = "audio" in modalities
        tools = self.session.get("tools") or []
        is_required = bool(tools) and self.session.get("tool_choice") == "required"
        settings.required_tool = ScriptedToolCall(name=str(tools[0].get("name"))) if is_required else None

    # --- rendering -----------------------------------------------------------------

    def _event(self, type_: str, **fields: Any) -> Message:
        name = BETA_TYPES.get(type_, type_) if self._beta else type_
        return Message(name, render({"type": name, "event_id": f"event_{next(self._event_numbers)}", **fields}))

    def opened(self) -> list[Message]:
        prefix = "transcription_" if self._beta and self.settings.only_transcribes else ""
        return [self._event(f"{prefix}session.created", session=self.session)]

    def configured(self) -> list[Message]:
        prefix = "transcription_" if self._beta and self.settings.only_transcribes else ""
        return [self._event(f"{prefix}session.updated", session=self.session)]

    def error(self, error: ProtocolError) -> list[Message]:
        fields = {"type": "invalid_request_error", "code": error.code, "message": error.message, "param": None}
        return [self._event("error", error={**fields, "event_id": error.event_id})]

    def speech_started(self, turn: Turn) -> list[Message]:
        milliseconds = round(turn.start * 1000)
        return [self._event("input_audio_buffer.speech_started", audio_start_ms=milliseconds, item_id=turn.item_id)]

    def speech_stopped(self, turn: Turn) -> list[Message]:
        milliseconds = round(turn.end * 1000)
        return [self._event("input_audio_buffer.speech_stopped", audio_end_ms=milliseconds, item_id=turn.item_id)]

    def committed(self, turn: Turn) -> list[Message]:
        part = {"type": "input_audio", "transcript": None}
        item = {"id": turn.item_id, "object": "realtime.item", "type": "message", "role": "user", "content": [part]}
        committed = self._event("input_audio_buffer.committed", item_id=turn.item_id, previous_item_id=self._last_item)
        return [committed, *self.item_added({**item, "status": "completed"})]

    def cleared(self) -> list[Message]:
        return [self._event("input_audio_buffer.cleared")]

    def item_added(self, item: Document) -> list[Message]:
        previous, self._last_item = self._last_item, item["id"]
        names = ["conversation.item.added"] if self._beta else ["conversation.item.added", "conversation.item.done"]
        return [self._event(name, item=item, previous_item_id=previous) for name in names]

    def truncated(self, item_id: str, seconds: float) -> list[Message]:
        milliseconds = round(seconds * 1000)
        fields = {"item_id": item_id, "content_index": 0, "audio_end_ms": milliseconds}
        return [self._event("conversation.item.truncated", **fields)]

    def partial_transcript(self, turn: Turn, words: Sequence[str]) -> list[Message]:
        """Render what is new: transcripts of this protocol are never revised before the end."""
        return [self._transcript_delta(turn, words[turn.words_sent :], turn.words_sent)]

    def _transcript_delta(self, turn: Turn, words: Sequence[str], index: int) -> Message:
        text = (" " if index else "") + " ".join(words)
        fields = {"item_id": turn.item_id, "content_index": 0, "delta": text}
        return self._event("conversation.item.input_audio_transcription.delta", **fields)

    def final_transcript(self, turn: Turn) -> list[Message]:
        remaining = turn.transcript.split()[turn.words_sent :]
        deltas = [self._transcript_delta(turn, remaining, turn.words_sent)] if remaining else []
        usage = {"type": "duration", "seconds": turn.end - turn.start}
        fields = {"item_id": turn.item_id, "content_index": 0, "transcript": turn.transcript, "usage": usage}
        return [*deltas, self._event("conversation.item.input_audio_transcription.completed", **fields)]

    def response_created(self, response: Response) -> list[Message]:
        return [self._event("response.created", response=self._response_document(response))]

    def answer_started(self, response: Response) -> list[Message]:
        item = self._item_document(response, "in_progress")
        part = {"type": "audio", "transcript": ""} if self.settings.speaks else {"type": "text", "text": ""}
        return [
            self._event("response.output_item.added", response_id=response.id, output_index=0, item=item),
            *self.item_added(item)[:1],
            self._event("response.content_part.added", **_place(response), part=part),
        ]

    def answer_text(self, response: Response, text: str) -> list[Message]:
        kind = "output_audio_transcript" if self.settings.speaks else "output_text"
        return [self._event(f"response.{kind}.delta", **_place(response), delta=text)]

    def answer_audio(self, response: Response, chunk: AudioChunk) -> list[Message]:
        name = "response.audio.delta" if self._beta else "response.output_audio.delta"
        content = (
            f'{{"type":"{name}","event_id":"event_{next(self._event_numbers)}","response_id":"{response.id}",'
            f'"item_id":"{response.item_id}","output_index":0,"content_index":0,"delta":"{chunk.base64}"}}'
        )
        return [Message(name, content, chunk.seconds)]

    def unknown_audio(self, chunk: AudioChunk) -> list[Message]:
        place = {"response_id": "resp_unknown", "item_id": "item_unknown", "output_index": 0, "content_index": 0}
        return [self._event("response.output_audio.delta", **place, delta=chunk.base64)]

    def answer_audio_without_ids(self, response: Response, chunk: AudioChunk) -> list[Message]:
        message = self._event("response.output_audio.delta", output_index=0, content_index=0, delta=chunk.base64)
        return [message._replace(seconds=chunk.seconds)]

    def tool_call(self, response: Response, name: str, arguments: Document, pieces: int) -> list[Message]:
        place = {"response_id": response.id, "item_id": response.item_id, "output_index": 0}
        text = render(arguments)
        item = {"id": response.item_id, "object": "realtime.item", "type": "function_call", "status": "in_progress"}
        item |= {"name": name, "call_id": response.call_id, "arguments": ""}
        done = {**item, "status": "completed", "arguments": text}
        type_ = "response.function_call_arguments"
        call = {"call_id": response.call_id}
        deltas = [self._event(f"{type_}.delta", **place, **call, delta=piece) for piece in split_text(text, pieces)]
        return [
            self._event("response.output_item.added", response_id=response.id, output_index=0, item=item),
            *self.item_added(item)[:1],
            *deltas,
            self._event(f"{type_}.done", **place, **call, name=name, arguments=text),
            self._event("response.output_item.done", response_id=response.id, output_index=0, item=done),
        ]

    def response_done(self, response: Response, reason: str = "") -> list[Message]:
        document = self._response_document(response)
        if reason:
            document["status_details"] = {"type": response.status, "reason": reason}
        done = self._event("response.done", response=document)
        if response.call_id or not response.sent_text:
            return [done]
        status = "completed" if response.status == "completed" else "incomplete"
        item = self._item_document(response, status)
        place = _place(response)
        if self.settings.speaks:
            part = {"type": "audio", "transcript": response.sent_text}
            endings = [
                self._event("response.output_audio.done", **place),
                self._event("response.output_audio_transcript.done", **place, transcript=response.sent_text),
            ]
        else:
            part = {"type": "text", "text": response.sent_text}
            endings = [self._event("response.output_text.done", **place, text=response.sent_text)]
        return [
            *endings,
            self._event("response.content_part.done", **place, part=part),
            self._event("response.output_item.done", response_id=response.id, output_index=0, item=item),
            done,
        ]

    def _item_document(self, response: Response, status: str) -> Document:
        content: list[Document] = []
        if response.sent_text and self.settings.speaks:
            content = [{"type": "audio" if self._beta else "output_audio", "transcript": response.sent_text}]
        elif response.sent_text:
            content = [{"type": "text" if self._beta else "output_text", "text": response.sent_text}]
        item = {"id": response.item_id, "object": "realtime.item", "type": "message", "role": "assistant"}
        return {**item, "status": status, "content": content}

    def _response_document(self, response: Response) -> Document:
        is_over = response.status != "in_progress"
        output = [self._item_document(response, "completed")] if is_over and not response.call_id else []
        document = {"object": "realtime.response", "id": response.id, "status": response.status, "output": output}
        return {**document, "status_details": None, "usage": _build_usage(response) if is_over else None}


def build_session(model: str, *, transcription: bool, beta: bool) -> Document:
    """Return the effective session of a new connection."""
    base: Document = {"id": "sess_fake", "object": "realtime.session", "expires_at": 0}
    transcriber = {"model": model} if transcription else None
    if beta:
        spoken: Document = {} if transcription else {"model": model, "modalities": ["text", "audio"], "voice": "fake"}
        formats: Document = {"input_audio_format": "pcm16", "input_audio_transcription": transcriber}
        return {**base, **spoken, **formats, "turn_detection": dict(DEFAULT_VAD)}
    audio_format = {"type": "audio/pcm", "rate": RATE}
    audio: Document = {
        "input": {"format": audio_format, "transcription": transcriber, "turn_detection": dict(DEFAULT_VAD)}
    }
    if transcription:
        return {**base, "type": "transcription", "audio": audio}
    audio["output"] = {"format": audio_format, "voice": "fake", "speed": 1.0}
    kind = {"type": "realtime", "model": model, "output_modalities": ["audio"], "instructions": "", "tools": []}
    return {**base, **kind, "audio": audio}


def _build_usage(response: Response) -> Document:
    heard, spoken = response.usage["input"], response.usage["output"]
    details = {"text_tokens": 0, "audio_tokens": heard, "image_tokens": 0, "cached_tokens": 0}
    return {
        "total_tokens": heard + spoken,
        "input_tokens": heard,
        "output_tokens": spoken,
        "input_token_details": details,
        "output_token_details": {"text_tokens": 0, "audio_tokens": spoken},
    }


def _place(response: Response) -> Document:
    return {"response_id": response.id, "item_id": response.item_id, "output_index": 0, "content_index": 0}


def _get_mapping(event: Mapping[str, Any], name: str) -> Document:
    value = event.get(name)
    if not isinstance(value, dict):
        raise ProtocolError("missing_required_parameter", f"Missing required parameter: '{name}'.")
    return value


def _merge(session: Document, changes: Mapping[str, Any]) -> None:
    """Change the fields that are present; turn detection keeps the fields that it had."""
    for name, value in changes.items():
        current = session.get(name)
        if isinstance(value, dict) and isinstance(current, dict):
            _merge(current, value)
        elif name == "turn_detection" and isinstance(value, dict):
            session[name] = {**DEFAULT_VAD, **value}
        else:
            session[name] = value


def _check_format(fields: Mapping[str, Any]) -> None:
    audio_format = fields.get("format")
    if audio_format in (None, "pcm16"):
        return
    if not isinstance(audio_format, dict) or audio_format.get("type") != "audio/pcm":
        raise ProtocolError("invalid_value", f"Unsupported audio format {audio_format!r}; use 'audio/pcm'.")
    if audio_format.get("rate", RATE) != RATE:
        raise ProtocolError("invalid_value", f"Unsupported rate {audio_format['rate']}; use {RATE}.")
