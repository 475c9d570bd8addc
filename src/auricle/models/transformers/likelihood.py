"""How likely a continuation is, token by token, after text or sound."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.errors import SampleError
from auricle.types import Likelihood


@dataclass(frozen=True, slots=True)
class Row:
    """What a model reads, and from which token on it is asked about."""

    tokens: Sequence[int]
    start: int


def seam(context: Sequence[int], whole: Sequence[int]) -> int:
    """How many tokens both begin with: where they meet, a tokeniser may have joined letters."""
    pairs = zip(context, whole, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), len(context))


def extended(context: Sequence[int], short: Sequence[int], whole: Sequence[int]) -> Row:
    """`context` with what `whole` has and `short` has not: the continuation, tokenised in place.

    `short` is the text of `context`, in which a sound stands for one token and not for hundreds.
    """
    same = seam(short, whole)
    start = len(context) - (len(short) - same)
    if len(whole) == same:
        raise SampleError("the continuation is empty, so nothing is asked about")
    if start < 1:
        raise SampleError("nothing stands before the continuation, not even a start token")
    return Row((*context[:start], *whole[same:]), start)


def scored(model: Any, rows: Sequence[Row], inputs: Mapping[str, Any]) -> list[Likelihood]:
    """Each row's log-probabilities. Padded on the right, where no token before can see it."""
    import torch

    longest = max(len(row.tokens) for row in rows)
    device = model.device
    ids = torch.zeros((len(rows), longest), dtype=torch.long, device=device)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row.tokens)] = torch.tensor(row.tokens, device=device)
        mask[place, : len(row.tokens)] = 1
    first = min(row.start for row in rows) - 1
    logits = _logits(model, {**inputs, "input_ids": ids, "attention_mask": mask}, longest - first)
    return [
        _likelihood(logits[place, row.start - 1 - first : len(row.tokens) - 1 - first], row)
        for place, row in enumerate(rows)
    ]


def _logits(model: Any, inputs: Mapping[str, Any], last: int) -> Any:
    """Logits at the last positions; those of a whole context may be gigabytes."""
    options: dict[str, Any] = {"use_cache": False}
    if "logits_to_keep" in inspect.signature(model.forward).parameters:
        options["logits_to_keep"] = last
    return model(**inputs, **options).logits[:, -last:]


def _likelihood(logits: Any, row: Row) -> Likelihood:
    import torch

    wanted = torch.tensor(row.tokens[row.start :], device=logits.device)
    chances = torch.log_softmax(logits.float(), dim=-1)
    return Likelihood(logprobs=tuple(chances.gather(-1, wanted[:, None])[:, 0].tolist()))
