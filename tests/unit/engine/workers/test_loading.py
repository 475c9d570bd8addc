"""Models that load in processes of their own, once they are asked: their loading is not timed."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from auricle import Sample, Settings
from auricle.engine.observer import NullObserver
from auricle.engine.run_loop import RunLoop, close_model
from auricle.engine.workers.process import earliest_time
from auricle.engine.workers.replicas import ReplicaOptions, ReplicaPool
from auricle.engine.workers.senders import SenderPool
from auricle.models import BatchModel
from auricle.runs.run_directory import Run
from auricle.runs.throughput import read_passes
from auricle.tasks.inferencers import Respond

MODEL = """
import time
from pathlib import Path
from auricle import AsyncModel, BatchModel, Generation

def load(path):
    time.sleep(0.3)
    Path(path).write_text(repr(time.perf_counter()))

class Batched(BatchModel):
    def __init__(self, path):
        load(path)

    def generate(self, batch):
        return [Generation(text="x") for _ in batch]

class Sent(AsyncModel):
    def __init__(self, path):
        load(path)

    async def generate(self, request):
        return Generation(text="x")
"""


class Sees(NullObserver):
    def saw(self, record: Any) -> None:
        self.last = time.perf_counter()


def replicas(name: Any, arguments: Any) -> Any:
    return ReplicaPool(f"{name}:Batched", arguments, BatchModel, ReplicaOptions())


def senders(name: Any, arguments: Any) -> Any:
    return SenderPool(f"{name}:Sent", arguments, 1)


@pytest.mark.parametrize("make", [replicas, senders])
def test_the_clock_starts_when_the_first_process_has_loaded_its_model(tmp_path: Path, make: Any) -> None:
    (tmp_path / "late.py").write_text(MODEL)
    watch, loaded = Sees(), tmp_path / "loaded"
    samples = [Sample(id=str(at), inputs={"question": "x"}) for at in range(4)]

    async def main() -> None:
        model = make(tmp_path / "late.py", {"path": str(loaded)})
        try:
            asks = Respond("{question}")
            await RunLoop(asks, model, run, Settings(), watch).run(samples, asyncio.Event())
        finally:
            await close_model(model)

    with Run.open(tmp_path / "run", {"identity": {}, "spec": {}}) as run:
        asyncio.run(main())
    (found,) = read_passes(Run.load(tmp_path / "run"))
    # One clock for all processes of a machine.
    assert 0 < found["wall_seconds"] <= watch.last - float(loaded.read_text())


def test_the_earliest_of_those_that_are_ready_counts() -> None:
    assert earliest_time([None, 3.0, 2.0]) == 2.0
    assert earliest_time([None]) is None
