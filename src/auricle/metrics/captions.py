"""ROUGE-L and CIDEr-D of captions, as the COCO caption tools define them.

Theirs splits words with a Java program; here a profile does, so a number is comparable with others
of the same signature. SPICE, SPIDEr and METEOR need more than arithmetic and are not here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Metric, WeightedAggregate, constant_bounds, mean
from auricle.metrics.text import reference_texts
from auricle.text import get_profile, split_words

if TYPE_CHECKING:
    from auricle.metrics.base import Array

RECALL_WEIGHT = 1.2
MAX_NGRAM = 4
LENGTH_SIGMA = 6.0
SCALE = 10.0

NgramCounts = Counter[tuple[str, ...]]


# --- ROUGE-L ----------------------------------------------------------------------------


def compute_rouge_l(caption: Sequence[str], reference_tokens: Sequence[Sequence[str]]) -> float:
    """F-measure of the longest common subsequence: its best precision and its best recall."""
    common = [_longest_common_length(caption, each) for each in reference_tokens]
    precision = max(common) / len(caption) if caption else 0.0
    recall = max(
        (length / len(each) for length, each in zip(common, reference_tokens, strict=True) if each), default=0.0
    )
    if not precision or not recall:
        return 0.0
    squared = RECALL_WEIGHT**2
    return (1 + squared) * precision * recall / (recall + squared * precision)


def _longest_common_length(left: Sequence[str], right: Sequence[str]) -> int:
    lengths = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for at, each in enumerate(right, 1):
            above = lengths[at]
            lengths[at] = before + 1 if word == each else max(above, lengths[at - 1])
            before = above
    return lengths[-1]


def _rouge_l_metric(profile_name: str) -> Metric:
    normalise = get_profile(profile_name)

    def score(sample: Sample, output: Generation) -> float:
        given = [split_words(normalise(each)) for each in reference_texts(sample.target)]
        return compute_rouge_l(split_words(normalise(output.text)), given)

    return Metric(
        "rouge_l",
        score,
        mean,
        variant=normalise.signature,
        bounds=constant_bounds((0.0, 1.0)),
        with_profile=_rouge_l_metric,
        read_answer=lambda _, output: normalise(output.text),
    )


# --- CIDEr-D ----------------------------------------------------------------------------


def _cider_metric(profile_name: str) -> Metric:
    """Rare n-grams that caption and references share; how rare, the references of all tell."""
    normalise = get_profile(profile_name)

    def stat(target: Any, text: str) -> Stat:
        return (normalise(text), *(normalise(each) for each in reference_texts(target)))

    def score(sample: Sample, output: Generation) -> Stat:
        return stat(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        return stat(sample.target, ""), stat(sample.target, reference_texts(sample.target)[0])

    return Metric(
        "cider",
        score,
        CiderAggregator(),
        variant=normalise.signature,
        bounds=bounds,
        with_profile=_cider_metric,
        custom_badness=_rouge_badness,
        read_answer=lambda _, output: normalise(output.text),
    )


def _rouge_badness(stat: Any) -> float:
    """How bad one caption is by itself, where no corpus says what is rare."""
    caption, *given = stat
    return -compute_rouge_l(split_words(caption), [split_words(each) for each in given])


class CiderAggregator:
    """CIDEr-D of (caption, *references): the mean of a score a sample under one corpus' counts."""

    def __call__(self, stats: Sequence[Any]) -> float:
        scores = self.sample_scores(stats)
        return sum(scores) / len(scores)

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        """The corpus' counts stay as they are while samples are drawn again."""
        import numpy as np

        scores = np.asarray(self.sample_scores(stats))

        def value(weights: Array) -> float:
            return float(scores @ weights / weights.sum())

        return value

    def sample_scores(self, stats: Sequence[Any]) -> list[float]:
        """Each sample's score, in order."""
        split = [[_count_ngrams(split_words(text)) for text in stat] for stat in stats]
        held: NgramCounts = Counter()
        for _, *given in split:
            held.update({gram for each in given for gram in each})
        total = math.log(float(len(stats)))
        rarity = {gram: total - math.log(max(1.0, times)) for gram, times in held.items()}
        weigh = partial(_build_vectors, rarity=rarity, unseen=total)
        return [
            SCALE * sum(_similarity(weigh(caption), weigh(each)) for each in given) / len(given)
            for caption, *given in split
        ]


class NgramVectors:
    """A text's n-grams, weighed by how rare they are; one vector a length."""

    def __init__(self, grams: NgramCounts, rarity: dict[tuple[str, ...], float], unseen: float) -> None:
        self.by_length: list[dict[tuple[str, ...], float]] = [{} for _ in range(MAX_NGRAM)]
        for gram, times in grams.items():
            self.by_length[len(gram) - 1][gram] = times * rarity.get(gram, unseen)
        self.norms = [math.sqrt(sum(each**2 for each in part.values())) for part in self.by_length]
        self.length = sum(times for gram, times in grams.items() if len(gram) == 2)


def _build_vectors(grams: NgramCounts, rarity: dict[tuple[str, ...], float], unseen: float) -> NgramVectors:
    return NgramVectors(grams, rarity, unseen)


def _similarity(caption: NgramVectors, reference: NgramVectors) -> float:
    """Cosine with counts clipped to the reference's, less where lengths differ."""
    apart = caption.length - reference.length
    penalty = math.exp(-(apart**2) / (2 * LENGTH_SIGMA**2))
    found = 0.0
    for own, theirs, norm, other in zip(
        caption.by_length, reference.by_length, caption.norms, reference.norms, strict=True
    ):
        shared = sum(min(own[gram], theirs[gram]) * theirs[gram] for gram in own if gram in theirs)
        found += shared / (norm * other) if norm and other else 0.0
    return penalty * found / MAX_NGRAM


def _count_ngrams(tokens: Sequence[str]) -> NgramCounts:
    return Counter(
        tuple(tokens[at : at + size]) for size in range(1, MAX_NGRAM + 1) for at in range(len(tokens) - size + 1)
    )


rouge_l = _rouge_l_metric("basic")
cider = _cider_metric("basic")
