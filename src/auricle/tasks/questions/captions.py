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

from rapidfuzz.distance import LCSseq

from auricle.core.types import Generation, Sample
from auricle.metrics.base import Codes, Stats, WeightedAggregate, constant_bounds, mean
from auricle.metrics.capabilities import Bounded, ReadsAnswer
from auricle.metrics.scales import RealScale, Scale
from auricle.metrics.targets import reference_texts
from auricle.metrics.texts import TextMetric
from auricle.text import split_mixed

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


class RougeL(TextMetric, Bounded, ReadsAnswer):
    name, title, version = "rouge_l", "ROUGE-L", 2
    aggregate = mean
    bounds = constant_bounds((0.0, 1.0))

    def score(self, sample: Sample, output: Generation) -> float:
        return compute_rouge_l(self.split(output.text), list(map(self.split, reference_texts(sample.target))))

    def read_answer(self, _: Sample, output: Generation) -> str:
        return self.normalise(output.text)


# --- CIDEr-D ----------------------------------------------------------------------------


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


rouge_l = RougeL()


class Cider(TextMetric, Bounded, ReadsAnswer):
    name, title, version = "cider", "CIDEr-D", 2
    aggregate = CiderAggregator()

    def score(self, sample: Sample, output: Generation) -> tuple[str, ...]:
        return self._normalise_all(sample, output.text)

    def bounds(self, sample: Sample) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._normalise_all(sample, ""), self._normalise_all(sample, reference_texts(sample.target)[0])

    def badness(self, stat: tuple[str, ...]) -> float:
        """Rate one caption by ROUGE-L, because CIDEr-D is defined only over a corpus."""
        caption, *references = map(split_mixed, stat)
        return -compute_rouge_l(caption, references)

    def read_answer(self, _: Sample, output: Generation) -> str:
        return self.normalise(output.text)

    def _normalise_all(self, sample: Sample, text: str) -> tuple[str, ...]:
        return (self.normalise(text), *map(self.normalise, reference_texts(sample.target)))


cider = Cider()
