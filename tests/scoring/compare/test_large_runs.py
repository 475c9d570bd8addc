"""Comparison of runs that do not fit into memory."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Generation, Record
from auricle.metrics.base import Metric, resolve_metrics
from auricle.metrics.intervals import compare_paired
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.scoring.compare.large_runs import LargeRuns, describe_uneven
from auricle.scoring.shards.stored_sums import StoredSums, store_sums
from auricle.scoring.shards.sum_numbers import compute_numbers
from tests.support.sharded_runs import SIGNATURE, make_records, score_all, score_in_shards

METRICS = [metric for name in ("wer", "macro_f1") for metric in resolve_metrics(name)]


def improve(records: list[Record]) -> list[Record]:
    """Return records of a model that is right more often."""
    rng = random.Random(1)
    return [
        replace(record, outputs=(Generation(text=str(record.sample.target)),))
        if rng.random() < 0.2 and not record.error
        else record
        for record in records
    ]


def load(records: list[Record], folder: Path, cluster: str = "none") -> tuple[Metrics, StoredSums]:
    sums = score_in_shards(METRICS, records, 500, cluster)
    numbers = tuple(compute_numbers(sums, SIGNATURE))
    folder.mkdir()
    store_sums(folder, sums)
    stored = StoredSums.load(folder)
    assert stored
    return Metrics(task=TaskFacts("t"), model=ModelFacts("m"), numbers=numbers), stored


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> LargeRuns:
    folder = tmp_path_factory.mktemp("runs")
    records = make_records(2000)
    a, b = load(records, folder / "a"), load(improve(records), folder / "b")
    return LargeRuns((a[0], b[0]), (a[1], b[1]))


def compare_samples(metric: Metric) -> tuple[float, float, float]:
    records = make_records(2000)
    columns = [score_all([metric], side).columns[0] for side in (records, improve(records))]
    stats = [column.stats[np.arange(len(column.indices))] for column in columns]
    difference = compare_paired(stats[0], stats[1], metric.aggregate)
    return difference.difference, difference.low, difference.high


def test_differences_are_those_of_the_pairs_and_intervals_agree(runs: LargeRuns) -> None:
    rows, refused = runs.build_rows(METRICS)
    assert not refused
    for row, metric in zip(rows, METRICS, strict=True):
        difference, low, high = compare_samples(metric)
        assert row.difference == pytest.approx(difference, rel=1e-12)
        assert (row.high - row.low) / (high - low) == pytest.approx(1, abs=0.1)
        assert row.method == "bucket-paired-t"
        assert row.p < 0.001


def test_groups_are_compared(runs: LargeRuns) -> None:
    rows, _ = runs.build_rows(METRICS[:1], "subset")
    assert [(row.field, row.group) for row in rows] == [("", "all"), ("subset", "a"), ("subset", "b")]
    with pytest.raises(SpecError, match="'room' in common"):
        runs.build_rows(METRICS, "room")


def test_a_metric_without_sums_is_refused(runs: LargeRuns) -> None:
    rows, refused = runs.build_rows([METRICS[0].replace(name="other")])
    assert not rows
    assert "not a function of sums" in refused["other"]


def test_a_run_equals_itself(runs: LargeRuns) -> None:
    same = LargeRuns((runs.results[0], runs.results[0]), (runs.sums[0], runs.sums[0]))
    for row in same.build_rows(METRICS)[0]:
        assert row.difference == 0
        assert row.p == 1


def test_different_numbers_of_samples_are_noted(runs: LargeRuns) -> None:
    rows, _ = runs.build_rows(METRICS[:1])
    assert not describe_uneven(rows)
    (note,) = describe_uneven([replace(rows[0], samples=(1000, 900))])
    assert note.startswith("WER is over 1,000 samples in A and 900 in B")
