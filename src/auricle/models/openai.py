"""Chat models with OpenAI's protocol: OpenAI, Azure, vLLM, SGLang, llama.cpp and compatible servers.

-m openai -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
-m openai -M model=gpt-4o-audio-preview -M api_key_env=OPENAI_API_KEY
"""

from __future__ import annotations

import binascii
import io
import re
import wave
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from auricle.audio import Audio, Image
from auricle.core.errors import Refused, SpecError, Transient
from auricle.core.types import Generate, Generation, Part, Request, Turn
from auricle.models.http.base import (
    STREAM_END,
    HttpModel,
    PendingResponse,
    describe_shape,
    merge_extra,
    offset_seed,
    parse_count,
)
from auricle.models.http.media import data_url, encode_base64, is_remote, read_media_file
from auricle.models.http.request_preview import render_request
from auricle.models.http.timing import PreparedRequest, RequestTimer, iter_event_parts, streamed_token_count
from auricle.models.token_boundary import merge_spellings
from auricle.prompts.meta_template import MetaTemplate

JSON, EVENT_STREAM = "application/json", "text/event-stream"
AUDIO_FILE_HEADER = re.compile(rb"RIFF|ID3|\xff[\xf2\xf3\xfa\xfb]|fLaC|OggS")  # first bytes of audio files
PCM_RATE = 24_000
MAX_CHARS_PER_TOKEN = 64  # a longer answer has ignored max_tokens


class OpenAI(HttpModel):
    """A chat model behind an OpenAI-compatible server, with audio, images, video and streaming."""

    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    first_tokens = True
    max_first_tokens: int | None = 20

    def __init__(
        self,
        *,
        stream: bool = False,
        audio_as: Literal["input_audio", "audio_url"] = "input_audio",
        logprobs: bool = False,
        tokens_field: str = "max_tokens",
        meta_template: Any = None,
        **service: Any,
    ) -> None:
        """Configure the client.

        Args:
            stream: Request streamed answers.
            audio_as: Message part used for audio.
            logprobs: Request the log-probabilities of the answer.
            tokens_field: Name of the field with the token limit.
            meta_template: Mapping with the names the server uses for the roles (`api_role`), or a YAML file with one.
            **service: Options of every API model; see `ServiceConfig`.
        """
        super().__init__(**service)
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None
        if not self.service.model:
            raise SpecError("openai: missing model. Set -M model=NAME.")
        if audio_as not in ("input_audio", "audio_url"):
            raise SpecError(f"audio_as must be input_audio or audio_url, not {audio_as!r}.")
        self.streams, self.audio_as = stream, audio_as
        self.logprobs, self.tokens_field = logprobs, tokens_field

    @property
    def path(self) -> str:
        return "/chat/completions"

    async def generate(self, request: Generate) -> Generation:
        if self.streams:
            accumulator = ResponseAccumulator(expects_first_tokens=bool(request.first_tokens))
            async for _ in self._stream_text(request, accumulator):
                pass
            return accumulator.to_generation()
        body = await self.in_thread(self.encode_body, request, False)
        reply = await self.post(self.path, body, JSON)
        accumulator = ResponseAccumulator(expects_first_tokens=bool(request.first_tokens))
        accumulator.add_document(self.parse_json(reply), reply.host)
        accumulator.check_first_tokens(reply.host)
        self.record_usage(generation := accumulator.to_generation(), reply.charged_tokens)
        return generation

    def prepare(self, request: Generate) -> PreparedRequest:
        return PreparedRequest(self.path, self.encode_body(request, self.streams), JSON)

    async def send_timed(self, prepared: PreparedRequest, timer: RequestTimer) -> Generation:
        """Send a prepared request and record the arrival time of each part of the answer."""
        accumulator = ResponseAccumulator()
        timer.start()
        async with self.send_request(*prepared, timer) as pending:
            timer.record_first_byte()
            if pending.response.content_type != EVENT_STREAM:
                accumulator.add_document(self.parse_json(await self.read_reply(pending)), pending.host)
            else:
                timer.streamed = True
                async for event in self.iter_events(pending):
                    for kind, data in iter_event_parts(event):
                        timer.record_chunk(kind, data)
                    if (tokens := streamed_token_count(event)) is not None:
                        timer.record_token_count(tokens)
                    accumulator.add_event(event, pending.host)
                accumulator.check_complete(pending.host)
        timer.stop()
        return accumulator.to_generation()

    def stream(self, request: Generate) -> AsyncIterator[str]:
        return self._stream_text(request, ResponseAccumulator(expects_first_tokens=bool(request.first_tokens)))

    async def _stream_text(self, request: Generate, accumulator: ResponseAccumulator) -> AsyncIterator[str]:
        """Yield text as it arrives; all at once if the server does not stream."""
        body = await self.in_thread(self.encode_body, request, True)
        async with self.send_request(self.path, body, JSON) as pending:
            if pending.response.content_type != EVENT_STREAM:
                yield accumulator.add_document(self.parse_json(await self.read_reply(pending)), pending.host)
            else:
                async for piece in self._iter_text(pending, accumulator, request.max_tokens):
                    yield piece
                accumulator.check_complete(pending.host)
        accumulator.check_first_tokens(pending.host)
        self.record_usage(accumulator.to_generation(), pending.charged_tokens)

    async def _iter_text(
        self, pending: PendingResponse, accumulator: ResponseAccumulator, max_tokens: int
    ) -> AsyncIterator[str]:
        """Yield streamed text, and raise if the answer does not end."""
        import aiohttp

        max_chars = MAX_CHARS_PER_TOKEN * max_tokens + 10_000
        try:
            async for event in self.iter_events(pending):
                if piece := accumulator.add_event(event, pending.host):
                    yield piece
                if accumulator.length > max_chars:
                    raise Refused(
                        f"{pending.host} sent {accumulator.length} characters for max_tokens={max_tokens} "
                        "and did not stop"
                    )
        except aiohttp.ServerTimeoutError:
            raise  # no data for a while, which is worth a retry
        except TimeoutError as error:
            raise Refused(
                f"{pending.host} did not finish its answer within {self.service.timeout:g} s "
                f"({accumulator.length} characters so far); raise the limit with -M timeout=SECONDS"
            ) from error

    def encode_body(self, request: Generate, stream: bool) -> bytes:
        """Encode the request; base64 media is inserted without being escaped again."""
        body: dict[str, Any] = {
            "model": self.service.model,
            "messages": [self._encode_message(turn) for turn in request.turns],
            self.tokens_field: request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            body["stop"] = request.stop
        if self.logprobs:
            body["logprobs"] = True
        if request.first_tokens:
            body |= {"logprobs": True, "top_logprobs": self._check_first_tokens(request.first_tokens)}
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return orjson.dumps(merge_extra(body, offset_seed(self.service.extra, request.answer_index)))

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        return render_request(self.path, self.encode_body(request, self.streams))

    def _check_first_tokens(self, requested: int) -> int:
        if self.max_first_tokens and requested > self.max_first_tokens:
            raise SpecError(
                f"A chat API returns at most {self.max_first_tokens} first tokens, but {requested} were requested. "
                f"Set tokens: {self.max_first_tokens} in the inferencer first-token."
            )
        return requested

    def _encode_message(self, turn: Turn) -> dict[str, Any]:
        role = self._meta_template.api_role(turn.role) if self._meta_template else turn.role
        if all(isinstance(part, str) for part in turn.parts):
            return {"role": role, "content": "".join(map(str, turn.parts))}
        return {"role": role, "content": [self._encode_part(part) for part in turn.parts]}

    def _encode_part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if isinstance(part, Audio):
            return self._encode_audio(part)
        kind = "image_url" if isinstance(part, Image) else "video_url"
        if is_remote(part):
            return {"type": kind, kind: {"url": part.uri}}
        content = read_media_file(part, self.service.max_megabytes)
        return {"type": kind, kind: {"url": _json_string(data_url(part.media_type, content))}}

    def _encode_audio(self, part: Audio) -> dict[str, Any]:
        if is_remote(part):
            return {"type": "audio_url", "audio_url": {"url": part.uri}}
        encoded = self.encoder(part)
        if self.audio_as == "audio_url":
            url = _json_string(data_url(encoded.media_type, encoded.content))
            return {"type": "audio_url", "audio_url": {"url": url}}
        data = {"data": _json_string(encode_base64(encoded.content)), "format": encoded.format}
        return {"type": "input_audio", "input_audio": data}


class Azure(OpenAI):
    """A chat model on Azure: `-M base_url=https://NAME.openai.azure.com -M model=DEPLOYMENT`."""

    default_url = ""
    default_key_env = "AZURE_OPENAI_API_KEY"

    def __init__(self, *, api_version: str = "2025-01-01-preview", **options: Any) -> None:
        super().__init__(**options)
        self.api_version = api_version

    @property
    def path(self) -> str:
        deployment = self.service.model
        return f"/openai/deployments/{deployment}/chat/completions?api-version={self.api_version}"

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}


def _json_string(ascii_bytes: bytes) -> orjson.Fragment:
    return orjson.Fragment(b'"' + ascii_bytes + b'"')


PARSE_ERRORS = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass
class ResponseAccumulator:
    """The answer of a server, collected from stream events or from one document."""

    text_parts: list[str] = field(default_factory=list)
    audio_chunks: list[str] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    length: int = 0
    """Number of characters."""
    is_finished: bool = False
    """Whether the server sent the end-of-stream marker."""
    expects_first_tokens: bool = False
    first_tokens: Mapping[str, float] | None = None

    def add_event(self, event: Any, host: str) -> str:
        """Add a stream event and return the text it contains."""
        if event is STREAM_END:
            self.is_finished = True
            return ""
        try:
            return self._add_choice(event)
        except PARSE_ERRORS as error:
            raise Transient(f"{host} streamed {describe_shape(event)} instead of a chat completion chunk") from error

    def add_document(self, document: Any, host: str) -> str:
        """Add the first choice of a complete answer and return its text."""
        try:
            if not isinstance(document["choices"][0]["message"], dict):
                raise TypeError("no message")
            return self._add_choice(document)
        except PARSE_ERRORS as error:
            raise Refused(f"{host} returned {describe_shape(document)} instead of a chat completion") from error

    def _add_choice(self, event: Mapping[str, Any]) -> str:
        self.usage = event.get("usage") or self.usage
        for choice in (event.get("choices") or [])[:1]:
            self.finish = choice.get("finish_reason") or self.finish
            self.logprobs += _token_logprobs(choice)
            if self.expects_first_tokens and not self.first_tokens:
                self.first_tokens = _first_token_logprobs(choice)
            return self._add_message(choice.get("delta") or choice.get("message") or {})
        return ""

    def _add_message(self, message: Mapping[str, Any]) -> str:
        audio = message.get("audio") or {}
        self.audio_chunks += [audio["data"]] if audio.get("data") else []
        text = message.get("content") or audio.get("transcript") or message.get("refusal") or ""
        piece = _join_text(text)
        self.text_parts.append(piece)
        self.length += len(piece)
        return piece

    def check_complete(self, host: str) -> None:
        """Raise if the stream ended without an end marker or finish reason."""
        if not self.finish and not self.is_finished:
            raise Transient(f"{host} ended its stream early, after {self.length} characters")

    def check_first_tokens(self, host: str) -> None:
        """Raise if the server ignored the request for first tokens."""
        if self.expects_first_tokens and not self.first_tokens and self.length:
            raise SpecError(
                f"{host} does not return first tokens (top_logprobs). Use openai or vllm-chat with a server that "
                "supports top_logprobs, or causal, audio-chat or vllm on this machine."
            )

    def to_generation(self) -> Generation:
        return Generation(
            text="".join(self.text_parts),
            tokens=parse_count(self.usage.get("completion_tokens")),
            input_tokens=parse_count(self.usage.get("prompt_tokens")),
            finish=self.finish,
            audio=_decode_speech(self.audio_chunks),
            logprobs=tuple(self.logprobs) or None,
            first_token_logprobs=self.first_tokens or None,
        )


def _join_text(content: Any) -> str:
    """Return a text, or the joined texts of a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content)


def _token_logprobs(choice: Mapping[str, Any]) -> list[float]:
    tokens = (choice.get("logprobs") or {}).get("content") or []
    return [float(token["logprob"]) for token in tokens]


def _first_token_logprobs(choice: Mapping[str, Any]) -> dict[str, float]:
    """Return the candidates for the first token; of equal spellings the more likely one counts."""
    tokens = (choice.get("logprobs") or {}).get("content") or []
    candidates = (tokens[0].get("top_logprobs") or []) if tokens else []
    return merge_spellings((str(candidate["token"]), float(candidate["logprob"])) for candidate in candidates)


def _decode_speech(chunks: Sequence[str]) -> Audio | None:
    """Decode the audio of an answer; data without a header is 16-bit mono PCM at OpenAI's rate."""
    try:
        content = b"".join(binascii.a2b_base64(piece) for piece in chunks)
    except (TypeError, ValueError) as error:
        raise Transient(f"the audio in the answer is not valid base64: {error}") from error
    if not content:
        return None
    return Audio(data=content if AUDIO_FILE_HEADER.match(content) else _wrap_wav(content))


def _wrap_wav(frames: bytes) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(PCM_RATE)
        file.writeframes(frames)
    return buffer.getvalue()
