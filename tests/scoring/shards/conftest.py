"""Records of a few shards, scored once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from auricle import Spec, evaluate
from auricle.core.types import Record
from auricle.engine.factory import Evaluation
from auricle.metrics.base import Metric, resolve_metrics
from auricle.runs.metrics import Number
from auricle.runs.shards.store import ShardStore
from auricle.scoring.shards.running_sums import RunningSums
from auricle.scoring.shards.sum_numbers import compute_numbers
from auricle.scoring.summary import summarise
from tests.support.sharded_runs import (
    SIGNATURE,
    make_records,
    process_shards,
    score_all,
    score_in_shards,
    write_questions,
)

METRICS = ("wer", "accuracy", "macro_f1", "exact_match")


@pytest.fixture(scope="session")
def metrics() -> Sequence[Metric]:
    return [metric for name in METRICS for metric in resolve_metrics(name)]


@pytest.fixture(scope="session")
def records() -> list[Record]:
    return make_records(3000)


@pytest.fixture(scope="session")
def sums(metrics: Sequence[Metric], records: list[Record]) -> RunningSums:
    return score_in_shards(metrics, records, 700)


@pytest.fixture(scope="session")
def exact(metrics: Sequence[Metric], records: list[Record]) -> list[Number]:
    return summarise(score_all(metrics, records), SIGNATURE)


@pytest.fixture(scope="session")
def from_sums(sums: RunningSums) -> list[Number]:
    return compute_numbers(sums, SIGNATURE)


@pytest.fixture(scope="session")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    return write_questions(tmp_path_factory.mktemp("questions"))


@pytest.fixture(scope="session")
def plain_run(questions: Spec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluate(questions, tmp_path_factory.mktemp("plain")).path


@pytest.fixture(scope="session")
def evaluation(questions: Spec) -> Evaluation:
    return Evaluation.prepare(questions)


@pytest.fixture(scope="session")
def store(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> ShardStore:
    """Answers to the questions in several shards, which are not merged."""
    return process_shards(evaluation, tmp_path_factory.mktemp("sharded"), shard_bytes=1200)
