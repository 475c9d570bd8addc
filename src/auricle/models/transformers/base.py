"""Base classes of models in transformers: loading, and results that do not depend on the batch."""

from __future__ import annotations

import copy
import gc
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from auricle.core.arguments import list_options, takes_options
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Generate, Generation, Likelihood
from auricle.models.base import BatchModel, answer_in_groups
from auricle.models.listing import ModelListing
from auricle.models.token_boundary import ContextWindow, ScoringInput
from auricle.models.transformers.inference import (
    StoppingCriterion,
    attach_first_tokens,
    build_generation,
    generate_rows,
    max_context_tokens,
    score_windows,
    trim_tokens,
)
from auricle.models.transformers.weights import Weights, import_transformers, resolve_device

UNSUPPORTED_DTYPE_MESSAGE = "not implemented for '"  # in torch's error for an unsupported number format


@takes_options(Weights)
class LocalModel(BatchModel, ABC):
    """A model with local weights. Subclasses load them and answer requests."""

    listing = ModelListing(extra="transformers", packages=("torch", "transformers"), weights="checkpoint")
    name = "transformers"
    default_model = ""
    """Checkpoint loaded if none is set; most models have no default."""

    def __init__(self, **weights: Any) -> None:
        self.weights = Weights.from_options(
            self.name, {"model": self.default_model, **weights}, list_options(type(self))
        )
        self.library = import_transformers(self.name)
        self.device = resolve_device(self.name, self.weights.device)
        self.batch_size = int(self.weights.batch_size or self.batch_size)
        self.batch_seconds = self.weights.batch_seconds or self.batch_seconds
        self.model: Any = None
        self.load()

    @abstractmethod
    def load(self) -> None:
        """Load the weights into memory."""

    @contextmanager
    def inference_mode(self) -> Iterator[None]:
        """Disable gradients, and report number formats that the device does not support."""
        import torch

        try:
            with torch.inference_mode():
                yield
        except (RuntimeError, NotImplementedError) as error:
            if UNSUPPORTED_DTYPE_MESSAGE not in str(error) or isinstance(error, torch.OutOfMemoryError):
                raise
            raise SpecError(
                f"{self.name}: {self.device} cannot run this model in {self.weights.dtype} "
                f"({' '.join(str(error).split())[:120]}). Use -M dtype=float32."
            ) from error

    def close(self) -> None:
        import torch

        self.model = None
        gc.collect()
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()


class GenerativeModel(LocalModel):
    """A model that generates text. Subclasses load it and implement `generate_batch`."""

    @abstractmethod
    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        """Answer requests that share one temperature."""

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        """Answer greedy requests as one batch, and sampled ones one by one so that the batch does not change them."""
        with self.inference_mode():
            return answer_in_groups(batch, [bool(request.temperature) for request in batch], self._generate_group)

    def _generate_group(self, is_sampled: bool, batch: Sequence[Generate]) -> list[Generation]:
        return list(map(self._generate_sampled, batch)) if is_sampled else self.generate_batch(batch)

    def _generate_sampled(self, request: Generate) -> Generation:
        """Sample with the seed of the request."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(request.seed)
            return self.generate_batch([request])[0]

    def generation_config(self, temperature: float, max_new_tokens: int, tokenizer: Any) -> Any:
        """Copy the checkpoint's generation settings, and make them greedy or plain sampling."""
        config = copy.deepcopy(self.model.generation_config)
        if config.eos_token_id is None:  # otherwise every answer would run to its limit
            config.eos_token_id = tokenizer.eos_token_id
        sampled = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        greedy = {"do_sample": False, "temperature": None, "top_k": None, "top_p": None}
        config.update(
            **(sampled if temperature else greedy),
            num_beams=1,
            max_length=None,
            max_new_tokens=max_new_tokens,
            pad_token_id=tokenizer.pad_token_id,
        )
        return config

    def refuse_too_long(self, tokens: int) -> None:
        """Raise if a prompt exceeds the context of the model."""
        limit = max_context_tokens(self.model)
        if limit is not None and tokens > limit:
            raise SampleError(f"the prompt has {tokens} tokens, but the model reads at most {limit}")


class TokenizedModel(GenerativeModel):
    """A generative model whose prompts are tokens, so that the first tokens of an answer have log-probabilities."""

    first_tokens = True
    tokenizer: Any

    def __init__(self, *, window: int | None = None, stride: int | None = None, **weights: Any) -> None:
        """Load the model.

        Args:
            window: Maximum number of tokens read at once when a text is scored.
            stride: Tokens scored in each further window.
            **weights: Options of every local model; see `Weights`.
        """
        super().__init__(**weights)
        self._context_window = ContextWindow.from_options(self.name, max_context_tokens(self.model), window, stride)

    def score_texts(self, scoring_inputs: Sequence[ScoringInput]) -> list[Likelihood]:
        """Score each text, split into windows if it is too long."""
        return score_windows(self.model, scoring_inputs, self._context_window, self.batch_size)

    def answer_prompts(
        self, batch: Sequence[Generate], inputs: Mapping[str, Any], input_lengths: Sequence[int]
    ) -> list[Generation]:
        """Answer requests whose prompts are these model inputs, padded on the left."""
        start = inputs["input_ids"].shape[1]
        settings = self.generation_config(
            batch[0].temperature, max_new_tokens=max(request.max_tokens for request in batch), tokenizer=self.tokenizer
        )
        stopping_criterion = StoppingCriterion(batch, start, self.tokenizer)
        needs_first_tokens = any(request.first_tokens for request in batch)
        rows, logits = generate_rows(self.model, inputs, settings, stopping_criterion, needs_first_tokens)
        generations = []
        for row, request, length in zip(rows, batch, input_lengths, strict=True):
            tokens = trim_tokens(row[start:].tolist(), request.max_tokens, settings)
            text = self.tokenizer.decode(tokens, skip_special_tokens=True)
            generation = build_generation(text, request, len(tokens), request.max_tokens)
            generations.append(replace(generation, input_tokens=length))
        return attach_first_tokens(batch, generations, logits, self.tokenizer)


def render_chat(template: Any, messages: list[dict[str, Any]], *, prefilled: bool) -> str:
    """Render the chat template of a processor or a tokeniser; a prefilled answer is continued."""
    return str(
        template.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=not prefilled, continue_final_message=prefilled
        )
    )
