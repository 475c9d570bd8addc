"""What a worker does with a shard."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Record
from auricle.engine.factory import Evaluation
from auricle.engine.kept_model import KeptModel
from auricle.engine.observer import Observer
from auricle.engine.settings import Settings
from auricle.engine.shards.worker import StopSignal
from auricle.runs.shards.store import ShardStore
from auricle.scoring.shards.process import ShardProcessor, StoppableObserver, restrict_evaluation


def test_a_shard_becomes_a_run_directory_with_sums(evaluation: Evaluation, store: ShardStore, tmp_path: Path) -> None:
    with KeptModel() as kept_model:
        processor = ShardProcessor(evaluation, Settings(), kept_model=kept_model)
        outcome = processor(store.plan[0], tmp_path, StopSignal())
        again = processor(store.plan[0], tmp_path, StopSignal())
    assert outcome.complete
    assert outcome.rows == outcome.answered + outcome.failed
    assert outcome.attempts >= outcome.answered
    assert (again.rows, again.answered, again.attempts) == (outcome.rows, outcome.answered, outcome.attempts)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"spec.json", "outputs.jsonl", "scores.jsonl", "sums.bin", "ids.bin"} <= names
    assert "report.html" not in names


def test_a_stopped_shard_is_incomplete_and_continues(evaluation: Evaluation, store: ShardStore, tmp_path: Path) -> None:
    stop = StopSignal()

    class StopAfterFirst(Observer):
        def on_result(self, record: Record, /) -> None:
            stop.set()

    with KeptModel() as kept_model:
        settings = Settings(concurrency=1)
        stopped = ShardProcessor(evaluation, settings, StopAfterFirst(), kept_model=kept_model)
        assert not stopped(store.plan[0], tmp_path, stop).complete
        assert not (tmp_path / "sums.bin").exists()
        assert ShardProcessor(evaluation, settings, kept_model=kept_model)(
            store.plan[0], tmp_path, StopSignal()
        ).complete


def test_limits_and_samples_without_parts_are_refused(evaluation: Evaluation, store: ShardStore) -> None:
    with KeptModel() as kept_model, pytest.raises(SpecError, match="--limit"):
        ShardProcessor(evaluation, Settings(limit=3), kept_model=kept_model)
    listed = replace(evaluation, task=replace(evaluation.task, samples=[]))
    with pytest.raises(SpecError, match="cannot be cut into shards"):
        restrict_evaluation(listed, store.plan[0])


def test_a_signal_stops_judges(tmp_path: Path) -> None:
    stop, stopped = StopSignal(), []
    observer = StoppableObserver(Observer(), stop)
    observer.on_judging(None, 3, lambda: stopped.append(1))  # type: ignore[arg-type]  # the run is not used
    assert not stopped
    stop.set()
    observer.on_verdict(None)  # type: ignore[arg-type]  # the verdict is not used
    assert stopped
