"""How long 100,000 pairs take to score with intervals, beside a plain pandas and scipy loop.

The loop does what CMI-RewardBench's evaluation does: labels are mapped and compared row by row, and
numbers come without intervals. Ratings are measured beside: correlations of 3,000 of them.
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
from measure import Sheet, at_most, best
from scipy import stats as scipy_stats

from auricle import Audio, Prediction, Sample
from auricle.core.files import write_lines_atomically
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.metrics.preference import preference_metrics
from auricle.metrics.ratings import Dimension, rating_metrics
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise
from auricle.runs.run_directory import Run
from auricle.runs.usage import UsageTotals

PAIRS, RATINGS, ROUNDS = 100_000, 3_000, 3
MOST_FOR_PAIRS, MOST_FOR_RATINGS = 3.0, 5.0  # seconds
LABELS = ("a", "b", "tie")
SOURCES = ("arena", "studio")


def pairs(count: int) -> list[Record]:
    dice = random.Random(7)
    return [
        Record(
            sample=Sample(
                id=f"pair-{at:06d}",
                inputs={"a": _clip(dice), "b": _clip(dice), "text": f"a calm tune, number {at}"},
                target=dice.choice(LABELS),
                meta={"source": dice.choice(SOURCES)},
                origin=f"pairs.jsonl:{at + 1}",
            ),
            row=at,
            outputs=tuple(_told(dice) for _ in "ab"),
            audio_seconds=20.0,
        )
        for at in range(count)
    ]


def ratings(count: int) -> list[Record]:
    dice = random.Random(7)
    return [
        Record(
            sample=Sample(id=f"clip-{at:06d}", inputs={}, target=dice.randint(2, 10) / 2),
            row=at,
            outputs=(_told(dice),),
        )
        for at in range(count)
    ]


def _told(dice: random.Random) -> Prediction:
    return Prediction(values={"musicality": round(dice.gauss(0, 2), 2)}, scale="continuous")


def _clip(dice: random.Random) -> Audio:
    return Audio(f"clips/{dice.randrange(10_000):05d}.wav")


def scoring(records: Iterable[Record], metrics: Sequence[Metric]) -> Callable[[], None]:
    def run() -> None:
        board = ScoreTable(metrics)
        for _ in score_records(records, board):
            pass
        summarise(board)

    return run


def from_disk(records: Sequence[Record], metrics: Sequence[Metric], folder: Path) -> Callable[[], None]:
    """The same from a journal, each sample's scores written: `auricle score` but for the page."""
    with Run.open(folder, {"identity": {}, "spec": {}}) as run:
        for record in records:
            run.append(record)

    def read() -> None:
        board = ScoreTable(metrics)
        with infrequent_gc():
            found = UsageTotals().count_records(Run.load(folder).records())
            write_lines_atomically(folder / "scores.jsonl", score_records(found, board))
        summarise(board)

    return read


def plain_pairs(records: Sequence[Record]) -> Callable[[], float]:
    def run() -> float:
        frame = pd.DataFrame(_rows(records))
        frame["said"] = frame.apply(lambda row: "a" if row["a"] > row["b"] else "b", axis=1)
        return float(frame.apply(_earned, axis=1).mean())

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


def _earned(row: Any) -> float:
    if row["truth"] == row["said"]:
        return 1.0
    return 0.5 if row["truth"] == "tie" else 0.0


def plain_ratings(records: Sequence[Record], rounds: int) -> Callable[[], None]:
    """Correlations by scipy, as often as a bootstrap needs them."""
    told = [(r.outputs[0].values["musicality"], r.sample.target) for r in records]
    x, y = np.array(told, dtype=float).T
    dice = np.random.default_rng(0)

    def run() -> None:
        for _ in range(rounds):
            drawn = dice.integers(0, len(x), len(x))
            for correlate in (scipy_stats.spearmanr, scipy_stats.pearsonr, scipy_stats.kendalltau):
                correlate(x[drawn], y[drawn])

    return run


def main() -> int:
    sheet = Sheet(f"{PAIRS:,} pairs and {RATINGS:,} ratings scored, 1,000 bootstrap rounds")
    dimension = Dimension()
    two, one = pairs(PAIRS), ratings(RATINGS)
    chosen, rated = preference_metrics(dimension, "half"), rating_metrics(dimension)
    with tempfile.TemporaryDirectory() as folder:
        spent = best(
            {
                "pairs, pandas loop without intervals": plain_pairs(two),
                "pairs": scoring(two, chosen),
                "pairs, from the journal": from_disk(two, chosen, Path(folder) / "run"),
            },
            ROUNDS,
        )
    baseline = next(iter(spent.values())).wall
    for name, each in spent.items():
        target = at_most(MOST_FOR_PAIRS) if "loop" not in name else None
        sheet.line(name, each.wall, "s", target, each.wall / baseline, each)
    spent = best(
        {"ratings, scipy resampled 1,000 times": plain_ratings(one, 1000), "ratings": scoring(one, rated)}, ROUNDS
    )
    baseline = next(iter(spent.values())).wall
    for name, each in spent.items():
        target = at_most(MOST_FOR_RATINGS) if "scipy" not in name else None
        sheet.line(name, each.wall, "s", target, each.wall / baseline, each)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
