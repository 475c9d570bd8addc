"""Endpoints beside chat and transcription: responses, speech, embeddings and reranking."""

from __future__ import annotations

from typing import Any

import orjson

from auricle.testing.fake_server.request_parsing import (
    LastTurn,
    ParsedRequest,
    RequestBody,
    count_tokens,
    invalid_request,
    parse_max_tokens,
    parse_parts,
    require_model,
    require_object,
    split_tokens,
)
from auricle.testing.fake_server.response_rendering import Answer, build_response, synthesise_audio
from auricle.testing.fake_server.script import compute_digest

DIMENSIONS = 8
"""Length of an embedding."""
PART_TYPES = {"input_text": "text", "output_text": "text"}
"""Names that parts of a chat message have in the Responses API, and their names in chats."""


def read_response(body: RequestBody, path_model: str | None) -> ParsedRequest:
    """Read a request of the Responses API, whose input is a text or a list of messages."""
    document = body.parse_json()
    messages = document.get("input")
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, list) or not messages:
        raise invalid_request("`input` must be a text or a list of at least one message.")
    turns = [
        (message.get("role"), list(parse_parts({"content": _rename_parts(message.get("content"))})))
        for message in map(require_object, messages)
    ]
    last_turn = LastTurn(turns)
    return ParsedRequest(
        model=path_model or require_model(document),
        reply_text=last_turn.describe(),
        sounds=last_turn.sounds,
        question=last_turn.text,
        input_tokens=count_tokens(turns),
        max_tokens=parse_max_tokens(document, "max_output_tokens"),
        stream=bool(document.get("stream")),
        chunk_format="response",
        include_usage=True,
    )


def _rename_parts(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    parts = [require_object(part) for part in content]
    return [{**part, "type": PART_TYPES.get(part.get("type", ""), part.get("type"))} for part in parts]


def read_speech(body: RequestBody, path_model: str | None) -> ParsedRequest:
    """Read a text to speak; the audio is always streamed."""
    document = body.parse_json()
    text, audio_format = document.get("input"), document.get("response_format", "mp3")
    if not isinstance(text, str) or not text:
        raise invalid_request("`input` must be a non-empty string.")
    if audio_format not in ("wav", "pcm"):
        raise invalid_request(f"`response_format` must be wav or pcm, not {audio_format!r}.")
    return ParsedRequest(
        model=path_model or require_model(document),
        reply_text=text,
        input_tokens=len(split_tokens(text)),
        stream=True,
        chunk_format="speech",
        audio_format="wav" if audio_format == "wav" else "pcm16",
    )


def read_embedding(body: RequestBody, path_model: str | None) -> ParsedRequest:
    document = body.parse_json()
    text = document.get("input")
    if not isinstance(text, str) or not text:
        raise invalid_request("`input` must be a non-empty string.")
    tokens = len(split_tokens(text))
    return ParsedRequest(model=path_model or require_model(document), reply_text=text, input_tokens=tokens)


def read_rerank(body: RequestBody, path_model: str | None) -> ParsedRequest:
    """Read a query and documents, which become the lines of the text to answer."""
    document = body.parse_json()
    lines = [document.get("query"), *(document.get("documents") or ())]
    if len(lines) < 2 or not all(isinstance(line, str) for line in lines):
        raise invalid_request("`query` must be a string, and `documents` a list of at least one.")
    tokens = sum(len(split_tokens(line)) for line in lines)
    model = path_model or require_model(document)
    return ParsedRequest(model=model, reply_text="\n".join(lines), input_tokens=tokens)


def render_response(answer: Answer) -> bytes:
    return orjson.dumps(build_response(answer))


def render_embedding(answer: Answer) -> bytes:
    """Render a vector that depends on the text."""
    digest = compute_digest(answer.request.reply_text.encode())
    vector = [int(digest[2 * index : 2 * index + 2], 16) / 255 for index in range(DIMENSIONS)]
    data = [{"object": "embedding", "index": 0, "embedding": vector}]
    tokens = answer.request.input_tokens
    usage = {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}} if answer.include_usage else {}
    return orjson.dumps({"object": "list", "data": data, "model": answer.request.model, **usage})


def render_rerank(answer: Answer) -> bytes:
    """Render the share of the query's words that each document has."""
    query, *documents = answer.request.reply_text.split("\n")
    words = {*query.split()}
    results = [
        {"index": index, "relevance_score": len(words & {*document.split()}) / max(1, len(words))}
        for index, document in enumerate(documents)
    ]
    results.sort(key=lambda result: -float(result["relevance_score"]))
    usage = {"usage": {"total_tokens": answer.request.input_tokens}} if answer.include_usage else {}
    return orjson.dumps({"model": answer.request.model, "results": results, **usage})


def render_speech(answer: Answer) -> bytes:
    return synthesise_audio(answer)
