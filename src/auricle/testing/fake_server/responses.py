"""Answers, and how each protocol writes them down."""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass, replace
from typing import Any

import orjson

from auricle.testing.fake_server import tone
from auricle.testing.fake_server.logprobs import echoed, in_prompt, of_tokens
from auricle.testing.fake_server.requests import Question, Refusal, tokens_of
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

    question: Question
    digest: str
    tokens: list[str]
    thoughts: list[str]
    finish: str
    tell_usage: bool

    @property
    def text(self) -> str:
        return "".join(self.tokens)


def answer(question: Question, digest: str, script: Script, *, empty: bool = False) -> Answer:
    if script.no_logprobs:  # asked for or not, as servers do that know no such field
        question = replace(question, logprobs=False, prompt_logprobs=False)
    words = question.words if script.reply is None else script.reply
    tokens = [] if empty else tokens_of(words)
    cut = question.limit is not None and len(tokens) > question.limit
    return Answer(
        question=question,
        digest=digest,
        tokens=tokens[: question.limit] if cut else tokens,
        thoughts=[] if empty else [" hm"] * script.reasoning,
        finish="length" if cut else "stop",
        tell_usage=not script.no_usage,
    )


# --- OpenAI's conversations ------------------------------------------------------


def chat(said: Answer) -> bytes:
    message: Document = {"role": "assistant", "content": said.text, "refusal": None}
    if said.question.voice:
        message |= {"content": None, "audio": _speech(said) | {"transcript": said.text}}
    if said.thoughts:
        message["reasoning_content"] = "".join(said.thoughts)
    choice = {
        "index": 0,
        "message": message,
        "logprobs": of_tokens(said.tokens, said.question.top) if said.question.logprobs else None,
        "finish_reason": said.finish,
    }
    more: Document = {"usage": usage(said)} if said.tell_usage else {}
    if said.question.prompt_logprobs:
        more["prompt_logprobs"] = in_prompt(said.question.prompt)
    return orjson.dumps({**head(said, "chat.completion"), "choices": [choice], **more})


def completion(said: Answer) -> bytes:
    """An answer to a bare text, in the older protocol; echoed, it begins with that text."""
    asked = said.question
    text = f"{asked.prompt if asked.echo else ''}{said.text}"
    choice: Document = {
        "index": 0,
        "text": text,
        "logprobs": echoed(text) if asked.logprobs else None,
        "finish_reason": said.finish,
    }
    if asked.prompt_logprobs:
        choice["prompt_logprobs"] = in_prompt(asked.prompt)
    counts = {"usage": usage(said)} if said.tell_usage else {}
    return orjson.dumps({**head(said, "text_completion"), "choices": [choice], **counts})


def event(document: Document) -> bytes:
    return b"data: " + orjson.dumps(document) + b"\n\n"


def head(said: Answer, kind: str) -> Document:
    """Nothing in it depends on the clock: the same request has the same reply."""
    name = f"chatcmpl-{said.digest}"
    return {"id": name, "object": kind, "created": 0, "model": said.question.model}


def usage(said: Answer, so_far: int | None = None) -> Document:
    """Token counts; thoughts count as written, and are told apart where there are any."""
    read, thought = said.question.input_tokens, len(said.thoughts)
    wrote = thought + len(said.tokens)
    if so_far is not None:
        return {"prompt_tokens": read, "completion_tokens": so_far, "total_tokens": read + so_far}
    counts = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    details = {"completion_tokens_details": {"reasoning_tokens": thought}} if thought else {}
    return {**counts, **details}


def audio_id(said: Answer) -> str:
    return f"audio_{said.digest}"


def sound(said: Answer) -> bytes:
    frames = tone.pcm(len(said.tokens))
    return tone.wav(frames) if said.question.voice == "wav" else frames


def _speech(said: Answer) -> Document:
    return {"id": audio_id(said), "data": b64encode(sound(said)).decode(), "expires_at": 0}


# --- OpenAI's uploads ------------------------------------------------------------


def transcript(said: Answer) -> bytes:
    if said.question.form == "text":
        return f"{said.text}\n".encode()
    document: Document = {"text": said.text}
    if said.question.form == "verbose_json":
        document = {
            "task": said.question.task,
            "language": said.question.language,
            "duration": said.question.seconds,
            "text": said.text,
            "segments": [_segment(said)] if said.tokens else [],
        }
    if said.tell_usage:
        document["usage"] = _upload_usage(said)
    return orjson.dumps(document)


def _segment(said: Answer) -> Document:
    return {
        "id": 0,
        "seek": 0,
        "start": 0.0,
        "end": said.question.seconds,
        "text": said.text,
        "avg_logprob": -0.25,
        "compression_ratio": 1.0,
        "no_speech_prob": 0.0,
        "temperature": 0.0,
    }


def _upload_usage(said: Answer) -> Document:
    if said.question.form == "verbose_json":
        return {"type": "duration", "seconds": math.ceil(said.question.seconds)}
    read, wrote = said.question.input_tokens, len(said.tokens)
    counts = {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote}
    return {"type": "tokens", **counts}


# --- Gemini ----------------------------------------------------------------------


def gemini(said: Answer) -> bytes:
    candidate = {
        "content": {"role": "model", "parts": [{"text": said.text}]},
        "finishReason": {"stop": "STOP", "length": "MAX_TOKENS"}[said.finish],
        "index": 0,
    }
    document: Document = {"candidates": [candidate], "modelVersion": said.question.model}
    if said.tell_usage:
        read, wrote = said.question.input_tokens, len(said.tokens)
        document["usageMetadata"] = {
            "promptTokenCount": read,
            "candidatesTokenCount": wrote,
            "totalTokenCount": read + wrote,
        }
    return orjson.dumps(document)


# --- refusals --------------------------------------------------------------------


def openai_refusal(refusal: Refusal) -> Document:
    kind = "invalid_request_error" if refusal.status < 429 else "server_error"
    if refusal.status == 429:
        kind = "requests"
    error = {"message": str(refusal), "type": kind, "param": None, "code": refusal.code}
    return {"error": error}


def gemini_refusal(refusal: Refusal) -> Document:
    status = GEMINI_STATUS[refusal.status]
    return {"error": {"code": refusal.status, "message": str(refusal), "status": status}}
