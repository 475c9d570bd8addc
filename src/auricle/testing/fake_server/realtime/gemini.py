"""Gemini's Live protocol. Names in camel case and in snake case are accepted, even in one message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from auricle.testing.fake_server.realtime.dialect import (
    AddItem,
    AppendAudio,
    ClientAction,
    Commit,
    Configure,
    Dialect,
    Document,
    Message,
    ProtocolError,
    Response,
    ReturnToolResult,
    StartActivity,
    Turn,
    decode_audio,
    parse_json,
    render,
)
from auricle.testing.fake_server.realtime.voice import AudioChunk

INPUT_RATE = 16_000
RATE = re.compile(r"audio/pcm(?:;\s*rate=(\d+))?")
STANDARD_ALPHABET = str.maketrans("-_", "+/")
"""Google's client sends the alphabet of base64 for URLs."""
UPPER_CASE = re.compile(r"(?<=[a-z])([A-Z])")


class GeminiDialect(Dialect):
    """Gemini's Live protocol (`BidiGenerateContent`).

    Args:
        binary: Send JSON in binary frames, as the service may; otherwise in text frames.
    """

    name = "gemini"
    error_close_code = 1007

    def __init__(self, *, binary: bool = False) -> None:
        super().__init__()
        self._binary = binary
        self._has_setup = False
        self._sends_transcript = False

    # --- reading -------------------------------------------------------------------

    def read(self, content: str | bytes) -> list[ClientAction]:
        message = parse_json(content)
        if (realtime_input := get_field(message, "realtimeInput")) is not None and self._has_setup:
            return self._read_input(realtime_input)
        if (setup := get_field(message, "setup")) is not None:
            return self._read_setup(setup)
        if not self._has_setup:
            raise ProtocolError("invalid_argument", "The first message must be setup.")
        if (client_content := get_field(message, "clientContent")) is not None:
            respond = bool(get_field(client_content, "turnComplete"))
            return [AddItem({"id": "content", "turns": get_field(client_content, "turns")}, respond)]
        if (tool_response := get_field(message, "toolResponse")) is not None:
            responses = get_field(tool_response, "functionResponses") or []
            last = len(responses) - 1
            return [
                ReturnToolResult(str(response.get("id")), response, respond=index == last)
                for index, response in enumerate(responses)
            ]
        raise ProtocolError("invalid_argument", f"Unknown name {next(iter(message), '')!r}.")

    def _read_setup(self, setup: Mapping[str, Any]) -> list[ClientAction]:
        if self._has_setup:
            raise ProtocolError("invalid_argument", "setup must be sent only once.")
        self._has_setup = True
        config = get_field(setup, "realtimeInputConfig") or {}
        detection = get_field(config, "automaticActivityDetection") or {}
        milliseconds = get_field(detection, "silenceDurationMs")
        modalities = get_field(get_field(setup, "generationConfig") or {}, "responseModalities") or ["AUDIO"]
        settings = self.settings
        settings.detects_turns = not get_field(detection, "disabled")
        settings.silence_seconds = None if milliseconds is None else milliseconds / 1000
        settings.interrupts_response = get_field(config, "activityHandling") != "NO_INTERRUPTION"
        settings.transcribes = get_field(setup, "inputAudioTranscription") is not None
        settings.speaks = modalities != ["TEXT"]
        self._sends_transcript = get_field(setup, "outputAudioTranscription") is not None
        return [Configure()]

    def _read_input(self, realtime_input: Mapping[str, Any]) -> list[ClientAction]:
        if (audio := get_field(realtime_input, "audio")) is not None:
            return [_read_audio(audio)]
        if chunks := get_field(realtime_input, "mediaChunks"):
            return [_read_audio(chunk) for chunk in chunks]
        if get_field(realtime_input, "audioStreamEnd"):
            return [Commit(respond=True, if_empty="skip")]
        if get_field(realtime_input, "activityStart") is not None:
            return [StartActivity()]
        if get_field(realtime_input, "activityEnd") is not None:
            return [Commit(respond=True, if_empty="accept")]
        if (text := get_field(realtime_input, "text")) is not None:
            return [AddItem({"id": "text", "text": text}, respond=True)]
        raise ProtocolError("invalid_argument", "realtimeInput has no known field.")

    # --- rendering -----------------------------------------------------------------

    def _message(self, type_: str, document: Document) -> Message:
        text = render(document)
        return Message(type_, text.encode() if self._binary else text)

    def _content(self, name: str, value: Any) -> Message:
        return self._message(name, {"serverContent": {name: value}})

    def opened(self) -> list[Message]:
        return []

    def configured(self) -> list[Message]:
        return [self._message("setupComplete", {"setupComplete": {}})]

    def error(self, error: ProtocolError) -> list[Message]:
        """Errors of this protocol are reasons of the close frame."""
        return []

    def partial_transcript(self, turn: Turn, words: Sequence[str]) -> list[Message]:
        """Render the words that are new, or an interim text if the script revises words."""
        if turn.script.revisions:
            return [self._content("interimInputTranscription", {"text": " ".join(words)})]
        return [self._content("inputTranscription", {"text": _join_new_words(turn, words)})]

    def final_transcript(self, turn: Turn) -> list[Message]:
        words = turn.transcript.split()
        text = " ".join(words) if turn.script.revisions else _join_new_words(turn, words)
        return [self._content("inputTranscription", {"text": text, "finished": True})]

    def answer_text(self, response: Response, text: str) -> list[Message]:
        if not self.settings.speaks:
            return [self._content("modelTurn", {"role": "model", "parts": [{"text": text}]})]
        return [self._content("outputTranscription", {"text": text})] if self._sends_transcript else []

    def answer_audio(self, response: Response, chunk: AudioChunk) -> list[Message]:
        text = (
            '{"serverContent":{"modelTurn":{"role":"model","parts":[{"inlineData":'
            f'{{"mimeType":"audio/pcm;rate={self.output_rate}","data":"{chunk.base64}"}}}}]}}}}}}'
        )
        return [Message("modelTurn", text.encode() if self._binary else text, chunk.seconds)]

    def tool_call(self, response: Response, name: str, arguments: Document, pieces: int) -> list[Message]:
        call = {"id": response.call_id, "name": name, "args": arguments}
        return [self._message("toolCall", {"toolCall": {"functionCalls": [call]}})]

    def response_done(self, response: Response, reason: str = "") -> list[Message]:
        return [] if response.call_id else [self._content("generationComplete", True)]

    def interrupted(self, response: Response, reason: str, *, was_active: bool) -> list[Message]:
        """Render an interruption, which is never followed by `generationComplete`."""
        if response.call_id:
            return [self._message("toolCallCancellation", {"toolCallCancellation": {"ids": [response.call_id]}})]
        return [self._content("interrupted", True), self._turn_complete(response)]

    def playback_done(self, response: Response) -> list[Message]:
        return [self._turn_complete(response)]

    def _turn_complete(self, response: Response) -> Message:
        heard, spoken = response.usage["input"], response.usage["output"]
        usage = {"promptTokenCount": heard, "responseTokenCount": spoken, "totalTokenCount": heard + spoken}
        return self._message("turnComplete", {"serverContent": {"turnComplete": True}, "usageMetadata": usage})

    def expiring(self, seconds_left: float) -> list[Message]:
        return [self._message("goAway", {"goAway": {"timeLeft": f"{seconds_left:g}s"}})]


def get_field(document: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name in camel case, or the same in snake case."""
    value = document.get(name)
    return document.get(_to_snake_case(name)) if value is None else value


@lru_cache(maxsize=256)
def _to_snake_case(name: str) -> str:
    return UPPER_CASE.sub(r"_\1", name).lower()


def _read_audio(media: Mapping[str, Any]) -> AppendAudio:
    mime_type = str(get_field(media, "mimeType") or "audio/pcm")
    match = RATE.fullmatch(mime_type)
    if not match:
        raise ProtocolError("invalid_argument", f"Unsupported audio {mime_type!r}; use 'audio/pcm;rate={INPUT_RATE}'.")
    data = str(get_field(media, "data")).translate(STANDARD_ALPHABET)
    return AppendAudio(decode_audio(data), int(match[1] or INPUT_RATE))


def _join_new_words(turn: Turn, words: Sequence[str]) -> str:
    text = " ".join(words[turn.words_sent :])
    return f" {text}" if text and turn.words_sent else text
