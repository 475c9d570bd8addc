"""Build the chunks of a streamed answer, each with the time at which it is due."""

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
    build_gemini_response,
    build_head,
    build_upload_usage,
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
    """Build the chunks of a stream in order; their times are relative to the start of the answer."""
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
        delta = {"audio": {"id": build_audio_id(answer), "transcript": text}}
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
    audio = {"id": build_audio_id(answer), "data": b64encode(content).decode(), "expires_at": 0}
    return StreamChunk(due, "audio", _render_chunk(answer, {"audio": audio}), len(content) / BYTES_PER_SECOND)


def _closing_chunks(answer: Answer, script: Script, last: float) -> Iterator[StreamChunk]:
    """Yield the finish reason, then the token counts after `usage_delay`."""
    last_event = _render_chunk(answer, {}, finish_reason=answer.finish_reason)
    if answer.request.chunk_format in ("transcript", "gemini"):  # the last event has the counts, and no marker follows
        yield StreamChunk(last + script.usage_delay, "end", last_event)
        return
    yield StreamChunk(last, "end", last_event)
    usage_event = b""
    if answer.request.include_usage and answer.include_usage:
        usage_event = render_event({**_build_chunk_head(answer), "choices": [], "usage": build_usage(answer)})
    yield StreamChunk(last + script.usage_delay, "end", usage_event + DONE_EVENT)


def _build_chunk_head(answer: Answer) -> Document:
    is_chat = answer.request.chunk_format == "chat"
    return build_head(answer, "chat.completion.chunk" if is_chat else "text_completion")


def _render_chunk(
    answer: Answer,
    delta: Document,
    logprobs: Document | None = None,
    finish_reason: str | None = None,
    token_count: int | None = None,
) -> bytes:
    text = delta.get("content", "")
    if answer.request.chunk_format == "transcript":
        return _render_transcript_event(answer, text, finish_reason)
    if answer.request.chunk_format == "gemini":
        return render_event(build_gemini_response(answer, text, finish_reason))
    content: Document = {"text": text} if answer.request.chunk_format == "completion" else {"delta": delta}
    choice = {"index": 0, **content, "logprobs": logprobs, "finish_reason": finish_reason}
    document = {**_build_chunk_head(answer), "choices": [choice]}
    if token_count is not None and answer.request.continuous_usage and answer.include_usage:
        document["usage"] = build_usage(answer, token_count)
    return render_event(document)


def _render_transcript_event(answer: Answer, text: str, finish_reason: str | None) -> bytes:
    if not finish_reason:
        return render_event({"type": "transcript.text.delta", "delta": text})
    usage = {"usage": build_upload_usage(answer)} if answer.include_usage else {}
    return render_event({"type": "transcript.text.done", "text": answer.text, **usage})
