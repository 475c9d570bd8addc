"""Build answers and render them in each protocol."""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass, replace
from typing import Any

import orjson

from auricle.testing.fake_server import audio
from auricle.testing.fake_server.logprobs import render_echo_logprobs, render_prompt_logprobs, render_token_logprobs
from auricle.testing.fake_server.request_parsing import ParsedRequest, Refusal, split_tokens
from auricle.testing.fake_server.script import Script

Document = dict[str, Any]
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
        message |= {"content": None, "audio": _build_audio(answer) | {"transcript": answer.text}}
    if answer.reasoning_tokens:
        message["reasoning_content"] = "".join(answer.reasoning_tokens)
    choice = {
        "index": 0,
        "message": message,
        "logprobs": render_token_logprobs(answer.tokens, answer.request.top_logprobs)
        if answer.request.logprobs
        else None,
        "finish_reason": answer.finish_reason,
    }
    document = {**build_head(answer, "chat.completion"), "choices": [choice]}
    if answer.include_usage:
        document["usage"] = build_usage(answer)
    if answer.request.prompt_logprobs:
        document["prompt_logprobs"] = render_prompt_logprobs(answer.request.prompt)
    return orjson.dumps(document)


def render_completion(answer: Answer) -> bytes:
    """Render a text completion; with `echo`, it begins with the prompt."""
    request = answer.request
    text = f"{request.prompt if request.echo else ''}{answer.text}"
    choice: Document = {
        "index": 0,
        "text": text,
        "logprobs": render_echo_logprobs(text) if request.logprobs else None,
        "finish_reason": answer.finish_reason,
    }
    if request.prompt_logprobs:
        choice["prompt_logprobs"] = render_prompt_logprobs(request.prompt)
    usage = {"usage": build_usage(answer)} if answer.include_usage else {}
    return orjson.dumps({**build_head(answer, "text_completion"), "choices": [choice], **usage})


def render_event(document: Document) -> bytes:
    return b"data: " + orjson.dumps(document) + b"\n\n"


def build_head(answer: Answer, object_type: str) -> Document:
    """Build the common fields; they do not depend on the clock, so that replies are reproducible."""
    reply_id = f"chatcmpl-{answer.digest}"
    return {"id": reply_id, "object": object_type, "created": 0, "model": answer.request.model}


def build_usage(answer: Answer, token_count: int | None = None) -> Document:
    """Build token counts, of the whole answer or of its first `token_count` tokens; reasoning counts as output."""
    prompt, reasoning = answer.request.input_tokens, len(answer.reasoning_tokens)
    completion = reasoning + len(answer.tokens) if token_count is None else token_count
    usage: Document = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    if reasoning and token_count is None:
        usage["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return usage


def build_audio_id(answer: Answer) -> str:
    return f"audio_{answer.digest}"


def synthesise_audio(answer: Answer) -> bytes:
    frames = audio.generate_pcm(len(answer.tokens))
    return audio.encode_wav(frames) if answer.request.audio_format == "wav" else frames


def _build_audio(answer: Answer) -> Document:
    return {"id": build_audio_id(answer), "data": b64encode(synthesise_audio(answer)).decode(), "expires_at": 0}


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
            "segments": [_build_segment(answer)] if answer.tokens else [],
        }
    if answer.include_usage:
        document["usage"] = build_upload_usage(answer)
    return orjson.dumps(document)


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


def build_upload_usage(answer: Answer) -> Document:
    if answer.request.response_format == "verbose_json":
        return {"type": "duration", "seconds": math.ceil(answer.request.audio_seconds)}
    inputs, outputs = answer.request.input_tokens, len(answer.tokens)
    return {"type": "tokens", "input_tokens": inputs, "output_tokens": outputs, "total_tokens": inputs + outputs}


# --- Gemini ----------------------------------------------------------------------


def render_gemini(answer: Answer) -> bytes:
    return orjson.dumps(build_gemini_response(answer, answer.text, answer.finish_reason))


def build_gemini_response(answer: Answer, text: str, finish_reason: str | None = None) -> Document:
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
