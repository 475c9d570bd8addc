"""Where each answer of a batch ends: its own limit, its own stop words, the model's own end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from auricle.core.types import Generate, Generation

MARGIN = 8  # tokens: a stop word may begin inside one and end inside another


class Until:
    """Tells `generate` which rows are done, so that one long answer does not prolong the rest."""

    def __init__(self, batch: Sequence[Generate], start: int, tokenizer: Any) -> None:
        self._batch, self._start, self._tokenizer = batch, start, tokenizer

    def __call__(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        import torch

        written = input_ids[:, self._start :]
        done = [self._done(row, asked) for row, asked in zip(written, self._batch, strict=True)]
        return torch.tensor(done, device=input_ids.device, dtype=torch.bool)

    def _done(self, row: Any, asked: Generate) -> bool:
        if len(row) >= asked.max_tokens:
            return True
        if not asked.stop:
            return False
        last = max(len(word.encode()) for word in asked.stop) + MARGIN
        tail = self._tokenizer.decode(row[-last:], skip_special_tokens=True)
        return any(word in tail for word in asked.stop)


def cut(tokens: Sequence[int], limit: int, config: Any) -> list[int]:
    """What was written within the limit and before the end, without what fills up behind it."""
    eos = config.eos_token_id
    finals = eos if isinstance(eos, (list, tuple)) else [eos]
    kept = list(takewhile(lambda token: token not in finals, tokens[:limit]))
    while kept and kept[-1] == config.pad_token_id:
        kept.pop()
    return kept


def answer(text: str, asked: Generate, tokens: int, limit: int) -> Generation:
    """The text up to its first stop word."""
    places = [place for word in asked.stop if word and (place := text.find(word)) >= 0]
    stopped = bool(places) or tokens < limit
    return Generation(
        text=text[: min(places)] if places else text,
        tokens=tokens,
        finish="stop" if stopped else "length",
    )


def written(
    model: Any, inputs: Mapping[str, Any], settings: Any, until: Until, wanted: bool
) -> tuple[Any, Any]:
    """The rows a model writes and, where first tokens are wanted, the logits of their place."""
    options: dict[str, Any] = {"generation_config": settings, "stopping_criteria": [until]}
    if not wanted:
        return model.generate(**inputs, **options), None
    told = model.generate(**inputs, **options, output_logits=True, return_dict_in_generate=True)
    return told.sequences, told.logits[0]


def likeliest(logits: Any, most: int, tokenizer: Any) -> dict[str, float]:
    """The likeliest tokens of one place and their log-probabilities; of two alike, the likelier."""
    import torch

    chances = torch.log_softmax(logits.float(), dim=-1)
    values, tokens = chances.topk(min(most, len(chances)))
    found: dict[str, float] = {}
    for token, value in zip(tokens.tolist(), values.tolist(), strict=True):
        found.setdefault(tokenizer.decode([token]), value)
    return found


def answers(
    batch: Sequence[Generate], said: Sequence[Generation], logits: Any, tokenizer: Any
) -> list[Generation]:
    """Answers with their first tokens, where these were asked for."""
    return [
        replace(each, first=likeliest(logits[at], asked.first_tokens, tokenizer))
        if asked.first_tokens
        else each
        for at, (asked, each) in enumerate(zip(batch, said, strict=True))
    ]
