"""What models of transformers share: loading, and answers that do not depend on the batch."""

from __future__ import annotations

import copy
import gc
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Generate, Generation
from auricle.models.base import BatchModel
from auricle.models.transformers.weights import Weights, import_transformers, resolve_device

UNSUPPORTED_DTYPE_MESSAGE = "not implemented for '"  # torch's words about an operation and a kind of number


class LocalModel(BatchModel, ABC):
    """Weights on this machine, and what it takes to run them. Subclasses load and answer."""

    name = "transformers"
    default_model = ""
    """What is loaded where nothing is named; most have no such thing."""

    def __init__(self, **weights: Any) -> None:
        self.weights = Weights.from_options(self.name, {"model": self.default_model, **weights})
        self.library = import_transformers(self.name)
        self.device = resolve_device(self.name, self.weights.device)
        self.batch_size = int(self.weights.batch_size or self.batch_size)
        self.batch_seconds = self.weights.batch_seconds or self.batch_seconds
        self.model: Any = None
        self.load()

    @abstractmethod
    def load(self) -> None:
        """Take the weights into memory."""

    @contextmanager
    def inference_mode(self) -> Iterator[None]:
        """No gradients; a kind of number that the device cannot do is the user's move."""
        import torch

        try:
            with torch.inference_mode():
                yield
        except (RuntimeError, NotImplementedError) as error:
            if UNSUPPORTED_DTYPE_MESSAGE not in str(error) or isinstance(error, torch.OutOfMemoryError):
                raise
            raise SpecError(
                f"{self.name}: {self.device} cannot run this model in {self.weights.dtype} "
                f"({' '.join(str(error).split())[:120]}); use -M dtype=float32."
            ) from error

    def close(self) -> None:
        import torch

        self.model = None
        gc.collect()
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()


class GenerativeModel(LocalModel):
    """Weights that write: subclasses load, and `write` answers to a list of requests."""

    @abstractmethod
    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        """Answers to requests of one temperature."""

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        """Greedy requests together; sampled ones alone, so that no neighbour changes them."""
        greedy = [request for request in batch if not request.temperature]
        with self.inference_mode():
            written = iter(self.generate_batch(greedy) if greedy else [])
            return [self._generate_sampled(each) if each.temperature else next(written) for each in batch]

    def _generate_sampled(self, request: Generate) -> Generation:
        """Each of several answers has a seed of its own, whenever and wherever it is asked for."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.weights.seed + request.answer_index)
            return self.generate_batch([request])[0]

    def generation_config(self, temperature: float, max_new_tokens: int, tokenizer: Any) -> Any:
        """The checkpoint's way to generate, made greedy or plainly sampled."""
        config = copy.deepcopy(self.model.generation_config)
        if config.eos_token_id is None:  # else every answer would run to its limit
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
        """Past its window a model says anything, or nothing."""
        config = self.model.config.get_text_config(decoder=True)
        window = getattr(config, "max_position_embeddings", None)
        if isinstance(window, int) and tokens > window:
            raise SampleError(f"{tokens} tokens, and the model reads at most {window}")
