"""Speech to text through OpenAI's transcription endpoint: Whisper, gpt-4o-transcribe, vLLM.

-m transcription -M base_url=http://host:8000/v1 -M model=whisper-1 -M language=en
-m transcription -M model=whisper-1 -M words=true
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.errors import Rejected, SpecError
from auricle.core.segments import parse_segments
from auricle.core.types import Generate, Generation
from auricle.models.http.base import HttpModel, offset_seed, sampling_seed
from auricle.models.http.fields import as_list, as_object, as_text
from auricle.models.http.media import EncodedAudio
from auricle.models.http.responses import Reply
from auricle.models.http.service import merge_extra
from auricle.models.http.timing import PreparedRequest
from auricle.models.openai import ChatReader
from auricle.models.request_input import get_single_audio

SUFFIXES = {"opus": "ogg"}  # file suffix that servers expect for a format
STRUCTURED_CONTENT_TYPE = re.compile("html|json")
ResponseFormat: TypeAlias = Literal["json", "text", "verbose_json"]
RESPONSE_FORMATS = get_args(ResponseFormat)


class TranscriptReader(ChatReader):
    """Reads transcripts: whole, or streamed as OpenAI does (`transcript.text.delta`) or as vLLM does (chat chunks)."""

    kind = "a transcript"
    limits_length = False  # a transcript is as long as its recording

    def _read_document(self, document: Any) -> str:
        text = as_text(as_object(document).get("text"))
        self._set_usage(document.get("usage"), "input_tokens", "output_tokens")
        return self._add_text(text)

    def _read_event(self, event: Any) -> str:
        event_type = as_object(event).get("type")
        if event_type is None:
            return super()._read_event(event)
        if event_type == "transcript.text.delta":
            return self._add_text(as_text(event.get("delta")))
        if event_type == "transcript.text.done":
            self._has_ended = True
            self._set_usage(event.get("usage"), "input_tokens", "output_tokens")
        return ""


class TimedTranscriptReader(TranscriptReader):
    """Reads whole transcripts with the times of their words or segments."""

    field = "words"

    def _read_document(self, document: Any) -> str:
        values = as_object(document).get(self.field)
        if values is None:
            raise Rejected(f"{self.host} does not return {self.field}. Ask a server that supports verbose_json.")
        self._segments = parse_segments(as_list(values))
        return super()._read_document(document)

    def to_generation(self) -> Generation:
        return replace(super().to_generation(), segments=self._segments)


class TimedSegmentReader(TimedTranscriptReader):
    """Reads whole transcripts with the times of their segments."""

    field = "segments"


class Transcription(HttpModel):
    """A recogniser that transcribes, or translates into English with `-M translate=true`."""

    name = "transcription"
    model_hint = "it, for example -M model=whisper-1"
    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    reader = TranscriptReader

    def __init__(
        self,
        *,
        language: str = "",
        prompt: str = "",
        translate: bool = False,
        response_format: ResponseFormat = "json",
        words: bool = False,
        segments: bool = False,
        **service: Any,
    ) -> None:
        """Configure the client.

        Args:
            language: Language of the speech; detected by the server if empty.
            prompt: Text that the server takes as context.
            translate: Translate into English.
            response_format: What the server returns.
            words: Report the times of words; requests `verbose_json`.
            segments: Report the times of segments; requests `verbose_json`.
            **service: Options of every API model; see `ServiceConfig`.
        """
        super().__init__(**service)
        if response_format not in RESPONSE_FORMATS:
            raise SpecError(f"response_format must be one of {', '.join(RESPONSE_FORMATS)}, not {response_format!r}.")
        if words and segments:
            raise SpecError("Set words or segments, not both.")
        if (words or segments) and self.streams:
            raise SpecError("Transcripts with times are not streamed: set words or stream, not both.")
        self.granularity = "word" if words else "segment" if segments else ""
        if self.granularity:
            self.reader = TimedTranscriptReader if words else TimedSegmentReader
            response_format = "verbose_json"
        self.language, self.prompt, self.response_format = language, prompt, response_format
        self.path = f"/audio/{'translations' if translate else 'transcriptions'}"

    def parse_reply(self, reply: Reply) -> Any:
        is_plain_text = self.response_format == "text" and not STRUCTURED_CONTENT_TYPE.search(reply.content_type)
        if is_plain_text:
            return {"text": reply.content.decode("utf-8", "replace").strip()}
        return self.parse_json(reply)

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        audio = self.encoder(get_single_audio(request))
        body, content_type = encode_multipart(self._form_fields(request, stream), audio)
        return PreparedRequest(self.path, body, content_type)

    def _form_fields(self, request: Generate, stream: bool) -> dict[str, Any]:
        fields = {
            "model": self.choose_model(request),
            "response_format": self.response_format,
            "timestamp_granularities[]": [self.granularity] if self.granularity else None,
            "temperature": request.temperature,
            "seed": sampling_seed(request),
            "language": self.language or None,
            "prompt": self.prompt or None,
            "stream": stream or None,
        }
        return merge_extra(fields, offset_seed(self.service.extra, request))


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
