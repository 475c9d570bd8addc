"""How likely a continuation is, token by token, after text or sound."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from auricle.core.types import Likelihood
from auricle.models.token_boundary import ContextWindow, ScoringInput, join_likelihoods

SOFTMAX_CHUNK = 256
"""Positions turned into probabilities together: those of a whole window would take gigabytes."""


def max_context_tokens(model: Any) -> int | None:
    """How many tokens a model reads at most, where its configuration says so."""
    config = model.config.get_text_config(decoder=True)
    window = getattr(config, "max_position_embeddings", None)
    return window if isinstance(window, int) else None


def score_windows(
    model: Any, scoring_inputs: Sequence[ScoringInput], context_window: ContextWindow, batch_size: int
) -> list[Likelihood]:
    """Each row's log-probabilities, read in windows where it is too long; `size` rows at once."""
    windows = [context_window.split(row) for row in scoring_inputs]
    pieces = list(chain.from_iterable(windows))
    found = [
        each
        for at in range(0, len(pieces), batch_size)
        for each in score_batch(model, pieces[at : at + batch_size], {})
    ]
    told = iter(found)
    return [join_likelihoods([next(told) for _ in held]) for held in windows]


def score_batch(
    model: Any, scoring_inputs: Sequence[ScoringInput], model_inputs: Mapping[str, Any]
) -> list[Likelihood]:
    """Each row's log-probabilities. Padded on the right, where no token before can see it."""
    import torch

    longest = max(len(row.tokens) for row in scoring_inputs) - 1  # the last is predicted, not read
    device = model.device
    ids = torch.zeros((len(scoring_inputs), longest), dtype=torch.long, device=device)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(scoring_inputs):
        ids[place, : len(row.tokens) - 1] = torch.tensor(row.tokens[:-1], device=device)
        mask[place, : len(row.tokens) - 1] = 1
    first = min(row.score_from for row in scoring_inputs) - 1
    logits = _logits(model, {**model_inputs, "input_ids": ids, "attention_mask": mask}, longest - first)
    return [
        _to_likelihood(logits[place, row.score_from - 1 - first : len(row.tokens) - 1 - first], row)
        for place, row in enumerate(scoring_inputs)
    ]


def _logits(model: Any, inputs: Mapping[str, Any], positions: int) -> Any:
    """Logits at the last positions; those of a whole context may be gigabytes."""
    options: dict[str, Any] = {"use_cache": False}
    if "logits_to_keep" in inspect.signature(model.forward).parameters:
        options["logits_to_keep"] = positions
    return model(**inputs, **options).logits[:, -positions:]


def _to_likelihood(logits: Any, scoring_input: ScoringInput) -> Likelihood:
    import torch

    wanted = torch.tensor(scoring_input.tokens[scoring_input.score_from :], device=logits.device)
    found: list[float] = []
    greedy = True
    for at in range(0, len(wanted), SOFTMAX_CHUNK):
        part, asked = logits[at : at + SOFTMAX_CHUNK].float(), wanted[at : at + SOFTMAX_CHUNK]
        found += torch.log_softmax(part, dim=-1).gather(-1, asked[:, None])[:, 0].tolist()
        greedy = greedy and bool((part.argmax(-1) == asked).all())
    return Likelihood(logprobs=tuple(found), greedy=greedy)
