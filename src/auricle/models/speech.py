"""Text to speech through OpenAI's speech endpoint: the text of the request is spoken, and streamed as audio.

-m speech -M base_url=http://host:8000/v1 -M model=kokoro -M voice=af_heart
-m speech -M base_url=http://host:8000/v1 -M model=f5 -M prompt_fields=ref_audio,ref_text

A row may name a `voice` of its own. A voice to imitate is sent as a data URL and its text, in the fields that
`prompt_fields` names, since servers differ in them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncGenerator
from typing import Any, Literal

import orjson

from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.core.types import Generate, Generation
from auricle.media import Audio
from auricle.models.http.answers import AnswerReader
from auricle.models.http.base import JSON, HttpModel
from auricle.models.http.service import merge_extra
from auricle.models.http.timing import PreparedRequest, RequestTimer
from auricle.models.openai import wrap_wav
from auricle.models.request_input import get_voice_prompt, join_turns

PCM_RATE = 24_000
WAV_BYTE_RATE = slice(28, 32)  # where a WAV header has the bytes per second
WAV_HEADER_BYTES = 44
MAX_PROMPT_FIELDS = 2


class SpeechReader(AnswerReader):
    """Collects the audio of an answer as it arrives."""

    kind = "audio"

    def __init__(self, request: Generate, timer: RequestTimer) -> None:
        super().__init__(request, timer)
        self.bytes_per_second = 2 * PCM_RATE
        self._chunks: list[bytes] = []

    def _read_document(self, document: Any) -> str:
        raise Rejected(f"{self.host} returned JSON instead of audio")

    def _read_event(self, event: Any) -> str:
        raise Rejected(f"{self.host} returned events instead of audio")

    def add_audio(self, content: bytes) -> None:
        """Add a piece of audio; the first of a WAV file has its header."""
        samples = content
        if not self._chunks and content.startswith(b"RIFF"):
            self.bytes_per_second = int.from_bytes(content[WAV_BYTE_RATE], "little") or self.bytes_per_second
            samples = content[WAV_HEADER_BYTES:]
        self._chunks.append(content)
        self.timer.record_audio(samples, len(samples) / self.bytes_per_second)

    def check_answer(self) -> None:
        if not self._chunks:
            raise Rejected(f"{self.host} returned no audio")

    def to_generation(self) -> Generation:
        content = b"".join(self._chunks)
        is_file = content.startswith(b"RIFF")
        return self._build_generation(audio=Audio(data=content if is_file else wrap_wav(content)))


class Speech(HttpModel):
    """A synthesiser behind `/v1/audio/speech`."""

    name = "speech"
    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    reader = SpeechReader

    wants_inputs = ("voice",)

    def __init__(
        self,
        *,
        voice: str = "alloy",
        response_format: Literal["pcm", "wav"] = "pcm",
        prompt_fields: str = "",
        **service: Any,
    ) -> None:
        """Configure the client.

        Args:
            voice: Name of the voice, for rows that name none.
            response_format: Format of the audio; `pcm` is 16-bit mono at 24 kHz.
            prompt_fields: Fields of the request for the voice to imitate: its recording, and after a comma what is
                spoken in it, such as `ref_audio,ref_text`.
            **service: Options of every API model; see `ServiceConfig`.
        """
        super().__init__(**service)
        if response_format not in ("pcm", "wav"):
            raise SpecError(f"response_format must be pcm or wav, not {response_format!r}.")
        self.voice, self.response_format = voice, response_format
        self._prompt_fields = [name.strip() for name in str(prompt_fields).split(",")] if prompt_fields else []
        if len(self._prompt_fields) > MAX_PROMPT_FIELDS or not all(self._prompt_fields):
            raise SpecError(
                f"prompt_fields must be one or two names such as ref_audio,ref_text, not {prompt_fields!r}."
            )

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        """Encode a request; speech is always streamed, as the bytes of the audio."""
        body = {
            "model": self.choose_model(request),
            "input": join_turns([turn for turn in request.turns if turn.role != "assistant"]),
            "voice": str(request.context.get("voice") or self.voice),
            "response_format": self.response_format,
            **self._encode_voice(request),
        }
        return PreparedRequest("/audio/speech", orjson.dumps(merge_extra(body, self.service.extra)), JSON)

    def _encode_voice(self, request: Generate) -> dict[str, str]:
        """Return the fields of the voice to imitate, if the request has one."""
        voice = get_voice_prompt(request)
        if voice is None:
            return {}
        if not self._prompt_fields:
            raise SampleError(
                "the row has a voice to imitate, but the fields of the server for it are unknown; "
                "set them with -M prompt_fields=ref_audio,ref_text"
            )
        sound = b64encode(voice.audio.encode("wav")).decode()
        return dict(zip(self._prompt_fields, (f"data:audio/wav;base64,{sound}", voice.text), strict=False))

    async def _exchange(self, prepared: PreparedRequest, reader: AnswerReader) -> AsyncGenerator[str]:
        """Send a request and read its audio as it arrives."""
        assert isinstance(reader, SpeechReader)
        async with self.send_request(*prepared, reader.timer) as pending:
            reader.timer.record_first_byte()
            reader.timer.streamed = True
            reader.host = pending.host
            content_type = pending.response.content_type
            if content_type.startswith(("text/", JSON)):
                raise Rejected(f"{pending.host} returned {content_type} instead of audio")
            async for chunk in pending.iter_chunks():
                reader.add_audio(chunk)
        reader.timer.stop()
        reader.check_answer()
        return
        yield ""
