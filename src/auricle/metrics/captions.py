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
from auricle.metrics.base import Metric, Weighed, mean, within
from auricle.metrics.text import references
from auricle.text import profile, words

if TYPE_CHECKING:
    from auricle.metrics.base import Array

RECALL_WEIGHS = 1.2
LONGEST = 4
SPREAD = 6.0
SCALE = 10.0

Grams = Counter[tuple[str, ...]]


# --- ROUGE-L ----------------------------------------------------------------------------


def rouge(caption: Sequence[str], given: Sequence[Sequence[str]]) -> float:
    """F-measure of the longest common subsequence: its best precision and its best recall."""
    common = [_longest_common(caption, each) for each in given]
    precision = max(common) / len(caption) if caption else 0.0
    recall = max(
        (length / len(each) for length, each in zip(common, given, strict=True) if each),
        default=0.0,
    )
    if not precision or not recall:
        return 0.0
    squared = RECALL_WEIGHS**2
    return (1 + squared) * precision * recall / (recall + squared * precision)


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    lengths = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, each in enumerate(other, 1):
            above = lengths[at]
            lengths[at] = before + 1 if word == each else max(above, lengths[at - 1])
            before = above
    return lengths[-1]


def _rouge_l(profile_name: str) -> Metric:
    normalise = profile(profile_name)

    def score(sample: Sample, output: Generation) -> float:
        given = [words(normalise(each)) for each in references(sample.target)]
        return rouge(words(normalise(output.text)), given)

    return Metric(
        "rouge_l",
        score,
        mean,
        variant=normalise.signature,
        bounds=within((0.0, 1.0)),
        under=_rouge_l,
        reading=lambda _, output: normalise(output.text),
    )


# --- CIDEr-D ----------------------------------------------------------------------------


def _cider(profile_name: str) -> Metric:
    """Rare n-grams that caption and references share; how rare, the references of all tell."""
    normalise = profile(profile_name)

    def stat(target: Any, text: str) -> Stat:
        return (normalise(text), *(normalise(each) for each in references(target)))

    def score(sample: Sample, output: Generation) -> Stat:
        return stat(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        return stat(sample.target, ""), stat(sample.target, references(sample.target)[0])

    return Metric(
        "cider",
        score,
        Consensus(),
        variant=normalise.signature,
        bounds=bounds,
        under=_cider,
        rank=_unlike,
        reading=lambda _, output: normalise(output.text),
    )


def _unlike(stat: Any) -> float:
    """How bad one caption is by itself, where no corpus says what is rare."""
    caption, *given = stat
    return -rouge(words(caption), [words(each) for each in given])


class Consensus:
    """CIDEr-D of (caption, *references): the mean of a score a sample under one corpus' counts."""

    def __call__(self, stats: Sequence[Any]) -> float:
        scores = self.scores(stats)
        return sum(scores) / len(scores)

    def weigh(self, stats: Sequence[Any]) -> Weighed:
        """The corpus' counts stay as they are while samples are drawn again."""
        import numpy as np

        scores = np.asarray(self.scores(stats))

        def value(weights: Array) -> float:
            return float(scores @ weights / weights.sum())

        return value

    def scores(self, stats: Sequence[Any]) -> list[float]:
        """Each sample's score, in order."""
        split = [[_grams(words(text)) for text in stat] for stat in stats]
        held: Grams = Counter()
        for _, *given in split:
            held.update({gram for each in given for gram in each})
        total = math.log(float(len(stats)))
        rarity = {gram: total - math.log(max(1.0, times)) for gram, times in held.items()}
        weigh = partial(_weighed, rarity=rarity, unseen=total)
        return [
            SCALE * sum(_alike(weigh(caption), weigh(each)) for each in given) / len(given)
            for caption, *given in split
        ]


class Vectors:
    """A text's n-grams, weighed by how rare they are; one vector a length."""

    def __init__(self, grams: Grams, rarity: dict[tuple[str, ...], float], unseen: float) -> None:
        self.parts: list[dict[tuple[str, ...], float]] = [{} for _ in range(LONGEST)]
        for gram, times in grams.items():
            self.parts[len(gram) - 1][gram] = times * rarity.get(gram, unseen)
        self.norms = [math.sqrt(sum(each**2 for each in part.values())) for part in self.parts]
        self.length = sum(times for gram, times in grams.items() if len(gram) == 2)


def _weighed(grams: Grams, rarity: dict[tuple[str, ...], float], unseen: float) -> Vectors:
    return Vectors(grams, rarity, unseen)


def _alike(caption: Vectors, given: Vectors) -> float:
    """Cosine with counts clipped to the reference's, less where lengths differ."""
    apart = caption.length - given.length
    penalty = math.exp(-(apart**2) / (2 * SPREAD**2))
    found = 0.0
    for own, theirs, norm, other in zip(
        caption.parts, given.parts, caption.norms, given.norms, strict=True
    ):
        shared = sum(min(own[gram], theirs[gram]) * theirs[gram] for gram in own if gram in theirs)
        found += shared / (norm * other) if norm and other else 0.0
    return penalty * found / LONGEST


def _grams(text: Sequence[str]) -> Grams:
    return Counter(
        tuple(text[at : at + size])
        for size in range(1, LONGEST + 1)
        for at in range(len(text) - size + 1)
    )


rouge_l = _rouge_l("basic")
cider = _cider("basic")
