"""Asking a server about a text, once it has shown that it tells how likely a prompt is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import orjson

from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generation, Likelihood
from auricle.models.http.client import HttpModel, count, merged
from auricle.models.http.prompt_logprobs import Told, likelihood, of_echo, of_prompt

JSON = "application/json"
By = Literal["prompt_logprobs", "echo"]
NOT_KNOWN = ("HTTP 400", "HTTP 404", "HTTP 405", "HTTP 422", "HTTP 501")
"""How servers refuse a field or a path they do not have."""
CAN = (
    "Models that can: vllm-chat and completions at a vLLM server, completions with "
    "-M logprobs_by=echo at one that knows echo, and causal, audio-chat and vllm on this machine."
)


class Scorer:
    """Asks how likely texts are, and first whether that is told at all: once, before any sample."""

    def __init__(self, model: HttpModel, by: By = "prompt_logprobs", start: str = "") -> None:
        if by not in ("prompt_logprobs", "echo"):
            raise SpecError(f"logprobs_by should be prompt_logprobs or echo, not {by!r}.")
        self._model, self._by, self._start = model, by, start
        self._least = 0 if by == "echo" else 1  # tokens to write, for nothing: as few as may be
        self._proved, self._lacks = False, ""
        self._proving = asyncio.Lock()

    async def text(self, context: str, continuation: str, *, whole: bool = False) -> Likelihood:
        """How likely is the continuation of a bare text, or of nothing?"""
        await self.prove(lambda: self._told("one two three"))
        context = context or self._start
        prompt = context + continuation
        told = await self._told(prompt)
        return likelihood(told, prompt, -1 if whole else len(context))

    async def ask(self, path: str, asked: Mapping[str, Any]) -> tuple[Any, str]:
        """The answer to one request, and who gave it."""
        model = self._model
        body = await model.in_thread(orjson.dumps, merged(asked, model.service.extra))
        reply = await model.post(path, body, JSON)
        answer = model.document(reply)
        usage = (answer.get("usage") if isinstance(answer, dict) else None) or {}
        read = Generation(text="", tokens=count(usage.get("total_tokens")))
        model.used(read, reply.charged)
        return answer, reply.host

    async def prove(self, ask: Callable[[], Awaitable[Sequence[Told]]]) -> None:
        """Ask about a few words; whoever tells nothing of them is not asked about a sample."""
        async with self._proving:
            if self._lacks:  # found out while this one waited
                raise SpecError(self._lacks)
            if self._proved:
                return
            self._lacks = await self._why_not(ask)
            if self._lacks:
                raise SpecError(self._lacks)
            self._proved = True

    async def _why_not(self, ask: Callable[[], Awaitable[Sequence[Told]]]) -> str:
        """What keeps this server from being asked; nothing, if it tells."""
        try:
            told = await self._tried(ask)
        except Refused as error:
            if not _unknown(error):
                raise  # a wrong key, a wrong name: nothing about likelihoods
            why = str(error)
        else:
            if any(each.logprob is not None for each in told):
                return ""
            why = "its answer has none"
        where = ", ".join(self._model.hosts)
        return f"The server {where} gives no prompt logprobs ({why}). {CAN}"

    async def _tried(self, ask: Callable[[], Awaitable[Sequence[Told]]]) -> Sequence[Told]:
        """Some servers write at least one token, even for nothing."""
        try:
            return await ask()
        except Refused as error:
            if self._least or not _unknown(error):
                raise
            self._least = 1
            return await ask()

    async def _told(self, prompt: str) -> list[Told]:
        asked: dict[str, Any] = {
            "model": self._model.service.model,
            "prompt": prompt,
            "max_tokens": self._least,
            "temperature": 0.0,
        }
        if self._by == "echo":
            answer, host = await self.ask("/completions", {**asked, "echo": True, "logprobs": 1})
            return of_echo(answer, prompt, host)
        answer, host = await self.ask("/completions", {**asked, "prompt_logprobs": 0})
        return of_prompt(answer, host)


def _unknown(error: Refused) -> bool:
    """Is it the field or the path that the server does not know, and not the model?"""
    words = str(error)
    return words.startswith(NOT_KNOWN) and not (words.startswith("HTTP 404") and "model" in words)
