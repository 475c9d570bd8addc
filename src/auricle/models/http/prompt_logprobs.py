"""How likely a server finds the tokens of a prompt, and which of them are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from auricle.core.errors import Refused, SampleError
from auricle.core.types import Likelihood
from auricle.models.http.base import describe_shape

REPLACEMENT_CHARACTER = "\ufffd"  # part of a character, told by itself
PARSE_ERRORS = (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of a prompt, as a server tells it; of the very first nothing is known."""

    token: str
    logprob: float | None
    greedy: bool | None


def parse_prompt_logprobs(answer: Mapping[str, Any], host: str) -> list[PromptToken]:
    """As vLLM tells them: of the answer by chat, of its first choice by completion."""
    try:
        found = answer.get("prompt_logprobs") or answer["choices"][0].get("prompt_logprobs")
        return [_parse_token(each) for each in found or ()]
    except PARSE_ERRORS as error:
        raise Refused(f"{host} answered {describe_shape(answer)}, no logprobs of a prompt") from error


def _parse_token(candidates: Mapping[str, Mapping[str, Any]] | None) -> PromptToken:
    """One place; what stands there comes first, before what might have."""
    if candidates is None:
        return PromptToken("", None, None)
    one = next(iter(candidates.values()))
    rank = one.get("rank")
    return PromptToken(str(one.get("decoded_token") or ""), float(one["logprob"]), None if rank is None else rank == 1)


def parse_echo(answer: Mapping[str, Any], prompt: str, host: str) -> list[PromptToken]:
    """As OpenAI's completions told them: of the prompt, said again before the answer."""
    try:
        held = answer["choices"][0].get("logprobs") or {}
        logprobs = held.get("token_logprobs") or []
        tops = held.get("top_logprobs") or [None] * len(logprobs)
        starts = held.get("text_offset") or [0] * len(logprobs)
        places = zip(held.get("tokens") or [], logprobs, tops, starts, strict=True)
        return [
            PromptToken(token, logprob, _is_greedy(logprob, top))
            for token, logprob, top, start in places
            if start < len(prompt)
        ]
    except PARSE_ERRORS as error:
        raise Refused(f"{host} answered {describe_shape(answer)}, no echo of a prompt") from error


def _is_greedy(logprob: float | None, top: Mapping[str, float] | None) -> bool | None:
    return None if logprob is None or not top else logprob >= max(top.values())


def continuation_likelihood(tokens: Sequence[PromptToken], text: str, start: int) -> Likelihood:
    """Of the tokens that spell `text` from `start` on; with `start` below 0, of all that are told.

    What stands in `text` before `start` is what is known of the prompt.
    """
    known = tokens[1:] if tokens and tokens[0].logprob is None else tokens
    count = len(known) if start < 0 else count_covering_tokens([each.token for each in known], text, start)
    asked = known[len(known) - count :]
    logprobs = tuple(each.logprob for each in asked if each.logprob is not None)
    if not logprobs or len(logprobs) < len(asked):
        raise SampleError("the server tells of some tokens asked about how likely they are, not all")
    greedy = [each.greedy for each in asked]
    return Likelihood(logprobs=logprobs, greedy=None if None in greedy else all(greedy))


def count_covering_tokens(tokens: Sequence[str], text: str, start: int = 0) -> int:
    """How many tokens at the end spell `text` from `start` on; the first may begin before it.

    Walked from the end, as what stands before `text` may not be known. A server may hide the
    blank before a word, tell parts of a character as U+FFFD, or all but the last as nothing.
    The first token of a prompt, before which nothing stands, is not among them.
    """
    at, count, broken = len(text), 0, 0
    for token in reversed(tokens):
        if at <= start and token:
            return count
        if REPLACEMENT_CHARACTER in token and not text.endswith(token, 0, at):
            broken, count = broken + len(token), count + 1
            continue
        end = next((each for each in _possible_ends(text, at, broken) if _token_ends_at(text, each, token)), None)
        if end is None or (broken and end < start):
            raise _mismatch_error(text[start:])
        if end <= start and token:
            return count
        at, broken, count = max(0, end - len(token)), 0, count + 1
    if at > start and not (broken and start) and not text[start:at].isspace():
        raise SampleError(
            "the server tells nothing of the very first token, as nothing stands before it; "
            "-M start=… puts a start token there, such as <s> or <|endoftext|>"
        )
    return count


def _possible_ends(text: str, at: int, broken: int) -> Iterator[int]:
    """Where the token before `at` may end: there, or before what broken tokens or blanks take."""
    if broken:
        return iter(range(at - 1, max(-1, at - broken - 1), -1))
    first = at
    while at < len(text) and first and text[first - 1].isspace():
        first -= 1
    return chain(range(at, first - 1, -1))


def _token_ends_at(text: str, end: int, token: str) -> bool:
    """Does the token end there? It may be longer than all that is known."""
    return text.endswith(token, 0, end) or token.endswith(text[:end])


def _mismatch_error(continuation: str) -> SampleError:
    return SampleError(
        f"the tokens that the server tells do not spell {continuation[:60]!r} at the prompt's end, "
        "so it is not known which of them to count"
    )
