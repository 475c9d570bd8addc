"""Chat models that speak OpenAI's protocol: OpenAI, vLLM, SGLang, llama.cpp, Azure, a colleague's.

-m openai -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
-m openai -M model=gpt-4o-audio-preview -M api_key_env=OPENAI_API_KEY
"""

from __future__ import annotations

import binascii
import io
import wave
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from auricle.audio import Audio, Image
from auricle.errors import Refused, SpecError, Transient
from auricle.models.http.client import HttpModel, Reply, events
from auricle.models.http.media import base64, data_url, picture, remote
from auricle.types import Generate, Generation, Part, Turn

JSON = "application/json"
HEADED = (b"RIFF", b"ID3", b"\xff\xfb", b"fLaC", b"OggS")  # how files of sound begin
SPOKEN_RATE = 24_000
TOO_LONG = 64  # characters a token: an answer longer than this has forgotten its limit


class OpenAI(HttpModel):
    """A chat model behind an OpenAI-compatible server; hears, sees, streams."""

    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"

    def __init__(
        self,
        *,
        stream: bool = False,
        audio_as: Literal["input_audio", "audio_url"] = "input_audio",
        logprobs: bool = False,
        tokens_field: str = "max_tokens",
        **service: Any,
    ) -> None:
        super().__init__(**service)
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
        body = await self.in_thread(self.body, request, self.streams)
        if self.streams:
            said = await self._streamed(request, body)
        else:
            reply = await self.post(self.path, body, JSON)
            said = _generation(reply)
        if said.tokens is not None:
            self.used(said.tokens + (said.input_tokens or 0))
        return said

    async def stream(self, request: Generate) -> AsyncIterator[str]:
        body = await self.in_thread(self.body, request, True)
        async with self.sent(self.path, body, JSON) as (response, host):
            heard = Heard()
            async for event in events(response, host):
                if piece := heard.take(event, host):
                    yield piece
            heard.check(host)

    async def _streamed(self, request: Generate, body: bytes) -> Generation:
        most = TOO_LONG * request.max_tokens + 10_000
        async with self.sent(self.path, body, JSON) as (response, host):
            if response.content_type != "text/event-stream":  # it would not stream
                return _generation(Reply(await response.read(), response.content_type, host))
            heard, length = Heard(), 0
            try:
                async for event in events(response, host):
                    length += len(heard.take(event, host))
                    if length > most:
                        raise Refused(
                            f"{host} had written {length} characters where max_tokens is "
                            f"{request.max_tokens}, and did not stop"
                        )
            except TimeoutError as error:
                raise Refused(
                    f"{host} did not end its answer within {self.service.timeout:g} s "
                    f"({length} characters so far); -M timeout=… gives it longer"
                ) from error
            heard.check(host)
            return heard.generation()

    def body(self, request: Generate, stream: bool) -> bytes:
        """The request as bytes; sounds are spliced in, never parsed or escaped again."""
        asked: dict[str, Any] = {
            "model": self.service.model,
            "messages": [self._message(turn) for turn in request.turns],
            self.tokens_field: request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            asked["stop"] = request.stop
        if self.logprobs:
            asked["logprobs"] = True
        if stream:
            asked |= {"stream": True, "stream_options": {"include_usage": True}}
        # A value of null takes a field out, for servers that will not have it.
        asked |= self.service.extra
        return orjson.dumps({name: value for name, value in asked.items() if value is not None})

    def _message(self, turn: Turn) -> dict[str, Any]:
        if all(isinstance(part, str) for part in turn.parts):
            return {"role": turn.role, "content": "".join(map(str, turn.parts))}
        return {"role": turn.role, "content": [self._part(part) for part in turn.parts]}

    def _part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if isinstance(part, Audio):
            return self._sound(part)
        kind = "image_url" if isinstance(part, Image) else "video_url"
        url = part.uri if remote(part) else _text(picture(part, self.service.max_megabytes))
        return {"type": kind, kind: {"url": url}}

    def _sound(self, part: Audio) -> dict[str, Any]:
        if remote(part):
            return {"type": "audio_url", "audio_url": {"url": part.uri}}
        sound = self.encoder(part)
        if self.audio_as == "audio_url":
            url = _text(data_url(sound.media_type, sound.content))
            return {"type": "audio_url", "audio_url": {"url": url}}
        held = {"data": _text(base64(sound.content)), "format": sound.format}
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

    def authorisation(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}


def _text(ascii_bytes: bytes) -> orjson.Fragment:
    return orjson.Fragment(b'"' + ascii_bytes + b'"')


@dataclass
class Heard:
    """What a stream has said so far."""

    pieces: list[str] = field(default_factory=list)
    sound: list[str] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)

    def take(self, event: Any, host: str) -> str:
        """Note an event; the text it adds."""
        if not isinstance(event, dict):
            raise Transient(f"{host} streamed {type(event).__name__} where an object was due")
        if event.get("error"):
            raise Transient(f"{host} broke off its answer: {str(event['error'])[:200]}")
        self.usage = event.get("usage") or self.usage
        choice: Mapping[str, Any] = next(iter(event.get("choices") or []), {})
        self.finish = choice.get("finish_reason") or self.finish
        self.logprobs += _logprobs(choice)
        delta = choice.get("delta") or {}
        spoken = delta.get("audio") or {}
        self.sound += [spoken["data"]] if spoken.get("data") else []
        piece = str(delta.get("content") or spoken.get("transcript") or "")
        self.pieces.append(piece)
        return piece

    def check(self, host: str) -> None:
        """A stream that ends without saying so was cut, and half an answer is none."""
        if not self.finish:
            written = sum(map(len, self.pieces))
            raise Transient(f"{host} broke off its stream after {written} characters")

    def generation(self) -> Generation:
        return Generation(
            text="".join(self.pieces),
            tokens=self.usage.get("completion_tokens"),
            input_tokens=self.usage.get("prompt_tokens"),
            finish=self.finish,
            audio=_spoken(self.sound),
            logprobs=tuple(self.logprobs) or None,
        )


def _generation(reply: Reply) -> Generation:
    """The first choice of a whole answer."""
    answer = reply.json()
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        spoken = message.get("audio") or {}
        usage = answer.get("usage") or {}
        text = message.get("content") or spoken.get("transcript") or message.get("refusal") or ""
        return Generation(
            text=_joined(text),
            tokens=usage.get("completion_tokens"),
            input_tokens=usage.get("prompt_tokens"),
            finish=choice.get("finish_reason") or "",
            audio=_spoken([spoken["data"]] if spoken.get("data") else []),
            logprobs=tuple(_logprobs(choice)) or None,
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Refused(f"{reply.host} answered {reply.shape()}, no chat completion") from error


def _joined(content: Any) -> str:
    """Text, or the texts of a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content)


def _logprobs(choice: Mapping[str, Any]) -> list[float]:
    tokens = (choice.get("logprobs") or {}).get("content") or []
    return [float(token["logprob"]) for token in tokens]


def _spoken(pieces: Sequence[str]) -> Audio | None:
    """The sound of an answer; what comes without a header is 16-bit mono at OpenAI's rate."""
    try:
        content = b"".join(binascii.a2b_base64(piece) for piece in pieces)
    except binascii.Error as error:
        raise Transient(f"the sound in the answer is not base64: {error}") from error
    if not content:
        return None
    return Audio(data=content if content.startswith(HEADED) else _wav(content))


def _wav(frames: bytes) -> bytes:
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SPOKEN_RATE)
        file.writeframes(frames)
    return held.getvalue()
