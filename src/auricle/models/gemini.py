"""Gemini models: `-m gemini -M model=gemini-2.5-flash -M api_key_env=GEMINI_API_KEY`."""

from __future__ import annotations

from typing import Any

import orjson

from auricle.audio import Audio
from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generate, Generation, Part, Request, Turn
from auricle.models.http.base import HttpModel, Reply, describe_shape, merge_extra, parse_count
from auricle.models.http.media import encode_base64, is_remote, read_media_file
from auricle.models.http.request_preview import render_request
from auricle.models.http.timing import PreparedRequest

ROLES = {"user": "user", "assistant": "model"}


class Gemini(HttpModel):
    """A Gemini model through `generateContent`, with inline audio."""

    default_url = "https://generativelanguage.googleapis.com/v1beta"
    default_key_env = "GEMINI_API_KEY"

    def __init__(self, **service: Any) -> None:
        super().__init__(**service)
        if not self.service.model:
            raise SpecError("gemini: missing model. Set it, for example -M model=gemini-2.5-flash.")

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}  # not in the URL, which ends up in logs

    @property
    def path(self) -> str:
        return f"/models/{self.service.model}:generateContent"

    async def generate(self, request: Generate) -> Generation:
        return await self.send_prepared(request)

    def prepare(self, request: Generate) -> PreparedRequest:
        return PreparedRequest(self.path, self.encode_body(request), "application/json")

    def parse_reply(self, reply: Reply) -> Generation:
        return _parse_generation(self.parse_json(reply), reply.host)

    def encode_body(self, request: Generate) -> bytes:
        system_parts = [part for turn in request.turns if turn.role == "system" for part in turn.parts]
        settings: dict[str, Any] = {"maxOutputTokens": request.max_tokens, "temperature": request.temperature}
        if request.stop:
            settings["stopSequences"] = request.stop
        body: dict[str, Any] = {
            "contents": [self._encode_turn(turn) for turn in request.turns if turn.role != "system"],
            "generationConfig": settings,
        }
        if system_parts:
            body["systemInstruction"] = {"parts": [self._encode_part(part) for part in system_parts]}
        return orjson.dumps(merge_extra(body, self.service.extra))

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        return render_request(self.path, self.encode_body(request))

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


def _parse_generation(document: Any, host: str) -> Generation:
    """Read the first candidate, without its reasoning parts."""
    try:
        if not document.get("candidates"):
            reason = (document.get("promptFeedback") or {}).get("blockReason", "no reason given")
            raise Refused(f"{host} refused to answer: {reason}")
        candidate = document["candidates"][0]
        parts = (candidate.get("content") or {}).get("parts") or []
        usage = document.get("usageMetadata") or {}
        return Generation(
            text="".join(part.get("text", "") for part in parts if not part.get("thought")),
            tokens=parse_count(usage.get("candidatesTokenCount")),
            input_tokens=parse_count(usage.get("promptTokenCount")),
            finish=str(candidate.get("finishReason") or "").lower(),
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Refused(f"{host} returned {describe_shape(document)} without candidates") from error
