"""Measure how often 95 % intervals contain the truth: conditions, listening tests, verification trials and meetings.

    python bench/coverage_conditions.py -r 200    all tables, with 200 simulated data sets per figure

Units (speakers, listeners and items, trials, recordings) differ, and so do samples of a unit. The true number is that
of a very large data set. Beyond the tested levels, an interval has to be open to contain a threshold.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from coverage_table import CoverageTable

from auricle.metrics.base import Metric, mean, ratio, resolve_metrics
from auricle.metrics.intervals import compute_interval
from auricle.metrics.joint_replicates import JointReplicates, UnitStats
from auricle.runs.metrics import FamilyFacts
from auricle.studies.audiogram.curves import FamilyCurve, MetricScale
from auricle.studies.audiogram.level_curves import bound_crossing
from auricle.studies.people.scores import MedianAggregator, RatingAggregator
from auricle.tasks.speakers.metrics import eer, eer_interpolated, min_cllr, min_dcf, min_dcf_05

WITHHELD = "withheld"
Ends = tuple[float, float]


def measure(truth: float, repetitions: int, draw_ends: Callable[[np.random.Generator], Ends]) -> float:
    """Return the share of simulated intervals that contain the truth; an undefined one counts as a miss."""
    hits = 0
    for repetition in range(repetitions):
        low, high = draw_ends(np.random.default_rng(repetition))
        hits += low <= truth <= high
    return hits / repetitions


# --- conditions ------------------------------------------------------------------------------

LEVELS = (20.0, 10.0, 5.0, 0.0, -5.0)
UNIT_COUNTS = (4, 5, 6, 10, 20, 50)
POPULATION = 20_000


@dataclass(frozen=True)
class NoisyTask:
    """A task whose samples, eight of each speaker, are harder the louder the noise is.

    Args:
        clean: Share of wrong words or answers without noise.
        limit: Signal-to-noise ratio at which half of what was right is wrong.
        is_choice: Whether answers are chosen from four options, instead of transcribed.
        levels: Signal-to-noise ratios. Without any, the conditions are equally hard.
        equal: How many conditions are equally hard, with half of what was right wrong.
    """

    clean: float = 0.06
    limit: float = 3.0
    is_choice: bool = False
    levels: tuple[float, ...] = LEVELS
    equal: int = 0

    def draw(self, rng: np.random.Generator, speakers: int) -> JointReplicates:
        sizes = rng.integers(4, 13, speakers)
        units = np.repeat(np.arange(speakers), sizes)

        def vary(deviation: float) -> Any:
            return rng.normal(0, deviation, speakers)[units] + rng.normal(0, deviation, len(units))

        base = 1 / (1 + np.exp(-math.log(self.clean / (1 - self.clean)) - vary(0.6)))
        shift, words = vary(3.0), rng.integers(4, 17, len(units))
        shares = [base, *(base + (1 - base) / (1 + np.exp((level - self.limit - shift) / 4)) for level in self.levels)]
        shares += [base + (1 - base) / (1 + np.exp(vary(0.5))) for _ in range(self.equal)]
        if self.is_choice:
            columns = [(rng.random(len(units)) < 1 - 0.75 * share).astype(float) for share in shares]
            return JointReplicates([UnitStats(column, units, mean) for column in columns], speakers)
        columns = [np.column_stack([rng.binomial(words, share), words]).astype(float) for share in shares]
        return JointReplicates([UnitStats(column, units, ratio) for column in columns], speakers)

    @cached_property
    def population(self) -> Any:
        return self.draw(np.random.default_rng(0), POPULATION).values

    @property
    def sign(self) -> int:
        return -1 if self.is_choice else 1

    @property
    def curve(self) -> FamilyCurve:
        family = FamilyFacts("noise", parts=tuple(map(str, self.levels)), levels=self.levels, unit="dB")
        scale = MetricScale(self.is_choice, "share", 0.25 if self.is_choice else 0.0)
        return FamilyCurve(family, range(1, len(self.levels) + 1), scale)

    def measure_threshold(self, speakers: int, repetitions: int) -> float:
        curve = self.curve

        def draw_ends(rng: np.random.Generator) -> Ends:
            return bound_crossing(curve.axis, *self.draw(rng, speakers).compute_band(curve.compute_excess))

        return measure(float(curve.compute_threshold(self.population)[0]), repetitions, draw_ends)

    def measure_worst(self, speakers: int, repetitions: int) -> float:
        def draw_ends(rng: np.random.Generator) -> Ends:
            sample = self.draw(rng, speakers)
            return JointReplicates(sample.parts[1:], speakers).compute_highest_interval(self.sign)

        worst = self.sign * float((self.sign * self.population[0, 1:]).max())
        return measure(worst, repetitions, draw_ends)


THRESHOLDS = {
    "WER, five levels": NoisyTask(),
    "WER, three levels": NoisyTask(levels=(20.0, 10.0, 0.0)),
    "WER of a good model (1 %)": NoisyTask(clean=0.01, limit=-3.0),
    "accuracy of four options": NoisyTask(is_choice=True),
    "WER, just beyond the easiest level": NoisyTask(limit=11.0),
    "accuracy, just beyond the hardest level": NoisyTask(limit=-6.0, is_choice=True),
}
WORST = {
    "WER, one condition is the worst": NoisyTask(),
    "WER, three equal conditions": NoisyTask(levels=(20.0,), equal=3),
    "WER, ten equal conditions": NoisyTask(levels=(20.0,), equal=10),
    "accuracy, one condition is the worst": NoisyTask(is_choice=True),
    "accuracy, ten equal conditions": NoisyTask(levels=(20.0,), equal=10, is_choice=True),
}


def tabulate_conditions(repetitions: int) -> Iterator[CoverageTable]:
    columns = [f"{count} speakers" for count in UNIT_COUNTS]
    yield CoverageTable(
        "Coverage, thresholds of audiograms",
        columns,
        [
            (name, [task.measure_threshold(count, repetitions) for count in UNIT_COUNTS])
            for name, task in THRESHOLDS.items()
        ],
        note="About eight utterances per speaker; speakers differ in the clean number and in how much noise they bear.",
    )
    yield CoverageTable(
        "Coverage, the worst of several conditions",
        columns,
        [(name, [task.measure_worst(count, repetitions) for count in UNIT_COUNTS]) for name, task in WORST.items()],
    )


# --- listening tests -------------------------------------------------------------------------

PANELS = ((5, 5), (6, 10), (10, 10), (20, 10), (20, 20))
"""Listeners and items."""
LISTENER_SD, ITEM_SD, NOISE_SD = 10.0, 9.0, 12.0


def draw_mushra(rng: np.random.Generator, quality: float, panel: tuple[int, int]) -> Any:
    listeners, items = panel
    who, what = np.divmod(np.arange(listeners * items), items)
    ratings = quality + rng.normal(0, LISTENER_SD, listeners)[who] + rng.normal(0, ITEM_SD, items)[what]
    ratings = np.clip(np.round(ratings + rng.normal(0, NOISE_SD, len(who))), 0, 100)
    return np.column_stack([ratings, who, what])


def tabulate_mushra(repetitions: int, panels: Sequence[tuple[int, int]] = PANELS) -> CoverageTable:
    rows = []
    for quality in (60.0, 92.0):
        noise = np.random.default_rng(0).normal(0, math.hypot(LISTENER_SD, ITEM_SD, NOISE_SD), 1_000_000)
        population = np.clip(np.round(quality + noise), 0, 100)
        for name, aggregate, truth in (
            ("median", MedianAggregator(), float(np.median(population))),
            ("mean", RatingAggregator(0, 100), float(population.mean())),
        ):

            def draw_ends(
                rng: np.random.Generator, panel: tuple[int, int], aggregate: Any = aggregate, at: float = quality
            ) -> Ends:
                interval = compute_interval(draw_mushra(rng, at, panel), aggregate)
                return interval.low, interval.high

            shares = [measure(truth, repetitions, partial(draw_ends, panel=panel)) for panel in panels]
            rows.append((f"{name}, around {quality:.0f}", shares))
    return CoverageTable("Coverage, MUSHRA", [f"{listeners} × {items}" for listeners, items in panels], rows)


# --- verification ----------------------------------------------------------------------------

TRIALS = ((50, 50), (100, 100), (100, 500), (300, 300), (300, 2000), (300, 10_000))
"""Trials of the same speaker, and others."""
TRIAL_REPETITIONS = 200
"""At most, because a number is computed again up to a thousand times for its interval."""


def draw_trials(rng: np.random.Generator, targets: int, others: int, separation: float) -> Any:
    scores = np.concatenate([rng.normal(separation, 1, targets), rng.normal(-separation, 1, others)])
    unknown = -np.ones(targets + others)
    return np.column_stack([scores, np.arange(len(scores)) < targets, unknown, unknown])


def measure_trials(metric: Metric, truth: float, trials: Any, separation: float, repetitions: int) -> float | str:
    def draw_ends(rng: np.random.Generator) -> Ends:
        interval = compute_interval(draw_trials(rng, *trials, separation), metric.aggregate)
        return interval.low, interval.high

    if math.isnan(draw_ends(np.random.default_rng(0))[0]):
        return WITHHELD
    most = max(20, TRIAL_REPETITIONS * 1000 // max(1000, sum(trials)))
    return measure(truth, min(repetitions, most), draw_ends)


def tabulate_trials(repetitions: int) -> CoverageTable:
    rows = []
    for separation in (1.0, 1.6):
        population = draw_trials(np.random.default_rng(0), 400_000, 400_000, separation)
        for metric in (eer, eer_interpolated, min_cllr, min_dcf_05, min_dcf):
            truth = float(metric.aggregate(population))
            shares = [measure_trials(metric, truth, trials, separation, repetitions) for trials in TRIALS]
            rows.append((f"`{metric.name}` ({truth:.2f})", shares))
    return CoverageTable(
        "Coverage, trials of unknown speakers",
        [f"{targets:,} + {others:,}" for targets, others in TRIALS],
        rows,
        note=f"Trials of the same speaker + others, at most {TRIAL_REPETITIONS} repetitions (20 with 10,000 others). "
        "`withheld`: too few trials, no interval.",
    )


# --- meetings --------------------------------------------------------------------------------

RECORDINGS = (4, 5, 6, 10, 20, 50)


def draw_errors(rng: np.random.Generator, recordings: int) -> tuple[Any, Any]:
    """Draw the statistics of DER and JER of recordings, some of which are much harder than others.

    They have 5 to 60 minutes of speech of two to eight speakers, and 2 to 80 % of it is missed, false or confused.
    """
    seconds, speakers = rng.uniform(300, 3600, recordings), rng.integers(2, 9, recordings)
    hardness = rng.normal(-2, 0.8, (recordings, 1)) + 0.1 * speakers[:, None]
    shares = 1 / (1 + np.exp(-hardness - rng.normal(0, 0.5, (recordings, 3)))) * [0.4, 0.3, 0.5]
    nothing = np.zeros((recordings, 3))
    der = np.column_stack([shares * seconds[:, None], seconds, nothing])
    own = 1 / (1 + np.exp(-hardness - rng.normal(0, 0.7, (recordings, 8))))
    jer = np.column_stack([(own * (np.arange(8) < speakers[:, None])).sum(axis=1), speakers]).astype(float)
    return der, jer


def tabulate_meetings(repetitions: int) -> CoverageTable:
    rows = []
    population = draw_errors(np.random.default_rng(0), 200_000)
    for at, metric in enumerate((*resolve_metrics("der"), *resolve_metrics("jer"))):
        truth = float(metric.aggregate(population[at]))

        def draw_ends(rng: np.random.Generator, count: int, at: int = at, metric: Metric = metric) -> Ends:
            interval = compute_interval(draw_errors(rng, count)[at], metric.aggregate)
            return interval.low, interval.high

        shares = [measure(truth, repetitions, partial(draw_ends, count=count)) for count in RECORDINGS]
        rows.append((f"{metric.title} ({truth:.2f})", shares))
    return CoverageTable("Coverage, meetings", [f"{count} recordings" for count in RECORDINGS], rows)


def tables(repetitions: int) -> Iterator[CoverageTable]:
    yield from tabulate_conditions(repetitions)
    yield tabulate_mushra(repetitions)
    yield tabulate_trials(repetitions)
    yield tabulate_meetings(repetitions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("-r", "--repetitions", type=int, default=200)
    for table in tables(parser.parse_args().repetitions):
        print(f"\n{table.to_markdown()}", flush=True)


if __name__ == "__main__":
    main()
