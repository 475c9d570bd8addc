"""Measure how often 95 % intervals contain the true number, and how often tests reject two equal models.

Samples are simulated: items have a difficulty, which a cluster's items share in part, and a model's answers depend on
it. Two models that answer the same items are compared in pairs. The true number is that of a very large sample.

    python bench/coverage.py                     all metrics, 600 repetitions, about fifteen minutes
    python bench/coverage.py -r 2000 WER UAR     some of them, more precisely

Metrics that take long to compute get a sixth of the repetitions.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import numpy as np

from auricle import Generation, Sample
from auricle.metrics.base import Aggregator, Metric, mean, ratio
from auricle.metrics.combined import PairedPartStats, PartStats, compare_combined, compute_combined_interval
from auricle.metrics.correlation import ktau, lcc, rmse, srcc
from auricle.metrics.dimensions import ccc_valence
from auricle.metrics.intervals import compare_paired, compute_interval
from auricle.metrics.judge import KappaAggregator
from auricle.metrics.labels import macro_f1, uar, weighted_f1
from auricle.metrics.likelihood import token_perplexity
from auricle.metrics.translation import bleu, chrf
from auricle.metrics.unpaired import compare_unpaired

SAMPLE_COUNTS = (5, 10, 20, 50, 200)
CLUSTER_COUNTS = (4, 6, 10, 20)
CLUSTER_SIZE = 8
POPULATION = 200_000
SHARED = 0.5
"""Share of the variance of difficulty that is common to a cluster."""
REPETITIONS = 600
CLASSES = np.array(["angry", "happy", "neutral", "sad"])
CLASS_SHARES = (0.3, 0.3, 0.2, 0.2)
RECALLS = np.array([0.85, 0.75, 0.65, 0.55])


@dataclass(frozen=True)
class Items:
    """What models are asked: the difficulty and the true label and rating of each item."""

    difficulty: Any
    label: Any
    rating: Any
    clusters: Any = None

    def __len__(self) -> int:
        return len(self.difficulty)


def draw_items(rng: np.random.Generator, units: int, cluster_size: int = 0) -> Items:
    """Draw items; with a cluster size, each unit is a cluster of about as many items."""
    clusters = None
    if cluster_size:
        sizes = rng.integers(cluster_size // 2, cluster_size * 3 // 2 + 1, units)
        clusters = np.repeat(np.arange(units), sizes)
    count = units if clusters is None else len(clusters)
    difficulty = rng.normal(size=count)
    if clusters is not None:
        common = rng.normal(size=units)[clusters]
        difficulty = math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * difficulty
    label = rng.choice(len(CLASSES), size=count, p=CLASS_SHARES)
    return Items(difficulty, label, rng.normal(size=count), clusters)


@dataclass(frozen=True)
class Family:
    """A kind of metric, and how its statistics are simulated."""

    name: str
    aggregate: Aggregator
    draw: Callable[[np.random.Generator, Items], Any]
    is_slow: bool = False

    @cache  # noqa: B019 - a few families, which live as long as the program
    def true_value(self, cluster_size: int) -> float:
        rng = np.random.default_rng(1)
        items = draw_items(rng, POPULATION // max(cluster_size, 1), cluster_size)
        return float(self.aggregate(self.draw(rng, items)))


def shift(share: float, amount: Any) -> Any:
    """Move a share on the logit scale."""
    return 1 / (1 + np.exp(-(math.log(share / (1 - share)) + amount)))


def draw_errors(rate: float, concentration: float) -> Callable[[np.random.Generator, Items], Any]:
    """Simulate transcripts of ten words on average; a low concentration puts errors into few of them."""

    def draw(rng: np.random.Generator, items: Items) -> Any:
        words = rng.poisson(9, len(items)) + 1
        rates = shift(rate, 0.5 * items.difficulty)
        rates = rng.beta(rates * concentration, (1 - rates) * concentration)
        return np.column_stack([rng.binomial(words, rates), words]).astype(float)

    return draw


def draw_hits(share: float) -> Callable[[np.random.Generator, Items], Any]:
    return lambda rng, items: (rng.random(len(items)) < shift(share, -0.8 * items.difficulty)).astype(float)


def draw_ratings(centre: float) -> Callable[[np.random.Generator, Items], Any]:
    def draw(rng: np.random.Generator, items: Items) -> Any:
        return np.clip(np.round(centre - 0.6 * items.difficulty + rng.normal(0, 0.7, len(items))), 1, 5)

    return draw


def draw_judge_scores(rng: np.random.Generator, items: Items) -> Any:
    means = shift(0.7, -0.7 * items.difficulty)
    return rng.beta(4 * means, 4 * (1 - means))


def draw_skewed(rng: np.random.Generator, items: Items) -> Any:
    return np.exp(0.5 * items.difficulty + rng.normal(0, 0.5, len(items)))


def draw_labels(rng: np.random.Generator, items: Items) -> list[tuple[str, str]]:
    recall = 1 / (1 + np.exp(-(np.log(RECALLS / (1 - RECALLS))[items.label] - 0.7 * items.difficulty)))
    wrong = (items.label + rng.integers(1, len(CLASSES), len(items))) % len(CLASSES)
    predicted = np.where(rng.random(len(items)) < recall, items.label, wrong)
    return list(zip(CLASSES[predicted].tolist(), CLASSES[items.label].tolist(), strict=True))


def draw_predictions(rng: np.random.Generator, items: Items) -> Any:
    predicted = 0.8 * items.rating + 0.3 * items.difficulty + rng.normal(0, 0.5, len(items))
    return np.column_stack([predicted, items.rating])


def draw_squared_errors(rng: np.random.Generator, items: Items) -> Any:
    return (rng.normal(size=len(items)) * np.exp(0.3 * items.difficulty)) ** 2


def draw_surprisals(rng: np.random.Generator, items: Items) -> Any:
    tokens = rng.poisson(14, len(items)) + 1
    nats = tokens * np.exp(0.8 + 0.25 * items.difficulty + rng.normal(0, 0.25, len(items)))
    return np.column_stack([nats, tokens, tokens, 5 * tokens]).astype(float)


def draw_verdicts(rng: np.random.Generator, items: Items) -> Any:
    gold = (items.rating > 0).astype(float)
    agrees = rng.random(len(items)) < shift(0.85, -0.5 * items.difficulty)
    return np.column_stack([np.where(agrees, gold, 1 - gold), gold])


@cache
def translation_pool(metric: Metric) -> Any:
    """Return the statistics of simulated sentences, one row of them for each of 40 qualities."""
    rng = np.random.default_rng(2)
    vocabulary = np.array([f"w{index}" for index in range(400)])
    shares = 1 / np.arange(3, 403)
    rows = []
    for quality in np.linspace(0.55, 0.9, 40):
        for _ in range(60):
            reference = rng.choice(vocabulary, rng.integers(8, 25), p=shares / shares.sum())
            kept = rng.random(len(reference)) < rng.beta(10 * quality, 10 * (1 - quality))
            answer = np.where(kept, reference, rng.choice(vocabulary, len(reference)))
            sample = Sample(id="", inputs={}, target=" ".join(reference))
            rows.append(metric.score(sample, Generation(text=" ".join(answer))))
    return np.array(rows, dtype=float).reshape(40, 60, -1)


def draw_translations(metric: Metric) -> Callable[[np.random.Generator, Items], Any]:
    def draw(rng: np.random.Generator, items: Items) -> Any:
        tiers = np.clip(np.round(20 - 7 * items.difficulty), 0, 39).astype(int)
        return translation_pool(metric)[tiers, rng.integers(0, 60, len(items))]

    return draw


def plain_median(stats: Any) -> float:
    return float(median(stats))


def plain_trimmed_mean(stats: Any) -> float:
    """Compute a mean without the tenth of highest and lowest values, as a user might write it."""
    ordered = np.sort(stats)
    cut = len(ordered) // 10
    return float(ordered[cut : len(ordered) - cut].mean())


FAMILIES = (
    Family("WER 10 %", ratio, draw_errors(0.1, 8)),
    Family("WER 2 %", ratio, draw_errors(0.02, 8)),
    Family("WER 2 %, bursts", ratio, draw_errors(0.02, 3)),
    Family("WER 40 %", ratio, draw_errors(0.4, 4)),
    Family("accuracy 80 %", mean, draw_hits(0.8)),
    Family("accuracy 97 %", mean, draw_hits(0.97)),
    Family("rating 1-5", mean, draw_ratings(3.5)),
    Family("rating 1-5, near 5", mean, draw_ratings(4.6)),
    Family("judge score 0-1", mean, draw_judge_scores),
    Family("skewed mean", mean, draw_skewed),
    Family("UAR", uar.aggregate, draw_labels),
    Family("macro F1", macro_f1.aggregate, draw_labels),
    Family("weighted F1", weighted_f1.aggregate, draw_labels),
    Family("SRCC", srcc, draw_predictions),
    Family("LCC", lcc, draw_predictions),
    Family("Kendall", ktau, draw_predictions, is_slow=True),
    Family("CCC", ccc_valence.aggregate, draw_predictions),
    Family("RMSE", rmse, draw_squared_errors),
    Family("perplexity", token_perplexity.aggregate, draw_surprisals),
    Family("BLEU", bleu.aggregate, draw_translations(bleu)),
    Family("chrF", chrf.aggregate, draw_translations(chrf)),
    Family("kappa", KappaAggregator(quadratic=False), draw_verdicts),
    Family("median", plain_median, draw_skewed, is_slow=True),
    Family("trimmed mean", plain_trimmed_mean, draw_skewed, is_slow=True),
)


# --- what is counted -----------------------------------------------------------------------------


def measure_coverage(family: Family, units: int, cluster_size: int, repetitions: int) -> float:
    """Return the share of intervals that contain the true number; an undefined interval counts as a miss."""
    rng = np.random.default_rng(units + 1000 * cluster_size)
    truth = family.true_value(cluster_size)
    covered = 0
    for _ in range(repetitions):
        items = draw_items(rng, units, cluster_size)
        interval = compute_interval(family.draw(rng, items), family.aggregate, clusters=items.clusters)
        covered += interval.low <= truth <= interval.high
    return covered / repetitions


def measure_paired_rejection(family: Family, units: int, cluster_size: int, repetitions: int) -> float:
    """Return the share of p < 0.05 among comparisons of two equal models on the same items."""
    rng = np.random.default_rng(units + 1000 * cluster_size)
    rejected = 0
    for _ in range(repetitions):
        items = draw_items(rng, units, cluster_size)
        a, b = family.draw(rng, items), family.draw(rng, items)
        rejected += compare_paired(a, b, family.aggregate, items.clusters).p < 0.05
    return rejected / repetitions


def measure_unpaired_rejection(family: Family, units: int, cluster_size: int, repetitions: int) -> float:
    """Return the share of p < 0.05 among comparisons of a model on different items, twice as many in one group."""
    rng = np.random.default_rng(units + 1000 * cluster_size)
    rejected = 0
    for _ in range(repetitions):
        left, right = draw_items(rng, units, cluster_size), draw_items(rng, 2 * units, cluster_size)
        a, b = family.draw(rng, left), family.draw(rng, right)
        rejected += compare_unpaired(a, b, family.aggregate, (left.clusters, right.clusters)).p < 0.05
    return rejected / repetitions


def measure_suite(families: Sequence[Family], units: int, cluster_size: int, repetitions: int) -> tuple[float, float]:
    """Return coverage and rejection of the mean of several tasks."""
    rng = np.random.default_rng(units + 1000 * cluster_size)
    weight = 1 / len(families)
    truth = weight * sum(family.true_value(cluster_size) for family in families)
    covered = rejected = 0
    for _ in range(repetitions):
        parts, pairs = [], []
        for family in families:
            items = draw_items(rng, units, cluster_size)
            a, b = family.draw(rng, items), family.draw(rng, items)
            parts.append(PartStats(a, family.aggregate, weight, items.clusters))
            pairs.append(PairedPartStats(a, b, family.aggregate, weight, items.clusters))
        interval = compute_combined_interval(parts)
        covered += interval.low <= truth <= interval.high
        rejected += compare_combined(pairs).p < 0.05
    return covered / repetitions, rejected / repetitions


SUITES = {
    "suite of 3 WER": FAMILIES[:3],
    "suite of 3 accuracies": (FAMILIES[4], FAMILIES[5], FAMILIES[4]),
    "suite of WER and accuracy": (FAMILIES[0], FAMILIES[5]),
}
CELLS = [*((count, 0) for count in SAMPLE_COUNTS), *((count, CLUSTER_SIZE) for count in CLUSTER_COUNTS)]
MEASURES = {
    "Coverage of 95 % intervals": measure_coverage,
    "Rejections of two equal models, paired": measure_paired_rejection,
    "Rejections of two equal groups, not paired": measure_unpaired_rejection,
}


def format_cells(values: Iterator[float]) -> str:
    return " | ".join(f"{value:.3f}".removeprefix("0") if value < 1 else "1.00" for value in values)


def print_table(title: str, rows: Iterator[tuple[str, Iterator[float]]]) -> None:
    heads = [f"n={count}" for count in SAMPLE_COUNTS] + [f"{count} clusters" for count in CLUSTER_COUNTS]
    print(f"\n### {title}\n\n| metric | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    for name, values in rows:
        print(f"| {name} | {format_cells(values)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", nargs="*", help="metrics whose names contain one of these words [default: all]")
    parser.add_argument("-r", "--repetitions", type=int, default=REPETITIONS, help="simulated data sets per figure")
    options = parser.parse_args()

    def selected(name: str) -> bool:
        return not options.metrics or any(word.lower() in name.lower() for word in options.metrics)

    def repetitions(family: Family) -> int:
        return options.repetitions // (6 if family.is_slow else 1)

    for title, measure in MEASURES.items():
        rows = (
            (family.name, (measure(family, *cell, repetitions(family)) for cell in CELLS))
            for family in FAMILIES
            if selected(family.name)
        )
        print_table(title, rows)
    suites = {
        name: [measure_suite(families, *cell, options.repetitions) for cell in CELLS]
        for name, families in SUITES.items()
        if selected(name)
    }
    print_table("Coverage, suites", ((name, (pair[0] for pair in pairs)) for name, pairs in suites.items()))
    print_table("Rejections, suites", ((name, (pair[1] for pair in pairs)) for name, pairs in suites.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
