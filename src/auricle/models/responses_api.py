"""Chat models behind OpenAI's Responses API: OpenAI, vLLM and compatible servers.

-m responses -M base_url=http://host:8000/v1 -M model=Qwen/Qwen3-8B
"""

from __future__ import annotations

from typing import Any

import orjson

from auricle.core.types import Generate, Generation, Part, Turn
from auricle.media import Image, Video
from auricle.models.http.answers import AnswerReader
from auricle.models.http.base import JSON, HttpModel
from auricle.models.http.fields import as_list, as_object, as_text
from auricle.models.http.media import data_url, encode_base64, is_remote, read_media_file
from auricle.models.http.service import merge_extra
from auricle.models.http.timing import PreparedRequest

FINISH_REASONS = {"completed": "stop", "incomplete": "length", "max_output_tokens": "length"}
"""Finish reason, by the status of a response or by why it is incomplete."""


class ResponsesReader(AnswerReader):
    """Reads responses, whole or as typed events."""

    kind = "a response"

    def _read_document(self, document: Any) -> str:
        self._read_state(as_object(document))
        pieces = []
        for item in as_list(document.get("output")):
            for part in as_list(as_object(item).get("content") or []):
                if as_object(part).get("type") in ("output_text", "refusal"):
                    pieces.append(as_text(part.get("text") or part.get("refusal") or ""))
        return self._add_text("".join(pieces))

    def _read_event(self, event: Any) -> str:
        event_type = as_text(as_object(event).get("type"))
        if event_type in ("response.output_text.delta", "response.refusal.delta"):
            return self._add_text(as_text(event.get("delta")))
        if event_type.startswith("response.reasoning") and event_type.endswith(".delta"):
            self.timer.record_chunk("reasoning")
        elif event_type == "response.function_call_arguments.delta":
            self.timer.record_chunk("tool")
        elif event_type in ("response.completed", "response.incomplete"):
            self._has_ended = True
            self._read_state(as_object(event.get("response")))
        return ""

    def _read_state(self, response: dict[str, Any]) -> None:
        self.finish = FINISH_REASONS.get(as_text(response.get("status") or ""), self.finish)
        if reason := as_text(as_object(response.get("incomplete_details") or {}).get("reason") or ""):
            self.finish = FINISH_REASONS.get(reason, reason)
        self._set_usage(response.get("usage"), "input_tokens", "output_tokens")

    def to_generation(self) -> Generation:
        return self._build_generation()


class Responses(HttpModel):
    """A chat model behind the Responses API, with audio, images and streaming."""

    name = "responses"
    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    reader = ResponsesReader

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        body = {
            "model": self.choose_model(request),
            "input": [{"role": turn.role, "content": self._encode_content(turn)} for turn in request.turns],
            "max_output_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": stream or None,
        }
        return PreparedRequest("/responses", orjson.dumps(merge_extra(body, self.service.extra)), JSON)

    def _encode_content(self, turn: Turn) -> list[dict[str, Any]]:
        kind = "output_text" if turn.role == "assistant" else "input_text"
        return [
            {"type": kind, "text": part} if isinstance(part, str) else self._encode_media(part) for part in turn.parts
        ]

    def _encode_media(self, part: Part) -> dict[str, Any]:
        assert not isinstance(part, str)
        if isinstance(part, Image | Video):
            kind = "input_image" if isinstance(part, Image) else "input_video"
            url = part.uri if is_remote(part) else self._encode_file(part)
            return {"type": kind, kind.removeprefix("input_") + "_url": url}
        encoded = self.encoder(part)
        data = {"data": encode_base64(encoded.content).decode(), "format": encoded.format}
        return {"type": "input_audio", "input_audio": data}

    def _encode_file(self, part: Image | Video) -> str:
        return data_url(part.media_type, read_media_file(part, self.service.max_megabytes)).decode()
