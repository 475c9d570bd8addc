"""Runs to publish."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.sharing.exports.base import FinishedRun
from tests.support.imported_runs import asr_run, reward_run  # noqa: F401


@pytest.fixture
def finished_run(asr_run: Path) -> FinishedRun:  # noqa: F811
    """A run of four recordings, of which one failed."""
    return FinishedRun.load(asr_run)


@pytest.fixture
def hub_run(finished_run: FinishedRun) -> FinishedRun:
    """The same run as if model and data came from the Hub."""
    task = replace(finished_run.metrics.task, source="hf:org/data", revision=f"org/data.default.test@{'a' * 40}")
    spec = replace(finished_run.spec, spec={**finished_run.spec.spec, "model_args": {"model": "org/model"}})
    return replace(finished_run, metrics=replace(finished_run.metrics, task=task), spec=spec)
