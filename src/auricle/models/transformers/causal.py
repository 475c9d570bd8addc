"""Text-only language models: generation and log-likelihoods.

-m causal -M model=HuggingFaceTB/SmolLM2-135M-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Request, Turn
from auricle.data.prompts.meta_template import MetaTemplate
from auricle.models.request_input import join_turns, turn_text
from auricle.models.token_boundary import (
    ScoringInput,
    append_continuation,
    check_scorable,
    common_prefix_length,
    score_all_tokens,
    split_request,
    start_tokens,
)
from auricle.models.transformers.base import LocalModel, TokenizedModel, render_chat


class Causal(TokenizedModel):
    """A language model with text input and output, through AutoModelForCausalLM."""

    listing = replace(LocalModel.listing, group="Chat and language", architectures=("ForCausalLM",))
    name = "causal"

    def __init__(self, *, chat: bool = True, meta_template: Any = None, **options: Any) -> None:
        """Load the model.

        Args:
            chat: Use the chat template of the tokeniser, if it has one.
            meta_template: Chat format used instead of the tokeniser's, or a YAML file with one.
            **options: `window`, `stride` and the options of every local model; see `Weights`.
        """
        self._wants_chat = chat
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None
        super().__init__(**options)

    def load(self) -> None:
        self.tokenizer = self.weights.load(self.library.AutoTokenizer, padding_side="left")
        self.model = self.weights.build(self.library.AutoModelForCausalLM, self.device)
        has_template = self.tokenizer.chat_template is not None
        self._uses_chat = self._meta_template is not None or (self._wants_chat and has_template)
        if self.tokenizer.pad_token_id is None:  # padding is masked, so any token will do
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        prompts = [
            self._tokenize(self._render_turns(request.turns), self._uses_chat) or start_tokens(self.tokenizer)
            for request in batch
        ]
        for prompt in prompts:
            self.refuse_too_long(len(prompt))
        inputs = self.tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(self.device)
        return self.answer_prompts(batch, inputs, [len(prompt) for prompt in prompts])

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        with self.inference_mode():
            return self.score_texts([self._scoring_input(request) for request in batch])

    def _scoring_input(self, request: LogLikelihood) -> ScoringInput:
        check_scorable(request)
        text, continuation = split_request(request, self._render_turns, uses_chat=self._uses_chat)
        chat = self._uses_chat and bool(request.turns)
        context, full = self._tokenize(text, chat), self._tokenize(text + continuation, chat)
        if request.include_context:
            return score_all_tokens(full)
        if not common_prefix_length(context, full):  # the first scored token needs a context
            context, full = start_tokens(self.tokenizer), [*start_tokens(self.tokenizer), *full]
        return append_continuation(context, context, full)

    def _tokenize(self, text: str, chat: bool) -> list[int]:
        """Tokenise a text. A chat template contains its own start token; plain text gets the tokeniser's."""
        add_start = not chat or (self._meta_template is not None and not self._meta_template.begin)
        tokens: list[int] = self.tokenizer(text, add_special_tokens=add_start)["input_ids"]
        return tokens

    def preview_request(self, request: Request) -> str:
        if isinstance(request, LogLikelihood):
            text, continuation = split_request(request, self._render_turns, uses_chat=self._uses_chat)
            return f"{text}⟦{continuation}⟧"
        return self._render_turns(request.turns) if isinstance(request, Generate) else ""

    def _render_turns(self, turns: Sequence[Turn]) -> str:
        if self._meta_template:
            return self._meta_template.render(turns, turn_text)
        if not self._uses_chat:
            return join_turns(turns)
        messages = [{"role": turn.role, "content": turn_text(turn)} for turn in turns]
        return render_chat(self.tokenizer, messages, prefilled=bool(turns) and turns[-1].role == "assistant")
