"""Models that continue a text, behind `/v1/completions`: vLLM, SGLang, llama.cpp and others.

-m completions -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2.5-7B
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from auricle.core.errors import Refused, SpecError
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Request, Turn
from auricle.models.http.client import HttpModel, Reply, count, merged, shape
from auricle.models.http.render_request import written
from auricle.models.http.scoring import By, Scorer
from auricle.models.http.timing import Prepared
from auricle.models.plain_text import joined, words
from auricle.models.token_boundary import begun, parted, refuse_nothing
from auricle.prompts.meta_template import MetaTemplate


class Completions(HttpModel):
    """Bare text in, text out; and how likely a text is, where the server tells it."""

    default_key_env = "OPENAI_API_KEY"

    def __init__(
        self,
        *,
        logprobs_by: By = "prompt_logprobs",
        start: str = "",
        meta_template: Any = None,
        **service: Any,
    ) -> None:
        """`start` stands before a text that follows nothing, as its start token.

        `meta_template` is the chat format that turns are written down in, or a YAML file of one.
        """
        super().__init__(**service)
        if not self.service.model:
            raise SpecError("completions: say which model the server should use: -M model=NAME.")
        self._scorer = Scorer(self, logprobs_by, start)
        self._format = MetaTemplate.of(meta_template) if meta_template else None

    async def generate(self, request: Generate) -> Generation:
        answer, host = await self._scorer.ask("/completions", self._asked(request))
        return _said(answer, host)

    def prepare(self, request: Generate) -> Prepared:
        body = orjson.dumps(merged(self._asked(request), self.service.extra))
        return Prepared("/completions", body, "application/json")

    def said(self, reply: Reply) -> Generation:
        return _said(self.document(reply), reply.host)

    def _asked(self, request: Generate) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.service.model,
            "prompt": self._text(request.turns),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        }
        if request.stop:
            asked["stop"] = request.stop
        return asked

    def shown(self, request: Request) -> str:
        if isinstance(request, LogLikelihood):
            text, continuation = self._parts(request)
            return f"{text}⟦{continuation}⟧"
        if not isinstance(request, Generate):
            return ""
        return written(*self.prepare(request)[:2])

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        refuse_nothing(request)
        text, continuation = self._parts(request)
        return await self._scorer.text(text, continuation, whole=request.whole)

    def _parts(self, request: LogLikelihood) -> tuple[str, str]:
        """What stands before and what is asked about; white space between belongs to the latter.

        That of a chat format stays where the format has it: it is no part of an answer.
        """
        if self._format and request.turns:
            turns, continuation = begun(request.turns, request.continuation)
            return self._text(turns), continuation
        text, space = parted(self._text(request.turns))
        return text, space + request.continuation

    def _text(self, turns: Sequence[Turn]) -> str:
        if self._format and turns:
            return self._format.text(turns, words)
        return joined(turns)


def _said(answer: Mapping[str, Any], host: str) -> Generation:
    try:
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        return Generation(
            text=str(choice["text"]),
            tokens=count(usage.get("completion_tokens")),
            input_tokens=count(usage.get("prompt_tokens")),
            finish=choice.get("finish_reason") or "",
        )
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise Refused(f"{host} answered {shape(answer)}, no completion") from error
