"""Tests of the catalogue of tasks and inferencers."""

from __future__ import annotations

from typing import Any

import pytest

from auricle.tasks.benchmarks.base import Benchmark
from auricle.tasks.catalogue import INFERENCERS, TASKS


@pytest.mark.parametrize("name", sorted(TASKS.builtin))
def test_every_task_can_be_loaded(name: str) -> None:
    task = TASKS.get(name)
    assert callable(task)
    assert not isinstance(task, Benchmark) or task.name == name


@pytest.mark.parametrize("name", sorted(INFERENCERS.builtin))
def test_every_inferencer_states_what_it_needs(name: str) -> None:
    inferencer: Any = INFERENCERS.get(name)
    assert inferencer.needs in ("generate", "loglikelihood", "predict", "first_tokens")


def test_summaries_fit_on_a_line_of_the_terminal() -> None:
    summaries = [entry.summary for registry in (TASKS, INFERENCERS) for entry in registry.builtin.values()]
    assert all(0 < len(summary) <= 72 for summary in summaries)
