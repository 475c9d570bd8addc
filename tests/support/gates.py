"""Comparisons for tests of the gate, without runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from auricle.metrics.base import ratio
from auricle.metrics.intervals import compare_paired
from auricle.metrics.power import Design, estimate_design
from auricle.runs.health import JournalHealth
from auricle.runs.metrics import ModelFacts, TaskFacts
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.scoring.compare import Comparison, ComparisonRow, Side
from auricle.scoring.compare.pairing import PairCounts


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


def make_comparison(
    rows: Sequence[ComparisonRow], answered: int = 100, complete: bool = True, designs: Sequence[Design] = ()
) -> Comparison:
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
    return Comparison(a=sides[0], b=sides[1], pairs=pairs, rows=tuple(rows), designs=tuple(designs))


def simulate_comparison(
    rng: np.random.Generator, units: int, loss: float = 0.0, *, per_speaker: int | None = None
) -> Comparison:
    """Compare the word errors of two recognisers that share most of their errors.

    Args:
        rng: Source of random numbers.
        units: Number of utterances or, with `per_speaker`, of speakers.
        loss: The true difference of their word error rates.
        per_speaker: Utterances of each speaker; a recogniser may be better for some speakers than for others.
    """
    samples = units * (per_speaker or 1)
    speakers = np.repeat(np.arange(units), per_speaker) if per_speaker else None
    words = rng.integers(5, 30, samples)
    difficulty = rng.beta(1.0, 9.0, samples)
    shared = rng.binomial(words, 0.7 * difficulty)
    errors = [shared + rng.binomial(words, 0.3 * difficulty) for _ in range(2)]
    errors[1] += rng.binomial(words, loss)
    if speakers is not None:
        errors = [side + rng.binomial(words, rng.beta(1.0, 49.0, units)[speakers]) for side in errors]
    stats = [np.column_stack([np.minimum(words, side), words]) for side in errors]
    values = asdict(compare_paired(stats[0], stats[1], ratio, speakers))
    row = make_row(values.pop("difference"), **values, cluster="speaker" if per_speaker else "")
    return make_comparison([row], designs=[estimate_design([(side, speakers) for side in stats], ratio)])


def predict_units(rng: np.random.Generator, units: int, loss: float, **options: Any) -> int:
    """Return the median number of units that comparisons of a candidate with this loss predict for 80 % power."""
    designs = [simulate_comparison(rng, units, loss, **options).designs[0] for _ in range(100)]
    needed = [design.count_units(loss, 0.8) for design in designs if design]
    return int(np.median([count for count in needed if count]))
