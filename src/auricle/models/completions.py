"""Text completion models behind `/v1/completions`: vLLM, SGLang, llama.cpp and others.

-m completions -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2.5-7B
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from auricle.core.errors import SpecError
from auricle.core.types import Generate, Likelihood, LogLikelihood, Request, Turn
from auricle.models.http.base import JSON, HttpModel, merge_extra
from auricle.models.http.likelihood import LikelihoodScorer, LogprobsSource
from auricle.models.http.timing import PreparedRequest
from auricle.models.openai import ChatReader
from auricle.models.request_input import join_turns, turn_text
from auricle.models.token_boundary import check_scorable, split_request
from auricle.prompts.meta_template import MetaTemplate


class CompletionReader(ChatReader):
    """Reads text completions."""

    kind = "a completion"

    def _read_document(self, document: Any) -> str:
        document["choices"][0]["text"]  # only events may lack it
        return self._read_event(document)

    def _read_choice(self, choice: Mapping[str, Any]) -> str:
        self.finish = choice.get("finish_reason") or self.finish
        return self._add_text(str(choice.get("text") or ""))


class Completions(HttpModel):
    """A model that continues plain text, and scores text if the server returns prompt log-probabilities."""

    default_key_env = "OPENAI_API_KEY"
    reader = CompletionReader

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

    def encode_request(self, request: Generate, *, stream: bool) -> PreparedRequest:
        body: dict[str, Any] = {
            "model": self.service.model,
            "prompt": self._render_turns(request.turns),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            body["stop"] = request.stop
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return PreparedRequest("/completions", orjson.dumps(merge_extra(body, self.service.extra)), JSON)

    def preview_request(self, request: Request) -> str:
        if isinstance(request, LogLikelihood):
            text, continuation = split_request(request, self._render_turns, uses_chat=bool(self._meta_template))
            return f"{text}⟦{continuation}⟧"
        return super().preview_request(request)

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        check_scorable(request)
        text, continuation = split_request(request, self._render_turns, uses_chat=bool(self._meta_template))
        return await self._scorer.score_text(text, continuation, include_context=request.include_context)

    def _render_turns(self, turns: Sequence[Turn]) -> str:
        if self._meta_template and turns:
            return self._meta_template.render(turns, turn_text)
        return join_turns(turns)
