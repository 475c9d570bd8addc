"""Chat models that speak OpenAI's protocol: OpenAI, vLLM, SGLang, llama.cpp, Azure, a colleague's.

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
    iter_events,
    merge_extra,
    offset_seed,
    parse_count,
)
from auricle.models.http.media import data_url, encode_base64, is_remote, read_media_file
from auricle.models.http.request_preview import render_request
from auricle.models.http.timing import PreparedRequest, RequestTimer, iter_event_parts, streamed_token_count
from auricle.prompts.meta_template import MetaTemplate

JSON, EVENT_STREAM = "application/json", "text/event-stream"
AUDIO_FILE_HEADER = re.compile(rb"RIFF|ID3|\xff[\xf2\xf3\xfa\xfb]|fLaC|OggS")  # how files of sound begin
PCM_RATE = 24_000
MAX_CHARS_PER_TOKEN = 64  # characters a token: an answer longer than this has forgotten its limit


class OpenAI(HttpModel):
    """A chat model behind an OpenAI-compatible server; hears, sees, streams."""

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
        """`meta_template` says what the server calls the roles (`api_role`)."""
        super().__init__(**service)
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None
        if not self.service.model:
            raise SpecError("openai: say which model the server should use: -M model=NAME.")
        if audio_as not in ("input_audio", "audio_url"):
            raise SpecError(f"audio_as should be input_audio or audio_url, not {audio_as!r}.")
        self.streams, self.audio_as = stream, audio_as
        self.logprobs, self.tokens_field = logprobs, tokens_field

    @property
    def path(self) -> str:
        return "/chat/completions"

    async def generate(self, request: Generate) -> Generation:
        if self.streams:
            heard = ResponseAccumulator(expects_first_tokens=bool(request.first_tokens))
            async for _ in self._stream_text(request, heard):
                pass
            return heard.to_generation()
        body = await self.in_thread(self.encode_body, request, False)
        reply = await self.post(self.path, body, JSON)
        heard = ResponseAccumulator(expects_first_tokens=bool(request.first_tokens))
        heard.add_document(self.parse_json(reply), reply.host)
        heard.check_first_tokens(reply.host)
        self.record_usage(said := heard.to_generation(), reply.charged_tokens)
        return said

    def prepare(self, request: Generate) -> PreparedRequest:
        return PreparedRequest(self.path, self.encode_body(request, self.streams), JSON)

    async def send_timed(self, prepared: PreparedRequest, timer: RequestTimer) -> Generation:
        """Send what is ready; note each part of the answer as it comes."""
        heard = ResponseAccumulator()
        timer.start()
        async with self.send_request(*prepared, timer) as sent:
            timer.record_first_byte()
            if sent.response.content_type != EVENT_STREAM:
                heard.add_document(self.parse_json(await self.read_reply(sent)), sent.host)
            else:
                timer.streamed = True
                async for event in iter_events(sent.response, sent.host):
                    if isinstance(event, dict) and event.get("error"):
                        raise self.error_from_document(event["error"], sent.host)
                    for kind, sound in iter_event_parts(event):
                        timer.record_chunk(kind, sound)
                    if (tokens := streamed_token_count(event)) is not None:
                        timer.record_token_count(tokens)
                    heard.add_event(event, sent.host)
                heard.check_complete(sent.host)
        timer.stop()
        return heard.to_generation()

    def stream(self, request: Generate) -> AsyncIterator[str]:
        return self._stream_text(request, ResponseAccumulator(expects_first_tokens=bool(request.first_tokens)))

    async def _stream_text(self, request: Generate, accumulator: ResponseAccumulator) -> AsyncIterator[str]:
        """Text as it comes; at once, from a server that will not stream."""
        body = await self.in_thread(self.encode_body, request, True)
        async with self.send_request(self.path, body, JSON) as sent:
            if sent.response.content_type != EVENT_STREAM:
                yield accumulator.add_document(self.parse_json(await self.read_reply(sent)), sent.host)
            else:
                async for piece in self._iter_text(sent, accumulator, request.max_tokens):
                    yield piece
                accumulator.check_complete(sent.host)
        accumulator.check_first_tokens(sent.host)
        self.record_usage(accumulator.to_generation(), sent.charged_tokens)

    async def _iter_text(
        self, pending: PendingResponse, accumulator: ResponseAccumulator, max_tokens: int
    ) -> AsyncIterator[str]:
        """Text as it comes, from a server that must come to an end."""
        import aiohttp

        most = MAX_CHARS_PER_TOKEN * max_tokens + 10_000
        try:
            async for event in iter_events(pending.response, pending.host):
                if isinstance(event, dict) and event.get("error"):
                    raise self.error_from_document(event["error"], pending.host)
                if piece := accumulator.add_event(event, pending.host):
                    yield piece
                if accumulator.length > most:
                    raise Refused(
                        f"{pending.host} had written {accumulator.length} characters where max_tokens is "
                        f"{max_tokens}, and did not stop"
                    )
        except aiohttp.ServerTimeoutError:
            raise  # it fell silent, which may pass
        except TimeoutError as error:
            raise Refused(
                f"{pending.host} did not end its answer within {self.service.timeout:g} s "
                f"({accumulator.length} characters so far); -M timeout=… gives it longer"
            ) from error

    def encode_body(self, request: Generate, stream: bool) -> bytes:
        """The request as bytes; sounds are spliced in, never parsed or escaped again."""
        asked: dict[str, Any] = {
            "model": self.service.model,
            "messages": [self._encode_message(turn) for turn in request.turns],
            self.tokens_field: request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            asked["stop"] = request.stop
        if self.logprobs:
            asked["logprobs"] = True
        if request.first_tokens:
            asked |= {"logprobs": True, "top_logprobs": self._check_first_tokens(request.first_tokens)}
        if stream:
            asked |= {"stream": True, "stream_options": {"include_usage": True}}
        return orjson.dumps(merge_extra(asked, offset_seed(self.service.extra, request.answer_index)))

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        return render_request(self.path, self.encode_body(request, self.streams))

    def _check_first_tokens(self, requested: int) -> int:
        if self.max_first_tokens and requested > self.max_first_tokens:
            raise SpecError(
                f"A chat API tells at most {self.max_first_tokens} of the likeliest first tokens, and "
                f"{requested} are asked for; set tokens: {self.max_first_tokens} in FirstToken."
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
        sound = self.encoder(part)
        if self.audio_as == "audio_url":
            url = _json_string(data_url(sound.media_type, sound.content))
            return {"type": "audio_url", "audio_url": {"url": url}}
        held = {"data": _json_string(encode_base64(sound.content)), "format": sound.format}
        return {"type": "input_audio", "input_audio": held}


class Azure(OpenAI):
    """The same behind Azure: `-M base_url=https://NAME.openai.azure.com -M model=DEPLOYMENT`."""

    default_url = ""
    default_key_env = "AZURE_OPENAI_API_KEY"

    def __init__(self, *, api_version: str = "2025-01-01-preview", **options: Any) -> None:
        super().__init__(**options)
        self.api_version = api_version

    @property
    def path(self) -> str:
        name = self.service.model
        return f"/openai/deployments/{name}/chat/completions?api-version={self.api_version}"

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}


def _json_string(ascii_bytes: bytes) -> orjson.Fragment:
    return orjson.Fragment(b'"' + ascii_bytes + b'"')


PARSE_ERRORS = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass
class ResponseAccumulator:
    """What a server has said so far, in pieces or at once."""

    text_parts: list[str] = field(default_factory=list)
    audio_chunks: list[str] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    length: int = 0
    """Characters."""
    is_finished: bool = False
    """Did the server say that this is all?"""
    expects_first_tokens: bool = False
    first_tokens: Mapping[str, float] | None = None

    def add_event(self, event: Any, host: str) -> str:
        """Note an event; the text it adds."""
        if event is STREAM_END:
            self.is_finished = True
            return ""
        try:
            return self._add_choice(event)
        except PARSE_ERRORS as error:
            raise Transient(f"{host} streamed {describe_shape(event)}, no part of an answer") from error

    def add_document(self, document: Any, host: str) -> str:
        """Note the first choice of an answer that came at once; its text."""
        try:
            if not isinstance(document["choices"][0]["message"], dict):
                raise TypeError("no message")
            return self._add_choice(document)
        except PARSE_ERRORS as error:
            raise Refused(f"{host} answered {describe_shape(document)}, no chat completion") from error

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
        spoken = message.get("audio") or {}
        self.audio_chunks += [spoken["data"]] if spoken.get("data") else []
        text = message.get("content") or spoken.get("transcript") or message.get("refusal") or ""
        piece = _join_text(text)
        self.text_parts.append(piece)
        self.length += len(piece)
        return piece

    def check_complete(self, host: str) -> None:
        """A stream that ends without saying so was cut, and half an answer is none."""
        if not self.finish and not self.is_finished:
            raise Transient(f"{host} broke off its stream after {self.length} characters")

    def check_first_tokens(self, host: str) -> None:
        """A server that was asked for first tokens and tells none of an answer never will."""
        if self.expects_first_tokens and not self.first_tokens and self.length:
            raise SpecError(
                f"{host} does not tell the likeliest first tokens (top_logprobs). Models that do: "
                "openai and vllm-chat at servers that know it; causal, audio-chat and vllm here."
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
    """Text, or the texts of a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content)


def _token_logprobs(choice: Mapping[str, Any]) -> list[float]:
    tokens = (choice.get("logprobs") or {}).get("content") or []
    return [float(token["logprob"]) for token in tokens]


def _first_token_logprobs(choice: Mapping[str, Any]) -> dict[str, float]:
    """The likeliest tokens in the first place of an answer; of two spelled alike, the likelier."""
    tokens = (choice.get("logprobs") or {}).get("content") or []
    found: dict[str, float] = {}
    for each in (tokens[0].get("top_logprobs") or []) if tokens else []:
        token, logprob = str(each["token"]), float(each["logprob"])
        found[token] = max(logprob, found.get(token, logprob))
    return found


def _decode_speech(chunks: Sequence[str]) -> Audio | None:
    """The sound of an answer; what comes without a header is 16-bit mono at OpenAI's rate."""
    try:
        content = b"".join(binascii.a2b_base64(piece) for piece in chunks)
    except (TypeError, ValueError) as error:
        raise Transient(f"the sound in the answer is not base64: {error}") from error
    if not content:
        return None
    return Audio(data=content if AUDIO_FILE_HEADER.match(content) else _wrap_wav(content))


def _wrap_wav(frames: bytes) -> bytes:
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(PCM_RATE)
        file.writeframes(frames)
    return held.getvalue()
