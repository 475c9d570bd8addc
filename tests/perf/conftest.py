"""Measure load points against the fake server."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auricle.engine.spec import Spec
from auricle.perf.measurement import PerfConfig, measure
from auricle.perf.messages import PointProgress
from auricle.runs.perf_files import LoadPointSummary, PerfSummary
from auricle.testing.fake_server import FakeServer, Script
from tests.support import load_tests


@dataclass
class MeasurementResult:
    """A measurement: its summary, its folder, and the counts of the server."""

    summary: PerfSummary
    folder: Path
    stats: dict[str, Any]
    progress: list[PointProgress]

    @property
    def point(self) -> LoadPointSummary:
        (point,) = self.summary.points
        return point

    def requests(self, index: int = 0) -> list[dict[str, Any]]:
        """Read the requests of a load point."""
        return self._read_lines("requests.jsonl", index)

    def answers(self, index: int = 0) -> list[dict[str, Any]]:
        """Read the answers of a load point."""
        return self._read_lines("outputs.jsonl", index)

    def _read_lines(self, name: str, index: int) -> list[dict[str, Any]]:
        lines = sorted(self.folder.glob(f"*/{name}"))[index].read_bytes().splitlines()
        return [json.loads(line) for line in lines]


RunMeasurement = Callable[..., MeasurementResult]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses before a load starts."""
    load_tests.shorten(monkeypatch)


@pytest.fixture
def questions(manifest: Callable[..., Path]) -> Callable[..., Path]:
    """Write a data file of questions that the fake server answers correctly."""

    def write(count: int = 20, **fields: Any) -> Path:
        text = "one two three four five"
        return manifest(
            {"id": f"s{index}", "question": f"{text} {index}", "answer": f"{text} {index}", **fields}
            for index in range(count)
        )

    return write


@pytest.fixture
def run_measurement(quick: None, questions: Callable[..., Path], tmp_path: Path) -> RunMeasurement:
    """Measure questions against a fake server with a script."""

    def run(
        load: str | Sequence[str],
        script: Script | None = None,
        *,
        data: Path | None = None,
        task: str = "qa",
        model: str = "openai",
        model_args: dict[str, Any] | None = None,
        task_args: dict[str, Any] | None = None,
        **options: Any,
    ) -> MeasurementResult:
        loads = (load,) if isinstance(load, str) else tuple(load)
        folder = tmp_path / f"perf{len(list(tmp_path.glob('perf*')))}"
        with FakeServer(script or Script()) as server:
            spec = Spec(
                task=task,
                task_args=task_args or {"data": str(data or questions())},
                model=model,
                model_args={"base_url": server.url, "model": "fake"} | (model_args or {}),
            )
            progress: list[PointProgress] = []
            summary = measure(spec, folder, PerfConfig(loads=loads, **options), progress.append)
            return MeasurementResult(summary, folder, server.stats(), progress)

    return run
