"""The loop of a worker, on a folder and on a bucket."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError
from auricle.core.storage import Storage
from auricle.data.parts import DataPart
from auricle.engine.shards import worker as worker_module
from auricle.engine.shards.worker import ShardWorker, StopSignal, WorkerOptions, WorkerResult, stop_on_signals
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import completion_path
from auricle.runs.shards.leases import RELEASED_SUFFIX, Lease, LeaseLost, exists, lease_path
from auricle.runs.shards.plan import Shard
from auricle.runs.shards.store import ShardStore
from tests.support.shards import FakeProcess, encode_line, expected_ids, iter_counted_ids, make_completion, make_parts

TERM = 0.3


@pytest.fixture(params=["folder", "bucket"])
def location(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an empty location of each kind."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if request.param == "folder":
        return str(tmp_path / "run")
    return f"{request.getfixturevalue('bucket')}/run"


def make_worker(store: ShardStore, process: FakeProcess, **options: object) -> ShardWorker:
    return ShardWorker(store, process, replace(WorkerOptions(name="one", lease_seconds=TERM), **options))  # type: ignore[arg-type]


def run_worker(store: ShardStore, process: FakeProcess | None = None, **options: object) -> WorkerResult:
    return make_worker(store, process or FakeProcess(), **options).run(StopSignal())


def test_a_worker_completes_every_shard(location: str) -> None:
    store = ShardStore.create(location, make_parts(3, 4))
    result = run_worker(store)
    assert (result.shards, result.rows, result.attempts, result.stopped) == (3, 12, 12, False)
    assert [*iter_counted_ids(store)] == expected_ids(store)
    completion = next(store.completions())
    assert (completion.shard, completion.epoch, completion.generation, completion.worker) == (0, 1, 1, "one")
    assert store.read_file(completion, "sums.bin") == b"sums"
    assert run_worker(store).shards == 0


def test_an_expired_lease_is_taken_over_with_its_answers(location: str) -> None:
    store = ShardStore.create(location, make_parts(1, 4))
    assert Lease.acquire(store.storage, 0, 1, "dead", term=0.1)
    epoch = store.open_epoch(0, 1)
    folder = epoch.prepare()
    (folder / OUTPUTS_FILE).write_bytes(encode_line(0, "dead") + encode_line(1, "dead") + b'{"id": "row-2", "te')
    epoch.flush()
    epoch.close(is_stored=False)
    process = FakeProcess()
    run_worker(store, process)
    assert process.sent == [2, 3]
    assert [*iter_counted_ids(store)] == expected_ids(store)
    assert next(store.completions()).epoch == 2


def test_a_lease_that_is_not_expired_is_respected(location: str) -> None:
    store = ShardStore.create(location, make_parts(2, 2))
    Lease.acquire(store.storage, 0, 1, "other", term=60)
    stop, process = StopSignal(), FakeProcess()

    def stop_after_the_other_shard() -> None:
        while not exists(store.storage, completion_path(1, 1)):
            time.sleep(0.01)
        time.sleep(2 * TERM)
        stop.set()

    thread = threading.Thread(target=stop_after_the_other_shard)
    thread.start()
    result = make_worker(store, process).run(stop)
    thread.join()
    assert (result.shards, result.stopped) == (1, True)
    assert process.sent == [2, 3]


def test_of_two_workers_one_gets_a_lease(location: str) -> None:
    store = ShardStore.create(location, make_parts(1, 1))
    leases = [Lease.acquire(store.storage, 0, 1, name, term=60) for name in ("one", "two")]
    assert leases[0]
    assert leases[1] is None


def test_two_workers_share_the_shards(location: str) -> None:
    store = ShardStore.create(location, make_parts(6, 2))
    processes = [FakeProcess(name=f"worker-{index}", seconds=0.005) for index in range(2)]
    threads = [
        threading.Thread(target=run_worker, args=(store, process), kwargs={"name": process.name, "lease_seconds": 3.0})
        for process in processes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(processes[0].sent + processes[1].sent) == [*range(12)]
    assert [*iter_counted_ids(store)] == expected_ids(store)


def test_the_second_completion_of_a_shard_does_not_count(location: str) -> None:
    store = ShardStore.create(location, make_parts(1, 3))

    def complete_elsewhere(shard: Shard, row: int) -> None:
        if row == 2:
            assert store.complete(make_completion(shard.number, worker="other"))

    result = run_worker(store, FakeProcess(on_row=complete_elsewhere))
    assert (result.shards, result.lost) == (0, 1)
    assert [completion.worker for completion in store.completions()] == ["other"]


def test_a_worker_whose_shard_was_taken_over_gives_it_up(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ShardStore.create(location, make_parts(1, 8))
    lost = threading.Event()
    renew = Lease.renew

    def observe(lease: Lease) -> None:
        try:
            renew(lease)
        except LeaseLost:
            threading.Timer(0.05, lost.set).start()
            raise

    def take_over(_shard: Shard, row: int) -> None:
        if row == 3 and (lease := Lease.acquire(store.storage, 0, 2, "other", term=60)):
            lease.release()
            assert lost.wait(10)

    monkeypatch.setattr(Lease, "renew", observe)
    process = FakeProcess(on_row=take_over)
    result = run_worker(store, process)
    assert (result.lost, result.shards) == (1, 1)
    assert process.sent == [*range(8)]  # what was answered before is not sent again
    assert [*iter_counted_ids(store)] == expected_ids(store)
    assert next(store.completions()).epoch == 3


def test_a_stopped_worker_keeps_its_answers_and_returns_its_lease(location: str) -> None:
    store = ShardStore.create(location, make_parts(1, 4))
    stop = StopSignal()
    first = FakeProcess(on_row=lambda _, row: stop.set() if row == 1 else None)
    assert make_worker(store, first, lease_seconds=60.0).run(stop).stopped
    assert first.sent == [0, 1]
    assert exists(store.storage, lease_path(0, 1) + RELEASED_SUFFIX)
    second = FakeProcess()
    run_worker(store, second, name="two", lease_seconds=60.0)
    assert second.sent == [2, 3]
    assert next(store.completions()).unused_lines == 0


def test_an_error_ends_the_worker_and_keeps_its_answers(location: str) -> None:
    store = ShardStore.create(location, make_parts(1, 4))

    def fail(_shard: Shard, row: int) -> None:
        if row == 2:
            raise DataError("broken")

    with pytest.raises(DataError, match="broken"):
        run_worker(store, FakeProcess(on_row=fail), lease_seconds=60.0)
    process = FakeProcess()
    run_worker(store, process, lease_seconds=60.0)
    assert process.sent == [2, 3]


def test_failed_samples_are_retried_once_as_the_next_generation(location: str) -> None:
    store = ShardStore.create(location, make_parts(2, 2))
    run_worker(store, FakeProcess(failing=frozenset({3})))
    assert run_worker(store).shards == 0
    later = store.storage.now() + 5
    assert run_worker(store, retry_failed=True, since=0.0).shards == 0  # completed after this time
    store.storage.now = lambda: later  # type: ignore[method-assign]
    retried = FakeProcess()
    assert make_worker(store, retried, retry_failed=True).run(StopAfter(2)).shards == 1
    assert [completion.generation for completion in store.completions()] == [1, 2]
    assert not retried.sent  # its rows are answered


class StopAfter(StopSignal):
    """A signal that is set after it was asked a number of times; times of a bucket are whole seconds."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._checks = checks

    def is_set(self) -> bool:
        self._checks -= 1
        return self._checks < 0


def test_a_changed_file_is_processed_again(location: str) -> None:
    parts = make_parts(2, 2)
    run_worker(ShardStore.create(location, parts))
    store = ShardStore.create(location, [parts[0], replace(parts[1], size=9)])
    assert len([*store.completions()]) == 1
    assert run_worker(store).shards == 1
    assert [completion.generation for completion in store.completions()] == [1, 2]
    assert [completion.source for completion in store.completions()][1].startswith("9 ")


def test_a_file_that_changes_meanwhile_is_not_completed(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("{}\n", encoding="utf-8")
    status = data.stat()
    part = DataPart(str(data), "rows", 0, 2, size=3, etag=f"3-{status.st_mtime_ns}")
    store = ShardStore.create(tmp_path / "run", [part])
    process = FakeProcess(on_row=lambda *_: data.write_text("{}\n{}\n", encoding="utf-8"))
    with pytest.raises(DataError, match=r"data\.jsonl has changed since the run was planned"):
        run_worker(store, process)
    assert [*store.completions()] == []


def test_a_worker_can_be_limited_to_some_shards(tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path / "run", make_parts(5, 1))
    run_worker(store, shard_filter=(1, 2))
    assert [completion.shard for completion in store.completions()] == [1, 3]


def test_a_shard_that_was_completed_after_the_states_were_read_is_skipped(tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path / "run", make_parts(2, 2))

    def complete_other(shard: Shard, _row: int) -> None:
        store.complete(make_completion(1 - shard.number, worker="other"))

    process = FakeProcess(on_row=complete_other)
    assert run_worker(store, process).shards == 1
    assert len(process.sent) == 2


def test_states_are_read_again_after_several_shards_that_others_have_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "MAX_MISSES", 2)
    monkeypatch.setattr(worker_module, "SCAN_PAUSE", 1e9)  # not because time has passed, on a busy machine
    store = ShardStore.create(tmp_path / "run", make_parts(8, 1))

    attempts: list[int] = []
    acquire = Lease.acquire

    def complete_the_rest(shard: Shard, _row: int) -> None:
        for other in {*range(8)} - {shard.number}:
            acquire(store.storage, other, 1, "other", term=60)
            store.complete(make_completion(other, worker="other"))

    def count_attempts(storage: Storage, shard: int, *arguments: Any) -> Lease | None:
        attempts.append(shard)
        return acquire(storage, shard, *arguments)

    monkeypatch.setattr(Lease, "acquire", count_attempts)
    assert run_worker(store, FakeProcess(on_row=complete_the_rest)).shards == 1
    assert len(attempts) == 3


def test_a_stop_signal_calls_back_once_and_may_be_withdrawn() -> None:
    stop = StopSignal()
    calls: list[str] = []
    withdrawn = lambda: calls.append("withdrawn")  # noqa: E731
    stop.on_set(lambda: calls.append("before"))
    stop.on_set(withdrawn)
    stop.remove(withdrawn)
    assert not stop.wait(0.01)
    stop.set()
    stop.set()
    stop.on_set(lambda: calls.append("after"))
    stop.remove(withdrawn)
    assert calls == ["before", "after"]
    assert stop.wait(10)


def test_the_first_signal_stops_gracefully_and_the_second_as_before() -> None:
    received: list[int] = []
    previous = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        stop = StopSignal()
        with stop_on_signals(stop):
            signal.raise_signal(signal.SIGTERM)
            assert stop.is_set()
            assert not received
            signal.raise_signal(signal.SIGTERM)
        assert received == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, previous)
