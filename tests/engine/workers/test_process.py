"""Worker processes: loading time, restarts and logs."""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from auricle import Sample, Settings
from auricle.core.errors import AuricleError, SampleError, SpecError, Transient
from auricle.core.types import Generate, Generation, Output, Record, Turn
from auricle.engine.batching import WorkerLost
from auricle.engine.inferencers import Respond
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
            await RunLoop(Respond("{question}"), samples, run, Settings(), observer).run(model, asyncio.Event())
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


# --- failures and restarts ------------------------------------------------------------------

ODD_MODEL = """
import asyncio
import os
import time
from auricle import AsyncModel, Generation, SampleError

class Odd(AsyncModel):
    async def generate(self, request):
        text = request.turns[0].parts[0]
        if text == "crash":
            os._exit(9)
        if text == "fail":
            raise SampleError("cannot do that")
        if text == "hang":
            time.sleep(600)
        return Generation(text=f"{text} by {os.getpid()} {os.environ.get('EXTRA', '')}")

class Crashes(AsyncModel):
    def __init__(self):
        os._exit(9)

class Refuses(AsyncModel):
    def __init__(self):
        raise ValueError("no weights")

class RefusesSample(AsyncModel):
    def __init__(self):
        raise SampleError("no sample")
"""


def ask(text: str) -> Generate:
    return Generate(turns=(Turn("user", (text,)),))


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


@pytest.fixture
def odd_model(tmp_path: Path) -> Path:
    file = tmp_path / "odd.py"
    file.write_text(ODD_MODEL)
    return file


def use_worker(worker: WorkerProcess, use: Callable[[WorkerProcess], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        try:
            return await asyncio.wait_for(use(worker), 60)
        finally:
            await worker.close()

    return asyncio.run(main())


def test_a_crashed_process_fails_its_requests_and_is_replaced(odd_model: Path) -> None:
    async def use(worker: WorkerProcess) -> None:
        first = text_of(await worker.send(ask("a")))
        assert first.endswith(" yes")
        results = await asyncio.gather(worker.send(ask("crash")), worker.send(ask("hang")), return_exceptions=True)
        assert [str(result) for result in results] == ["a worker process crashed"] * 2
        assert all(isinstance(result, Transient) for result in results)
        second = text_of(await worker.send(ask("b")))
        assert second.split()[2] != first.split()[2]
        assert worker.in_flight == 0
        assert worker.ready_at == ready_at[0], "loading again does not count"

    async def use_and_remember(worker: WorkerProcess) -> None:
        await worker.send(ask("start"))
        ready_at.append(worker.ready_at)
        await use(worker)

    ready_at: list[float | None] = []
    use_worker(WorkerProcess(f"{odd_model}:Odd", {}, environment={"EXTRA": "yes"}), use_and_remember)


def test_a_failed_request_keeps_the_process_and_its_number_in_flight(odd_model: Path) -> None:
    async def use(worker: WorkerProcess) -> None:
        first = text_of(await worker.send(ask("a")))
        sending = asyncio.create_task(worker.send(ask("fail")))
        await asyncio.sleep(0)
        assert worker.in_flight == 1
        with pytest.raises(SampleError, match="cannot do that"):
            await sending
        assert text_of(await worker.send(ask("a"))) == first
        assert worker.in_flight == 0

    use_worker(WorkerProcess(f"{odd_model}:Odd", {}), use)


def test_a_killed_process_has_ended_and_the_next_request_starts_another(odd_model: Path) -> None:
    async def use(worker: WorkerProcess) -> None:
        first = text_of(await worker.send(ask("a")))
        hanging = asyncio.create_task(worker.send(ask("hang")))
        await asyncio.sleep(0.1)
        await worker.kill()
        with pytest.raises(ProcessLookupError):
            os.kill(int(first.split()[2]), 0)
        assert text_of(await worker.send(ask("a"))) != first
        with pytest.raises(Transient):
            await hanging
        await worker.kill()
        await worker.kill()  # a process that has ended already

    use_worker(WorkerProcess(f"{odd_model}:Odd", {}), use)


def test_a_process_that_never_answers_is_given_up_after_eight_starts(odd_model: Path) -> None:
    async def use(worker: WorkerProcess) -> None:
        for _ in range(8):
            with pytest.raises(Transient, match="crashed before it was ready"):
                await worker.send(ask("a"))
        with pytest.raises(WorkerLost, match="crashed 8 times without an answer; see its messages above"):
            await worker.send(ask("a"))
        assert worker.ready_at is None

    use_worker(WorkerProcess(f"{odd_model}:Crashes", {}), use)


def test_an_error_while_loading_is_that_of_the_model(odd_model: Path) -> None:
    async def use(worker: WorkerProcess) -> None:
        with pytest.raises(SpecError, match=r"no weights \(odd\.py:\d+\)$"):
            await worker.send(ask("a"))

    use_worker(WorkerProcess(f"{odd_model}:Refuses", {}), use)


def test_an_error_of_the_setup_names_another_python(odd_model: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}

    async def use(worker: WorkerProcess) -> str:
        with pytest.raises(AuricleError) as error:
            await worker.send(ask("a"))
        return str(error.value)

    refuses, refuses_sample = (
        WorkerProcess(f"{odd_model}:{name}", {}, python=str(python), environment=environment)
        for name in ("Refuses", "RefusesSample")
    )
    assert use_worker(refuses, use).endswith(f") (under {python})")
    assert use_worker(refuses_sample, use) == "no sample"


def test_the_log_of_a_replaced_process_is_continued(odd_model: Path, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "worker.log"
    odd_model.write_text(f"import sys\nprint('loaded', file=sys.stderr, flush=True)\n{ODD_MODEL}")

    async def use(worker: WorkerProcess) -> None:
        with pytest.raises(Transient):
            await worker.send(ask("crash"))
        await worker.send(ask("a"))
        assert not worker._pending, "an answered request is forgotten"
        assert worker._starts == 0, "an answer starts the count of starts again"

    use_worker(WorkerProcess(f"{odd_model}:Odd", {}, log=log), use)
    assert log.read_text().count("loaded") == 2


def test_one_failed_request_fails_its_batch(odd_model: Path) -> None:
    async def use(worker: WorkerProcess) -> None:
        with pytest.raises(SampleError, match="cannot do that"):
            await worker.send_batch([ask("a"), ask("fail"), ask("b")])
        outputs = await worker.send_batch([ask("c"), ask("d")])
        assert [text_of(output).split()[0] for output in outputs] == ["c", "d"]
        assert worker.in_flight == 0

    use_worker(WorkerProcess(f"{odd_model}:Odd", {}), use)


def test_a_process_that_does_not_end_is_killed_on_closing(odd_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.engine.workers.process.CLOSE_TIMEOUT", 0.1)

    async def main() -> None:
        worker = WorkerProcess(f"{odd_model}:Odd", {})
        process_id = int(text_of(await worker.send(ask("a"))).split()[2])
        hanging = asyncio.create_task(worker.send(ask("hang")))
        await asyncio.sleep(0.1)
        await worker.close()
        with pytest.raises(ProcessLookupError):
            os.kill(process_id, 0)
        with pytest.raises(Transient, match="a worker process crashed"):
            await hanging

    asyncio.run(main())


def test_closing_a_worker_that_was_never_started_does_nothing(odd_model: Path) -> None:
    asyncio.run(WorkerProcess(f"{odd_model}:Odd", {}).close())
    asyncio.run(WorkerProcess(f"{odd_model}:Odd", {}).kill())
