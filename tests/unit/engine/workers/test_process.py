"""Worker processes: loading time, restarts and logs."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle import Sample, Settings
from auricle.core.types import Generate, Record, Turn
from auricle.engine.observer import Observer
from auricle.engine.run_loop import RunLoop
from auricle.engine.slots import close_model
from auricle.engine.workers.process import WorkerProcess, earliest_time
from auricle.engine.workers.replicas import ReplicaOptions, ReplicaPool
from auricle.engine.workers.senders import SenderPool
from auricle.models import BatchModel, Model
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.throughput import read_passes
from auricle.tasks.inferencers import Respond

pytestmark = pytest.mark.slow

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


class RecordsLastResult(Observer):
    last = 0.0

    def on_result(self, result: Record, /) -> None:
        self.last = time.perf_counter()


def make_replicas(file: Path, arguments: dict[str, Any]) -> Model:
    return ReplicaPool(f"{file}:Batched", arguments, BatchModel, ReplicaOptions())


def make_senders(file: Path, arguments: dict[str, Any]) -> Model:
    return SenderPool(f"{file}:Sent", arguments, 1)


@pytest.mark.parametrize("make_pool", [make_replicas, make_senders])
def test_timing_starts_when_the_first_model_is_loaded(tmp_path: Path, make_pool: Callable[..., Model]) -> None:
    (tmp_path / "late.py").write_text(MODEL)
    observer, loaded = RecordsLastResult(), tmp_path / "loaded"
    samples = [Sample(id=str(row), inputs={"question": "x"}) for row in range(4)]

    async def main() -> None:
        model = make_pool(tmp_path / "late.py", {"path": str(loaded)})
        try:
            await RunLoop(Respond("{question}"), model, run, Settings(), observer).run(samples, asyncio.Event())
        finally:
            await close_model(model)

    with Run.open(tmp_path / "run", RunSpec(identity={}, spec={})) as run:
        asyncio.run(main())
    (timing,) = read_passes(Run.load(tmp_path / "run"))
    # `perf_counter` has the same origin in all processes of a machine.
    assert 0 < timing.wall_seconds <= observer.last - float(loaded.read_text())


def test_earliest_time_ignores_processes_that_are_not_ready() -> None:
    assert earliest_time([None, 3.0, 2.0]) == 2.0
    assert earliest_time([None]) is None


def test_output_of_a_worker_goes_to_its_log(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text(
        "from auricle import AsyncModel, Generation\n"
        "class Prints(AsyncModel):\n"
        "    async def generate(self, request):\n"
        "        print('printed by the model', flush=True)\n"
        "        return Generation(text='ok')\n"
    )

    async def main() -> Any:
        worker = WorkerProcess(f"{tmp_path / 'prints.py'}:Prints", {}, log=tmp_path / "logs" / "worker.log")
        try:
            return await worker.send(Generate(turns=(Turn("user", ("x",)),)))
        finally:
            await worker.close()

    assert asyncio.run(main()).text == "ok"
    assert "printed by the model" in (tmp_path / "logs" / "worker.log").read_text()
