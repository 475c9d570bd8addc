"""Comparisons for tests of the gate, without runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from auricle.metrics.base import ratio
from auricle.metrics.intervals import compare_paired
from auricle.report.compare import Comparison, ComparisonRow, Side
from auricle.report.compare.pairing import PairCounts
from auricle.runs.health import JournalHealth
from auricle.runs.metrics import ModelFacts, OutcomeCounts, TaskFacts


def make_row(
    difference: float,
    half: float = 0.01,
    *,
    metric: str = "wer",
    higher_is_better: bool = False,
    unit: str = "share",
    **fields: Any,
) -> ComparisonRow:
    """Return a row with an interval of this half width, and p as it follows from the interval."""
    values: dict[str, Any] = {
        "value_a": 0.2,
        "value_b": 0.2 + difference,
        "difference": difference,
        "low": difference - half,
        "high": difference + half,
        "p": 0.001 if abs(difference) > half else 0.5,
        "adjusted": 0.5,
        "n": 100,
        "method": "paired-t",
        "detectable": 1.43 * half,
        "units": 100,
        "better": 0,
        "worse": 0,
        "worst": difference,
        "best": difference,
    }
    return ComparisonRow(
        metric=metric,
        title=metric.upper(),
        higher_is_better=higher_is_better,
        unit=unit,
        signature=metric,
        right_or_wrong=False,
        **{**values, **fields},
    )


def make_comparison(rows: Sequence[ComparisonRow], answered: int = 100, complete: bool = True) -> Comparison:
    """Return a comparison of two runs of 100 samples with these rows."""
    task = TaskFacts(name="spoken")
    sides = [
        Side(
            f"runs/{name}",
            task,
            ModelFacts(name),
            complete,
            OutcomeCounts(total=100, answered=count, failed=100 - count),
            JournalHealth(),
        )
        for name, count in (("old", 100), ("new", answered))
    ]
    pairs = PairCounts(
        count=answered, only_a=0, only_b=0, changed=0, corrected=0, failed_a=0, failed_b=100 - answered, coverage=1.0
    )
    return Comparison(a=sides[0], b=sides[1], pairs=pairs, rows=tuple(rows))


def simulate_row(rng: np.random.Generator, samples: int, loss: float = 0.0) -> ComparisonRow:
    """Compare the word errors of two recognisers that share most of their errors; `loss` is the true difference."""
    words = rng.integers(5, 30, samples)
    difficulty = rng.beta(1.0, 9.0, samples)
    shared = rng.binomial(words, 0.7 * difficulty)
    errors = [shared + rng.binomial(words, 0.3 * difficulty) for _ in range(2)]
    errors[1] = np.minimum(words, errors[1] + rng.binomial(words, loss))
    stats = [np.column_stack([side, words]) for side in errors]
    difference = compare_paired(stats[0], stats[1], ratio)
    values = asdict(difference)
    return make_row(values.pop("difference"), **values)
