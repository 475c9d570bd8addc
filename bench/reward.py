"""Measure the scoring of 100,000 preference pairs and 3,000 ratings, compared with pandas and scipy.

The pandas loop does what the evaluation of CMI-RewardBench does: it compares labels row by row, without intervals.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measure import Sheet, at_most, measure_best
from scipy import stats as scipy_stats

from auricle import Audio, Prediction, Sample
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.scores import write_scores
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.rewards.preference import preference_metrics
from auricle.tasks.rewards.ratings import Dimension, rating_metrics

PAIRS, RATINGS, ROUNDS = 100_000, 3_000, 3
MAX_PAIRS_SECONDS, MAX_RATINGS_SECONDS = 3.0, 5.0
LABELS = ("a", "b", "tie")
SOURCES = ("arena", "studio")


def build_pairs(count: int) -> list[Record]:
    dice = random.Random(7)
    return [
        Record(
            sample=Sample(
                id=f"pair-{index:06d}",
                inputs={"a": _clip(dice), "b": _clip(dice), "text": f"a calm tune, number {index}"},
                target=dice.choice(LABELS),
                meta={"source": dice.choice(SOURCES)},
                origin=f"pairs.jsonl:{index + 1}",
            ),
            row=index,
            outputs=tuple(_draw_prediction(dice) for _ in "ab"),
            audio_seconds=20.0,
        )
        for index in range(count)
    ]


def build_ratings(count: int) -> list[Record]:
    dice = random.Random(7)
    return [
        Record(
            sample=Sample(id=f"clip-{index:06d}", inputs={}, target=dice.randint(2, 10) / 2),
            row=index,
            outputs=(_draw_prediction(dice),),
        )
        for index in range(count)
    ]


def _draw_prediction(dice: random.Random) -> Prediction:
    return Prediction(values={"musicality": round(dice.gauss(0, 2), 2)}, scale="continuous")


def _clip(dice: random.Random) -> Audio:
    return Audio(f"clips/{dice.randrange(10_000):05d}.wav")


def score_in_memory(records: Iterable[Record], metrics: Sequence[Metric]) -> Callable[[], None]:
    def run() -> None:
        table = ScoreTable(metrics)
        for _ in score_records(records, table):
            pass
        summarise(table)

    return run


def score_from_disk(records: Sequence[Record], metrics: Sequence[Metric], folder: Path) -> Callable[[], None]:
    """Score from the journal and write the scores of each sample: `auricle score` without the report."""
    with Run.open(folder, RunSpec(identity={}, spec={})) as run:
        for record in records:
            run.append(record)

    def read() -> None:
        table = ScoreTable(metrics)
        with infrequent_gc():
            write_scores(folder, score_records(Run.load(folder).records(), table))
        summarise(table)

    return read


def score_pairs_with_pandas(records: Sequence[Record]) -> Callable[[], float]:
    def run() -> float:
        frame = pd.DataFrame(_rows(records))
        frame["predicted"] = frame.apply(lambda row: "a" if row["a"] > row["b"] else "b", axis=1)
        return float(frame.apply(_credit, axis=1).mean())

    return run


def _rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    return [
        {
            "truth": record.sample.target,
            **{k: o.values["musicality"] for k, o in zip("ab", record.outputs, strict=True)},
        }
        for record in records
        if all(isinstance(output, Prediction) for output in record.outputs)
    ]


def _credit(row: Any) -> float:
    if row["truth"] == row["predicted"]:
        return 1.0
    return 0.5 if row["truth"] == "tie" else 0.0


def score_ratings_with_scipy(records: Sequence[Record], rounds: int) -> Callable[[], None]:
    """Compute correlations with scipy as often as an interval needs them."""
    values = [(record.outputs[0].values["musicality"], record.sample.target) for record in records]
    predictions, targets = np.array(values, dtype=float).T
    generator = np.random.default_rng(0)

    def run() -> None:
        for _ in range(rounds):
            rows = generator.integers(0, len(targets), len(targets))
            for correlate in (scipy_stats.spearmanr, scipy_stats.pearsonr, scipy_stats.kendalltau):
                correlate(predictions[rows], targets[rows])

    return run


def main() -> int:
    sheet = Sheet(f"{PAIRS:,} pairs and {RATINGS:,} ratings scored, with intervals")
    dimension = Dimension()
    pairs, ratings = build_pairs(PAIRS), build_ratings(RATINGS)
    pair_metrics, scale_metrics = preference_metrics(dimension, "half"), rating_metrics(dimension)
    with tempfile.TemporaryDirectory() as folder:
        costs = measure_best(
            {
                "pairs, pandas loop without intervals": score_pairs_with_pandas(pairs),
                "pairs": score_in_memory(pairs, pair_metrics),
                "pairs, from the journal": score_from_disk(pairs, pair_metrics, Path(folder) / "run"),
            },
            ROUNDS,
        )
    baseline = next(iter(costs.values())).wall
    for name, cost in costs.items():
        target = at_most(MAX_PAIRS_SECONDS) if "loop" not in name else None
        sheet.line(name, cost.wall, "s", target, cost.wall / baseline, cost)
    costs = measure_best(
        {
            "ratings, scipy resampled 1,000 times": score_ratings_with_scipy(ratings, 1000),
            "ratings": score_in_memory(ratings, scale_metrics),
        },
        ROUNDS,
    )
    baseline = next(iter(costs.values())).wall
    for name, cost in costs.items():
        target = at_most(MAX_RATINGS_SECONDS) if "scipy" not in name else None
        sheet.line(name, cost.wall, "s", target, cost.wall / baseline, cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
