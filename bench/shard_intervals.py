"""Compare intervals from buckets with those from all samples: their width, and how often they contain the truth.

Error rates with skewed errors, shares of clusters of samples, and macro F1, for several numbers of samples.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from coverage_table import CoverageTable
from numpy.typing import NDArray

from auricle.metrics.base import Aggregator, mean, ratio
from auricle.metrics.confusion import ConfusionAggregator, macro_f1
from auricle.metrics.intervals import Interval, compute_interval
from auricle.metrics.jackknife import choose_scale, encode_distinct
from auricle.scoring.shards.buckets import BUCKETS
from auricle.scoring.shards.sum_columns import SumColumns
from auricle.scoring.shards.sum_numbers import MAX_REPLICATES, bucket_interval

RATE, SHARE = 0.08, 0.8
LABELS = ("angry", "happy", "sad", "neutral")


class Draw(NamedTuple):
    """Statistics of samples, their clusters, and the number they are drawn around."""

    stats: NDArray[np.float64] | list[tuple[str, str]]
    clusters: NDArray[np.int64] | None
    truth: float


def draw_error_rate(rng: np.random.Generator, count: int) -> Draw:
    words = rng.integers(1, 40, count)
    errors = rng.poisson(rng.gamma(0.5, RATE / 0.5, count) * words)
    return Draw(np.stack([errors, words], axis=1).astype(np.float64), None, RATE)


def draw_clustered_share(rng: np.random.Generator, count: int) -> Draw:
    clusters = rng.integers(0, max(20, count // 20), count)
    skill = rng.beta(SHARE * 8, (1 - SHARE) * 8, clusters.max() + 1)
    return Draw(
        (rng.random(count) < skill[clusters]).astype(np.float64), np.unique(clusters, return_inverse=True)[1], SHARE
    )


def draw_labels(rng: np.random.Generator, count: int) -> Draw:
    true = rng.integers(0, 4, count)
    predicted = np.where(rng.random(count) < 0.7, true, rng.integers(0, 4, count))
    return Draw([(LABELS[p], LABELS[t]) for p, t in zip(predicted, true, strict=True)], None, 0.7 + 0.3 / 4)


def compute_from_buckets(draw: Draw, aggregate: Aggregator, rng: np.random.Generator) -> Interval:
    """Compute the interval as a merge does, with a random bucket for each sample or cluster."""
    count = len(draw.stats)
    units = np.arange(count) if draw.clusters is None else draw.clusters
    buckets = rng.integers(0, BUCKETS, units.max() + 1)[units]
    cluster = "" if draw.clusters is None else "cluster"
    columns = SumColumns.find(aggregate)
    if columns is None:
        distinct, codes = encode_distinct(draw.stats)
        table = np.zeros((MAX_REPLICATES, len(distinct)))
        np.add.at(table, (buckets // (BUCKETS // MAX_REPLICATES), codes), 1)
        value = aggregate.prepare_weighted(distinct)
        total, rows = table.sum(axis=0), table[table.any(axis=1)]
        without = np.array([value(total - row) for row in rows])
        scale = choose_scale(distinct, aggregate, np.zeros(len(distinct), dtype=np.int64))
        return bucket_interval(value(total), without, scale, cluster=cluster, samples=count)
    matrix = columns.make_rows(draw.stats)
    table = np.stack([np.bincount(buckets, weights=column, minlength=BUCKETS) for column in matrix.T], axis=1)
    rows = table[table.any(axis=1)]
    total = rows.sum(axis=0)
    scale = columns.choose_scale(rows, columns.measure_range(draw.stats), samples=None if cluster else count)
    without = columns.finish_each(total - rows)
    return bucket_interval(columns.finish(total), without, scale, cluster=cluster, samples=count)


CASES: dict[str, tuple[Callable[[np.random.Generator, int], Draw], Aggregator]] = {
    "error rate": (draw_error_rate, ratio),
    "share, clusters": (draw_clustered_share, mean),
    "macro F1": (draw_labels, ConfusionAggregator(macro_f1)),
}


def measure(name: str, count: int, draws: int) -> tuple[str, list[float | str]]:
    """Return a row: the relative width of intervals from buckets, and the coverage of all samples and of buckets."""
    make, aggregate = CASES[name]
    widths, covered = [], [0, 0]
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        draw = make(rng, count)
        exact = compute_interval(draw.stats, aggregate, clusters=draw.clusters)
        buckets = compute_from_buckets(draw, aggregate, rng)
        for at, interval in enumerate((exact, buckets)):
            covered[at] += interval.low <= draw.truth <= interval.high
        widths.append((buckets.high - buckets.low) / (exact.high - exact.low))
    width = f"{np.mean(widths):.3f} ± {np.std(widths):.3f}"
    return f"{name}, {count:,} samples", [width, *(hits / draws for hits in covered)]


def tables(repetitions: int) -> Iterator[CoverageTable]:
    rows = []
    for name in CASES:
        for count in (1000, 10_000):
            rows.append(measure(name, count, max(20, repetitions // (10 if name == "macro F1" else 2))))
    yield CoverageTable(
        "Coverage, buckets of samples",
        ("width relative to that from all samples (± sd)", "all samples", "buckets"),
        rows,
        note="Half of the repetitions, a tenth for macro F1.",
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=400)
    for table in tables(2 * parser.parse_args().draws):
        print(table.to_markdown())


if __name__ == "__main__":
    main()
