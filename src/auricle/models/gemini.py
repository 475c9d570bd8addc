"""Gemini's own protocol: `-m gemini -M model=gemini-2.5-flash -M api_key_env=GEMINI_API_KEY`."""

from __future__ import annotations

from typing import Any

import orjson

from auricle.audio import Audio
from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generate, Generation, Part, Request, Turn
from auricle.models.http.client import HttpModel, Reply, count, merged, shape
from auricle.models.http.media import base64, picture, remote
from auricle.models.http.render_request import written
from auricle.models.http.timing import Prepared

ROLES = {"user": "user", "assistant": "model"}


class Gemini(HttpModel):
    """A Gemini model through `generateContent`, sounds inline."""

    default_url = "https://generativelanguage.googleapis.com/v1beta"
    default_key_env = "GEMINI_API_KEY"

    def __init__(self, **service: Any) -> None:
        super().__init__(**service)
        if not self.service.model:
            raise SpecError("gemini: say which model: -M model=gemini-2.5-flash.")

    def authorisation(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}  # never in the address, where logs see it

    @property
    def path(self) -> str:
        return f"/models/{self.service.model}:generateContent"

    async def generate(self, request: Generate) -> Generation:
        reply = await self.post(*await self.in_thread(self.prepare, request))
        said = self.said(reply)
        self.used(said, reply.charged)
        return said

    def prepare(self, request: Generate) -> Prepared:
        return Prepared(self.path, self.body(request), "application/json")

    def said(self, reply: Reply) -> Generation:
        return _generation(self.document(reply), reply.host)

    def body(self, request: Generate) -> bytes:
        system = [part for turn in request.turns if turn.role == "system" for part in turn.parts]
        settings: dict[str, Any] = {
            "maxOutputTokens": request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            settings["stopSequences"] = request.stop
        asked: dict[str, Any] = {
            "contents": [self._turn(turn) for turn in request.turns if turn.role != "system"],
            "generationConfig": settings,
        }
        if system:
            asked["systemInstruction"] = {"parts": [self._part(part) for part in system]}
        return orjson.dumps(merged(asked, self.service.extra))

    def shown(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        return written(self.path, self.body(request))

    def _turn(self, turn: Turn) -> dict[str, Any]:
        return {"role": ROLES[turn.role], "parts": [self._part(part) for part in turn.parts]}

    def _part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"text": part}
        if remote(part):
            return {"fileData": {"fileUri": part.uri}}
        if isinstance(part, Audio):
            sound = self.encoder(part)
            kind, content = sound.media_type, sound.content
        else:
            kind, content = part.media_type, picture(part, self.service.max_megabytes)
        held = orjson.Fragment(b'"' + base64(content) + b'"')
        return {"inlineData": {"mimeType": kind, "data": held}}


def _generation(answer: Any, host: str) -> Generation:
    """The first candidate, without what the model only thought."""
    try:
        if not answer.get("candidates"):
            why = (answer.get("promptFeedback") or {}).get("blockReason", "no reason given")
            raise Refused(f"{host} would not answer: {why}")
        first = answer["candidates"][0]
        parts = (first.get("content") or {}).get("parts") or []
        usage = answer.get("usageMetadata") or {}
        return Generation(
            text="".join(part.get("text", "") for part in parts if not part.get("thought")),
            tokens=count(usage.get("candidatesTokenCount")),
            input_tokens=count(usage.get("promptTokenCount")),
            finish=str(first.get("finishReason") or "").lower(),
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Refused(f"{host} answered {shape(answer)}, no candidates") from error
