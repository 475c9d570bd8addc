"""Generate and score text with transformers: each answer of a batch ends at its own limit or stop word."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from auricle.core.types import Generate, Generation, Likelihood
from auricle.models.token_boundary import ContextWindow, ScoringInput, merge_spellings, score_in_windows

SOFTMAX_CHUNK = 256  # positions per softmax; all positions of a window at once would take gigabytes
STOP_MARGIN_TOKENS = 8  # a stop word may begin inside one token and end inside another


class StoppingCriterion:
    """Marks finished rows of a batch, so that one long answer does not prolong the others."""

    def __init__(self, batch: Sequence[Generate], prompt_length: int, tokenizer: Any) -> None:
        self._batch, self._prompt_length, self._tokenizer = batch, prompt_length, tokenizer

    def __call__(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        import torch

        answers = input_ids[:, self._prompt_length :]
        done = [self._is_finished(row, request) for row, request in zip(answers, self._batch, strict=True)]
        return torch.tensor(done, device=input_ids.device, dtype=torch.bool)

    def _is_finished(self, row: Any, request: Generate) -> bool:
        if len(row) >= request.max_tokens:
            return True
        if not request.stop:
            return False
        tail_length = max(len(word.encode()) for word in request.stop) + STOP_MARGIN_TOKENS
        tail = self._tokenizer.decode(row[-tail_length:], skip_special_tokens=True)
        return any(word in tail for word in request.stop)


def trim_tokens(tokens: Sequence[int], limit: int, config: Any) -> list[int]:
    """Return the tokens within the limit and before the end token, without padding."""
    eos = config.eos_token_id
    end_tokens = eos if isinstance(eos, (list, tuple)) else [eos]
    trimmed = list(takewhile(lambda token: token not in end_tokens, tokens[:limit]))
    while trimmed and trimmed[-1] == config.pad_token_id:
        trimmed.pop()
    return trimmed


def build_generation(text: str, request: Generate, tokens: int, limit: int) -> Generation:
    """Build an answer that ends at the first stop word."""
    cut_text = cut_at_stop_word(text, request.stop)
    stopped = cut_text != text or tokens < limit
    return Generation(text=cut_text, tokens=tokens, finish="stop" if stopped else "length")


def cut_at_stop_word(text: str, stop: Sequence[str]) -> str:
    """Return the text up to its first stop word."""
    positions = [position for word in stop if word and (position := text.find(word)) >= 0]
    return text[: min(positions)] if positions else text


def generate_rows(
    model: Any,
    inputs: Mapping[str, Any],
    generation_config: Any,
    stopping_criterion: StoppingCriterion,
    needs_logits: bool,
) -> tuple[Any, Any]:
    """Generate, and return the token rows and, if needed, the logits of the first generated token."""
    options: dict[str, Any] = {"generation_config": generation_config, "stopping_criteria": [stopping_criterion]}
    if not needs_logits:
        return model.generate(**inputs, **options), None
    output = model.generate(**inputs, **options, output_logits=True, return_dict_in_generate=True)
    return output.sequences, output.logits[0]


def top_tokens(logits: Any, limit: int, tokenizer: Any) -> dict[str, float]:
    """Return the most likely tokens and their log-probabilities; of equal spellings the more likely one counts."""
    import torch

    logprobs = torch.log_softmax(logits.float(), dim=-1)
    values, tokens = logprobs.topk(min(limit, len(logprobs)))
    spellings = [tokenizer.decode([token]) for token in tokens.tolist()]
    return merge_spellings(zip(spellings, values.tolist(), strict=True))


def attach_first_tokens(
    batch: Sequence[Generate], generations: Sequence[Generation], logits: Any, tokenizer: Any
) -> list[Generation]:
    """Add first-token log-probabilities to the answers whose requests ask for them."""
    return [
        replace(generation, first_token_logprobs=top_tokens(logits[index], request.first_tokens, tokenizer))
        if request.first_tokens
        else generation
        for index, (request, generation) in enumerate(zip(batch, generations, strict=True))
    ]


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
