"""What AISBench's evaluators compute for one reply and its reference, as shares from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from auricle.metrics.base import Codes, Stats, WeightedAggregate, mean
from auricle.metrics.scales import Scale
from auricle.tasks.questions.rouge import score_ngrams, score_sequence, score_summary, split_rouge_tokens

Scorer = Callable[..., float]
"""Function of a reply, a reference and the options of an evaluator."""


def equal_texts(reply: Any, reference: Any) -> float:
    return float(str(reply) == str(reference))


def equal_values(reply: Any, reference: Any) -> float:
    return float(reply == reference)


def equal_numbers(reply: str, reference: Any) -> float:
    try:
        return float(reply == reference or abs(float(reply) - int(reference)) < 1e-6)
    except (ValueError, TypeError, OverflowError):
        return 0.0


VOCAL_SOUNDS = dict(zip("ABCDEF", ("laughter", "sigh", "cough", "throatclearing", "sneeze", "sniff"), strict=True))


def names_vocal_sound(reply: str, reference: Any) -> float:
    return float(bool(reply) and VOCAL_SOUNDS.get(reply[0], "") == reference)


BOOTSTRAP_RESAMPLES = 1_000


@dataclass(frozen=True)
class BootstrapMedian:
    """The median of means over resampled statistics, which is what `evaluate`'s ROUGE reports instead of the mean.

    The resamples are those of a generator with AISBench's seed, after those of the `position` kinds of ROUGE before
    this one. Intervals are those of the mean.
    """

    position: int

    def __call__(self, stats: Stats) -> float:
        import numpy as np

        values = np.asarray(stats, dtype=np.float64)
        seed = np.random.RandomState(0).get_state(legacy=True)[1][0]  # type: ignore[index]
        generator = np.random.RandomState(seed)
        size = BOOTSTRAP_RESAMPLES * (self.position + 1)
        indices = (generator.choice(len(values), size=len(values)) for _ in range(size))
        means = [values[chosen].mean() for index, chosen in enumerate(indices) if index >= size - BOOTSTRAP_RESAMPLES]
        return float(np.percentile(means, 50))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        return mean.prepare_weighted(stats)

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return mean.choose_scale(stats, units)


def _rouge_lines(text: str) -> list[list[str]]:
    return [split_rouge_tokens(line) for line in text.split("\n") if line]


ROUGE_SCORES: Mapping[str, Callable[[str, str], float]] = {
    "rouge1": lambda reference, reply: score_ngrams(split_rouge_tokens(reference), split_rouge_tokens(reply), 1),
    "rouge2": lambda reference, reply: score_ngrams(split_rouge_tokens(reference), split_rouge_tokens(reply), 2),
    "rougeL": lambda reference, reply: score_sequence(split_rouge_tokens(reference), split_rouge_tokens(reply)),
    "rougeLsum": lambda reference, reply: score_summary(_rouge_lines(reference), _rouge_lines(reply)),
}


def rouge(kind: str, reply: str, reference: Any) -> float:
    references = reference if isinstance(reference, (list, tuple)) else [reference]
    return max(ROUGE_SCORES[kind](str(text), reply) for text in references)


SCORERS: Mapping[str, Scorer] = {
    "AccEvaluator": equal_texts,
    "AccwithDetailsEvaluator": equal_values,
    "Gsm8kEvaluator": equal_numbers,
    "VocalSoundEvaluator": names_vocal_sound,
    **{f"RougeEvaluator.{kind}": partial(rouge, kind) for kind in ROUGE_SCORES},
}
AGGREGATES = {f"RougeEvaluator.{kind}": BootstrapMedian(position) for position, kind in enumerate(ROUGE_SCORES)}
"""How evaluators combine the scores of samples, if not by their mean."""
