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
from auricle.models.http.client import (
    DONE,
    HttpModel,
    Sent,
    count,
    events,
    merged,
    seeded,
    shape,
)
from auricle.models.http.media import base64, data_url, picture, remote
from auricle.models.http.render_request import written
from auricle.models.http.timing import Mark, Prepared, counted, parts_of
from auricle.prompts.meta_template import MetaTemplate

JSON, EVENTS = "application/json", "text/event-stream"
HEADED = re.compile(rb"RIFF|ID3|\xff[\xf2\xf3\xfa\xfb]|fLaC|OggS")  # how files of sound begin
SPOKEN_RATE = 24_000
TOO_LONG = 64  # characters a token: an answer longer than this has forgotten its limit


class OpenAI(HttpModel):
    """A chat model behind an OpenAI-compatible server; hears, sees, streams."""

    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    first_tokens = True
    most_first: int | None = 20

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
        self._format = MetaTemplate.of(meta_template) if meta_template else None
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
            heard = Heard(first_wanted=bool(request.first_tokens))
            async for _ in self._listen(request, heard):
                pass
            return heard.generation()
        body = await self.in_thread(self.body, request, False)
        reply = await self.post(self.path, body, JSON)
        heard = Heard(first_wanted=bool(request.first_tokens))
        heard.whole(self.document(reply), reply.host)
        heard.check_first(reply.host)
        self.used(said := heard.generation(), reply.charged)
        return said

    def prepare(self, request: Generate) -> Prepared:
        return Prepared(self.path, self.body(request, self.streams), JSON)

    async def exchange(self, prepared: Prepared, mark: Mark) -> Generation:
        """Send what is ready; note each part of the answer as it comes."""
        heard = Heard()
        mark.begin()
        async with self.sent(*prepared, mark) as sent:
            mark.byte()
            if sent.response.content_type != EVENTS:
                heard.whole(self.document(await self.read(sent)), sent.host)
            else:
                mark.streamed = True
                async for event in events(sent.response, sent.host):
                    if isinstance(event, dict) and event.get("error"):
                        raise self.complaint(event["error"], sent.host)
                    for kind, sound in parts_of(event):
                        mark.piece(kind, sound)
                    if (tokens := counted(event)) is not None:
                        mark.count(tokens)
                    heard.take(event, sent.host)
                heard.check(sent.host)
        mark.end()
        return heard.generation()

    def stream(self, request: Generate) -> AsyncIterator[str]:
        return self._listen(request, Heard(first_wanted=bool(request.first_tokens)))

    async def _listen(self, request: Generate, heard: Heard) -> AsyncIterator[str]:
        """Text as it comes; at once, from a server that will not stream."""
        body = await self.in_thread(self.body, request, True)
        async with self.sent(self.path, body, JSON) as sent:
            if sent.response.content_type != EVENTS:
                yield heard.whole(self.document(await self.read(sent)), sent.host)
            else:
                async for piece in self._pieces(sent, heard, request.max_tokens):
                    yield piece
                heard.check(sent.host)
        heard.check_first(sent.host)
        self.used(heard.generation(), sent.charged)

    async def _pieces(self, sent: Sent, heard: Heard, max_tokens: int) -> AsyncIterator[str]:
        """Text as it comes, from a server that must come to an end."""
        import aiohttp

        most = TOO_LONG * max_tokens + 10_000
        try:
            async for event in events(sent.response, sent.host):
                if isinstance(event, dict) and event.get("error"):
                    raise self.complaint(event["error"], sent.host)
                if piece := heard.take(event, sent.host):
                    yield piece
                if heard.length > most:
                    raise Refused(
                        f"{sent.host} had written {heard.length} characters where max_tokens is "
                        f"{max_tokens}, and did not stop"
                    )
        except aiohttp.ServerTimeoutError:
            raise  # it fell silent, which may pass
        except TimeoutError as error:
            raise Refused(
                f"{sent.host} did not end its answer within {self.service.timeout:g} s "
                f"({heard.length} characters so far); -M timeout=… gives it longer"
            ) from error

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
        if request.first_tokens:
            asked |= {"logprobs": True, "top_logprobs": self._first(request.first_tokens)}
        if stream:
            asked |= {"stream": True, "stream_options": {"include_usage": True}}
        return orjson.dumps(merged(asked, seeded(self.service.extra, request.nth)))

    def shown(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        return written(self.path, self.body(request, self.streams))

    def _first(self, wanted: int) -> int:
        if self.most_first and wanted > self.most_first:
            raise SpecError(
                f"A chat API tells at most {self.most_first} of the likeliest first tokens, and "
                f"{wanted} are asked for; set tokens: {self.most_first} in FirstToken."
            )
        return wanted

    def _message(self, turn: Turn) -> dict[str, Any]:
        role = self._format.api_role(turn.role) if self._format else turn.role
        if all(isinstance(part, str) for part in turn.parts):
            return {"role": role, "content": "".join(map(str, turn.parts))}
        return {"role": role, "content": [self._part(part) for part in turn.parts]}

    def _part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if isinstance(part, Audio):
            return self._sound(part)
        kind = "image_url" if isinstance(part, Image) else "video_url"
        if remote(part):
            return {"type": kind, kind: {"url": part.uri}}
        content = picture(part, self.service.max_megabytes)
        return {"type": kind, kind: {"url": _text(data_url(part.media_type, content))}}

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


MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass
class Heard:
    """What a server has said so far, in pieces or at once."""

    pieces: list[str] = field(default_factory=list)
    sound: list[str] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    length: int = 0
    """Characters."""
    ended: bool = False
    """Did the server say that this is all?"""
    first_wanted: bool = False
    first: Mapping[str, float] | None = None

    def take(self, event: Any, host: str) -> str:
        """Note an event; the text it adds."""
        if event is DONE:
            self.ended = True
            return ""
        try:
            return self._take(event)
        except MALFORMED as error:
            raise Transient(f"{host} streamed {shape(event)}, no part of an answer") from error

    def whole(self, answer: Any, host: str) -> str:
        """Note the first choice of an answer that came at once; its text."""
        try:
            if not isinstance(answer["choices"][0]["message"], dict):
                raise TypeError("no message")
            return self._take(answer)
        except MALFORMED as error:
            raise Refused(f"{host} answered {shape(answer)}, no chat completion") from error

    def _take(self, event: Mapping[str, Any]) -> str:
        self.usage = event.get("usage") or self.usage
        for choice in (event.get("choices") or [])[:1]:
            self.finish = choice.get("finish_reason") or self.finish
            self.logprobs += _logprobs(choice)
            if self.first_wanted and not self.first:
                self.first = _first(choice)
            return self._note(choice.get("delta") or choice.get("message") or {})
        return ""

    def _note(self, said: Mapping[str, Any]) -> str:
        spoken = said.get("audio") or {}
        self.sound += [spoken["data"]] if spoken.get("data") else []
        text = said.get("content") or spoken.get("transcript") or said.get("refusal") or ""
        piece = _joined(text)
        self.pieces.append(piece)
        self.length += len(piece)
        return piece

    def check(self, host: str) -> None:
        """A stream that ends without saying so was cut, and half an answer is none."""
        if not self.finish and not self.ended:
            raise Transient(f"{host} broke off its stream after {self.length} characters")

    def check_first(self, host: str) -> None:
        """A server that was asked for first tokens and tells none of an answer never will."""
        if self.first_wanted and not self.first and self.length:
            raise SpecError(
                f"{host} does not tell the likeliest first tokens (top_logprobs). Models that do: "
                "openai and vllm-chat at servers that know it; causal, audio-chat and vllm here."
            )

    def generation(self) -> Generation:
        return Generation(
            text="".join(self.pieces),
            tokens=count(self.usage.get("completion_tokens")),
            input_tokens=count(self.usage.get("prompt_tokens")),
            finish=self.finish,
            audio=_spoken(self.sound),
            logprobs=tuple(self.logprobs) or None,
            first=self.first or None,
        )


def _joined(content: Any) -> str:
    """Text, or the texts of a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content)


def _logprobs(choice: Mapping[str, Any]) -> list[float]:
    tokens = (choice.get("logprobs") or {}).get("content") or []
    return [float(token["logprob"]) for token in tokens]


def _first(choice: Mapping[str, Any]) -> dict[str, float]:
    """The likeliest tokens in the first place of an answer; of two spelled alike, the likelier."""
    tokens = (choice.get("logprobs") or {}).get("content") or []
    found: dict[str, float] = {}
    for each in (tokens[0].get("top_logprobs") or []) if tokens else []:
        token, logprob = str(each["token"]), float(each["logprob"])
        found[token] = max(logprob, found.get(token, logprob))
    return found


def _spoken(pieces: Sequence[str]) -> Audio | None:
    """The sound of an answer; what comes without a header is 16-bit mono at OpenAI's rate."""
    try:
        content = b"".join(binascii.a2b_base64(piece) for piece in pieces)
    except (TypeError, ValueError) as error:
        raise Transient(f"the sound in the answer is not base64: {error}") from error
    if not content:
        return None
    return Audio(data=content if HEADED.match(content) else _wav(content))


def _wav(frames: bytes) -> bytes:
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SPOKEN_RATE)
        file.writeframes(frames)
    return held.getvalue()
