"""Chat models behind a vLLM server, which also scores answers, including answers to audio.

-m vllm-chat -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.types import Likelihood, LogLikelihood, Turn
from auricle.models.http.likelihood import LikelihoodScorer
from auricle.models.http.prompt_logprobs import PromptToken, continuation_likelihood, parse_prompt_logprobs
from auricle.models.openai import OpenAI
from auricle.models.request_input import turn_text
from auricle.models.token_boundary import check_scorable, move_trailing_space


class VLLMChat(OpenAI):
    """The model `openai` plus log-likelihoods."""

    default_url = ""
    max_first_tokens = None  # limited by the server's --max-logprobs

    def __init__(self, *, start: str = "", **options: Any) -> None:
        """Configure the client.

        Args:
            start: Start token put before a text that is scored without a context.
            **options: Options of the model `openai`.
        """
        super().__init__(**options)
        self._scorer = LikelihoodScorer(self, start_token=start)

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        check_scorable(request)
        if not request.turns:  # no conversation, so no chat template
            return await self._scorer.score_text("", request.continuation)
        await self._scorer.ensure_supported(lambda: self._score_prompt((Turn("user", ("one",)),), "two three"))
        turns, continuation = move_trailing_space(request.turns, request.continuation)
        prefix = turn_text(turns[-1]) if turns[-1].role == "assistant" else ""
        context = turns[:-1] if prefix else turns
        tokens = await self._score_prompt(context, prefix + continuation)
        return continuation_likelihood(tokens, prefix + continuation, -1 if request.include_context else len(prefix))

    async def _score_prompt(self, turns: Sequence[Turn], answer: str) -> list[PromptToken]:
        """Return the prompt tokens of a conversation that ends with an open assistant turn."""
        messages = await self.in_thread(self._messages, (*turns, Turn("assistant", (answer,))))
        body = {
            "model": self.service.model,
            "messages": messages,
            self.tokens_field: 1,
            "temperature": 0.0,
            "add_generation_prompt": False,
            "continue_final_message": True,
            "prompt_logprobs": 0,
        }
        return parse_prompt_logprobs(*await self._scorer.post_json(self.path, body))

    def _messages(self, turns: Sequence[Turn]) -> list[dict[str, Any]]:
        return [self._encode_message(turn) for turn in turns]
