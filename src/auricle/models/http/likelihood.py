"""Asking a server about a text, once it has shown that it tells how likely a prompt is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import orjson

from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generation, Likelihood
from auricle.models.http.base import HttpModel, merge_extra, parse_count
from auricle.models.http.prompt_logprobs import PromptToken, continuation_likelihood, parse_echo, parse_prompt_logprobs

JSON = "application/json"
LogprobsSource = Literal["prompt_logprobs", "echo"]
UNSUPPORTED_STATUSES = ("HTTP 400", "HTTP 404", "HTTP 405", "HTTP 422", "HTTP 501")
"""How servers refuse a field or a path they do not have."""
SUPPORTED_MODELS_HINT = (
    "Models that can: vllm-chat and completions at a vLLM server, completions with "
    "-M logprobs_by=echo at one that knows echo, and causal, audio-chat and vllm on this machine."
)


class LikelihoodScorer:
    """Asks how likely texts are, and first whether that is told at all: once, before any sample."""

    def __init__(self, model: HttpModel, source: LogprobsSource = "prompt_logprobs", start_token: str = "") -> None:
        if source not in ("prompt_logprobs", "echo"):
            raise SpecError(f"logprobs_by should be prompt_logprobs or echo, not {source!r}.")
        self._model, self._source, self._start_token = model, source, start_token
        self._min_tokens = 0 if source == "echo" else 1  # tokens to write, for nothing: as few as may be
        self._is_supported, self._unsupported_reason = False, ""
        self._probe_lock = asyncio.Lock()

    async def score_text(self, context: str, continuation: str, *, whole: bool = False) -> Likelihood:
        """How likely is the continuation of a bare text, or of nothing?"""
        await self.ensure_supported(lambda: self._score_prompt("one two three"))
        context = context or self._start_token
        prompt = context + continuation
        told = await self._score_prompt(prompt)
        return continuation_likelihood(told, prompt, -1 if whole else len(context))

    async def post_json(self, path: str, fields: Mapping[str, Any]) -> tuple[Any, str]:
        """The answer to one request, and who gave it."""
        model = self._model
        body = await model.in_thread(orjson.dumps, merge_extra(fields, model.service.extra))
        reply = await model.post(path, body, JSON)
        answer = model.parse_json(reply)
        usage = (answer.get("usage") if isinstance(answer, dict) else None) or {}
        read = Generation(text="", tokens=parse_count(usage.get("total_tokens")))
        model.record_usage(read, reply.charged_tokens)
        return answer, reply.host

    async def ensure_supported(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> None:
        """Ask about a few words; whoever tells nothing of them is not asked about a sample."""
        async with self._probe_lock:
            if self._unsupported_reason:  # found out while this one waited
                raise SpecError(self._unsupported_reason)
            if self._is_supported:
                return
            self._unsupported_reason = await self._find_unsupported_reason(probe)
            if self._unsupported_reason:
                raise SpecError(self._unsupported_reason)
            self._is_supported = True

    async def _find_unsupported_reason(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> str:
        """What keeps this server from being asked; nothing, if it tells."""
        try:
            told = await self._run_probe(probe)
        except Refused as error:
            if not _is_unsupported_error(error):
                raise  # a wrong key, a wrong name: nothing about likelihoods
            why = str(error)
        else:
            if any(each.logprob is not None for each in told):
                return ""
            why = "its answer has none"
        where = ", ".join(self._model.hosts)
        return f"The server {where} gives no prompt logprobs ({why}). {SUPPORTED_MODELS_HINT}"

    async def _run_probe(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> Sequence[PromptToken]:
        """Some servers write at least one token, even for nothing."""
        try:
            return await probe()
        except Refused as error:
            if self._min_tokens or not _is_unsupported_error(error):
                raise
            self._min_tokens = 1
            return await probe()

    async def _score_prompt(self, prompt: str) -> list[PromptToken]:
        asked: dict[str, Any] = {
            "model": self._model.service.model,
            "prompt": prompt,
            "max_tokens": self._min_tokens,
            "temperature": 0.0,
        }
        if self._source == "echo":
            answer, host = await self.post_json("/completions", {**asked, "echo": True, "logprobs": 1})
            return parse_echo(answer, prompt, host)
        answer, host = await self.post_json("/completions", {**asked, "prompt_logprobs": 0})
        return parse_prompt_logprobs(answer, host)


def _is_unsupported_error(error: Refused) -> bool:
    """Is it the field or the path that the server does not know, and not the model?"""
    words = str(error)
    return words.startswith(UNSUPPORTED_STATUSES) and not (words.startswith("HTTP 404") and "model" in words)
