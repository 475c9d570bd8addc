"""Chat and completion models with OpenAI's protocol: OpenAI, Azure, vLLM, SGLang, llama.cpp and compatible servers.

-m openai -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
-m openai -M model=gpt-4o-audio-preview -M api_key_env=OPENAI_API_KEY
-m vllm-chat -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
-m openai -M base_url=http://host:8000/v1 -M model=my-vision-model -M frames=8
-m completions -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2.5-7B
"""

from __future__ import annotations

import binascii
import io
import re
import wave
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import orjson

from auricle.core.errors import Rejected, SpecError, Transient
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part, Request, Turn
from auricle.data.prompts.meta_template import MetaTemplate
from auricle.media import Audio, Image, Video
from auricle.media.video import FrameSampling
from auricle.models.http.answers import AnswerReader
from auricle.models.http.base import JSON, HttpModel, offset_seed, sampling_seed
from auricle.models.http.fields import as_list, as_number, as_object, as_text, first_object
from auricle.models.http.likelihood import (
    LikelihoodScorer,
    LogprobsSource,
    PromptToken,
    continuation_likelihood,
    parse_prompt_logprobs,
)
from auricle.models.http.media import check_size, data_url, encode_base64, is_remote, read_media_file
from auricle.models.http.service import merge_extra
from auricle.models.http.timing import PreparedRequest, RequestTimer
from auricle.models.request_input import join_turns, parse_frame_sampling, sample_frames, turn_text
from auricle.models.token_boundary import check_scorable, merge_spellings, split_chat_request, split_request

AUDIO_FILE_HEADER = re.compile(rb"RIFF|ID3|\xff[\xf2\xf3\xfa\xfb]|fLaC|OggS")  # first bytes of audio files
PCM_RATE = 24_000
STREAM_FIELDS = {"stream": True, "stream_options": {"include_usage": True}}


class ChatReader(AnswerReader):
    """Reads chat completions, with text, speech and log-probabilities."""

    kind = "a chat completion"

    def __init__(self, request: Generate, timer: RequestTimer) -> None:
        super().__init__(request, timer)
        self._audio_chunks: list[str] = []
        self._logprobs: list[float] = []
        self._expects_first_tokens = bool(request.first_tokens)
        self._first_tokens: Mapping[str, float] | None = None

    def _read_document(self, document: Any) -> str:
        as_object(first_object(as_object(document).get("choices")).get("message"))  # only events may lack it
        return self._read_event(document)

    def _read_event(self, event: Any) -> str:
        fields = as_object(event)
        has_counts = self._set_usage(fields.get("usage"), "prompt_tokens", "completion_tokens")
        if not (choices := fields.get("choices")):
            return ""
        piece = self._read_choice(first_object(choices))
        if has_counts and self.tokens is not None:
            self.timer.record_token_count(self.tokens)
        return piece

    def _read_choice(self, choice: Mapping[str, Any]) -> str:
        self._read_finish(choice)
        tokens = [as_object(token) for token in as_list(as_object(choice.get("logprobs") or {}).get("content") or [])]
        self._logprobs += [as_number(token.get("logprob")) for token in tokens]
        if self._expects_first_tokens and not self._first_tokens and tokens:
            self._first_tokens = _candidate_logprobs(tokens[0])
        return self._read_message(as_object(choice.get("delta") or choice.get("message") or {}))

    def _read_finish(self, choice: Mapping[str, Any]) -> None:
        self.finish = as_text(choice.get("finish_reason") or self.finish)

    def _read_message(self, message: Mapping[str, Any]) -> str:
        if message.get("reasoning_content") or message.get("reasoning"):
            self.timer.record_chunk("reasoning")
        if message.get("tool_calls"):
            self.timer.record_chunk("tool")
        audio = as_object(message.get("audio") or {})
        text = message.get("content") or audio.get("transcript") or message.get("refusal") or ""
        piece = self._add_text(_join_text(text))
        if data := as_text(audio.get("data") or ""):
            self.timer.record_chunk("audio", data)
            self._audio_chunks.append(data)
        return piece

    def check_answer(self) -> None:
        """Raise if the server ignored the request for first tokens."""
        if self._expects_first_tokens and not self._first_tokens and self.length:
            raise Rejected(
                f"{self.host} does not return first tokens (top_logprobs). Use openai or vllm-chat with a server that "
                "supports top_logprobs, or causal, audio-chat or vllm on this machine."
            )

    def to_generation(self) -> Generation:
        return self._build_generation(
            audio=_decode_speech(self._audio_chunks),
            logprobs=tuple(self._logprobs) or None,
            first_token_logprobs=self._first_tokens or None,
        )


class OpenAI(HttpModel):
    """A chat model behind an OpenAI-compatible server, with audio, images, video and streaming."""

    name = "openai"
    default_url = "https://api.openai.com/v1"
    default_key_env = "OPENAI_API_KEY"
    reader = ChatReader
    first_tokens = True
    max_first_tokens: int | None = 20

    def __init__(
        self,
        *,
        audio_as: Literal["input_audio", "audio_url"] = "input_audio",
        logprobs: bool = False,
        tokens_field: str = "max_tokens",
        frames: int | None = None,
        fps: float | None = None,
        meta_template: Any = None,
        **service: Any,
    ) -> None:
        """Configure the client.

        Args:
            audio_as: Message part used for audio.
            logprobs: Request the log-probabilities of the answer.
            tokens_field: Name of the field with the token limit.
            frames: Send this number of frames of each video as images, for servers without video input.
            fps: Send this number of frames per second, instead of a fixed number.
            meta_template: Mapping with the names the server uses for the roles (`api_role`), or a YAML file with one.
            **service: Options of every API model; see `ServiceConfig`.
        """
        super().__init__(**service)
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None
        if audio_as not in ("input_audio", "audio_url"):
            raise SpecError(f"audio_as must be input_audio or audio_url, not {audio_as!r}.")
        self.audio_as, self.logprobs, self.tokens_field = audio_as, logprobs, tokens_field
        self._frame_sampling = parse_frame_sampling(self.name, frames, fps)

    @property
    def path(self) -> str:
        return "/chat/completions"

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        """Encode a request; base64 media is inserted without being escaped again."""
        body = {
            "model": self.choose_model(request),
            "messages": [self._encode_message(turn) for turn in request.turns],
            self.tokens_field: request.max_tokens,
            "temperature": request.temperature,
            "seed": sampling_seed(request),
            "stop": request.stop or None,
            "logprobs": self.logprobs or bool(request.first_tokens) or None,
            "top_logprobs": self._check_first_tokens(request.first_tokens) or None,
            **(STREAM_FIELDS if stream else {}),
        }
        extra = offset_seed(self.service.extra, request)
        return PreparedRequest(self.path, orjson.dumps(merge_extra(body, extra)), JSON)

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
        return {"role": role, "content": [content for part in turn.parts for content in self._encode_part(part)]}

    def _encode_part(self, part: Part) -> list[dict[str, Any]]:
        if isinstance(part, str):
            return [{"type": "text", "text": part}]
        if isinstance(part, Audio):
            return [self._encode_audio(part)]
        if isinstance(part, Video) and self._frame_sampling:
            return [self._encode_file(frame) for frame in self._read_frames(part, self._frame_sampling)]
        return [self._encode_file(part)]

    def _read_frames(self, video: Video, sampling: FrameSampling) -> list[Image]:
        frames = sample_frames(video, sampling)
        check_size(sum(len(frame.read()) for frame in frames), video, self.service.max_megabytes, "in frames")
        return frames

    def _encode_file(self, part: Image | Video) -> dict[str, Any]:
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


class VLLMChat(OpenAI):
    """A chat model behind a vLLM server, which also scores answers, including answers to audio."""

    default_url = ""
    max_first_tokens = None  # limited by the server's --max-logprobs

    def __init__(self, *, start: str = "", **options: Any) -> None:
        """Configure the client.

        Args:
            start: Start token put before a text that is scored without a context.
            **options: Options of the model `openai`.
        """
        super().__init__(**options)
        self._scorer = LikelihoodScorer(self, start_token=start)

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        check_scorable(request)
        if not request.turns and not request.include_context:  # no conversation, so no chat template
            return await self._scorer.score_text("", request.continuation)
        probe = (Turn("user", ("one",)), Turn("assistant", ("two three",)))
        await self._scorer.ensure_supported(lambda: self._score_prompt(probe, is_open=True))
        if request.include_context:
            return continuation_likelihood(await self._score_prompt(_join_whole(request), is_open=False), "", -1)
        turns, continuation = split_chat_request(request)
        prefix = turn_text(turns[-1]) if turns[-1].role == "assistant" else ""
        context = turns[:-1] if prefix else turns
        answer = Turn("assistant", (prefix + continuation,))
        tokens = await self._score_prompt((*context, answer), is_open=True)
        return continuation_likelihood(tokens, prefix + continuation, len(prefix))

    async def _score_prompt(self, conversation: Sequence[Turn], *, is_open: bool) -> list[PromptToken]:
        """Return the prompt tokens of a conversation, whose last turn may be open or followed by the next answer."""
        messages = await self.in_thread(lambda: [self._encode_message(turn) for turn in conversation])
        body = {
            "model": self.service.model,
            "messages": messages,
            self.tokens_field: 1,
            "temperature": 0.0,
            "add_generation_prompt": not is_open,
            "continue_final_message": is_open,
            "prompt_logprobs": 0,
        }
        return parse_prompt_logprobs(*await self._scorer.post_json(self.path, body))


def _join_whole(request: LogLikelihood) -> tuple[Turn, ...]:
    """Return a request whose whole prompt is scored as a conversation; a prompt without turns is one user message."""
    *before, last = request.turns or (Turn("user", ()),)
    if request.turns and last.role != "assistant":
        return (*request.turns, Turn("assistant", (request.continuation,)))
    return (*before, Turn(last.role, (turn_text(last) + request.continuation,)))


class CompletionReader(ChatReader):
    """Reads text completions."""

    kind = "a completion"

    def _read_document(self, document: Any) -> str:
        as_text(first_object(as_object(document).get("choices")).get("text"))  # only events may lack it
        return self._read_event(document)

    def _read_choice(self, choice: Mapping[str, Any]) -> str:
        self._read_finish(choice)
        return self._add_text(as_text(choice.get("text") or ""))


class Completions(HttpModel):
    """A model that continues plain text, and scores text if the server returns prompt log-probabilities."""

    name = "completions"
    default_key_env = "OPENAI_API_KEY"
    reader = CompletionReader

    def __init__(
        self,
        *,
        logprobs_by: LogprobsSource = "prompt_logprobs",
        start: str = "",
        meta_template: Any = None,
        **service: Any,
    ) -> None:
        """Configure the client.

        Args:
            logprobs_by: How the server returns prompt log-probabilities.
            start: Start token put before a text that is scored without a context.
            meta_template: Chat format used to write turns as text, or a YAML file with one.
            **service: Options of every API model; see `ServiceConfig`.
        """
        super().__init__(**service)
        self._scorer = LikelihoodScorer(self, logprobs_by, start)
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        body = {
            "model": self.choose_model(request),
            "prompt": self._render_turns(request.turns),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": sampling_seed(request),
            "stop": request.stop or None,
            **(STREAM_FIELDS if stream else {}),
        }
        extra = offset_seed(self.service.extra, request)
        return PreparedRequest("/completions", orjson.dumps(merge_extra(body, extra)), JSON)

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, LogLikelihood):
            return super().preview_request(request)
        return "{}⟦{}⟧".format(*self._split_request(request))

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        check_scorable(request)
        text, continuation = self._split_request(request)
        return await self._scorer.score_text(text, continuation, include_context=request.include_context)

    def _split_request(self, request: LogLikelihood) -> tuple[str, str]:
        return split_request(request, self._render_turns, uses_chat=bool(self._meta_template))

    def _render_turns(self, turns: Sequence[Turn]) -> str:
        if self._meta_template and turns:
            return self._meta_template.render(turns, turn_text)
        return join_turns(turns)


def _json_string(ascii_bytes: bytes) -> orjson.Fragment:
    return orjson.Fragment(b'"' + ascii_bytes + b'"')


def _join_text(content: Any) -> str:
    """Return a text, or the joined texts of a list of parts."""
    if isinstance(content, list):
        return "".join(as_text(as_object(part).get("text") or "") for part in content)
    return as_text(content)


def _candidate_logprobs(token: Mapping[str, Any]) -> dict[str, float]:
    """Return the candidates for a token; of equal spellings the more likely one counts."""
    candidates = [as_object(candidate) for candidate in as_list(token.get("top_logprobs") or [])]
    return merge_spellings(
        (as_text(candidate.get("token")), as_number(candidate.get("logprob"))) for candidate in candidates
    )


def _decode_speech(chunks: Sequence[str]) -> Audio | None:
    """Decode the audio of an answer; data without a header is 16-bit mono PCM at OpenAI's rate."""
    try:
        content = b"".join(binascii.a2b_base64(piece) for piece in chunks)
    except ValueError as error:
        raise Transient(f"the audio in the answer is not valid base64: {error}") from error
    if not content:
        return None
    return Audio(data=content if AUDIO_FILE_HEADER.match(content) else wrap_wav(content))


def wrap_wav(frames: bytes) -> bytes:
    """Return a WAV file with 16-bit mono PCM at OpenAI's rate."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(PCM_RATE)
        file.writeframes(frames)
    return buffer.getvalue()
