"""Language models that read text: generation, and how likely a continuation is.

-m causal -M model=HuggingFaceTB/SmolLM2-135M-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.errors import SampleError
from auricle.models.transformers.base import Transformer
from auricle.models.transformers.likelihood import Row, extended, scored, seam
from auricle.models.transformers.writing import Until, answer, cut
from auricle.types import Generate, Generation, Likelihood, LogLikelihood, Turn


class Causal(Transformer):
    """Text in, text out, through AutoModelForCausalLM."""

    name = "causal"

    def __init__(self, *, chat: bool = True, **weights: Any) -> None:
        """`chat=false` gives the bare text to a model that has a chat template."""
        self._wants_chat = chat
        super().__init__(**weights)

    def load(self) -> None:
        self.tokenizer = self.weights.load(self.library.AutoTokenizer, padding_side="left")
        self.model = self.weights.build(self.library.AutoModelForCausalLM, self.device)
        self._chat = self._wants_chat and self.tokenizer.chat_template is not None
        if self.tokenizer.pad_token_id is None:  # masked anyway; only a number is needed
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token

    def write(self, batch: Sequence[Generate]) -> list[Generation]:
        prompts = [self._tokens(self._text(each.turns)) or self._start() for each in batch]
        for prompt in prompts:
            self.refuse_too_long(len(prompt))
        inputs = self.tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(self.device)
        start = inputs["input_ids"].shape[1]
        settings = self.settings(
            batch[0].temperature,
            max_new_tokens=max(request.max_tokens for request in batch),
            tokenizer=self.tokenizer,
        )
        until = Until(batch, start, self.tokenizer)
        rows = self.model.generate(**inputs, generation_config=settings, stopping_criteria=[until])
        return [
            self._answer(cut(row[start:].tolist(), asked.max_tokens, settings), asked, len(prompt))
            for row, asked, prompt in zip(rows, batch, prompts, strict=True)
        ]

    def _answer(self, tokens: list[int], asked: Generate, read: int) -> Generation:
        text = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return replace(answer(text, asked, len(tokens), asked.max_tokens), input_tokens=read)

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        with self.running():
            return scored(self.model, [self._row(request) for request in batch], {})

    def _row(self, request: LogLikelihood) -> Row:
        text = self._text(request.turns)
        context, whole = self._tokens(text), self._tokens(text + request.continuation)
        if not seam(context, whole):  # something must stand before the first token asked about
            context, whole = self._start(), [*self._start(), *whole]
        row = extended(context, context, whole)
        self.refuse_too_long(len(row.tokens))
        return row

    def _tokens(self, text: str) -> list[int]:
        """A chat template writes its own start token; bare text gets the tokeniser's."""
        tokens: list[int] = self.tokenizer(text, add_special_tokens=not self._chat)["input_ids"]
        return tokens

    def _start(self) -> list[int]:
        known = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id)
        return [each for each in known if each is not None][:1]

    def _text(self, turns: Sequence[Turn]) -> str:
        said = [{"role": turn.role, "content": words(turn)} for turn in turns]
        if not self._chat:
            return "\n".join(each["content"] for each in said)
        prefilled = bool(turns) and turns[-1].role == "assistant"
        return str(
            self.tokenizer.apply_chat_template(
                said,
                tokenize=False,
                add_generation_prompt=not prefilled,
                continue_final_message=prefilled,
            )
        )


def words(turn: Turn) -> str:
    """A turn's text; a model that only reads is not given a sound and left to guess."""
    for part in turn.parts:
        if not isinstance(part, str):
            raise SampleError(f"this model reads text only, and is given {type(part).__name__}")
    return "".join(str(part) for part in turn.parts)
