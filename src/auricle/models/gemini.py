"""Gemini's own protocol: `-m gemini -M model=gemini-2.5-flash -M api_key_env=GEMINI_API_KEY`."""

from __future__ import annotations

from typing import Any

import orjson

from auricle.audio import Audio
from auricle.errors import Refused, SpecError
from auricle.models.http.client import HttpModel, Reply
from auricle.models.http.media import base64, remote
from auricle.types import Generate, Generation, Part, Turn

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

    async def generate(self, request: Generate) -> Generation:
        body = await self.in_thread(self.body, request)
        path = f"/models/{self.service.model}:generateContent"
        said = _generation(await self.post(path, body, "application/json"))
        if said.tokens is not None:
            self.used(said.tokens + (said.input_tokens or 0))
        return said

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
        return orjson.dumps({**asked, **self.service.extra})

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
            kind, content = part.media_type, part.read()
        held = orjson.Fragment(b'"' + base64(content) + b'"')
        return {"inlineData": {"mimeType": kind, "data": held}}


def _generation(reply: Reply) -> Generation:
    answer = reply.json()
    try:
        if not answer.get("candidates"):
            why = answer.get("promptFeedback", {}).get("blockReason", "no reason given")
            raise Refused(f"{reply.host} would not answer: {why}")
        first = answer["candidates"][0]
        parts = first.get("content", {}).get("parts", [])
        usage = answer.get("usageMetadata", {})
        return Generation(
            text="".join(part["text"] for part in parts if "text" in part),
            tokens=usage.get("candidatesTokenCount"),
            input_tokens=usage.get("promptTokenCount"),
            finish=str(first.get("finishReason", "")).lower(),
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Refused(f"{reply.host} answered {reply.shape()}, no candidates") from error
