"""Log-likelihoods from servers that return the log-probabilities of a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.core.types import Likelihood
from auricle.models.call_timer import hold
from auricle.models.http.base import JSON, HttpModel
from auricle.models.http.fields import (
    InvalidField,
    as_count,
    as_list,
    as_number,
    as_object,
    as_text,
    describe_shape,
    first_object,
)
from auricle.models.http.service import merge_extra

REPLACEMENT_CHARACTER = "\ufffd"  # a token with part of a character decodes to this
LogprobsSource = Literal["prompt_logprobs", "echo"]
UNSUPPORTED_STATUSES = ("HTTP 400", "HTTP 404", "HTTP 405", "HTTP 422", "HTTP 501")
"""Statuses with which servers refuse an unknown field or path."""
SUPPORTED_MODELS_HINT = (
    "Models that do: vllm-chat and completions with a vLLM server; completions with -M logprobs_by=echo and "
    "a server that supports echo; causal, audio-chat and vllm on this machine."
)


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of a prompt as reported by a server; the first token has no log-probability."""

    token: str
    logprob: float | None
    greedy: bool | None


class LikelihoodScorer:
    """Scores text with a server. Probes once, before the first sample, whether the server supports it."""

    def __init__(self, model: HttpModel, source: LogprobsSource = "prompt_logprobs", start_token: str = "") -> None:
        if source not in ("prompt_logprobs", "echo"):
            raise SpecError(f"logprobs_by must be prompt_logprobs or echo, not {source!r}.")
        self._model, self._source, self._start_token = model, source, start_token
        self._min_tokens = 0 if source == "echo" else 1  # generated tokens are not used
        self._is_supported, self._unsupported_reason = False, ""
        self._probe_lock = asyncio.Lock()

    async def score_text(self, context: str, continuation: str, *, include_context: bool = False) -> Likelihood:
        """Score a continuation of plain text; an empty context is replaced by the start token."""
        await self.ensure_supported(lambda: self._score_prompt("one two three"))
        context = context or self._start_token
        prompt = context + continuation
        tokens = await self._score_prompt(prompt)
        return continuation_likelihood(tokens, prompt, -1 if include_context else len(context))

    async def post_json(self, path: str, fields: Mapping[str, Any]) -> tuple[Any, str]:
        """Send one request and return the parsed response and the host."""
        model = self._model
        body = await model.in_thread(orjson.dumps, merge_extra(fields, model.service.extra))
        reply = await model.post(path, body, JSON)
        document = model.parse_json(reply)
        usage = document.get("usage") if isinstance(document, dict) else None
        if isinstance(usage, dict) and (tokens := as_count(usage.get("total_tokens"))) is not None:
            model.record_usage(tokens, reply.charged_tokens)
        return document, reply.host

    async def ensure_supported(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> None:
        """Score a few words once, and raise if the server does not return log-probabilities."""
        async with hold(self._probe_lock):
            if self._unsupported_reason:  # set while waiting for the lock
                raise SpecError(self._unsupported_reason)
            if self._is_supported:
                return
            self._unsupported_reason = await self._find_unsupported_reason(probe)
            if self._unsupported_reason:
                raise SpecError(self._unsupported_reason)
            self._is_supported = True

    async def _find_unsupported_reason(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> str:
        """Return why the server cannot score text, or an empty string if it can."""
        try:
            tokens = await self._run_probe(probe)
        except Rejected as error:
            if not _is_unsupported_error(error):
                raise  # a wrong key or model name is unrelated to log-likelihoods
            reason = str(error)
        else:
            if any(token.logprob is not None for token in tokens):
                return ""
            reason = "its response contains none"
        hosts = ", ".join(self._model.hosts)
        return f"The server {hosts} does not return prompt logprobs ({reason}). {SUPPORTED_MODELS_HINT}"

    async def _run_probe(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> Sequence[PromptToken]:
        """Run the probe; if it is refused, try again with one generated token, which some servers require."""
        try:
            return await probe()
        except Rejected as error:
            if self._min_tokens or not _is_unsupported_error(error):
                raise
            self._min_tokens = 1
            return await probe()

    async def _score_prompt(self, prompt: str) -> list[PromptToken]:
        body: dict[str, Any] = {
            "model": self._model.service.model,
            "prompt": prompt,
            "max_tokens": self._min_tokens,
            "temperature": 0.0,
        }
        if self._source == "echo":
            document, host = await self.post_json("/completions", {**body, "echo": True, "logprobs": 1})
            return parse_echo(document, prompt, host)
        document, host = await self.post_json("/completions", {**body, "prompt_logprobs": 0})
        return parse_prompt_logprobs(document, host)


def _is_unsupported_error(error: Rejected) -> bool:
    """Return whether the server refused the field or the path, not the model."""
    message = str(error)
    return message.startswith(UNSUPPORTED_STATUSES) and not (message.startswith("HTTP 404") and "model" in message)


def parse_prompt_logprobs(document: Any, host: str) -> list[PromptToken]:
    """Parse vLLM's `prompt_logprobs`, at the top level (chat) or in the first choice (completions)."""
    try:
        fields = as_object(document)
        positions = fields.get("prompt_logprobs") or first_object(fields.get("choices")).get("prompt_logprobs")
        return [_parse_token(candidates) for candidates in as_list(positions or [])]
    except InvalidField as error:
        raise Rejected(f"{host} returned {describe_shape(document)} without valid prompt logprobs") from error


def _parse_token(candidates: Any) -> PromptToken:
    """Parse one position; its actual token comes first, before alternatives."""
    if candidates is None:
        return PromptToken("", None, None)
    chosen = first_object(list(as_object(candidates).values()))
    rank = chosen.get("rank")
    token, logprob = as_text(chosen.get("decoded_token") or ""), as_number(chosen.get("logprob"))
    return PromptToken(token, logprob, None if rank is None else rank == 1)


def parse_echo(document: Any, prompt: str, host: str) -> list[PromptToken]:
    """Parse the log-probabilities of an echoed prompt, as in OpenAI's completions API."""
    try:
        lists = as_object(first_object(as_object(document).get("choices")).get("logprobs") or {})
        tokens, logprobs = as_list(lists.get("tokens") or []), as_list(lists.get("token_logprobs") or [])
        tops = as_list(lists.get("top_logprobs") or [None] * len(tokens))
        starts = as_list(lists.get("text_offset") or [0] * len(tokens))
        return [
            _parse_echoed_token(token, logprob, top)
            for token, logprob, top, start in zip(tokens, logprobs, tops, starts, strict=True)
            if as_number(start) < len(prompt)
        ]
    except ValueError as error:  # a field of another type, or lists of unequal length
        raise Rejected(f"{host} returned {describe_shape(document)} without a valid prompt echo") from error


def _parse_echoed_token(token: Any, logprob: Any, candidates: Any) -> PromptToken:
    if logprob is None:
        return PromptToken(as_text(token), None, None)
    value, logprobs = as_number(logprob), [as_number(other) for other in as_object(candidates or {}).values()]
    return PromptToken(as_text(token), value, value >= max(logprobs) if logprobs else None)


def continuation_likelihood(tokens: Sequence[PromptToken], text: str, start: int) -> Likelihood:
    """Return the likelihood of the tokens that spell `text[start:]`, or of all tokens if `start` is negative.

    `text[:start]` is the known end of the context.
    """
    scored = tokens[1:] if tokens and tokens[0].logprob is None else tokens
    count = len(scored) if start < 0 else count_covering_tokens([token.token for token in scored], text, start)
    selected = scored[len(scored) - count :]
    logprobs = tuple(token.logprob for token in selected if token.logprob is not None)
    if not logprobs or len(logprobs) < len(selected):
        raise SampleError("the server returned no log-probability for some tokens of the continuation")
    greedy = [token.greedy for token in selected]
    return Likelihood(logprobs=logprobs, greedy=None if None in greedy else all(greedy))


def count_covering_tokens(tokens: Sequence[str], text: str, start: int = 0) -> int:
    """Count the tokens at the end that spell `text[start:]`; the first of them may begin before `start`.

    Tokens are matched from the end, because the start of the prompt may be unknown. A server may strip the blank
    before a word, return parts of a character as U+FFFD, or return all but the last part as an empty string. The
    first token of a prompt is not among `tokens`, because it has no log-probability.
    """
    position, count, broken = len(text), 0, 0
    for token in reversed(tokens):
        if position <= start and token:
            return count
        if REPLACEMENT_CHARACTER in token and not text.endswith(token, 0, position):
            broken, count = broken + len(token), count + 1
            continue
        ends = _possible_ends(text, position, broken)
        end = next((candidate for candidate in ends if _token_ends_at(text, candidate, token)), None)
        if end is None or (broken and end < start):
            raise SampleError(
                f"the prompt tokens returned by the server do not end with {text[start : start + 60]!r}, "
                "so the tokens to score cannot be identified"
            )
        if end <= start and token:
            return count
        position, broken, count = max(0, end - len(token)), 0, count + 1
    if position > start and not (broken and start) and not text[start:position].isspace():
        raise SampleError(
            "the first token of the prompt has no log-probability; put a start token before it, "
            "such as -M 'start=<s>' or -M 'start=<|endoftext|>'"
        )
    return count


def _possible_ends(text: str, position: int, broken: int) -> Iterator[int]:
    """Yield the positions at which the preceding token may end, given broken characters or stripped blanks."""
    if broken:
        return iter(range(position - 1, max(-1, position - broken - 1), -1))
    first = position
    while position < len(text) and first and text[first - 1].isspace():
        first -= 1
    return iter(range(position, first - 1, -1))


def _token_ends_at(text: str, end: int, token: str) -> bool:
    """Return whether the token ends there; it may begin before the known text."""
    return text.endswith(token, 0, end) or token.endswith(text[:end])
