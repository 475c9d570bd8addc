"""Generate with transformers, and end each answer of a batch at its own limit or stop word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from auricle.core.types import Generate, Generation
from auricle.models.token_boundary import merge_spellings

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
