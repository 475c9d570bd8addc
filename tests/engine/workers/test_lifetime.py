"""Worker processes end with their parent, and when a batch takes too long."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HOLD_THE_LOCK = "import re; re.match('(a*)*b', 'a' * 60)"
"""Takes for ever in C code that holds the interpreter lock, so that no other thread runs."""
RELEASE_THE_LOCK = "import time; time.sleep(600)"


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def wait_until_ended(pid: int) -> None:
    deadline = time.monotonic() + 30
    while is_running(pid):
        assert time.monotonic() < deadline, "the worker outlives its parent"
        time.sleep(0.02)


def start_parent_and_worker(worker: str) -> tuple[subprocess.Popen[str], int]:
    """Start a process that starts a worker with a pipe; return it and the pid of the worker, which runs its code."""
    parent = (
        "import subprocess, sys, time\n"
        f"worker = subprocess.Popen([sys.executable, '-c', {worker!r}], stdin=subprocess.PIPE, stdout=2)\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, int(process.stdout.readline())


def check_worker_ends_with_its_parent(code: str, marker: Path) -> None:
    """Kill the parent of a worker once it has written its marker, and wait until the worker has ended."""
    parent, worker = start_parent_and_worker(code)
    while not marker.exists():
        time.sleep(0.02)
    parent.kill()
    parent.communicate()
    wait_until_ended(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="needs the parent-death signal")
@pytest.mark.parametrize("work", [HOLD_THE_LOCK, RELEASE_THE_LOCK])
def test_worker_is_killed_with_its_parent_whatever_it_does(tmp_path: Path, work: str) -> None:
    marker = tmp_path / "working"
    code = f"from auricle.engine.workers import lifetime; lifetime.end_with_parent(0); open({str(marker)!r}, 'w')"
    check_worker_ends_with_its_parent(f"{code}; {work}", marker)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_worker_ends_when_its_pipe_is_closed_where_there_is_no_parent_death_signal(tmp_path: Path) -> None:
    marker = tmp_path / "working"
    code = (
        "import sys; from auricle.engine.workers import lifetime; sys.platform = 'other'; lifetime.GRACE_SECONDS = 0.1;"
        f" lifetime.end_with_parent(0); open({str(marker)!r}, 'w'); {RELEASE_THE_LOCK}"
    )
    check_worker_ends_with_its_parent(code, marker)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_parent_that_died_before_the_worker_was_ready_is_noticed(tmp_path: Path) -> None:
    start = tmp_path / "start"
    code = (
        f"import os, time\nwhile not os.path.exists({str(start)!r}): time.sleep(0.01)\n"
        "from auricle.engine.workers import lifetime\nlifetime.GRACE_SECONDS = 0.1\nlifetime.end_with_parent(0)\n"
        f"{RELEASE_THE_LOCK}"
    )
    parent, worker = start_parent_and_worker(code)
    parent.kill()
    parent.communicate()
    start.touch()
    wait_until_ended(worker)


@pytest.mark.parametrize("work", [HOLD_THE_LOCK, RELEASE_THE_LOCK])
def test_batch_beyond_its_deadline_ends_the_worker_and_shows_where_it_was(work: str) -> None:
    code = (
        "from auricle.engine.workers import lifetime\nlifetime.BATCH_MARGIN = 0.1\n"
        f"with lifetime.batch_deadline(0.1):\n    {work}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert 'File "<string>", line 4' in done.stderr


def test_batch_within_its_deadline_goes_on() -> None:
    code = (
        "import time\nfrom auricle.engine.workers import lifetime\nlifetime.BATCH_MARGIN = 0.1\n"
        "for seconds in (0.1, None):\n"
        "    with lifetime.batch_deadline(seconds):\n"
        "        pass\n"
        "    time.sleep(0.4)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_signal_of_the_parent_is_the_one_that_cannot_be_ignored() -> None:
    code = (
        "import ctypes, signal; from auricle.engine.workers import lifetime; lifetime.end_with_parent(0);"
        " number = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(number)); print(number.value)"
    )
    if sys.platform != "linux":
        pytest.skip("needs the parent-death signal")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert int(process.stdout.readline()) == signal.SIGKILL
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_worker_goes_on_while_its_pipe_is_open(tmp_path: Path) -> None:
    marker = tmp_path / "working"
    code = (
        "import time; from auricle.engine.workers import lifetime; lifetime.GRACE_SECONDS = 0.0;"
        f" lifetime.end_with_parent(0); time.sleep(0.3); open({str(marker)!r}, 'w'); {RELEASE_THE_LOCK}"
    )
    check_worker_ends_with_its_parent(code, marker)


def test_a_worker_whose_pipe_is_closed_ends_with_an_error_for_the_script_that_started_it() -> None:
    code = "from auricle.engine.workers import lifetime; lifetime.GRACE_SECONDS = 0; lifetime.end_with_parent(0)"
    worker = subprocess.Popen([sys.executable, "-c", f"{code}; {RELEASE_THE_LOCK}"], stdin=subprocess.PIPE)
    assert worker.stdin
    worker.stdin.close()
    assert worker.wait(30) == 1
