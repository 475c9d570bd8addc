"""Log-likelihoods from servers that return the log-probabilities of a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import orjson

from auricle.core.errors import Refused, SpecError
from auricle.core.types import Likelihood
from auricle.models.http.answers import parse_count
from auricle.models.http.base import JSON, HttpModel, merge_extra
from auricle.models.http.prompt_logprobs import PromptToken, continuation_likelihood, parse_echo, parse_prompt_logprobs

LogprobsSource = Literal["prompt_logprobs", "echo"]
UNSUPPORTED_STATUSES = ("HTTP 400", "HTTP 404", "HTTP 405", "HTTP 422", "HTTP 501")
"""Statuses with which servers refuse an unknown field or path."""
SUPPORTED_MODELS_HINT = (
    "Models that do: vllm-chat and completions with a vLLM server; completions with -M logprobs_by=echo and "
    "a server that supports echo; causal, audio-chat and vllm on this machine."
)


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
        usage = (document.get("usage") if isinstance(document, dict) else None) or {}
        if (tokens := parse_count(usage.get("total_tokens"))) is not None:
            model.record_usage(tokens, reply.charged_tokens)
        return document, reply.host

    async def ensure_supported(self, probe: Callable[[], Awaitable[Sequence[PromptToken]]]) -> None:
        """Score a few words once, and raise if the server does not return log-probabilities."""
        async with self._probe_lock:
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
        except Refused as error:
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
        except Refused as error:
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


def _is_unsupported_error(error: Refused) -> bool:
    """Return whether the server refused the field or the path, not the model."""
    message = str(error)
    return message.startswith(UNSUPPORTED_STATUSES) and not (message.startswith("HTTP 404") and "model" in message)
