"""Answers, and how each protocol writes them down."""

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
    """What is said to a question."""

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
    if script.no_logprobs:  # asked for or not, as servers do that know no such field
        request = replace(request, logprobs=False, prompt_logprobs=False)
    words = request.reply_text if script.reply is None else script.reply
    tokens = [] if empty else split_tokens(words)
    cut = request.max_tokens is not None and len(tokens) > request.max_tokens
    return Answer(
        request=request,
        digest=digest,
        tokens=tokens[: request.max_tokens] if cut else tokens,
        reasoning_tokens=[] if empty else [" hm"] * script.reasoning,
        finish_reason="length" if cut else "stop",
        include_usage=not script.no_usage,
    )


# --- OpenAI's conversations ------------------------------------------------------


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
    more: Document = {"usage": build_usage(answer)} if answer.include_usage else {}
    if answer.request.prompt_logprobs:
        more["prompt_logprobs"] = render_prompt_logprobs(answer.request.prompt)
    return orjson.dumps({**build_head(answer, "chat.completion"), "choices": [choice], **more})


def render_completion(answer: Answer) -> bytes:
    """An answer to a bare text, in the older protocol; echoed, it begins with that text."""
    asked = answer.request
    text = f"{asked.prompt if asked.echo else ''}{answer.text}"
    choice: Document = {
        "index": 0,
        "text": text,
        "logprobs": render_echo_logprobs(text) if asked.logprobs else None,
        "finish_reason": answer.finish_reason,
    }
    if asked.prompt_logprobs:
        choice["prompt_logprobs"] = render_prompt_logprobs(asked.prompt)
    counts = {"usage": build_usage(answer)} if answer.include_usage else {}
    return orjson.dumps({**build_head(answer, "text_completion"), "choices": [choice], **counts})


def render_event(document: Document) -> bytes:
    return b"data: " + orjson.dumps(document) + b"\n\n"


def build_head(answer: Answer, object_type: str) -> Document:
    """Nothing in it depends on the clock: the same request has the same reply."""
    name = f"chatcmpl-{answer.digest}"
    return {"id": name, "object": object_type, "created": 0, "model": answer.request.model}


def build_usage(answer: Answer, token_count: int | None = None) -> Document:
    """Token counts; thoughts count as written, and are told apart where there are any."""
    read, thought = answer.request.input_tokens, len(answer.reasoning_tokens)
    wrote = thought + len(answer.tokens)
    if token_count is not None:
        return {"prompt_tokens": read, "completion_tokens": token_count, "total_tokens": read + token_count}
    counts = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    details = {"completion_tokens_details": {"reasoning_tokens": thought}} if thought else {}
    return {**counts, **details}


def build_audio_id(answer: Answer) -> str:
    return f"audio_{answer.digest}"


def synthesise_audio(answer: Answer) -> bytes:
    frames = audio.generate_pcm(len(answer.tokens))
    return audio.encode_wav(frames) if answer.request.audio_format == "wav" else frames


def _build_audio(answer: Answer) -> Document:
    return {"id": build_audio_id(answer), "data": b64encode(synthesise_audio(answer)).decode(), "expires_at": 0}


# --- OpenAI's uploads ------------------------------------------------------------


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
        document["usage"] = _build_upload_usage(answer)
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


def _build_upload_usage(answer: Answer) -> Document:
    if answer.request.response_format == "verbose_json":
        return {"type": "duration", "seconds": math.ceil(answer.request.audio_seconds)}
    read, wrote = answer.request.input_tokens, len(answer.tokens)
    counts = {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote}
    return {"type": "tokens", **counts}


# --- Gemini ----------------------------------------------------------------------


def render_gemini(answer: Answer) -> bytes:
    candidate = {
        "content": {"role": "model", "parts": [{"text": answer.text}]},
        "finishReason": {"stop": "STOP", "length": "MAX_TOKENS"}[answer.finish_reason],
        "index": 0,
    }
    document: Document = {"candidates": [candidate], "modelVersion": answer.request.model}
    if answer.include_usage:
        read, wrote = answer.request.input_tokens, len(answer.tokens)
        document["usageMetadata"] = {
            "promptTokenCount": read,
            "candidatesTokenCount": wrote,
            "totalTokenCount": read + wrote,
        }
    return orjson.dumps(document)


# --- refusals --------------------------------------------------------------------


def build_openai_error(refusal: Refusal) -> Document:
    kind = "invalid_request_error" if refusal.status < 429 else "server_error"
    if refusal.status == 429:
        kind = "requests"
    error = {"message": str(refusal), "type": kind, "param": None, "code": refusal.code}
    return {"error": error}


def build_gemini_error(refusal: Refusal) -> Document:
    status = GEMINI_STATUS[refusal.status]
    return {"error": {"code": refusal.status, "message": str(refusal), "status": status}}
