"""A streamed answer, piece by piece, and how long after it began each is due."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from itertools import accumulate
from operator import attrgetter

from auricle.testing.fake_server.logprobs import of_tokens
from auricle.testing.fake_server.responses import (
    Answer,
    Document,
    audio_id,
    event,
    head,
    sound,
    usage,
)
from auricle.testing.fake_server.schedule import Piece
from auricle.testing.fake_server.script import Script
from auricle.testing.fake_server.tone import RATE

DONE = b"data: [DONE]\n\n"
COMMENT = b": still here\n\n"
BYTES_PER_SECOND = RATE * 2


def pieces_of(said: Answer, script: Script) -> list[Piece]:
    """What a stream says, in order; what is due at once may leave at once."""
    opening = Piece(0.0, "role", _chunk(said, {"role": "assistant", "content": ""}))
    spoken = sorted([*_words(said, script), *_sounds(said, script)], key=attrgetter("at"))
    last = spoken[-1].at if spoken else 0.0
    return [opening, *spoken, *_closing(said, script, last)]


def signs_of_life(said: Answer) -> tuple[bytes, bytes]:
    """What says nothing: a comment, and a delta without words."""
    return COMMENT, _chunk(said, {"content": ""})


def _words(said: Answer, script: Script) -> Iterator[Piece]:
    """Thoughts, then words, so many tokens to an event."""
    each = script.tokens_per_event
    thoughts = [said.thoughts[at : at + each] for at in range(0, len(said.thoughts), each)]
    words = [said.tokens[at : at + each] for at in range(0, len(said.tokens), each)]
    step = each / script.pace if script.pace else 0.0
    so_far = list(accumulate(map(len, [*thoughts, *words])))
    for at, tokens in enumerate(thoughts):
        thought = {"reasoning_content": "".join(tokens)}
        yield Piece(at * step, "reasoning", _chunk(said, thought, so_far=so_far[at]))
    for at, tokens in enumerate(words, len(thoughts)):
        yield Piece(at * step, "text", _delta(said, tokens, so_far[at]))


def _delta(said: Answer, tokens: list[str], so_far: int) -> bytes:
    text = "".join(tokens)
    logprobs: Document | None = None
    delta: Document = {"content": text}
    if said.question.voice:
        delta = {"audio": {"id": audio_id(said), "transcript": text}}
    elif said.question.logprobs:
        logprobs = of_tokens(tokens, said.question.top)
    return _chunk(said, delta, logprobs, so_far=so_far)


def _sounds(said: Answer, script: Script) -> Iterator[Piece]:
    """A spoken answer, in chunks from the beginning on or whole when all its words are said."""
    if not said.question.voice:
        return
    content = sound(said)
    seconds = script.audio_chunk_seconds
    if seconds is None:
        last = max((piece.at for piece in _words(said, script)), default=0.0)
        yield _heard(said, content, last)
        return
    size = max(1, round(seconds * RATE)) * 2
    starts = range(0, len(content), size)
    for start, at in zip(starts, _times(script, len(starts)), strict=True):
        yield _heard(said, content[start : start + size], at)


def _times(script: Script, count: int) -> Iterator[float]:
    """When chunks of sound are due: at their pace, late by turns, never before one before them."""
    step = (script.audio_chunk_seconds or 0.0) / script.audio_pace if script.audio_pace else 0.0
    late = script.audio_gaps or (0.0,)
    return accumulate((at * step + late[at % len(late)] for at in range(count)), max)


def _heard(said: Answer, content: bytes, at: float) -> Piece:
    told = {"id": audio_id(said), "data": b64encode(content).decode(), "expires_at": 0}
    return Piece(at, "audio", _chunk(said, {"audio": told}), len(content) / BYTES_PER_SECOND)


def _closing(said: Answer, script: Script, last: float) -> Iterator[Piece]:
    """Why it ends, then the token counts, which may be long in coming."""
    yield Piece(last, "end", _chunk(said, {}, finish=said.finish))
    counts = b""
    if said.question.usage and said.tell_usage:
        document = {**head(said, "chat.completion.chunk"), "choices": [], "usage": usage(said)}
        counts = event(document)
    yield Piece(last + script.usage_delay, "end", counts + DONE)


def _chunk(
    said: Answer,
    delta: Document,
    logprobs: Document | None = None,
    finish: str | None = None,
    so_far: int | None = None,
) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish}
    document = {**head(said, "chat.completion.chunk"), "choices": [choice]}
    if so_far is not None and said.question.counting and said.tell_usage:
        document["usage"] = usage(said, so_far)
    return event(document)
