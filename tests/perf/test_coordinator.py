"""Several senders share one schedule, and end together."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.core.errors import DataError, SpecError
from auricle.engine.spec import Spec
from auricle.perf.coordinator import run_load_point, summarise_health
from auricle.perf.messages import LoadPointPlan, PointProgress, SenderResult
from auricle.runs.perf_files import read_health, write_health
from auricle.testing.fake_server import FakeServer, Script
from tests.perf.conftest import RunMeasurement

pytestmark = [pytest.mark.slow, pytest.mark.flaky(reruns=2)]  # depends on the timing of a busy machine


BuildPlan = Callable[..., LoadPointPlan]


def list_sender_pids() -> list[int]:
    """Return the processes of senders that this process started."""
    output = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in output.splitlines()[1:]]
    return [int(pid) for pid, parent, args in lines if int(parent) == os.getpid() and "perf.worker" in args]


@pytest.fixture
def build_plan(questions: Callable[..., Path], tmp_path: Path) -> BuildPlan:
    def build(server: FakeServer, **fields: Any) -> LoadPointPlan:
        spec = Spec(
            task="qa",
            task_args={"data": str(questions())},
            model="openai",
            model_args={"base_url": server.url, "model": "fake"},
        )
        folder = tmp_path / "point"
        folder.mkdir()
        options: dict[str, Any] = {"load": "constant:20", "duration": 20.0, "senders": 2} | fields
        return LoadPointPlan(spec=spec.model_dump(mode="json"), folder=str(folder), **options)

    return build


def test_killed_sender_is_an_error_and_ends_the_others(build_plan: BuildPlan) -> None:
    start = time.monotonic()

    def kill_a_sender(_: PointProgress) -> None:
        if pids := list_sender_pids():
            os.kill(pids[0], signal.SIGKILL)

    with FakeServer() as server, pytest.raises(SpecError, match=r"ended unexpectedly.*sender\.\d\.log"):
        asyncio.run(run_load_point(build_plan(server), kill_a_sender, asyncio.Event()))
    assert list_sender_pids() == []
    assert time.monotonic() - start < 18


def test_error_of_a_sender_is_raised_with_its_type(build_plan: BuildPlan) -> None:
    with FakeServer() as server, pytest.raises(DataError, match="column 'timestamp'"):
        asyncio.run(run_load_point(build_plan(server, load="trace"), lambda _: None, asyncio.Event()))
    assert list_sender_pids() == []


def test_errors_are_counted_over_all_senders(build_plan: BuildPlan) -> None:
    with FakeServer(Script(faults={"500": 0.5}, seed=3)) as server:
        health = asyncio.run(run_load_point(build_plan(server, max_errors=6), lambda _: None, asyncio.Event()))
    assert "requests failed" in health.stopped


def test_stop_reaches_all_senders_and_keeps_their_requests(build_plan: BuildPlan) -> None:
    stop_event = asyncio.Event()
    progress: list[PointProgress] = []

    def stop_after_five(counts: PointProgress) -> None:
        progress.append(counts)
        if counts.answered > 5:
            stop_event.set()

    with FakeServer() as server:
        plan = build_plan(server, stream=True)
        health = asyncio.run(run_load_point(plan, stop_after_five, stop_event))
    assert health.stopped == "interrupted"
    assert list_sender_pids() == []
    assert progress[-1].load == "constant:20"
    assert any(counts.ttft_s for counts in progress)
    lines = (Path(plan.folder) / "requests.jsonl").read_bytes().splitlines()
    records = [orjson.loads(line) for line in lines]
    assert [record["index"] for record in records] == sorted(record["index"] for record in records)
    assert {record["sender"] for record in records} == {0, 1}


def test_schedule_does_not_depend_on_the_number_of_senders(
    run_measurement: RunMeasurement, questions: Callable[..., Path]
) -> None:
    data = questions(7)
    results = [run_measurement("poisson:80", data=data, count=50, seed=3, senders=senders) for senders in (1, 2)]
    one, two = (
        [tuple(request[name] for name in ("index", "due", "sample", "body")) for request in result.requests()]
        for result in results
    )
    assert one == two
    assert {request["sender"] for request in results[1].requests()} == {0, 1}
    assert len(one) == 50


def test_cap_applies_to_all_senders_together(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:100,cap=3", Script(latency=0.1), count=24, senders=2)
    assert result.stats["most_at_once"] <= 3


def test_users_are_divided_among_senders(run_measurement: RunMeasurement) -> None:
    requests = run_measurement("closed:4", Script(latency=0.02), count=21, senders=2).requests()
    assert len(requests) == 21
    assert all(request["user"] % 2 == request["sender"] for request in requests)


def test_health_summarises_samples() -> None:
    lags = (np.arange(101) / 1000).tolist()
    health = summarise_health([SenderResult(lags=lags, lateness=[0.0, 1.5], cpu_share=0.5)])
    assert (health.lag_p50_s, health.lag_p99_s, health.lag_max_s) == pytest.approx((0.05, 0.099, 0.1))
    assert health.late_count == 1
    assert health.idle_lag_p99_s is None


def test_health_survives_its_file(tmp_path: Path) -> None:
    health = summarise_health([SenderResult(cpu_share=0.5), SenderResult(cpu_share=0.25)], "interrupted")
    write_health(tmp_path, health)
    assert read_health(tmp_path) == health
