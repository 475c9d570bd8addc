import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.perf.worker import gc_paused
from auricle.runs.perf_files import StatusCounts
from auricle.testing.fake_server import Script
from tests.unit.perf.conftest import RunMeasurement

pytestmark = pytest.mark.slow


def test_trace_without_timestamps_is_rejected(run_measurement: RunMeasurement) -> None:
    with pytest.raises(DataError, match="column 'timestamp'"):
        run_measurement("trace")


def test_failing_first_request_ends_the_measurement(run_measurement: RunMeasurement) -> None:
    with pytest.raises(SpecError, match="The first request failed, so nothing was measured: HTTP 401"):
        run_measurement("closed:2", Script(key="secret"), count=10)


def test_transient_error_of_the_first_request_is_retried(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:1", Script(faults={"503": 1.0}, fault_attempts=2), count=3)
    assert sorted(result.stats["received"].values()) == [1, 1, 4]
    assert result.point.counts.all == StatusCounts(ok=1, failed=2)  # measured requests are not retried


def test_task_without_samples_is_rejected(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match="no sample to send"):
        run_measurement("closed:1", data=questions(0), count=1)


def test_existing_objects_are_excluded_from_garbage_collection() -> None:
    with gc_paused():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0
