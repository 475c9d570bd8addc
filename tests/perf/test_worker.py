import asyncio
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from auricle.core.errors import DataError, Rejected, SpecError
from auricle.core.types import Generation, Sample
from auricle.engine.inferencers import Respond
from auricle.perf import worker
from auricle.perf.driver import Driver
from auricle.perf.worker import gc_paused
from auricle.runs.perf_files import StatusCounts
from auricle.testing.fake_server import Script
from tests.perf.conftest import RunMeasurement

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


class StrictDriver:
    """Prepares requests with the fields for the length of the answer, and rejects those that have them."""

    def __init__(self, message: str = "") -> None:
        self.forces_length = True
        self.sent: list[bool] = []
        self._message = message

    def prepare(self, _request: Any) -> bool:
        return self.forces_length

    async def send(self, prepared: bool, _timer: Any) -> Generation:
        self.sent.append(prepared)
        if prepared or self._message:
            raise Rejected(self._message or "unknown field ignore_eos")
        return Generation(text="yes")


def test_fields_that_the_server_rejects_are_left_out() -> None:
    driver = StrictDriver()
    sample = Sample(id="1", inputs={"content": "hello"})
    asyncio.run(worker._preflight(sample, cast(Driver, driver), Respond("{content}")))
    assert driver.sent == [True, False]
    assert not driver.forces_length


def test_server_that_rejects_every_request_is_an_error() -> None:
    driver = StrictDriver("no such model")
    sample = Sample(id="1", inputs={"content": "hello"})
    with pytest.raises(SpecError, match="The first request failed, so nothing was measured: no such model"):
        asyncio.run(worker._preflight(sample, cast(Driver, driver), Respond("{content}")))


def test_task_without_samples_is_rejected(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match="no sample to send"):
        run_measurement("closed:1", data=questions(0), count=1)


def test_existing_objects_are_excluded_from_garbage_collection() -> None:
    with gc_paused():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0
    gc.freeze()  # what was collected, as at the start of all tests


def test_priority_is_raised_where_the_user_may(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[int] = []
    monkeypatch.setattr(worker, "AUTOGROUP_PATH", tmp_path / "autogroup")
    monkeypatch.setattr("os.setpriority", lambda _which, _who, niceness: calls.append(niceness))
    worker.raise_priority()
    assert calls == [worker.SENDER_NICENESS]
    assert (tmp_path / "autogroup").read_text() == "-10"


def test_priority_stays_if_the_user_may_not_raise_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_arguments: int) -> None:
        raise PermissionError

    monkeypatch.setattr(worker, "AUTOGROUP_PATH", tmp_path / "autogroup")
    monkeypatch.setattr("os.setpriority", refuse)
    worker.raise_priority()
    assert not (tmp_path / "autogroup").exists()
