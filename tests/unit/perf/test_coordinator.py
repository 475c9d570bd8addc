"""Models on this machine under load, and senders that do not end well."""

import asyncio
import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.engine.spec import Spec
from auricle.perf.coordinator import run_load_point
from auricle.perf.drivers import BatchDriver
from auricle.perf.measurement import PerfConfig, measure
from auricle.perf.plan import LoadPointPlan
from auricle.testing.fake_server import FakeServer, Script

pytestmark = pytest.mark.flaky(reruns=2)  # it is about time, and machines rest

SLOW = '''
import time
from auricle import BatchModel, Generation

class Slow(BatchModel):
    """Takes its time for a batch, whatever is in it, and tells how many there were."""
    batch_size = 4
    def generate(self, requests):
        time.sleep(0.05)
        return [Generation(text=str(len(requests))) for _ in requests]

class Short(Slow):
    def generate(self, requests):
        return super().generate(requests)[1:] if len(requests) > 1 else super().generate(requests)
'''


@pytest.fixture
def here(quick: Any, tmp_path: Path, questions: Any) -> Any:
    """Measure a model on this machine."""
    (tmp_path / "slow.py").write_text(SLOW)

    def run(load: Any, name: str = "Slow", **wanted: Any) -> Any:
        spec = Spec(task="qa", task_args={"data": str(questions())}, model=f"{tmp_path}/slow.py:{name}")
        folder = tmp_path / f"perf{len(list(tmp_path.glob('perf*')))}"
        document = measure(spec, folder, PerfConfig(loads=(load,), **wanted), lambda _: None)
        (point,) = document["points"]
        place = folder / point["folder"]
        return point, lines(place / "requests.jsonl"), lines(place / "outputs.jsonl")

    return run


def lines(path: Any) -> Any:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def sizes(answers: Any) -> Any:
    return [int(each["outputs"][0]["text"]) for each in answers]


def test_batches_are_full_when_users_enough_wait(here: Any) -> None:
    _, _, answers = here("closed:4", count=20)
    assert Counter(sizes(answers)) == {4: 20}


def test_whoever_is_one_too_many_waits_for_the_next_batch(here: Any) -> None:
    point, requests, answers = here("closed:8", count=32)
    assert Counter(sizes(answers)) == {4: 32}
    took = sorted(each["done"] - each["sent"] for each in requests)
    assert took[0] < took[-1]
    assert point["counts"]["all"]["ok"] == 32


def test_a_batch_can_be_made_smaller(here: Any) -> None:
    _, _, answers = here("closed:4", count=8, batch_size=2)
    assert Counter(sizes(answers)) == {2: 8}


def test_one_user_never_waits_for_others(here: Any) -> None:
    _, _, answers = here("closed:1", count=4)
    assert sizes(answers) == [1, 1, 1, 1]


def test_a_model_here_streams_nothing(here: Any) -> None:
    point, _, _ = here("closed:2", count=4)
    assert point["measures"]["ttft_s"]["n"] == 0
    assert point["measures"]["latency_s"]["n"] == 4


def test_a_model_that_forgets_an_answer_fails_its_batch_and_goes_on(here: Any) -> None:
    point, requests, _ = here("closed:3", name="Short", count=9)
    assert {each["status"] for each in requests} == {"failed"}
    assert "answers to" in requests[0]["error"]
    assert point["counts"]["all"]["failed"] == 9


def test_a_model_here_has_one_sender(here: Any) -> None:
    with pytest.raises(SpecError, match="--senders is for models behind an API"):
        here("closed:2", count=4, senders=2)


def test_given_up_requests_are_in_no_batch() -> None:
    class Asked:
        batch_size = 2
        sample_rate = None

        def __init__(self) -> None:
            self.seen = []
            self.go = threading.Event()

        def generate(self, requests: Any) -> Any:
            self.go.wait(5)
            self.seen.append(len(requests))
            return ["said" for _ in requests]

        def close(self) -> None:
            pass

    async def ask() -> Any:
        from auricle.core.types import Generate, Turn
        from auricle.models.http.timing import RequestTimer
        from auricle.perf.drivers import PreparedRequest

        model = Asked()
        queue = BatchDriver(model, 2)
        ready = PreparedRequest(Generate(turns=(Turn("user", ("hi",)),)), "")
        tasks = [asyncio.create_task(queue.send(ready, RequestTimer())) for _ in range(4)]
        await asyncio.sleep(0.05)
        tasks[2].cancel()
        model.go.set()
        said = await asyncio.gather(*tasks, return_exceptions=True)
        await queue.close()
        return model.seen, said

    seen, said = asyncio.run(ask())
    assert seen == [2, 1]
    assert isinstance(said[2], asyncio.CancelledError)


# --- senders ------------------------------------------------------------------------------------


def senders_of(parent: Any) -> Any:
    """Processes that send, of all that this one started."""
    told = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in told.splitlines()[1:]]
    return [int(pid) for pid, ppid, args in lines if int(ppid) == parent and "perf.sender" in args]


@pytest.fixture
def plan(questions: Any, tmp_path: Path) -> Any:
    def make(server: Any, **more: Any) -> Any:
        spec = Spec(
            task="qa",
            task_args={"data": str(questions())},
            model="openai",
            model_args={"base_url": server.url, "model": "fake"},
        )
        folder = tmp_path / "point"
        folder.mkdir()
        named = {"load": "constant:20", "duration": 20.0, "senders": 2} | more
        return LoadPointPlan(spec=spec.model_dump(mode="json"), folder=str(folder), **named)

    return make


def test_a_sender_that_dies_ends_it_with_a_word_and_leaves_nobody_behind(plan: Any) -> None:
    before = time.monotonic()

    def kill(_: Any) -> None:
        if found := senders_of(os.getpid()):
            os.kill(found[0], signal.SIGKILL)

    with FakeServer() as server, pytest.raises(SpecError, match=r"A sender died.*sender\.\d\.log"):
        asyncio.run(run_load_point(plan(server), kill, asyncio.Event()))
    assert senders_of(os.getpid()) == []
    assert time.monotonic() - before < 18


def test_what_a_sender_cannot_do_is_told_as_its_own_error(plan: Any) -> None:
    with FakeServer() as server, pytest.raises(DataError, match="column `timestamp`"):
        asyncio.run(run_load_point(plan(server, load="trace"), lambda _: None, asyncio.Event()))
    assert senders_of(os.getpid()) == []


def test_errors_of_all_senders_count_together(plan: Any) -> None:
    script = Script(faults={"500": 0.5}, seed=3)
    with FakeServer(script) as server:
        health = asyncio.run(run_load_point(plan(server, max_errors=6), lambda _: None, asyncio.Event()))
    assert "requests failed" in health.stopped


def test_an_end_is_passed_on_to_all_senders(plan: Any) -> None:
    stop = asyncio.Event()

    def enough(counts: Any) -> None:
        if counts.get("answered", 0) > 5:
            stop.set()

    with FakeServer() as server:
        waiting = plan(server)
        health = asyncio.run(run_load_point(waiting, enough, stop))
    assert health.stopped == "interrupted"
    assert senders_of(os.getpid()) == []
