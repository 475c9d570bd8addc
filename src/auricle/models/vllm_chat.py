"""Chat models behind a vLLM server, which also tells how likely an answer is, after sounds, too.

-m vllm-chat -M base_url=http://host:8000/v1 -M model=Qwen/Qwen2-Audio-7B-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.types import Likelihood, LogLikelihood, Turn
from auricle.models.http.prompt_logprobs import Told, likelihood, of_prompt
from auricle.models.http.scoring import Scorer
from auricle.models.openai import OpenAI
from auricle.models.plain_text import words
from auricle.models.token_boundary import begun, refuse_nothing


class VLLMChat(OpenAI):
    """The chat of `openai`, and how likely an answer is."""

    default_url = ""
    most_first = None  # the server's own --max-logprobs decides

    def __init__(self, *, start: str = "", **options: Any) -> None:
        """`start` stands before a text that follows nothing, as its start token."""
        super().__init__(**options)
        self._scorer = Scorer(self, start=start)

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        refuse_nothing(request)
        if not request.turns:  # no chat, so no template
            return await self._scorer.text("", request.continuation)
        await self._scorer.prove(lambda: self._told((Turn("user", ("one",)),), "two three"))
        turns, continuation = begun(request.turns, request.continuation)
        before = words(turns[-1]) if turns[-1].role == "assistant" else ""
        context = turns[:-1] if before else turns
        told = await self._told(context, before + continuation)
        return likelihood(told, before + continuation, -1 if request.whole else len(before))

    async def _told(self, turns: Sequence[Turn], answer: str) -> list[Told]:
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
        return of_prompt(*await self._scorer.ask(self.path, asked))

    def _messages(self, turns: Sequence[Turn]) -> list[dict[str, Any]]:
        return [self._message(turn) for turn in turns]
