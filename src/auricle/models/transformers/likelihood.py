"""How likely a continuation is, token by token, after text or sound."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from auricle.core.types import Likelihood
from auricle.models.token_boundary import Reach, Row, joined

AT_ONCE = 256
"""Positions turned into probabilities together: those of a whole window would take gigabytes."""


def window_of(model: Any) -> int | None:
    """How many tokens a model reads at most, where its configuration says so."""
    config = model.config.get_text_config(decoder=True)
    window = getattr(config, "max_position_embeddings", None)
    return window if isinstance(window, int) else None


def rolled(model: Any, rows: Sequence[Row], reach: Reach, size: int) -> list[Likelihood]:
    """Each row's log-probabilities, read in windows where it is too long; `size` rows at once."""
    windows = [reach.windows(row) for row in rows]
    pieces = list(chain.from_iterable(windows))
    found = [
        each
        for at in range(0, len(pieces), size)
        for each in scored(model, pieces[at : at + size], {})
    ]
    told = iter(found)
    return [joined([next(told) for _ in held]) for held in windows]


def scored(model: Any, rows: Sequence[Row], inputs: Mapping[str, Any]) -> list[Likelihood]:
    """Each row's log-probabilities. Padded on the right, where no token before can see it."""
    import torch

    longest = max(len(row.tokens) for row in rows) - 1  # the last is predicted, not read
    device = model.device
    ids = torch.zeros((len(rows), longest), dtype=torch.long, device=device)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row.tokens) - 1] = torch.tensor(row.tokens[:-1], device=device)
        mask[place, : len(row.tokens) - 1] = 1
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
    found: list[float] = []
    greedy = True
    for at in range(0, len(wanted), AT_ONCE):
        part, asked = logits[at : at + AT_ONCE].float(), wanted[at : at + AT_ONCE]
        found += torch.log_softmax(part, dim=-1).gather(-1, asked[:, None])[:, 0].tolist()
        greedy = greedy and bool((part.argmax(-1) == asked).all())
    return Likelihood(logprobs=tuple(found), greedy=greedy)
