"""Compare the power that `auricle plan` states with how often `auricle compare` detects the difference.

Two models answer simulated samples, whose difficulty they share in part, as do the samples of a speaker. Large pilots
show the variance. The number of samples or speakers that a plan asks for is then simulated many times, with the
planned difference as the true one, and compared; the share of significant results should be the planned power.

    python bench/plan.py                  all cases, 4,000 repetitions each, about five minutes
    python bench/plan.py -r 500 WER       some of them, faster
    python bench/plan.py --factor 2.5     larger differences, which need less data
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from auricle.metrics.base import Aggregator, mean, ratio
from auricle.metrics.distributions import normal_quantile
from auricle.metrics.intervals import compare_paired
from auricle.metrics.power import SIGNIFICANCE_LEVEL, Design, estimate_design
from auricle.metrics.unpaired import compare_unpaired

REPETITIONS = 4000
TOLERANCE = 0.03
"""Largest distance between the stated and the simulated power."""
PILOT_UNITS, PILOTS = 1000, 500
"""Units of a pilot, and pilots that are averaged, so that the variance is known almost exactly."""
CLUSTER_SIZE = 10
CLUSTER_SHARE = 0.3
"""Share of the variance of difficulty that is common to the samples of a speaker."""
Draw = Callable[[np.random.Generator, Any, float], Any]


@dataclass(frozen=True)
class Family:
    """A kind of metric: its aggregator, and how the statistics of a model with a given number are drawn."""

    name: str
    aggregate: Aggregator
    draw: Draw
    value: float
    """The number of the better model."""
    difference: float


@dataclass(frozen=True)
class Case:
    """A family with or without clusters, and paired or not."""

    family: Family
    has_clusters: bool = False
    is_paired: bool = True
    power: float = 0.8

    @property
    def name(self) -> str:
        words = [self.family.name, "speakers" if self.has_clusters else "samples"]
        return ", ".join([*words, "paired" if self.is_paired else "unpaired", f"{self.power:.0%}"])


def draw_word_errors(rng: np.random.Generator, difficulty: Any, rate: float) -> Any:
    """Return errors and words per utterance; errors come together in difficult utterances."""
    words = rng.integers(4, 21, len(difficulty))
    expected = rate * words * np.exp(0.7 * difficulty - 0.7**2 / 2)
    return np.column_stack([rng.poisson(expected * rng.gamma(2.0, 0.5, len(words))), words]).astype(np.float64)


def draw_hits(rng: np.random.Generator, difficulty: Any, rate: float) -> Any:
    """Return right (1) and wrong (0) answers, of which a share of `rate` is right."""
    noise = rng.normal(size=len(difficulty))
    combined = np.sqrt(0.5) * difficulty + np.sqrt(0.5) * noise  # standard normal
    return (combined > normal_quantile(1 - rate)).astype(np.float64)


def draw_ratings(rng: np.random.Generator, difficulty: Any, level: float) -> Any:
    """Return ratings whose mean is `level`."""
    return level + 0.6 * difficulty + 0.6 * rng.normal(size=len(difficulty))


FAMILIES = (
    Family("WER", ratio, draw_word_errors, 0.10, 0.02),
    Family("accuracy", mean, draw_hits, 0.80, 0.05),
    Family("mean rating", mean, draw_ratings, 3.5, 0.15),
)


def list_cases(factor: float = 1.0) -> list[Case]:
    """Return every family with and without clusters, paired and not."""
    families = [replace(family, difference=factor * family.difference) for family in FAMILIES]
    return [
        Case(family, has_clusters, is_paired)
        for family in families
        for is_paired in (True, False)
        for has_clusters in (False, True)
    ] + [Case(families[0], has_clusters, power=0.9) for has_clusters in (False, True)]


def draw_difficulty(rng: np.random.Generator, units: int, has_clusters: bool) -> tuple[Any, Any]:
    """Return the difficulty of items, and the cluster of each."""
    if not has_clusters:
        return rng.normal(size=units), None
    clusters = np.repeat(np.arange(units), rng.integers(CLUSTER_SIZE // 2, CLUSTER_SIZE * 3 // 2 + 1, units))
    common, own = rng.normal(size=units)[clusters], rng.normal(size=len(clusters))
    return np.sqrt(CLUSTER_SHARE) * common + np.sqrt(1 - CLUSTER_SHARE) * own, clusters


def draw_models(rng: np.random.Generator, case: Case, units: int, difference: float) -> list[tuple[Any, Any]]:
    """Return the statistics of two models and the cluster of each sample."""
    family = case.family
    values = (family.value, family.value + difference)
    first = draw_difficulty(rng, units, case.has_clusters)
    second = first if case.is_paired else draw_difficulty(rng, units, case.has_clusters)
    items = zip((first, second), values, strict=True)
    return [(family.draw(rng, difficulty, value), clusters) for (difficulty, clusters), value in items]


def plan_case(case: Case, seed: int = 0) -> tuple[Design, int]:
    """Return the design that large pilots show, and the units that it asks for."""
    rng = np.random.default_rng(seed)
    designs = [
        estimate_design(
            draw_models(rng, case, PILOT_UNITS, case.family.difference), case.family.aggregate, is_paired=case.is_paired
        )
        for _ in range(PILOTS)
    ]
    design = replace(
        designs[0],
        variance=fmean(pilot.variance for pilot in designs),
        correlation=fmean(pilot.correlation for pilot in designs),
    )
    units = design.count_units(case.family.difference, case.power)
    assert units is not None
    return design, units


def simulate(case: Case, units: int, repetitions: int, seed: int = 1) -> float:
    """Return the share of repetitions in which the difference is significant."""
    rng = np.random.default_rng(seed)
    detected = 0
    for _ in range(repetitions):
        (a, clusters_a), (b, clusters_b) = draw_models(rng, case, units, case.family.difference)
        if case.is_paired:
            p = compare_paired(a, b, case.family.aggregate, clusters_a).p
        else:
            p = compare_unpaired(a, b, case.family.aggregate, (clusters_a, clusters_b)).p
        detected += p <= SIGNIFICANCE_LEVEL
    return detected / repetitions


def run_cases(cases: Sequence[Case], repetitions: int) -> Iterator[tuple[Case, int, float, float]]:
    """Yield each case with the units that it needs, the stated power and the simulated one."""
    for case in cases:
        design, units = plan_case(case)
        yield case, units, design.compute_power(case.family.difference, units), simulate(case, units, repetitions)


def main() -> int:
    """Print a table and return 1 if a stated power is off by more than the tolerance."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="families, such as WER [default: all]")
    parser.add_argument("-r", "--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--factor", type=float, default=1.0, help="factor of the planned differences")
    arguments = parser.parse_args()
    cases = [
        case for case in list_cases(arguments.factor) if not arguments.names or case.family.name in arguments.names
    ]
    print("| metric | unit | design | needed | stated power | simulated |\n|---|---|---|---|---|---|")
    misses = 0
    for case, units, stated, simulated in run_cases(cases, arguments.repetitions):
        metric, unit, design, _ = case.name.split(", ")
        powers = f"{100 * stated:.1f} % | {100 * simulated:.1f} %"
        print(f"| {metric} | {unit} | {design} | {units:,} | {powers} |", flush=True)
        misses += abs(stated - simulated) > TOLERANCE
    print(f"{len(cases) - misses} of {len(cases)} within {100 * TOLERANCE:g} points")
    return int(misses > 0)


if __name__ == "__main__":
    sys.exit(main())
