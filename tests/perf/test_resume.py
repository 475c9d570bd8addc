import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.engine.spec import Spec
from auricle.perf.coordinator import INTERRUPTED
from auricle.perf.measurement import PerfConfig, measure
from auricle.perf.messages import PointProgress
from auricle.perf.resume import can_resume, find_differences, move_aside, read_earlier
from auricle.perf.summary import summarise
from auricle.runs.perf_files import (
    PerfManifest,
    PerfSummary,
    SenderHealth,
    read_perf_summary,
    write_perf_manifest,
    write_perf_summary,
)
from auricle.testing.fake_server import FakeServer, Script
from tests.support.simulated_servers import even_requests


def build_manifest(**options: Any) -> PerfManifest:
    wanted = {"loads": ("constant:10", "constant:20"), "count": 5, **options}
    return PerfManifest(spec={"task": "qa", "model": "openai"}, wanted=wanted, revision="a@1")


def write_measurement(folder: Path, *stopped: str, **fields: Any) -> None:
    """Write a measurement whose points ended for these reasons."""
    points = tuple(summarise(even_requests(), "constant:10", SenderHealth(stopped=reason)) for reason in stopped)
    write_perf_manifest(folder, build_manifest())
    summary = PerfSummary(task="qa", model="openai", points=points, about=build_manifest())
    write_perf_summary(folder, replace(summary, **fields))


def test_points_that_were_not_interrupted_are_kept(tmp_path: Path) -> None:
    write_measurement(tmp_path, "", "3 requests failed", INTERRUPTED)
    earlier = read_earlier(tmp_path, build_manifest())
    assert earlier is not None
    assert [point.health.stopped for point in earlier.points] == ["", "3 requests failed"]


def test_measurement_without_a_finished_point_starts_at_the_first(tmp_path: Path) -> None:
    assert read_earlier(tmp_path, build_manifest()) is None
    write_perf_manifest(tmp_path, build_manifest())
    earlier = read_earlier(tmp_path, build_manifest())
    assert earlier is not None
    assert earlier.points == ()


def test_complete_measurement_is_not_repeated(tmp_path: Path) -> None:
    write_measurement(tmp_path, "", complete=True)
    with pytest.raises(SpecError, match=r"already contains this measurement.*--fresh"):
        read_earlier(tmp_path, build_manifest())
    assert not can_resume(tmp_path, build_manifest())


def test_other_options_are_another_measurement(tmp_path: Path) -> None:
    write_measurement(tmp_path, "")
    with pytest.raises(SpecError, match=r"different measurement \(count was 5, now 6\)"):
        read_earlier(tmp_path, build_manifest(count=6))
    assert can_resume(tmp_path, build_manifest())
    assert not can_resume(tmp_path, build_manifest(count=6))


def test_changed_data_and_missing_options_are_described() -> None:
    changed = replace(build_manifest(duration=3.5), revision="a@2")
    assert list(find_differences(build_manifest(), changed)) == [
        "duration was not set, now 3.5",
        "the data was a@1, now a@2",
    ]


def test_remains_of_a_point_are_renamed(tmp_path: Path) -> None:
    point = tmp_path / "00-closed-1"
    for _ in range(2):
        point.mkdir()
        move_aside(point)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00-closed-1.1", "00-closed-1.2"]


@pytest.mark.slow
def test_terminated_measurement_keeps_its_points_and_continues_with_the_others(
    quick: None, questions: Callable[..., Path], tmp_path: Path
) -> None:
    config = PerfConfig(loads=("closed:1", "closed:2", "closed:3"), count=20)
    signals: list[int] = []

    def terminate(progress: PointProgress) -> None:
        if progress.load == "closed:2" and progress.answered and not signals:
            signals.append(signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)

    with FakeServer(Script(latency=0.1)) as server:
        arguments = {"base_url": server.url, "model": "fake"}
        spec = Spec(task="qa", task_args={"data": str(questions())}, model="openai", model_args=arguments)
        stopped = measure(spec, tmp_path / "perf", config, terminate)
        assert (stopped.interrupted, stopped.complete) == (True, False)
        assert [point.health.stopped for point in stopped.points] == ["", INTERRUPTED]
        assert read_perf_summary(tmp_path / "perf").points == stopped.points
        finished = measure(spec, tmp_path / "perf", config, lambda _: None)
    assert (finished.interrupted, finished.complete) == (False, True)
    assert finished.points[0] == stopped.points[0]
    assert [point.load for point in finished.points] == ["closed:1", "closed:2", "closed:3"]
    assert [point.counts.all.ok for point in finished.points] == [20, 20, 20]
    folders = sorted(path.name for path in (tmp_path / "perf").iterdir() if path.is_dir())
    assert folders == ["00-closed-1", "01-closed-2", "01-closed-2.1", "02-closed-3"]
