"""Language models that read text: generation, and how likely a continuation is.

-m causal -M model=HuggingFaceTB/SmolLM2-135M-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Request, Turn
from auricle.models.plain_text import join_turns, turn_text
from auricle.models.token_boundary import (
    ContextWindow,
    ScoringInput,
    append_continuation,
    check_scorable,
    common_prefix_length,
    move_trailing_space,
    score_all_tokens,
    split_trailing_space,
)
from auricle.models.transformers.base import GenerativeModel
from auricle.models.transformers.generation import (
    StoppingCriterion,
    attach_first_tokens,
    build_generation,
    generate_rows,
    trim_tokens,
)
from auricle.models.transformers.likelihood import max_context_tokens, score_windows
from auricle.prompts.meta_template import MetaTemplate


class Causal(GenerativeModel):
    """Text in, text out, through AutoModelForCausalLM."""

    name = "causal"
    first_tokens = True

    def __init__(
        self,
        *,
        chat: bool = True,
        meta_template: Any = None,
        window: int | None = None,
        stride: int | None = None,
        **weights: Any,
    ) -> None:
        """`chat=false` gives the bare text to a model that has a chat template.

        `meta_template` is a chat format, or a YAML file of one, in the place of the tokeniser's.
        A text to be scored that is longer than `window` is read in several of them, `stride`
        tokens further each time.
        """
        self._wants_chat = chat
        self._meta_template = MetaTemplate.of(meta_template) if meta_template else None
        super().__init__(**weights)
        self._context_window = ContextWindow.from_options(self.name, max_context_tokens(self.model), window, stride)

    def load(self) -> None:
        self.tokenizer = self.weights.load(self.library.AutoTokenizer, padding_side="left")
        self.model = self.weights.build(self.library.AutoModelForCausalLM, self.device)
        templated = self.tokenizer.chat_template is not None
        self._uses_chat = self._meta_template is not None or (self._wants_chat and templated)
        if self.tokenizer.pad_token_id is None:  # masked anyway; only a number is needed
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        prompts = [
            self._tokenize(self._render_turns(each.turns), self._uses_chat) or self._start_tokens() for each in batch
        ]
        for prompt in prompts:
            self.refuse_too_long(len(prompt))
        inputs = self.tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(self.device)
        start = inputs["input_ids"].shape[1]
        settings = self.generation_config(
            batch[0].temperature, max_new_tokens=max(request.max_tokens for request in batch), tokenizer=self.tokenizer
        )
        until = StoppingCriterion(batch, start, self.tokenizer)
        wanted = any(request.first_tokens for request in batch)
        rows, logits = generate_rows(self.model, inputs, settings, until, wanted)
        said = [
            self._to_generation(trim_tokens(row[start:].tolist(), asked.max_tokens, settings), asked, len(prompt))
            for row, asked, prompt in zip(rows, batch, prompts, strict=True)
        ]
        return attach_first_tokens(batch, said, logits, self.tokenizer)

    def _to_generation(self, tokens: list[int], request: Generate, input_tokens: int) -> Generation:
        text = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return replace(build_generation(text, request, len(tokens), request.max_tokens), input_tokens=input_tokens)

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        with self.inference_mode():
            rows = [self._scoring_input(request) for request in batch]
            return score_windows(self.model, rows, self._context_window, self.batch_size)

    def _scoring_input(self, request: LogLikelihood) -> ScoringInput:
        check_scorable(request)
        text, continuation = self._context_and_continuation(request)
        chat = self._uses_chat and bool(request.turns)
        context, both = self._tokenize(text, chat), self._tokenize(text + continuation, chat)
        if request.include_context:
            return score_all_tokens(both)
        if not common_prefix_length(context, both):  # something must stand before the first token asked about
            context, both = self._start_tokens(), [*self._start_tokens(), *both]
        return append_continuation(context, context, both)

    def _context_and_continuation(self, request: LogLikelihood) -> tuple[str, str]:
        """What stands before and what is asked about; white space between belongs to the latter."""
        if self._uses_chat and request.turns:
            turns, continuation = move_trailing_space(request.turns, request.continuation)
            return self._render_turns(turns), continuation
        text, space = split_trailing_space(join_turns(request.turns))
        return text, space + request.continuation

    def _tokenize(self, text: str, chat: bool) -> list[int]:
        """A chat template writes its own start token; bare text gets the tokeniser's."""
        bare = not chat or (self._meta_template is not None and not self._meta_template.begin)
        tokens: list[int] = self.tokenizer(text, add_special_tokens=bare)["input_ids"]
        return tokens

    def _start_tokens(self) -> list[int]:
        known = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id)
        return [each for each in known if each is not None][:1]

    def preview_request(self, request: Request) -> str:
        if isinstance(request, LogLikelihood):
            text, continuation = self._context_and_continuation(request)
            return f"{text}⟦{continuation}⟧"
        return self._render_turns(request.turns) if isinstance(request, Generate) else ""

    def _render_turns(self, turns: Sequence[Turn]) -> str:
        if self._meta_template:
            return self._meta_template.render(turns, turn_text)
        if not self._uses_chat:
            return join_turns(turns)
        said = [{"role": turn.role, "content": turn_text(turn)} for turn in turns]
        prefilled = bool(turns) and turns[-1].role == "assistant"
        return str(
            self.tokenizer.apply_chat_template(
                said, tokenize=False, add_generation_prompt=not prefilled, continue_final_message=prefilled
            )
        )
