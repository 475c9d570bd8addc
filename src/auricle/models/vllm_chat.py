"""Chat models behind a vLLM server, which also tells how likely an answer is, after sounds, too.

-m vllm-chat -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.types import Likelihood, LogLikelihood, Turn
from auricle.models.http.likelihood import LikelihoodScorer
from auricle.models.http.prompt_logprobs import PromptToken, continuation_likelihood, parse_prompt_logprobs
from auricle.models.openai import OpenAI
from auricle.models.plain_text import turn_text
from auricle.models.token_boundary import check_scorable, move_trailing_space


class VLLMChat(OpenAI):
    """The chat of `openai`, and how likely an answer is."""

    default_url = ""
    max_first_tokens = None  # the server's own --max-logprobs decides

    def __init__(self, *, start: str = "", **options: Any) -> None:
        """`start` stands before a text that follows nothing, as its start token."""
        super().__init__(**options)
        self._scorer = LikelihoodScorer(self, start_token=start)

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        check_scorable(request)
        if not request.turns:  # no chat, so no template
            return await self._scorer.score_text("", request.continuation)
        await self._scorer.ensure_supported(lambda: self._score_prompt((Turn("user", ("one",)),), "two three"))
        turns, continuation = move_trailing_space(request.turns, request.continuation)
        before = turn_text(turns[-1]) if turns[-1].role == "assistant" else ""
        context = turns[:-1] if before else turns
        told = await self._score_prompt(context, before + continuation)
        return continuation_likelihood(told, before + continuation, -1 if request.include_context else len(before))

    async def _score_prompt(self, turns: Sequence[Turn], answer: str) -> list[PromptToken]:
        """Of the conversation with this answer, which the template leaves open."""
        messages = await self.in_thread(self._messages, (*turns, Turn("assistant", (answer,))))
        asked = {
            "model": self.service.model,
            "messages": messages,
            self.tokens_field: 1,
            "temperature": 0.0,
            "add_generation_prompt": False,
            "continue_final_message": True,
            "prompt_logprobs": 0,
        }
        return parse_prompt_logprobs(*await self._scorer.post_json(self.path, asked))

    def _messages(self, turns: Sequence[Turn]) -> list[dict[str, Any]]:
        return [self._encode_message(turn) for turn in turns]
