"""The results of a run that does not fit into memory."""

from pathlib import Path

import pytest

from auricle import compare
from auricle.core.errors import DataError
from auricle.engine.factory import Evaluation
from auricle.report.merging import merge_run
from auricle.runs.metrics import read_metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores
from auricle.runs.shards.store import ShardStore


@pytest.fixture(scope="module")
def merged(store: ShardStore, evaluation: Evaluation) -> Path:
    assert store.folder
    merge_run(store, store.folder, evaluation.task, evaluation.spec, exact_samples=0)
    return store.folder


def test_everything_derived_is_written(merged: Path) -> None:
    metrics = read_metrics(merged)
    assert metrics.complete
    assert metrics.notes[0].startswith("Numbers are computed from sums over ")
    assert metrics.usage.requests == metrics.outcomes.answered
    assert metrics.speed is not None
    assert metrics.derived.keys() == {"metrics_summary.csv", "metrics_detail.csv", "report.html"}
    assert "cluster-bucket-gamma" in (merged / "metrics_summary.csv").read_text()
    assert Run.load(merged).read_metrics() == metrics


def test_samples_are_in_the_shards(merged: Path) -> None:
    with pytest.raises(DataError, match=r"shards/00000/1\."):
        list(Run.load(merged).records())
    with pytest.raises(DataError, match="run directories of its shards"):
        list(read_scores(merged))


def test_a_large_run_is_compared_by_buckets(merged: Path) -> None:
    comparison = compare(merged, merged)
    assert [row.metric for row in comparison.rows] == ["wer", "exact_match"]
    assert comparison.notes[0].startswith("Both runs are too large")
    assert comparison.pairs.count == read_metrics(merged).outcomes.answered
