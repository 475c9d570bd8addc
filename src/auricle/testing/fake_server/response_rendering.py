"""Build answers and render them in each protocol, whole or as the chunks of a stream."""

from __future__ import annotations

import io
import math
import wave
from array import array
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter
from string import ascii_uppercase
from typing import Any

import orjson

from auricle.testing.fake_server.request_parsing import ParsedRequest, Refusal, split_tokens
from auricle.testing.fake_server.schedule import StreamChunk
from auricle.testing.fake_server.script import Script, compute_digest

Document = dict[str, Any]
DONE_EVENT = b"data: [DONE]\n\n"
KEEP_ALIVE_COMMENT = b": still here\n\n"
SAMPLE_RATE = 24_000
"""Rate of spoken answers."""
SECONDS_PER_TOKEN = 0.05
"""Seconds of audio per token."""
GREEDY_THRESHOLD = -2.0
"""Log-probability above which a token counts as the most likely one."""
GEMINI_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request."""

    request: ParsedRequest
    digest: str
    tokens: list[str]
    reasoning_tokens: list[str]
    finish_reason: str
    include_usage: bool

    @property
    def text(self) -> str:
        return "".join(self.tokens)


def build_answer(request: ParsedRequest, digest: str, script: Script, *, empty: bool = False) -> Answer:
    if script.no_logprobs:  # servers that do not support the field ignore it
        request = replace(request, logprobs=False, prompt_logprobs=False)
    text = request.reply_text if script.reply is None else script.reply
    tokens = [] if empty else split_tokens(text)
    truncated = request.max_tokens is not None and len(tokens) > request.max_tokens
    return Answer(
        request=request,
        digest=digest,
        tokens=tokens[: request.max_tokens] if truncated else tokens,
        reasoning_tokens=[] if empty else [" hm"] * script.reasoning,
        finish_reason="length" if truncated else "stop",
        include_usage=not script.no_usage,
    )


# --- OpenAI chat and text completions --------------------------------------------


def render_chat(answer: Answer) -> bytes:
    message: Document = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.request.audio_format:
        audio = _build_audio(answer, synthesise_audio(answer))
        message |= {"content": None, "audio": {**audio, "transcript": answer.text}}
    if answer.reasoning_tokens:
        message["reasoning_content"] = "".join(answer.reasoning_tokens)
    logprobs = render_token_logprobs(answer.tokens, answer.request.top_logprobs) if answer.request.logprobs else None
    choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": answer.finish_reason}
    document = {**_build_head(answer, "chat.completion"), "choices": [choice]}
    if answer.include_usage:
        document["usage"] = _build_usage(answer)
    if answer.request.prompt_logprobs:
        document["prompt_logprobs"] = render_prompt_logprobs(answer.request.prompt)
    return orjson.dumps(document)


def render_completion(answer: Answer) -> bytes:
    """Render a text completion; with `echo`, it begins with the prompt."""
    request = answer.request
    text = f"{request.prompt if request.echo else ''}{answer.text}"
    logprobs = render_echo_logprobs(text) if request.logprobs else None
    choice: Document = {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": answer.finish_reason}
    if request.prompt_logprobs:
        choice["prompt_logprobs"] = render_prompt_logprobs(request.prompt)
    usage = {"usage": _build_usage(answer)} if answer.include_usage else {}
    return orjson.dumps({**_build_head(answer, "text_completion"), "choices": [choice], **usage})


def _render_event(document: Document) -> bytes:
    return b"data: " + orjson.dumps(document) + b"\n\n"


def _build_head(answer: Answer, object_type: str) -> Document:
    """Build the common fields; they do not depend on the clock, so that replies are reproducible."""
    reply_id = f"chatcmpl-{answer.digest}"
    return {"id": reply_id, "object": object_type, "created": 0, "model": answer.request.model}


def _build_usage(answer: Answer, token_count: int | None = None) -> Document:
    """Build token counts, of the whole answer or of its first `token_count` tokens; reasoning counts as output."""
    prompt, reasoning = answer.request.input_tokens, len(answer.reasoning_tokens)
    completion = reasoning + len(answer.tokens) if token_count is None else token_count
    usage: Document = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    if reasoning and token_count is None:
        usage["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return usage


# --- spoken answers ---------------------------------------------------------------


def synthesise_audio(answer: Answer) -> bytes:
    """Return a quiet tone whose length depends on the number of tokens, as 16-bit PCM or as a WAV file."""
    frames = _generate_tone(len(answer.tokens))
    if answer.request.audio_format != "wav":
        return frames
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(frames)
    return buffer.getvalue()


@lru_cache(maxsize=64)
def _generate_tone(token_count: int) -> bytes:
    frames = round(max(token_count, 1) * SECONDS_PER_TOKEN * SAMPLE_RATE)
    step = 2 * math.pi * 440 / SAMPLE_RATE
    return array("h", (round(8000 * math.sin(frame * step)) for frame in range(frames))).tobytes()


def _build_audio(answer: Answer, content: bytes) -> Document:
    return {"id": _audio_id(answer), "data": b64encode(content).decode(), "expires_at": 0}


def _audio_id(answer: Answer) -> str:
    return f"audio_{answer.digest}"


# --- OpenAI transcriptions and translations --------------------------------------


def render_transcription(answer: Answer) -> bytes:
    if answer.request.response_format == "text":
        return f"{answer.text}\n".encode()
    document: Document = {"text": answer.text}
    if answer.request.response_format == "verbose_json":
        document = {
            "task": answer.request.task,
            "language": answer.request.language,
            "duration": answer.request.audio_seconds,
            "text": answer.text,
            **_build_times(answer),
        }
    if answer.include_usage:
        document["usage"] = _build_upload_usage(answer)
    return orjson.dumps(document)


def _build_times(answer: Answer) -> Document:
    """Build what the request asks for: a segment of the whole text, its words, or both."""
    granularities = answer.request.granularities or ("segment",)
    segments = [_build_segment(answer)] if answer.tokens else []
    return {
        **({"segments": segments} if "segment" in granularities else {}),
        **({"words": build_words(answer)} if "word" in granularities else {}),
    }


def build_words(answer: Answer) -> list[Document]:
    """Share the recording out among the words of the text, by their number of characters."""
    words = answer.text.split()
    ends = list(accumulate(map(len, words)))
    step = answer.request.audio_seconds / ends[-1] if ends else 0.0
    starts = [0, *ends]
    return [
        {"word": word, "start": round(start * step, 3), "end": round(end * step, 3)}
        for word, start, end in zip(words, starts, ends, strict=False)
    ]


def _build_segment(answer: Answer) -> Document:
    return {
        "id": 0,
        "seek": 0,
        "start": 0.0,
        "end": answer.request.audio_seconds,
        "text": answer.text,
        "avg_logprob": -0.25,
        "compression_ratio": 1.0,
        "no_speech_prob": 0.0,
        "temperature": 0.0,
    }


def _build_upload_usage(answer: Answer) -> Document:
    if answer.request.response_format == "verbose_json":
        return {"type": "duration", "seconds": math.ceil(answer.request.audio_seconds)}
    inputs, outputs = answer.request.input_tokens, len(answer.tokens)
    return {"type": "tokens", "input_tokens": inputs, "output_tokens": outputs, "total_tokens": inputs + outputs}


# --- OpenAI responses -------------------------------------------------------------


def build_response(answer: Answer) -> Document:
    """Build a complete response with its usage."""
    part = {"type": "output_text", "text": answer.text, "annotations": []}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
    inputs, outputs = answer.request.input_tokens, len(answer.reasoning_tokens) + len(answer.tokens)
    usage = {"input_tokens": inputs, "output_tokens": outputs, "total_tokens": inputs + outputs}
    return {
        "id": f"resp_{answer.digest}",
        "object": "response",
        "status": "completed" if answer.finish_reason == "stop" else "incomplete",
        "incomplete_details": None if answer.finish_reason == "stop" else {"reason": "max_output_tokens"},
        "model": answer.request.model,
        "output": [message],
        **({"usage": usage} if answer.include_usage else {}),
    }


# --- Gemini ----------------------------------------------------------------------


def render_gemini(answer: Answer) -> bytes:
    return orjson.dumps(_build_gemini_response(answer, answer.text, answer.finish_reason))


def _build_gemini_response(answer: Answer, text: str, finish_reason: str | None = None) -> Document:
    """Build a complete response, or a part of a stream, whose last part has the finish reason and token counts."""
    candidate: Document = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
    if finish_reason:
        candidate["finishReason"] = {"stop": "STOP", "length": "MAX_TOKENS"}[finish_reason]
    document: Document = {"candidates": [candidate], "modelVersion": answer.request.model}
    if finish_reason and answer.include_usage:
        inputs, outputs = answer.request.input_tokens, len(answer.tokens)
        document["usageMetadata"] = {
            "promptTokenCount": inputs,
            "candidatesTokenCount": outputs,
            "totalTokenCount": inputs + outputs,
        }
    return document


# --- errors ----------------------------------------------------------------------


def build_openai_error(refusal: Refusal) -> Document:
    error_type = "invalid_request_error" if refusal.status < 429 else "server_error"
    if refusal.status == 429:
        error_type = "requests"
    error = {"message": str(refusal), "type": error_type, "param": None, "code": refusal.code}
    return {"error": error}


def build_gemini_error(refusal: Refusal) -> Document:
    status = GEMINI_STATUS[refusal.status]
    return {"error": {"code": refusal.status, "message": str(refusal), "status": status}}


# --- log-probabilities ------------------------------------------------------------


def compute_logprob(token: str, context: str = "") -> float:
    """Compute the made-up but deterministic log-probability, between -4 and 0, of a token after a context."""
    prefix = context.encode() + b"\0" if context else b""
    return -4 * int(compute_digest(prefix + token.encode())[:4], 16) / 0xFFFF


def compute_text_logprobs(text: str) -> list[tuple[str, float | None]]:
    """Return each token of a text with its log-probability after the tokens before it; None for the first."""
    logprobs: list[tuple[str, float | None]] = []
    offset = 0
    for token in split_tokens(text):
        logprobs.append((token, compute_logprob(token, text[:offset]) if offset else None))
        offset += len(token)
    return logprobs


def render_prompt_logprobs(text: str) -> list[Document | None]:
    """Render log-probabilities of a prompt as vLLM does: one object per token, null for the first."""
    entries: list[Document | None] = []
    for token, logprob in compute_text_logprobs(text):
        if logprob is None:
            entries.append(None)
            continue
        token_id = str(int(compute_digest(token.encode())[:6], 16))
        rank = 1 if logprob > GREEDY_THRESHOLD else 2
        entries.append({token_id: {"logprob": logprob, "rank": rank, "decoded_token": token}})
    return entries


def render_echo_logprobs(text: str) -> Document:
    """Render log-probabilities as OpenAI's completions API does: lists of equal length."""
    logprobs = compute_text_logprobs(text)
    tokens = [token for token, _ in logprobs]
    return {
        "tokens": tokens,
        "token_logprobs": [logprob for _, logprob in logprobs],
        "top_logprobs": [
            None if logprob is None else {token: max(logprob, GREEDY_THRESHOLD)} for token, logprob in logprobs
        ],
        "text_offset": [len("".join(tokens[:index])) for index in range(len(tokens))],
    }


def render_token_logprobs(tokens: Sequence[str], top_count: int) -> Document:
    """Render log-probabilities as chat completions do: each token, with the most likely alternatives."""
    return {"content": [{**_token_entry(token), "top_logprobs": _top_entries(token, top_count)} for token in tokens]}


def _top_entries(token: str, top_count: int) -> list[Document]:
    """Return the most likely of the token itself and the capital letters; only the token if `top_count` is 0."""
    if not top_count:
        return [_token_entry(token)]
    entries = [_token_entry(candidate) for candidate in dict.fromkeys((token, *ascii_uppercase))]
    return sorted(entries, key=lambda entry: -float(entry["logprob"]))[:top_count]


def _token_entry(token: str) -> Document:
    return {"token": token, "logprob": compute_logprob(token), "bytes": list(token.encode())}


# --- streams ----------------------------------------------------------------------


def build_chunks(answer: Answer, script: Script) -> list[StreamChunk]:
    """Build the chunks of a stream in order; their times are relative to the start of the answer."""
    if answer.request.chunk_format == "speech":
        return list(_audio_chunks(answer, script))
    opening = StreamChunk(0.0, "role", _render_chunk(answer, {"role": "assistant", "content": ""}))
    spoken = sorted([*_text_chunks(answer, script), *_audio_chunks(answer, script)], key=attrgetter("due"))
    last = spoken[-1].due if spoken else 0.0
    return [opening, *spoken, *_closing_chunks(answer, script, last)]


def keep_alive_events(answer: Answer) -> tuple[bytes, bytes]:
    """Return the events without content: a comment and an empty delta."""
    return KEEP_ALIVE_COMMENT, _render_chunk(answer, {"content": ""})


def _text_chunks(answer: Answer, script: Script) -> Iterator[StreamChunk]:
    """Yield the reasoning, then the text, with `tokens_per_event` tokens per chunk."""
    reasoning = _split_events(answer.reasoning_tokens, script.tokens_per_event)
    text = _split_events(answer.tokens, script.tokens_per_event)
    interval = script.tokens_per_event / script.pace if script.pace else 0.0
    token_counts = list(accumulate(map(len, [*reasoning, *text])))
    for index, tokens in enumerate(reasoning):
        delta = {"reasoning_content": "".join(tokens)}
        yield StreamChunk(index * interval, "reasoning", _render_chunk(answer, delta, token_count=token_counts[index]))
    for index, tokens in enumerate(text, len(reasoning)):
        yield StreamChunk(index * interval, "text", _render_delta(answer, tokens, token_counts[index]))


def _split_events(tokens: list[str], size: int) -> list[list[str]]:
    return [tokens[start : start + size] for start in range(0, len(tokens), size)]


def _render_delta(answer: Answer, tokens: list[str], token_count: int) -> bytes:
    text = "".join(tokens)
    logprobs: Document | None = None
    delta: Document = {"content": text}
    if answer.request.audio_format:
        delta = {"audio": {"id": _audio_id(answer), "transcript": text}}
    elif answer.request.logprobs:
        logprobs = render_token_logprobs(tokens, answer.request.top_logprobs)
    return _render_chunk(answer, delta, logprobs, token_count=token_count)


def _audio_chunks(answer: Answer, script: Script) -> Iterator[StreamChunk]:
    """Yield the audio of a spoken answer, in chunks from the start or in one after the text."""
    if not answer.request.audio_format:
        return
    content = synthesise_audio(answer)
    seconds = script.audio_chunk_seconds
    if seconds is None:
        last = max((chunk.due for chunk in _text_chunks(answer, script)), default=0.0)
        yield _build_audio_chunk(answer, content, last)
        return
    size = max(1, round(seconds * SAMPLE_RATE)) * 2
    starts = range(0, len(content), size)
    for start, due in zip(starts, _audio_chunk_times(script, len(starts)), strict=True):
        yield _build_audio_chunk(answer, content[start : start + size], due)


def _audio_chunk_times(script: Script, count: int) -> Iterator[float]:
    """Return when audio chunks are due: at their pace, delayed by `audio_gaps` in turn, in ascending order."""
    interval = (script.audio_chunk_seconds or 0.0) / script.audio_pace if script.audio_pace else 0.0
    delays = script.audio_gaps or (0.0,)
    return accumulate((index * interval + delays[index % len(delays)] for index in range(count)), max)


def _build_audio_chunk(answer: Answer, content: bytes, due: float) -> StreamChunk:
    is_raw = answer.request.chunk_format == "speech"
    event = content if is_raw else _render_chunk(answer, {"audio": _build_audio(answer, content)})
    return StreamChunk(due, "audio", event, len(content) / (2 * SAMPLE_RATE))


def _closing_chunks(answer: Answer, script: Script, last: float) -> Iterator[StreamChunk]:
    """Yield the finish reason, then the token counts after `usage_delay`."""
    last_event = _render_chunk(answer, {}, finish_reason=answer.finish_reason)
    if answer.request.chunk_format in (
        "transcript",
        "gemini",
        "response",
    ):  # the last event has the counts, and no marker follows
        yield StreamChunk(last + script.usage_delay, "end", last_event)
        return
    yield StreamChunk(last, "end", last_event)
    usage_event = b""
    if answer.request.include_usage and answer.include_usage:
        usage_event = _render_event({**_build_chunk_head(answer), "choices": [], "usage": _build_usage(answer)})
    yield StreamChunk(last + script.usage_delay, "end", usage_event + DONE_EVENT)


def _build_chunk_head(answer: Answer) -> Document:
    is_chat = answer.request.chunk_format == "chat"
    return _build_head(answer, "chat.completion.chunk" if is_chat else "text_completion")


def _render_chunk(
    answer: Answer,
    delta: Document,
    logprobs: Document | None = None,
    finish_reason: str | None = None,
    token_count: int | None = None,
) -> bytes:
    text = delta.get("content", "")
    if answer.request.chunk_format == "transcript":
        if not finish_reason:
            return _render_event({"type": "transcript.text.delta", "delta": text})
        usage = {"usage": _build_upload_usage(answer)} if answer.include_usage else {}
        return _render_event({"type": "transcript.text.done", "text": answer.text, **usage})
    if answer.request.chunk_format == "response":
        return _render_response_event(answer, delta, finish_reason)
    if answer.request.chunk_format == "gemini":
        return _render_event(_build_gemini_response(answer, text, finish_reason))
    content: Document = {"text": text} if answer.request.chunk_format == "completion" else {"delta": delta}
    choice = {"index": 0, **content, "logprobs": logprobs, "finish_reason": finish_reason}
    document = {**_build_chunk_head(answer), "choices": [choice]}
    if token_count is not None and answer.request.continuous_usage and answer.include_usage:
        document["usage"] = _build_usage(answer, token_count)
    return _render_event(document)


def _render_response_event(answer: Answer, delta: Document, finish_reason: str | None) -> bytes:
    """Render an event of the Responses API; the first has no text, and the last the whole response."""
    if finish_reason:
        kind = "response.completed" if finish_reason == "stop" else "response.incomplete"
        return _render_event({"type": kind, "response": build_response(answer)})
    if "reasoning_content" in delta:
        return _render_event({"type": "response.reasoning_text.delta", "delta": delta["reasoning_content"]})
    if "role" in delta:
        return _render_event({"type": "response.created", "response": {"status": "in_progress"}})
    return _render_event({"type": "response.output_text.delta", "delta": delta.get("content", "")})
