"""Measure how often 95 % intervals contain the true number, and how often tests reject two equal models.

Samples are simulated: items have a difficulty, which a cluster's items share in part, and a model's answers depend on
it. Two models that answer the same items are compared in pairs. The true number is that of a very large sample.

    python bench/coverage_table.py -r 2000 WER UAR     tables of some metrics, more precisely

Metrics that take long to compute get a sixth of the repetitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist, median
from typing import Any

import numpy as np
from coverage_table import CoverageTable

from auricle import Generation, Sample
from auricle.metrics.base import Aggregator, MeanAggregator, Metric, mean, ratio
from auricle.metrics.combined import PairedPartStats, PartStats, compare_combined, compute_combined_interval
from auricle.metrics.correlation import ktau, lcc, rmse, srcc
from auricle.metrics.dominance import describe_dominance
from auricle.metrics.intervals import compare_paired, compute_interval
from auricle.metrics.judge import KappaAggregator
from auricle.metrics.unpaired import compare_unpaired
from auricle.runs.metrics import MIN_INTERVAL_UNITS
from auricle.tasks.labels.dimensions import ccc_valence
from auricle.tasks.labels.metrics import macro_f1, uar, weighted_f1
from auricle.tasks.questions.likelihood import token_perplexity
from auricle.tasks.translation.metrics import bleu, chrf

SAMPLE_COUNTS = (5, 10, 20, 50, 100, 200)
CLUSTER_COUNTS = (4, 5, 10, 20)
CLUSTER_SIZE = 8
POPULATION = 200_000
SHARED = 0.5
"""Share of the variance of difficulty that is common to a cluster."""
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

    def __str__(self) -> str:
        return self.name

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


def draw_ceiling(best: float, share: float, other: float) -> Callable[[np.random.Generator, Items], Any]:
    """Simulate ratings that are the best in most cases, and otherwise all the same."""
    quantile = NormalDist().inv_cdf(share)
    return lambda _, items: np.where(items.difficulty < quantile, best, other)


def draw_percentages(rng: np.random.Generator, items: Items) -> Any:
    """Simulate percentages: 100 in nine of ten cases, and otherwise any."""
    return np.where(items.difficulty < NormalDist().inv_cdf(0.9), 100.0, 100 * rng.random(len(items)))


def draw_qualities(rng: np.random.Generator, items: Items) -> Any:
    return np.clip(3.2 - 0.3 * items.difficulty + rng.normal(0, 0.2, len(items)), 1, 5)


def draw_rare_ones(rng: np.random.Generator, items: Items) -> Any:
    """Simulate ratings of 4, with a 5 in ten and a 1 in twenty."""
    return np.select([items.difficulty > NormalDist().inv_cdf(0.95), rng.random(len(items)) < 0.1], [1.0, 5.0], 4.0)


def draw_loops(rng: np.random.Generator, items: Items) -> Any:
    """Simulate transcripts, of which one in 200 repeats a phrase until it has 200 more words."""
    stats = draw_errors(0.02, 8)(rng, items)
    stats[:, 0] += 200 * (rng.random(len(items)) < 0.005)
    return stats


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


RATING = MeanAggregator(limits=(1.0, 5.0))
FAMILIES = (
    Family("WER 10 %", ratio, draw_errors(0.1, 8)),
    Family("WER 2 %", ratio, draw_errors(0.02, 8)),
    Family("WER 2 %, bursts", ratio, draw_errors(0.02, 3)),
    Family("WER 40 %", ratio, draw_errors(0.4, 4)),
    Family("accuracy 80 %", mean, draw_hits(0.8)),
    Family("accuracy 97 %", mean, draw_hits(0.97)),
    Family("rating 1-5", RATING, draw_ratings(3.5)),
    Family("rating 1-5, near 5", RATING, draw_ratings(4.6)),
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


def measure_coverage(family: Family, units: int, cluster_size: int, repetitions: int) -> float | str:
    """Return the share of intervals that contain the true number; an undefined interval counts as a miss."""
    if units < MIN_INTERVAL_UNITS:
        return "not shown"
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


def measure_difference(pair: tuple[Family, Family], units: int, repetitions: int, *, is_paired: bool) -> float:
    """Return the share of intervals of a difference that contain the true one; the items are independent."""
    rng = np.random.default_rng(units)
    truth = pair[1].true_value(0) - pair[0].true_value(0)
    compare = compare_paired if is_paired else compare_unpaired
    covered = 0
    for _ in range(repetitions):
        stats_a, stats_b = (family.draw(rng, draw_items(rng, units)) for family in pair)
        difference = compare(stats_a, stats_b, pair[0].aggregate)
        covered += difference.low <= truth <= difference.high
    return covered / repetitions


def measure_loops(units: int, repetitions: int) -> tuple[float, float, float | str]:
    """Return the share of data with a dominant sample, and the coverage of all intervals and of those of other data."""
    rng = np.random.default_rng(units)
    truth = LOOPS.true_value(0)
    flagged = covered = covered_unflagged = 0
    for _ in range(repetitions):
        stats = LOOPS.draw(rng, draw_items(rng, units))
        interval, is_flagged = compute_interval(stats, ratio), bool(describe_dominance(stats, ratio))
        is_covered = interval.low <= truth <= interval.high
        flagged, covered = flagged + is_flagged, covered + is_covered
        covered_unflagged += is_covered and not is_flagged
    others = repetitions - flagged
    return flagged / repetitions, covered / repetitions, covered_unflagged / others if others else "–"


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
SAMPLE_COLUMNS = [f"n={count}" for count in SAMPLE_COUNTS]
COLUMNS = [*SAMPLE_COLUMNS, *(f"{count} clusters" for count in CLUSTER_COUNTS)]
MEASURES = {
    "Coverage of 95 % intervals": measure_coverage,
    "Rejections of two equal models, paired": measure_paired_rejection,
    "Rejections of two equal groups, not paired": measure_unpaired_rejection,
}
LOOPS = Family("loops", ratio, draw_loops)
CEILINGS = (
    Family("1-5, 5 in 95 %, else 3", RATING, draw_ceiling(5, 0.95, 3)),
    Family("1-5, 5 in 99 %, else 3", RATING, draw_ceiling(5, 0.99, 3)),
    Family("1-5, 5 in 95 %, else 1", RATING, draw_ceiling(5, 0.95, 1)),
    Family("1-5, 4, sometimes 5, rarely 1", RATING, draw_rare_ones),
    Family("1-10, 10 in 95 %, else 6", MeanAggregator(limits=(1.0, 10.0)), draw_ceiling(10, 0.95, 6)),
    Family("Likert 0-3, 0 in 95 %, else 1", MeanAggregator(limits=(0.0, 3.0)), draw_ceiling(0, 0.95, 1)),
    Family("0-100, 100 in 90 %, else any", MeanAggregator(limits=(0.0, 100.0)), draw_percentages),
    Family("DNSMOS", RATING, draw_qualities),
)
CEILING_NOTE = (
    "Ratings that are mostly the same, so that those of many samples are all equal: with P(5) = .99, nine of ten times "
    "for ten samples. A rating far from all others that no sample has, as in the fourth row, cannot be foreseen."
)
LOOP_NOTE = (
    "Utterances of ten words with 2 % of errors, of which one in 200 repeats a phrase 200 times. Data with such an "
    "utterance has a note; data without one does not show that there are any."
)


def tables(repetitions: int, words: Sequence[str] = ()) -> Iterator[CoverageTable]:
    """Yield all tables, or those with rows whose names contain one of these words."""
    for title, measure in MEASURES.items():
        yield from tabulate(title, select(FAMILIES, words), measure, repetitions)
    ceilings = select(CEILINGS, words)
    yield from tabulate("Coverage of 95 % intervals, ratings", ceilings, measure_coverage, repetitions, CEILING_NOTE)
    if select(CEILINGS[:2], words):
        yield tabulate_differences(repetitions)
    if select([LOOPS], words):
        columns = [measure_loops(count, repetitions) for count in SAMPLE_COUNTS]
        names = ("data with a dominant sample", "coverage, all data", "coverage, other data")
        rows = [(name, [column[at] for column in columns]) for at, name in enumerate(names)]
        yield CoverageTable("Error rates with loops", SAMPLE_COLUMNS, rows, head="share", note=LOOP_NOTE)
    names = select(SUITES, words)
    suites = {name: [measure_suite(SUITES[name], *cell, repetitions) for cell in CELLS] for name in names}
    for at, title in enumerate(("Coverage of 95 % intervals, suites", "Rejections of two equal models, suites")):
        if suites:
            yield CoverageTable(
                title, COLUMNS, [(name, [pair[at] for pair in pairs]) for name, pairs in suites.items()]
            )


def select(rows: Iterable[Any], words: Sequence[str]) -> list[Any]:
    """Return the rows whose names contain one of these words, or all if there are no words."""
    return [row for row in rows if not words or any(word.lower() in str(row).lower() for word in words)]


def tabulate(
    title: str, families: Sequence[Family], measure: Callable[..., float | str], repetitions: int, note: str = ""
) -> Iterator[CoverageTable]:
    """Yield the table of a measure of several metrics, if there are any."""
    rows = [
        (family.name, [measure(family, *cell, max(1, repetitions // (6 if family.is_slow else 1))) for cell in CELLS])
        for family in families
    ]
    if rows:
        yield CoverageTable(title, COLUMNS, rows, note=note)


def tabulate_differences(repetitions: int) -> CoverageTable:
    """Return the coverage of intervals of differences between models whose ratings are mostly the best."""
    rows = [
        (
            f"5 in {names} of cases, {'paired' if is_paired else 'not paired'}",
            [measure_difference(pair, count, repetitions, is_paired=is_paired) for count in SAMPLE_COUNTS],
        )
        for names, pair in (("95 and 99 %", CEILINGS[:2]), ("99 and 99 %", (CEILINGS[1], CEILINGS[1])))
        for is_paired in (True, False)
    ]
    return CoverageTable("Coverage of differences of ratings", SAMPLE_COLUMNS, rows, head="ratings")
