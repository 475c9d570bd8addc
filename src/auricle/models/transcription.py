"""Recognisers behind OpenAI's transcription endpoint: Whisper, gpt-4o-transcribe, vLLM.

-m transcription -M base_url=http://host:8000/v1 -M model=whisper-1 -M language=en
"""

from __future__ import annotations

from functools import partial
from typing import Any

from auricle.audio import Audio
from auricle.errors import Refused, SampleError, SpecError
from auricle.models.http.client import HttpModel, Reply
from auricle.models.http.media import Encoded
from auricle.types import Generate, Generation, media

FORMATS = ("json", "text", "verbose_json")


class Transcription(HttpModel):
    """Writes down what is said, or translates it into English with `-M translate=true`."""

    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"

    def __init__(
        self,
        *,
        language: str = "",
        prompt: str = "",
        translate: bool = False,
        response_format: str = "json",
        **service: Any,
    ) -> None:
        super().__init__(**service)
        if not self.service.model:
            raise SpecError("transcription: say which model: -M model=whisper-1.")
        if response_format not in FORMATS:
            raise SpecError(
                f"response_format should be {', '.join(FORMATS)}, not {response_format!r}."
            )
        self.language, self.prompt, self.format = language, prompt, response_format
        self.path = f"/audio/{'translations' if translate else 'transcriptions'}"

    async def generate(self, request: Generate) -> Generation:
        sounds = [part for part in media(request) if isinstance(part, Audio)]
        if len(sounds) != 1:
            raise SampleError(f"one sound is transcribed at a time; here are {len(sounds)}")
        sound = await self.in_thread(self.encoder, sounds[0])
        reply = await self.post(self.path, partial(self._form, sound, request))
        said = _generation(reply, self.format)
        if said.tokens is not None:
            self.used(said.tokens + (said.input_tokens or 0))
        return said

    def _form(self, sound: Encoded, request: Generate) -> Any:
        import aiohttp

        form = aiohttp.FormData()
        fields = {
            "model": self.service.model,
            "response_format": self.format,
            "temperature": f"{request.temperature:g}",
            "language": self.language,
            "prompt": self.prompt,
            **{name: str(value) for name, value in self.service.extra.items()},
        }
        for name, value in fields.items():
            if value:
                form.add_field(name, value)
        form.add_field(
            "file",
            sound.content,
            filename=f"sound.{sound.format}",
            content_type=sound.media_type,
        )
        return form


def _generation(reply: Reply, kind: str) -> Generation:
    if kind == "text" and "json" not in reply.kind:
        if "html" in reply.kind:
            reply.json()  # refuses a web page
        return Generation(text=reply.content.decode("utf-8", "replace").strip())
    answer = reply.json()
    if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
        raise Refused(f"{reply.host} answered {reply.shape()}, without a text")
    usage = answer.get("usage") or {}
    return Generation(
        text=answer["text"],
        tokens=usage.get("output_tokens"),
        input_tokens=usage.get("input_tokens"),
    )
