"""Recognisers behind OpenAI's transcription endpoint: Whisper, gpt-4o-transcribe, vLLM.

-m transcription -M base_url=http://host:8000/v1 -M model=whisper-1 -M language=en
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import Refused, SampleError, SpecError
from auricle.core.types import Generate, Generation, media
from auricle.models.http.client import HttpModel, Reply, count, merged, shape
from auricle.models.http.media import Encoded
from auricle.models.http.timing import Prepared

SUFFIXES = {"opus": "ogg"}  # what servers know a file of this format by
MARKED = re.compile("html|json")
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
        reply = await self.post(*await self.in_thread(self.prepare, request))
        said = self.said(reply)
        self.used(said, reply.charged)
        return said

    def said(self, reply: Reply) -> Generation:
        plain = self.format == "text" and not MARKED.search(reply.kind)
        return _plain(reply) if plain else _generation(self.document(reply), reply.host)

    def prepare(self, request: Generate) -> Prepared:
        sounds = [part for part in media(request) if isinstance(part, Audio)]
        if len(sounds) != 1:
            raise SampleError(f"one sound is transcribed at a time; here are {len(sounds)}")
        sound = self.encoder(sounds[0])
        body, kind = upload(self._fields(request), sound)
        return Prepared(self.path, body, kind)

    def _fields(self, request: Generate) -> dict[str, Any]:
        fields = {
            "model": self.service.model,
            "response_format": self.format,
            "temperature": request.temperature,
            "language": self.language or None,
            "prompt": self.prompt or None,
        }
        return merged(fields, self.service.extra)


def upload(fields: Mapping[str, Any], sound: Encoded) -> tuple[bytes, str]:
    """A form with a file, and its content type: the same bytes for the same form."""
    boundary = f"auricle-{blake2b(sound.content, digest_size=16).hexdigest()}"
    pieces = []
    for name, value in fields.items():
        for each in value if isinstance(value, list) else [value]:
            text = each if isinstance(each, str) else json.dumps(each)
            pieces.append(
                f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}'
            )
    file = f"sound.{SUFFIXES.get(sound.format, sound.format)}"
    pieces.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n'
        f"Content-Type: {sound.media_type}\r\n\r\n"
    )
    body = "\r\n".join(pieces).encode() + sound.content + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


def _plain(reply: Reply) -> Generation:
    return Generation(text=reply.content.decode("utf-8", "replace").strip())


def _generation(answer: Any, host: str) -> Generation:
    if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
        raise Refused(f"{host} answered {shape(answer)}, without a text")
    usage = answer.get("usage")
    told = usage if isinstance(usage, dict) else {}
    return Generation(
        text=answer["text"],
        tokens=count(told.get("output_tokens")),
        input_tokens=count(told.get("input_tokens")),
    )
