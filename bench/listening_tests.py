"""Measure how often intervals of listening tests contain the truth, in simulated tests.

    python -m bench.listening_tests --rounds 1000

Listeners, items, systems for a listener, systems for an item, and single ratings have offsets of their own. Ratings are
rounded to 1 to 5, so the true mean is that of a very large test.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from typing import Any

import numpy as np

from auricle.metrics.distributions import t_quantile
from auricle.metrics.intervals import compute_interval
from auricle.metrics.jackknife import standard_error
from auricle.studies.people.bradley_terry import BradleyTerryAggregator, fit_bradley_terry
from auricle.studies.people.scores import PreferenceAggregator
from auricle.studies.people.two_way import estimate_difference_of_means, estimate_mean

LISTENER_SD, ITEM_SD, SYSTEM_SD, NOISE_SD = 0.4, 0.35, 0.25, 0.7
BASE = 3.3
SHAPES = ((8, 12, 2), (12, 24, 3), (24, 24, 2), (30, 40, 4))
"""Listeners, items and systems."""
DRAWS = 200


class Tally:
    """Counts how often intervals contain the truth, and adds up their widths."""

    def __init__(self) -> None:
        self.hits: dict[str, list[bool]] = defaultdict(list)
        self.widths: dict[str, list[float]] = defaultdict(list)

    def add(self, name: str, interval: tuple[float, float], truth: float) -> None:
        self.hits[name].append(interval[0] <= truth <= interval[1])
        self.widths[name].append(interval[1] - interval[0])

    def print(self) -> None:
        for name, hits in self.hits.items():
            print(f"  {name:32s} {100 * np.mean(hits):5.1f} %   width {np.mean(self.widths[name]):.2f}")


def simulate_ratings(random: Any, shape: tuple[int, int, int], design: str) -> Any:
    """Return rows of listener, item, system and rating."""
    listeners, items, systems = shape
    effects = np.linspace(-0.5, 0.5, systems)
    by_listener, by_item = random.normal(0, LISTENER_SD, listeners), random.normal(0, ITEM_SD, items)
    spread = SYSTEM_SD / math.sqrt(2)
    own = random.normal(0, spread, (listeners, systems)), random.normal(0, spread, (items, systems))
    heard = [
        (listener, item, system)
        for listener in range(listeners)
        for item in range(items)
        for system in ([(listener + item) % systems] if design == "latin-square" else range(systems))
    ]
    who, what, which = np.array(heard).T
    values = BASE + effects[which] + by_listener[who] + by_item[what] + own[0][who, which] + own[1][what, which]
    ratings = np.clip(np.round(values + random.normal(0, NOISE_SD, len(values))), 1, 5)
    return who, what, which, ratings


def find_truth(random: Any, systems: int) -> tuple[float, float]:
    """Return the true mean of the first system, and its difference from the last one."""
    deviation = math.sqrt(LISTENER_SD**2 + ITEM_SD**2 + SYSTEM_SD**2 + NOISE_SD**2)
    noise = random.normal(0, deviation, 1_000_000)
    means = [float(np.clip(np.round(BASE + effect + noise), 1, 5).mean()) for effect in (-0.5, 0.5)]
    return means[0], means[0] - means[1]


def t_interval(value: float, error: float, units: int) -> tuple[float, float]:
    half = t_quantile(0.975, units - 1) * error
    return value - half, value + half


def measure_means(shape: tuple[int, int, int], design: str, rounds: int) -> None:
    random = np.random.default_rng(0)
    truth, true_difference = find_truth(random, shape[2])
    tally = Tally()
    for _ in range(rounds):
        who, what, which, ratings = simulate_ratings(random, shape, design)
        first, last = which == 0, which == shape[2] - 1
        values, listeners, items = ratings[first], who[first], what[first]
        mean = float(values.mean())
        tally.add("two-way", estimate_mean(values, listeners, items).interval(1, 5), truth)
        influences = (values - mean) / len(values)
        by_listener = standard_error(np.bincount(listeners, weights=influences).astype(np.float64))
        tally.add("over listeners alone", t_interval(mean, by_listener, shape[0]), truth)
        tally.add(
            "over ratings", t_interval(mean, float(values.std(ddof=1)) / math.sqrt(len(values)), len(values)), truth
        )
        tally.add("bootstrap of both", draw_both(random, values, listeners, items), truth)
        centred = ratings - (np.bincount(who, weights=ratings) / np.bincount(who))[who]
        difference = estimate_difference_of_means(
            (centred[first], centred[last]), (who[first], who[last]), (what[first], what[last])
        )
        tally.add("difference, two-way", difference.interval(), true_difference)
    print(f"{shape[0]} listeners, {shape[1]} items, {shape[2]} systems, {design}:")
    tally.print()


def draw_both(random: Any, values: Any, listeners: Any, items: Any) -> tuple[float, float]:
    """Return percentiles of means over drawn listeners and drawn items."""
    weights = np.ones((DRAWS, len(values)))
    for codes in (listeners, items):
        distinct, units = np.unique(codes, return_inverse=True)
        weights *= random.multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), DRAWS)[:, units]
    totals = weights.sum(axis=1)
    means = (weights @ values)[totals > 0] / totals[totals > 0]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def measure_preferences(strengths: tuple[float, ...], listeners: int, trials: int, rounds: int) -> None:
    """Measure the share of a pair, and the strength of the first system over listeners who differ."""
    random = np.random.default_rng(1)
    centred = np.array(strengths) - np.mean(strengths)
    size, spread = len(strengths), 0.3
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    wins = np.zeros((size, size))
    offsets = random.normal(0, spread, (50_000, size))
    for i, j in pairs:
        wins[i, j] = (1 / (1 + np.exp(centred[j] + offsets[:, j] - centred[i] - offsets[:, i]))).mean()
        wins[j, i] = 1 - wins[i, j]
    truth = fit_bradley_terry(wins)
    tally = Tally()
    for _ in range(rounds):
        rows = []
        for listener in range(listeners):
            own = centred + random.normal(0, spread, size)
            for trial in range(trials):
                i, j = pairs[(trial + listener) % len(pairs)]
                rows.append((float(random.random() < 1 / (1 + math.exp(own[j] - own[i]))), i, j, listener, trial))
        stats = np.array(rows)
        interval = compute_interval(
            stats[:, :3], BradleyTerryAggregator(0, size), clusters=stats[:, 3].astype(np.int64)
        )
        if not math.isnan(interval.low):
            tally.add("strength, jackknife over listeners", (interval.low, interval.high), float(truth[0]))
        own_pair = stats[(stats[:, 1] == 0) & (stats[:, 2] == 1)]
        share = compute_interval(own_pair[:, [0, 3, 4]], PreferenceAggregator())
        tally.add("share, two-way Wilson", (share.low, share.high), float(wins[0, 1]))
    print(f"strengths {strengths}, {listeners} listeners, {trials} trials each:")
    tally.print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=1000)
    rounds = parser.parse_args().rounds
    for shape in SHAPES:
        for design in ("latin-square", "all"):
            measure_means(shape, design, rounds)
    for strengths, listeners, trials in (
        ((1.0, -0.5, -0.5), 12, 12),
        ((1.0, 0.0, -1.0), 20, 12),
        ((0.3, 0.0, -0.3), 12, 12),
    ):
        measure_preferences(strengths, listeners, trials, rounds // 4)


if __name__ == "__main__":
    main()
