"""Language models that read text: generation, and how likely a continuation is.

-m causal -M model=HuggingFaceTB/SmolLM2-135M-Instruct
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Request, Turn
from auricle.models.plain_text import joined, words
from auricle.models.token_boundary import (
    Reach,
    Row,
    all_of,
    begun,
    extended,
    parted,
    refuse_nothing,
    seam,
)
from auricle.models.transformers.base import Transformer
from auricle.models.transformers.generation import Until, answer, answers, cut, written
from auricle.models.transformers.likelihood import rolled, window_of
from auricle.prompts.meta_template import MetaTemplate


class Causal(Transformer):
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
        self._format = MetaTemplate.of(meta_template) if meta_template else None
        super().__init__(**weights)
        self._reach = Reach.of(self.name, window_of(self.model), window, stride)

    def load(self) -> None:
        self.tokenizer = self.weights.load(self.library.AutoTokenizer, padding_side="left")
        self.model = self.weights.build(self.library.AutoModelForCausalLM, self.device)
        templated = self.tokenizer.chat_template is not None
        self._chat = self._format is not None or (self._wants_chat and templated)
        if self.tokenizer.pad_token_id is None:  # masked anyway; only a number is needed
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token

    def write(self, batch: Sequence[Generate]) -> list[Generation]:
        prompts = [
            self._tokens(self._text(each.turns), self._chat) or self._start() for each in batch
        ]
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
        wanted = any(request.first_tokens for request in batch)
        rows, logits = written(self.model, inputs, settings, until, wanted)
        said = [
            self._answer(cut(row[start:].tolist(), asked.max_tokens, settings), asked, len(prompt))
            for row, asked, prompt in zip(rows, batch, prompts, strict=True)
        ]
        return answers(batch, said, logits, self.tokenizer)

    def _answer(self, tokens: list[int], asked: Generate, read: int) -> Generation:
        text = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return replace(answer(text, asked, len(tokens), asked.max_tokens), input_tokens=read)

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        with self.running():
            rows = [self._row(request) for request in batch]
            return rolled(self.model, rows, self._reach, self.batch_size)

    def _row(self, request: LogLikelihood) -> Row:
        refuse_nothing(request)
        text, continuation = self._parts(request)
        chat = self._chat and bool(request.turns)
        context, both = self._tokens(text, chat), self._tokens(text + continuation, chat)
        if request.whole:
            return all_of(both)
        if not seam(context, both):  # something must stand before the first token asked about
            context, both = self._start(), [*self._start(), *both]
        return extended(context, context, both)

    def _parts(self, request: LogLikelihood) -> tuple[str, str]:
        """What stands before and what is asked about; white space between belongs to the latter."""
        if self._chat and request.turns:
            turns, continuation = begun(request.turns, request.continuation)
            return self._text(turns), continuation
        text, space = parted(joined(request.turns))
        return text, space + request.continuation

    def _tokens(self, text: str, chat: bool) -> list[int]:
        """A chat template writes its own start token; bare text gets the tokeniser's."""
        bare = not chat or (self._format is not None and not self._format.begin)
        tokens: list[int] = self.tokenizer(text, add_special_tokens=bare)["input_ids"]
        return tokens

    def _start(self) -> list[int]:
        known = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id)
        return [each for each in known if each is not None][:1]

    def shown(self, request: Request) -> str:
        if isinstance(request, LogLikelihood):
            text, continuation = self._parts(request)
            return f"{text}⟦{continuation}⟧"
        return self._text(request.turns) if isinstance(request, Generate) else ""

    def _text(self, turns: Sequence[Turn]) -> str:
        if self._format:
            return self._format.text(turns, words)
        if not self._chat:
            return joined(turns)
        said = [{"role": turn.role, "content": words(turn)} for turn in turns]
        prefilled = bool(turns) and turns[-1].role == "assistant"
        return str(
            self.tokenizer.apply_chat_template(
                said,
                tokenize=False,
                add_generation_prompt=not prefilled,
                continue_final_message=prefilled,
            )
        )
