"""Where each answer of a batch ends: its own limit, its own stop words, the model's own end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from auricle.core.types import Generate, Generation

STOP_MARGIN_TOKENS = 8  # tokens: a stop word may begin inside one and end inside another


class StoppingCriterion:
    """Tells `generate` which rows are done, so that one long answer does not prolong the rest."""

    def __init__(self, batch: Sequence[Generate], prompt_length: int, tokenizer: Any) -> None:
        self._batch, self._prompt_length, self._tokenizer = batch, prompt_length, tokenizer

    def __call__(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        import torch

        written = input_ids[:, self._prompt_length :]
        done = [self._is_finished(row, asked) for row, asked in zip(written, self._batch, strict=True)]
        return torch.tensor(done, device=input_ids.device, dtype=torch.bool)

    def _is_finished(self, row: Any, request: Generate) -> bool:
        if len(row) >= request.max_tokens:
            return True
        if not request.stop:
            return False
        last = max(len(word.encode()) for word in request.stop) + STOP_MARGIN_TOKENS
        tail = self._tokenizer.decode(row[-last:], skip_special_tokens=True)
        return any(word in tail for word in request.stop)


def trim_tokens(tokens: Sequence[int], limit: int, config: Any) -> list[int]:
    """What was written within the limit and before the end, without what fills up behind it."""
    eos = config.eos_token_id
    finals = eos if isinstance(eos, (list, tuple)) else [eos]
    kept = list(takewhile(lambda token: token not in finals, tokens[:limit]))
    while kept and kept[-1] == config.pad_token_id:
        kept.pop()
    return kept


def build_generation(text: str, request: Generate, tokens: int, limit: int) -> Generation:
    """The text up to its first stop word."""
    places = [place for word in request.stop if word and (place := text.find(word)) >= 0]
    stopped = bool(places) or tokens < limit
    return Generation(
        text=text[: min(places)] if places else text, tokens=tokens, finish="stop" if stopped else "length"
    )


def generate_rows(
    model: Any,
    inputs: Mapping[str, Any],
    generation_config: Any,
    stopping_criterion: StoppingCriterion,
    needs_logits: bool,
) -> tuple[Any, Any]:
    """The rows a model writes and, where first tokens are wanted, the logits of their place."""
    options: dict[str, Any] = {"generation_config": generation_config, "stopping_criteria": [stopping_criterion]}
    if not needs_logits:
        return model.generate(**inputs, **options), None
    told = model.generate(**inputs, **options, output_logits=True, return_dict_in_generate=True)
    return told.sequences, told.logits[0]


def top_tokens(logits: Any, limit: int, tokenizer: Any) -> dict[str, float]:
    """The likeliest tokens of one place and their log-probabilities; of two alike, the likelier."""
    import torch

    chances = torch.log_softmax(logits.float(), dim=-1)
    values, tokens = chances.topk(min(limit, len(chances)))
    found: dict[str, float] = {}
    for token, value in zip(tokens.tolist(), values.tolist(), strict=True):
        found.setdefault(tokenizer.decode([token]), value)
    return found


def attach_first_tokens(
    batch: Sequence[Generate], generations: Sequence[Generation], logits: Any, tokenizer: Any
) -> list[Generation]:
    """Answers with their first tokens, where these were asked for."""
    return [
        replace(each, first_token_logprobs=top_tokens(logits[at], asked.first_tokens, tokenizer))
        if asked.first_tokens
        else each
        for at, (asked, each) in enumerate(zip(batch, generations, strict=True))
    ]
