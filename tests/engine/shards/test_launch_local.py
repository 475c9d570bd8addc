"""Worker processes: started, restarted, stopped. Small scripts stand for the worker."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle import Settings, Spec, SpecError
from auricle.engine.batching import WorkerLost
from auricle.engine.shards import launch_local
from auricle.engine.shards.launch_document import WorkerDocument, WorkerReport
from auricle.engine.shards.launch_local import LocalLauncher, thread_environment
from auricle.engine.shards.worker import StopSignal

REPORT = 'import sys; line = sys.stdin.readline(); print(\'{"result": {"shards": 1}, "stop_reason": ""}\')'
CRASH_ONCE = (
    f"import os, pathlib; path = pathlib.Path('crashed'); path.exists() or (path.touch(), os._exit(9)); {REPORT}"
)
CRASH = "import sys; sys.stderr.write('out of memory'); sys.exit(9)"
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
ERROR = 'print(\'{"error": {"kind": "SpecError", "message": "no weights", "retry_after": null}}\')'
SLEEP = (
    "import signal, sys, time; stop = []; signal.signal(signal.SIGTERM, lambda *_: stop.append(1)); open('ready', 'w');"
    "\nwhile not stop: time.sleep(0.02)\n"
    'print(\'{"result": {"shards": 1, "stopped": true}, "stop_reason": ""}\')'
)


@pytest.fixture(autouse=True)
def quick_polls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(launch_local, "POLL_SECONDS", 0.01)
    monkeypatch.chdir(tmp_path)


def make_launcher(
    script: str, workers: int = 1, messages: list[str] | None = None, on_crash: Callable[[], None] = lambda: None
) -> LocalLauncher:
    document = WorkerDocument.create(Spec(task="qa", model="echo"), Settings(), "run", name="here")
    documents = [document.share(index, workers) for index in range(workers)]
    notify = (messages if messages is not None else []).append
    return LocalLauncher(
        [sys.executable, "-S", "-c", script], documents, Path("logs"), notify=notify, on_crash=on_crash
    )


def test_reports_of_all_workers_are_returned() -> None:
    reports = make_launcher(REPORT, workers=2).run(StopSignal())
    assert all(isinstance(report, WorkerReport) for report in reports)
    assert sum(report.result.shards for report in reports) >= 1


def test_a_crashed_worker_is_restarted() -> None:
    messages: list[str] = []
    reports = make_launcher(CRASH_ONCE, messages=messages).run(StopSignal())
    assert len(reports) == 1
    assert messages == ["worker-0 crashed (exit status 9) and is restarted; see logs/worker-0.log."]


def test_a_killed_worker_is_named_with_its_signal_and_its_shard_is_given_back() -> None:
    messages: list[str] = []
    launcher = make_launcher(KILLED, messages=messages, on_crash=lambda: messages.append("shard given back"))
    with pytest.raises(WorkerLost, match="4 times \\(SIGKILL, as when memory runs out\\)"):
        launcher.run(StopSignal())
    assert messages[1].startswith("worker-0 crashed (SIGKILL, as when memory runs out)")
    assert messages.count("shard given back") == launch_local.MAX_STARTS


def test_a_worker_that_always_crashes_is_given_up() -> None:
    messages: list[str] = []
    with pytest.raises(WorkerLost, match=r"All workers crashed 4 times \(exit status 9\); see logs/worker-0\.log"):
        make_launcher(CRASH, messages=messages).run(StopSignal())
    assert len(messages) == launch_local.MAX_STARTS
    assert Path("logs/worker-0.log").read_text() == "out of memory" * launch_local.MAX_STARTS


def test_an_error_that_concerns_all_workers_ends_them() -> None:
    with pytest.raises(SpecError, match="no weights"):
        make_launcher(ERROR, workers=2).run(StopSignal())


def test_a_stop_asks_workers_to_finish() -> None:
    stop = StopSignal()

    def stop_when_ready() -> None:
        while not Path("ready").exists():
            time.sleep(0.01)
        stop.set()

    thread = threading.Thread(target=stop_when_ready)
    thread.start()
    reports = make_launcher(SLEEP).run(stop)
    thread.join()
    assert [report.result.stopped for report in reports] == [True]


def test_cores_are_divided_among_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert thread_environment(1) == {}
    assert thread_environment(4)["OMP_NUM_THREADS"] == "2"
    assert thread_environment(16)["OMP_NUM_THREADS"] == "1"
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert "OMP_NUM_THREADS" not in thread_environment(4)
