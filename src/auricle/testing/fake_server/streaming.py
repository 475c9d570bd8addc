"""A streamed answer, piece by piece, and how long after it began each is due."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from itertools import accumulate
from operator import attrgetter

from auricle.testing.fake_server.audio import SAMPLE_RATE
from auricle.testing.fake_server.logprobs import render_token_logprobs
from auricle.testing.fake_server.response_rendering import (
    Answer,
    Document,
    build_audio_id,
    build_head,
    build_usage,
    render_event,
    synthesise_audio,
)
from auricle.testing.fake_server.schedule import StreamChunk
from auricle.testing.fake_server.script import Script

DONE_EVENT = b"data: [DONE]\n\n"
KEEP_ALIVE_COMMENT = b": still here\n\n"
BYTES_PER_SECOND = SAMPLE_RATE * 2


def build_chunks(answer: Answer, script: Script) -> list[StreamChunk]:
    """What a stream says, in order; what is due at once may leave at once."""
    opening = StreamChunk(0.0, "role", _render_chunk(answer, {"role": "assistant", "content": ""}))
    spoken = sorted([*_text_chunks(answer, script), *_audio_chunks(answer, script)], key=attrgetter("due"))
    last = spoken[-1].due if spoken else 0.0
    return [opening, *spoken, *_closing_chunks(answer, script, last)]


def keep_alive_events(answer: Answer) -> tuple[bytes, bytes]:
    """What says nothing: a comment, and a delta without words."""
    return KEEP_ALIVE_COMMENT, _render_chunk(answer, {"content": ""})


def _text_chunks(answer: Answer, script: Script) -> Iterator[StreamChunk]:
    """Thoughts, then words, so many tokens to an event."""
    each = script.tokens_per_event
    thoughts = [answer.reasoning_tokens[at : at + each] for at in range(0, len(answer.reasoning_tokens), each)]
    words = [answer.tokens[at : at + each] for at in range(0, len(answer.tokens), each)]
    step = each / script.pace if script.pace else 0.0
    so_far = list(accumulate(map(len, [*thoughts, *words])))
    for at, tokens in enumerate(thoughts):
        thought = {"reasoning_content": "".join(tokens)}
        yield StreamChunk(at * step, "reasoning", _render_chunk(answer, thought, token_count=so_far[at]))
    for at, tokens in enumerate(words, len(thoughts)):
        yield StreamChunk(at * step, "text", _render_delta(answer, tokens, so_far[at]))


def _render_delta(answer: Answer, tokens: list[str], token_count: int) -> bytes:
    text = "".join(tokens)
    logprobs: Document | None = None
    delta: Document = {"content": text}
    if answer.request.audio_format:
        delta = {"audio": {"id": build_audio_id(answer), "transcript": text}}
    elif answer.request.logprobs:
        logprobs = render_token_logprobs(tokens, answer.request.top_logprobs)
    return _render_chunk(answer, delta, logprobs, token_count=token_count)


def _audio_chunks(answer: Answer, script: Script) -> Iterator[StreamChunk]:
    """A spoken answer, in chunks from the beginning on or whole when all its words are said."""
    if not answer.request.audio_format:
        return
    content = synthesise_audio(answer)
    seconds = script.audio_chunk_seconds
    if seconds is None:
        last = max((piece.due for piece in _text_chunks(answer, script)), default=0.0)
        yield _build_audio_chunk(answer, content, last)
        return
    size = max(1, round(seconds * SAMPLE_RATE)) * 2
    starts = range(0, len(content), size)
    for start, at in zip(starts, _audio_chunk_times(script, len(starts)), strict=True):
        yield _build_audio_chunk(answer, content[start : start + size], at)


def _audio_chunk_times(script: Script, count: int) -> Iterator[float]:
    """When chunks of sound are due: at their pace, late by turns, never before one before them."""
    step = (script.audio_chunk_seconds or 0.0) / script.audio_pace if script.audio_pace else 0.0
    late = script.audio_gaps or (0.0,)
    return accumulate((at * step + late[at % len(late)] for at in range(count)), max)


def _build_audio_chunk(answer: Answer, content: bytes, due: float) -> StreamChunk:
    told = {"id": build_audio_id(answer), "data": b64encode(content).decode(), "expires_at": 0}
    return StreamChunk(due, "audio", _render_chunk(answer, {"audio": told}), len(content) / BYTES_PER_SECOND)


def _closing_chunks(answer: Answer, script: Script, last: float) -> Iterator[StreamChunk]:
    """Why it ends, then the token counts, which may be long in coming."""
    yield StreamChunk(last, "end", _render_chunk(answer, {}, finish_reason=answer.finish_reason))
    counts = b""
    if answer.request.include_usage and answer.include_usage:
        document = {**build_head(answer, "chat.completion.chunk"), "choices": [], "usage": build_usage(answer)}
        counts = render_event(document)
    yield StreamChunk(last + script.usage_delay, "end", counts + DONE_EVENT)


def _render_chunk(
    answer: Answer,
    delta: Document,
    logprobs: Document | None = None,
    finish_reason: str | None = None,
    token_count: int | None = None,
) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason}
    document = {**build_head(answer, "chat.completion.chunk"), "choices": [choice]}
    if token_count is not None and answer.request.continuous_usage and answer.include_usage:
        document["usage"] = build_usage(answer, token_count)
    return render_event(document)
