"""Text completion models behind `/v1/completions`: vLLM, SGLang, llama.cpp and others.

-m completions -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2.5-7B
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Request, Turn
from auricle.models.http.base import HttpModel, Reply, describe_shape, merge_extra, parse_count
from auricle.models.http.likelihood import LikelihoodScorer, LogprobsSource
from auricle.models.http.request_preview import render_request
from auricle.models.http.timing import PreparedRequest
from auricle.models.plain_text import join_turns, turn_text
from auricle.models.token_boundary import check_scorable, split_request
from auricle.prompts.meta_template import MetaTemplate


class Completions(HttpModel):
    """A model that continues plain text, and scores text if the server returns prompt log-probabilities."""

    default_key_env = "OPENAI_API_KEY"

    def __init__(
        self,
        *,
        logprobs_by: LogprobsSource = "prompt_logprobs",
        start: str = "",
        meta_template: Any = None,
        **service: Any,
    ) -> None:
        """Configure the client.

        Args:
            logprobs_by: How the server returns prompt log-probabilities.
            start: Start token put before a text that is scored without a context.
            meta_template: Chat format used to write turns as text, or a YAML file with one.
            **service: Options of every API model; see `ServiceConfig`.
        """
        super().__init__(**service)
        if not self.service.model:
            raise SpecError("completions: missing model. Set -M model=NAME.")
        self._scorer = LikelihoodScorer(self, logprobs_by, start)
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None

    async def generate(self, request: Generate) -> Generation:
        document, host = await self._scorer.post_json("/completions", self._request_body(request))
        return _parse_completion(document, host)

    def prepare(self, request: Generate) -> PreparedRequest:
        body = orjson.dumps(merge_extra(self._request_body(request), self.service.extra))
        return PreparedRequest("/completions", body, "application/json")

    def parse_reply(self, reply: Reply) -> Generation:
        return _parse_completion(self.parse_json(reply), reply.host)

    def _request_body(self, request: Generate) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.service.model,
            "prompt": self._render_turns(request.turns),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            body["stop"] = request.stop
        return body

    def preview_request(self, request: Request) -> str:
        if isinstance(request, LogLikelihood):
            text, continuation = split_request(request, self._render_turns, uses_chat=bool(self._meta_template))
            return f"{text}⟦{continuation}⟧"
        if not isinstance(request, Generate):
            return ""
        return render_request(*self.prepare(request)[:2])

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        check_scorable(request)
        text, continuation = split_request(request, self._render_turns, uses_chat=bool(self._meta_template))
        return await self._scorer.score_text(text, continuation, include_context=request.include_context)

    def _render_turns(self, turns: Sequence[Turn]) -> str:
        if self._meta_template and turns:
            return self._meta_template.render(turns, turn_text)
        return join_turns(turns)


def _parse_completion(document: Mapping[str, Any], host: str) -> Generation:
    try:
        choice, usage = document["choices"][0], document.get("usage") or {}
        return Generation(
            text=str(choice["text"]),
            tokens=parse_count(usage.get("completion_tokens")),
            input_tokens=parse_count(usage.get("prompt_tokens")),
            finish=choice.get("finish_reason") or "",
        )
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise Refused(f"{host} returned {describe_shape(document)} instead of a completion") from error
