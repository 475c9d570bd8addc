"""Log-likelihoods with transformers models."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auricle.core.types import Likelihood
from auricle.models.token_boundary import ContextWindow, ScoringInput, score_in_windows

SOFTMAX_CHUNK = 256  # positions per softmax; all positions of a window at once would take gigabytes


def max_context_tokens(model: Any) -> int | None:
    """Return the context length in the configuration of a model, or None if it has none."""
    config = model.config.get_text_config(decoder=True)
    window = getattr(config, "max_position_embeddings", None)
    return window if isinstance(window, int) else None


def score_windows(
    model: Any, scoring_inputs: Sequence[ScoringInput], context_window: ContextWindow, batch_size: int
) -> list[Likelihood]:
    """Score each input, split into windows if it is too long, with `batch_size` windows per call."""

    def score(windows: list[ScoringInput]) -> Iterator[Likelihood]:
        for at in range(0, len(windows), batch_size):
            yield from score_batch(model, windows[at : at + batch_size], {})

    return score_in_windows(scoring_inputs, context_window, score)


def score_batch(
    model: Any, scoring_inputs: Sequence[ScoringInput], model_inputs: Mapping[str, Any]
) -> list[Likelihood]:
    """Score inputs in one call. Padding is on the right, where no scored token can attend to it."""
    import torch

    # The last token is predicted, not read.
    longest = max(len(scoring_input.tokens) for scoring_input in scoring_inputs) - 1
    device = model.device
    ids = torch.zeros((len(scoring_inputs), longest), dtype=torch.long, device=device)
    mask = torch.zeros_like(ids)
    for index, scoring_input in enumerate(scoring_inputs):
        ids[index, : len(scoring_input.tokens) - 1] = torch.tensor(scoring_input.tokens[:-1], device=device)
        mask[index, : len(scoring_input.tokens) - 1] = 1
    first = min(scoring_input.score_from for scoring_input in scoring_inputs) - 1
    logits = _logits(model, {**model_inputs, "input_ids": ids, "attention_mask": mask}, longest - first)
    return [
        _to_likelihood(
            logits[index, scoring_input.score_from - 1 - first : len(scoring_input.tokens) - 1 - first], scoring_input
        )
        for index, scoring_input in enumerate(scoring_inputs)
    ]


def _logits(model: Any, inputs: Mapping[str, Any], positions: int) -> Any:
    """Return the logits of the last positions only; those of a whole context may take gigabytes."""
    options: dict[str, Any] = {"use_cache": False}
    if "logits_to_keep" in inspect.signature(model.forward).parameters:
        options["logits_to_keep"] = positions
    return model(**inputs, **options).logits[:, -positions:]


def _to_likelihood(logits: Any, scoring_input: ScoringInput) -> Likelihood:
    import torch

    targets = torch.tensor(scoring_input.tokens[scoring_input.score_from :], device=logits.device)
    logprobs: list[float] = []
    greedy = True
    for at in range(0, len(targets), SOFTMAX_CHUNK):
        chunk, chunk_targets = logits[at : at + SOFTMAX_CHUNK].float(), targets[at : at + SOFTMAX_CHUNK]
        logprobs += torch.log_softmax(chunk, dim=-1).gather(-1, chunk_targets[:, None])[:, 0].tolist()
        greedy = greedy and bool((chunk.argmax(-1) == chunk_targets).all())
    return Likelihood(logprobs=tuple(logprobs), greedy=greedy)
