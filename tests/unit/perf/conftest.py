"""Load points against the fake server, and what was written about them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle.engine.spec import Spec
from auricle.perf.measurement import PerfConfig, measure
from auricle.testing.fake_server import FakeServer, Script


@dataclass
class Measured:
    """A measurement: its summary, its folder, and what the server saw of it."""

    document: dict
    folder: Path
    stats: dict

    @property
    def point(self) -> Any:
        (only,) = self.document["points"]
        return only

    def requests(self, at: int = 0) -> Any:
        lines = sorted(self.folder.glob("*/requests.jsonl"))[at].read_bytes().splitlines()
        return [json.loads(line) for line in lines]

    def answers(self, at: int = 0) -> Any:
        lines = sorted(self.folder.glob("*/outputs.jsonl"))[at].read_bytes().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the pauses in which a sender gets to know its machine."""
    monkeypatch.setattr("auricle.perf.worker.IDLE_PROBE_SECONDS", 0.06)
    monkeypatch.setattr("auricle.perf.coordinator.LEAD", 0.02)


@pytest.fixture
def questions(manifest: Any) -> Any:
    def write(count: int = 20, **more: Any) -> Any:
        words = "one two three four five"
        return manifest(
            {"id": f"s{at}", "question": f"{words} {at}", "answer": f"{words} {at}", **more} for at in range(count)
        )

    return write


@pytest.fixture
def measured(quick: Any, questions: Any, tmp_path: Path) -> Any:
    """Measure questions against a server that behaves as told."""

    def run(
        load: Any,
        script: Any = None,
        *,
        data: Any = None,
        task: str = "qa",
        model: str = "openai",
        model_args: Any = None,
        **wanted: Any,
    ) -> Any:
        loads = (load,) if isinstance(load, str) else load
        folder = tmp_path / f"perf{len(list(tmp_path.glob('perf*')))}"
        with FakeServer(script or Script()) as server:
            spec = Spec(
                task=task,
                task_args={"data": str(data or questions())},
                model=model,
                model_args={"base_url": server.url, "model": "fake"} | (model_args or {}),
            )
            document = measure(spec, folder, PerfConfig(loads=loads, **wanted), lambda _: None)
            return Measured(document, folder, server.stats())

    return run
