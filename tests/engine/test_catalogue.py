"""Tests of the catalogue of tasks and inferencers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.benchmarks.base import Benchmark
from auricle.benchmarks.cmi import CmiBenchmark
from auricle.engine.catalogue import INFERENCERS, TASKS
from auricle.metrics.capabilities import list_members
from auricle.metrics.catalogue import METRICS


@pytest.mark.parametrize("name", sorted(TASKS.builtin))
def test_every_task_can_be_loaded(name: str) -> None:
    task = TASKS.get(name)
    assert callable(task)
    assert not isinstance(task, Benchmark) or task.name == name


@pytest.mark.parametrize("name", sorted(INFERENCERS.builtin))
def test_every_inferencer_states_what_it_needs(name: str) -> None:
    inferencer: Any = INFERENCERS.get(name)
    assert inferencer.needs in ("generate", "loglikelihood", "predict", "call", "first_tokens")


def test_summaries_fit_on_a_line_of_the_terminal() -> None:
    lengths = {name: len(registry.summary(name)) for registry in (TASKS, INFERENCERS) for name in registry.builtin}
    wrong = {name: length for name, length in lengths.items() if not 0 < length <= 72}
    assert not wrong, "write up to 72 characters about each in src/auricle/engine/catalogue.py"


@pytest.mark.parametrize("name", sorted(set(TASKS.builtin) - {"demo", "demo-voice", "silence"}))
def test_every_metric_of_a_task_is_registered(name: str, tmp_path: Path) -> None:
    factory = TASKS.get(name)
    (tmp_path / "mine.jsonl").touch()
    data = str(tmp_path / "mine.jsonl")
    source = "dataset_jsonl" if isinstance(factory, CmiBenchmark) else "data"
    metrics = [metric for own in factory(**{source: data}).metrics for metric in list_members(own)]
    assert metrics
    assert {metric.name.partition(".")[0] for metric in metrics} <= set(METRICS.builtin)
    assert all(metric.title for metric in metrics)
