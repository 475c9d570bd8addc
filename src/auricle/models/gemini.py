"""Gemini models: `-m gemini -M model=gemini-2.5-flash -M api_key_env=GEMINI_API_KEY`."""

from __future__ import annotations

from typing import Any, NoReturn

import orjson

from auricle.core.errors import Rejected
from auricle.core.types import Generate, Part, Turn
from auricle.media import Audio
from auricle.models.http.answers import AnswerReader
from auricle.models.http.base import JSON, HttpModel, offset_seed, sampling_seed
from auricle.models.http.fields import as_list, as_object, as_text, first_object
from auricle.models.http.media import encode_base64, is_remote, read_media_file
from auricle.models.http.service import merge_extra
from auricle.models.http.timing import PreparedRequest

MAX_REASON_CHARS = 80
ROLES = {"user": "user", "assistant": "model"}


class GeminiReader(AnswerReader):
    """Reads the first candidate of Gemini's responses; a stream consists of responses, too."""

    kind = "a Gemini response"

    def _read_document(self, document: Any) -> str:
        if not as_object(document).get("candidates"):
            self._raise_blocked(document.get("promptFeedback") or {})
        return self._read_event(document)

    def _raise_blocked(self, feedback: Any) -> NoReturn:
        reason = as_text(as_object(feedback).get("blockReason") or "no reason given")
        raise Rejected(f"{self.host} refused to answer: {reason[:MAX_REASON_CHARS]}")

    def _read_event(self, event: Any) -> str:
        fields = as_object(event)
        if fields.get("promptFeedback") and not fields.get("candidates"):
            self._raise_blocked(fields["promptFeedback"])
        self._set_usage(fields.get("usageMetadata"), "promptTokenCount", "candidatesTokenCount")
        if not (candidates := fields.get("candidates")):
            return ""
        candidate = first_object(candidates)
        self.finish = as_text(candidate.get("finishReason") or self.finish).lower()
        content = as_object(candidate.get("content") or {})
        parts = [as_object(part) for part in as_list(content.get("parts") or [])]
        if any(part.get("thought") for part in parts):
            self.timer.record_chunk("reasoning")
        return self._add_text("".join(as_text(part.get("text") or "") for part in parts if not part.get("thought")))


class Gemini(HttpModel):
    """A Gemini model through `generateContent`, with inline audio."""

    name = "gemini"
    model_hint = "it, for example -M model=gemini-2.5-flash"
    default_url = "https://generativelanguage.googleapis.com/v1beta"
    default_key_env = "GEMINI_API_KEY"
    reader = GeminiReader

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}  # not in the URL, which ends up in logs

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        system_parts = [part for turn in request.turns if turn.role == "system" for part in turn.parts]
        settings: dict[str, Any] = {"maxOutputTokens": request.max_tokens, "temperature": request.temperature}
        if (seed := sampling_seed(request)) is not None:
            settings["seed"] = seed
        if request.stop:
            settings["stopSequences"] = request.stop
        body: dict[str, Any] = {
            "contents": [self._encode_turn(turn) for turn in request.turns if turn.role != "system"],
            "generationConfig": settings,
        }
        if system_parts:
            body["systemInstruction"] = {"parts": [self._encode_part(part) for part in system_parts]}
        method = "streamGenerateContent?alt=sse" if stream else "generateContent"
        path = f"/models/{self.service.model}:{method}"
        extra = offset_seed(self.service.extra, request)
        return PreparedRequest(path, orjson.dumps(merge_extra(body, extra)), JSON)

    def _encode_turn(self, turn: Turn) -> dict[str, Any]:
        return {"role": ROLES[turn.role], "parts": [self._encode_part(part) for part in turn.parts]}

    def _encode_part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"text": part}
        if is_remote(part):
            return {"fileData": {"fileUri": part.uri}}
        if isinstance(part, Audio):
            encoded = self.encoder(part)
            media_type, content = encoded.media_type, encoded.content
        else:
            media_type, content = part.media_type, read_media_file(part, self.service.max_megabytes)
        data = orjson.Fragment(b'"' + encode_base64(content) + b'"')
        return {"inlineData": {"mimeType": media_type, "data": data}}
