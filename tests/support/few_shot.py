"""Samples and selectors for tests of few-shot examples."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from auricle.core.types import RejectedRow, Sample
from auricle.data.prompts.few_shot import FewShotSelector


def make_sample(name: str, question: str = "", answer: str = "", **meta: Any) -> Sample:
    inputs = {"question": question or f"question {name}"}
    return Sample(id=name, inputs=inputs, target=answer or f"answer {name}", meta=meta)


def make_samples(count: int) -> list[Sample]:
    return [make_sample(f"r{number}") for number in range(count)]


def _target_text(sample: Sample) -> str:
    return str(sample.target)


def make_selector(
    options: Any, pool: Iterable[Sample | RejectedRow], answer: Callable[[Sample], str] = _target_text, **settings: Any
) -> FewShotSelector:
    return FewShotSelector.from_options(options, pool, answer, **settings)


def select_ids(options: Any, pool: Iterable[Sample | RejectedRow], sample: Sample, **settings: Any) -> list[str]:
    """Return the ids of the examples selected for a sample."""
    return [example.id for example in make_selector(options, pool, **settings).examples_for(sample)]


def noise(length: int = 8000, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(0, 0.1, length).astype(np.float32)
