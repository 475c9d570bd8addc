"""Speech to text through OpenAI's transcription endpoint: Whisper, gpt-4o-transcribe, vLLM.

-m transcription -M base_url=http://host:8000/v1 -M model=whisper-1 -M language=en
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio
from auricle.models.http.base import HttpModel, Reply, describe_shape, merge_extra, parse_count
from auricle.models.http.media import EncodedAudio
from auricle.models.http.timing import PreparedRequest

SUFFIXES = {"opus": "ogg"}  # file suffix that servers expect for a format
STRUCTURED_CONTENT_TYPE = re.compile("html|json")
RESPONSE_FORMATS = ("json", "text", "verbose_json")


class Transcription(HttpModel):
    """A recogniser that transcribes, or translates into English with `-M translate=true`."""

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
            raise SpecError("transcription: missing model. Set it, for example -M model=whisper-1.")
        if response_format not in RESPONSE_FORMATS:
            raise SpecError(f"response_format must be one of {', '.join(RESPONSE_FORMATS)}, not {response_format!r}.")
        self.language, self.prompt, self.response_format = language, prompt, response_format
        self.path = f"/audio/{'translations' if translate else 'transcriptions'}"

    async def generate(self, request: Generate) -> Generation:
        return await self.send_prepared(request)

    def parse_reply(self, reply: Reply) -> Generation:
        is_plain_text = self.response_format == "text" and not STRUCTURED_CONTENT_TYPE.search(reply.content_type)
        if is_plain_text:
            return Generation(text=reply.content.decode("utf-8", "replace").strip())
        return _parse_generation(self.parse_json(reply), reply.host)

    def prepare(self, request: Generate) -> PreparedRequest:
        audio = self.encoder(get_single_audio(request))
        body, content_type = encode_multipart(self._form_fields(request), audio)
        return PreparedRequest(self.path, body, content_type)

    def _form_fields(self, request: Generate) -> dict[str, Any]:
        fields = {
            "model": self.service.model,
            "response_format": self.response_format,
            "temperature": request.temperature,
            "language": self.language or None,
            "prompt": self.prompt or None,
        }
        return merge_extra(fields, self.service.extra)


def encode_multipart(fields: Mapping[str, Any], audio: EncodedAudio) -> tuple[bytes, str]:
    """Return a multipart form and its content type; equal forms give equal bytes."""
    boundary = f"auricle-{blake2b(audio.content, digest_size=16).hexdigest()}"
    pieces = []
    for name, value in fields.items():
        for item in value if isinstance(value, list) else [value]:
            text = item if isinstance(item, str) else json.dumps(item)
            pieces.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}')
    file_name = f"sound.{SUFFIXES.get(audio.format, audio.format)}"
    pieces.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n'
        f"Content-Type: {audio.media_type}\r\n\r\n"
    )
    body = "\r\n".join(pieces).encode() + audio.content + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


def _parse_generation(document: Any, host: str) -> Generation:
    if not isinstance(document, dict) or not isinstance(document.get("text"), str):
        raise Refused(f"{host} returned {describe_shape(document)} without a text")
    usage = document.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Generation(
        text=document["text"],
        tokens=parse_count(counts.get("output_tokens")),
        input_tokens=parse_count(counts.get("input_tokens")),
    )
