"""MMAU's official rule: compare the words of an answer with the words of the options."""

from __future__ import annotations

import re

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample
from auricle.metrics.base import metric
from auricle.metrics.labels import get_choices, resolve_option

WORD_PATTERN = re.compile(r"\w+")


@metric(title="Word match", limits=(0.0, 1.0))
def word_match(sample: Sample, output: Generation) -> float:
    """Return 1 if the answer has all words of the right option and none that only other options have."""
    options = [_word_set(choice) for choice in get_choices(sample)]
    index = resolve_option(sample.target, get_choices(sample))
    if index is None:
        raise SampleError(f"the target {sample.target!r} is not one of the options")
    right, answer = options[index], _word_set(output.text)
    others = {word for words in options if words != right for word in words} - right
    return float(bool(answer) and right <= answer and not answer & others)


def _word_set(text: str) -> set[str]:
    return set(WORD_PATTERN.findall(text.lower()))
