"""MMAU's own rule for options answered in words, beside which our reading of letters stands."""

from __future__ import annotations

import re

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample
from auricle.metrics.base import metric
from auricle.metrics.labels import get_choices, resolve_option

WORD_PATTERN = re.compile(r"\w+")


@metric(limits=(0.0, 1.0))
def word_match(sample: Sample, output: Generation) -> float:
    """Are all words of the right option there, and no word that only other options have?"""
    options = [_word_set(each) for each in get_choices(sample)]
    at = resolve_option(sample.target, get_choices(sample))
    if at is None:
        raise SampleError(f"the answer {sample.target!r} is none of the options")
    right, said = options[at], _word_set(output.text)
    others = {word for words in options if words != right for word in words} - right
    return float(bool(said) and right <= said and not said & others)


def _word_set(text: str) -> set[str]:
    return set(WORD_PATTERN.findall(text.lower()))
