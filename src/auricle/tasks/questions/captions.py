"""ROUGE-L and CIDEr-D of captions, as defined by the COCO caption tools.

The COCO tools split words with a Java program, this module with a normaliser profile, and into characters where a
script has no spaces: numbers are comparable if their signatures are equal. SPICE, SPIDEr and METEOR need external
programs and are not included.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from rapidfuzz.distance import LCSseq

from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Codes, Metric, Stats, WeightedAggregate, constant_bounds, mean
from auricle.metrics.scales import RealScale, Scale
from auricle.metrics.targets import reference_texts
from auricle.text import get_profile, split_mixed

RECALL_WEIGHT = 1.2
MAX_NGRAM = 4
LENGTH_SIGMA = 6.0
SCALE = 10.0

NgramCounts = Counter[tuple[str, ...]]


# --- ROUGE-L ----------------------------------------------------------------------------


def compute_rouge_l(caption: Sequence[str], reference_tokens: Sequence[Sequence[str]]) -> float:
    """Compute the F-measure of the best precision and the best recall over all references."""
    common = [LCSseq.similarity(caption, reference) for reference in reference_tokens]
    precision = max(common) / max(1, len(caption))
    recall = max(length / max(1, len(reference)) for length, reference in zip(common, reference_tokens, strict=True))
    if not precision:
        return 0.0
    squared = RECALL_WEIGHT**2
    return (1 + squared) * precision * recall / (recall + squared * precision)


def _rouge_l_metric(profile_name: str) -> Metric:
    normalise = get_profile(profile_name)

    def score(sample: Sample, output: Generation) -> float:
        references = [split_mixed(normalise(reference)) for reference in reference_texts(sample.target)]
        return compute_rouge_l(split_mixed(normalise(output.text)), references)

    return Metric(
        "rouge_l",
        score,
        mean,
        version=2,
        title="ROUGE-L",
        variant=normalise.signature,
        profile=normalise.name,
        bounds=constant_bounds((0.0, 1.0)),
        with_profile=_rouge_l_metric,
        read_answer=lambda _, output: normalise(output.text),
    )


# --- CIDEr-D ----------------------------------------------------------------------------


def _cider_metric(profile_name: str) -> Metric:
    normalise = get_profile(profile_name)

    def stat(target: Any, text: str) -> Stat:
        return (normalise(text), *map(normalise, reference_texts(target)))

    def score(sample: Sample, output: Generation) -> Stat:
        return stat(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        return stat(sample.target, ""), stat(sample.target, reference_texts(sample.target)[0])

    return Metric(
        "cider",
        score,
        CiderAggregator(),
        version=2,
        title="CIDEr-D",
        variant=normalise.signature,
        profile=normalise.name,
        bounds=bounds,
        with_profile=_cider_metric,
        badness=_rouge_badness,
        read_answer=lambda _, output: normalise(output.text),
    )


def _rouge_badness(stat: Any) -> float:
    """Rate one caption by ROUGE-L, because CIDEr-D is defined only over a corpus."""
    caption, *references = stat
    return -compute_rouge_l(split_mixed(caption), [split_mixed(reference) for reference in references])


class CiderAggregator:
    """CIDEr-D over (caption, *references): the mean of a score per sample, with document counts of the corpus."""

    def __call__(self, stats: Stats) -> float:
        scores = self.sample_scores(stats)
        return sum(scores) / len(scores)

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        """Return the weighted mean; document counts stay those of the full corpus."""
        import numpy as np

        scores = np.asarray(self.sample_scores(stats))
        return lambda weights: float(scores @ weights / weights.sum())

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return RealScale(lowest=0.0, highest=10.0)

    def sample_scores(self, stats: Stats) -> list[float]:
        ngrams = [[_count_ngrams(split_mixed(text)) for text in stat] for stat in stats]
        document_counts: NgramCounts = Counter()
        for _, *references in ngrams:
            document_counts.update({gram for reference in references for gram in reference})
        log_size = math.log(float(len(stats)))
        idf = {gram: log_size - math.log(count) for gram, count in document_counts.items()}
        to_vectors = partial(NgramVectors, idf=idf, unseen_idf=log_size)
        return [
            SCALE * sum(_similarity(to_vectors(caption), to_vectors(ref)) for ref in references) / len(references)
            for caption, *references in ngrams
        ]


class NgramVectors:
    """TF-IDF vectors of a text, one per n-gram length."""

    def __init__(self, grams: NgramCounts, idf: dict[tuple[str, ...], float], unseen_idf: float) -> None:
        self.by_length: list[dict[tuple[str, ...], float]] = [{} for _ in range(MAX_NGRAM)]
        for gram, count in grams.items():
            self.by_length[len(gram) - 1][gram] = count * idf.get(gram, unseen_idf)
        self.norms = [math.sqrt(sum(weight**2 for weight in vector.values())) for vector in self.by_length]
        self.length = sum(count for gram, count in grams.items() if len(gram) == 2)


def _similarity(caption: NgramVectors, reference: NgramVectors) -> float:
    """Compute the cosine with counts clipped to the reference's, and a penalty for different lengths."""
    difference = caption.length - reference.length
    penalty = math.exp(-(difference**2) / (2 * LENGTH_SIGMA**2))
    total = 0.0
    for left, right, left_norm, right_norm in zip(
        caption.by_length, reference.by_length, caption.norms, reference.norms, strict=True
    ):
        shared = sum(min(left[gram], right[gram]) * right[gram] for gram in left if gram in right)
        total += shared / (left_norm * right_norm) if left_norm and right_norm else 0.0
    return penalty * total / MAX_NGRAM


def _count_ngrams(tokens: Sequence[str]) -> NgramCounts:
    return Counter(
        tuple(tokens[start : start + size])
        for size in range(1, MAX_NGRAM + 1)
        for start in range(len(tokens) - size + 1)
    )


rouge_l = _rouge_l_metric("basic")
cider = _cider_metric("basic")
