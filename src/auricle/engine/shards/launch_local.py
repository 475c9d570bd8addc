"""Start workers of a sharded run as processes of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import orjson

from auricle.core.errors import AuricleError
from auricle.core.files import make_folder
from auricle.core.platform_support import require_posix
from auricle.engine.batching import WorkerLost
from auricle.engine.shards.launch_document import Notify, WorkerDocument, WorkerReport
from auricle.engine.shards.worker import StopSignal
from auricle.engine.workers.protocol import unpack_error

MAX_STARTS = 4
"""Starts of a worker that crashes again and again, after which it is given up."""
STABLE_SECONDS = 600.0
"""A worker that crashes later than this is started as often as a new one."""
POLL_SECONDS = 0.1
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class LocalLauncher:
    """Runs workers in processes, which end with this one.

    Args:
        command: What a worker process executes; it reads its document from standard input.
        documents: One per worker.
        log_folder: Folder for what workers and models print.
        devices: GPUs, assigned to the workers in turn as values of CUDA_VISIBLE_DEVICES.
        notify: Shows a message about a crashed worker.
        on_crash: Called when a worker has crashed, to give back its shard.
    """

    def __init__(
        self,
        command: Sequence[str],
        documents: Sequence[WorkerDocument],
        log_folder: Path,
        *,
        devices: Sequence[str] = (),
        notify: Notify = lambda _: None,
        on_crash: Callable[[], None] = lambda: None,
    ) -> None:
        require_posix("Worker processes")
        self._notify = notify
        self._on_crash = on_crash
        environment = thread_environment(len(documents))
        self._workers = [
            WorkerProcess(
                command,
                document,
                log_folder / f"worker-{index}.log",
                {**environment, **({"CUDA_VISIBLE_DEVICES": devices[index % len(devices)]} if devices else {})},
            )
            for index, document in enumerate(documents)
        ]

    def run(self, stop: StopSignal) -> list[WorkerReport]:
        stop.on_set(self._terminate)
        try:
            for worker in self._workers:
                worker.start()
            if stop.is_set():
                self._terminate()
            while running := [worker for worker in self._workers if not worker.has_ended]:
                for worker in running:
                    self._check(worker, stop)
                time.sleep(POLL_SECONDS)
        finally:
            stop.remove(self._terminate)
            for worker in self._workers:
                worker.kill()
        self._raise_error()
        return [worker.report for worker in self._workers if worker.report]

    def _check(self, worker: WorkerProcess, stop: StopSignal) -> None:
        """Restart a worker that crashed; end all if one cannot work, because the others cannot either."""
        if worker.is_alive or worker.has_ended:
            return
        worker.collect()
        if worker.error and not stop.is_set():
            stop.set()
        if worker.report and not worker.report.result.stopped:  # all shards are completed; the others only wait
            self._terminate()
        if worker.has_ended or stop.is_set():
            worker.has_ended = True
            return
        self._on_crash()
        if worker.starts < MAX_STARTS:
            self._notify(f"{worker.log.stem} crashed ({worker.exit_reason}) and is restarted; see {worker.log}.")
            worker.start()
            return
        worker.has_ended = True
        self._notify(
            f"{worker.log.stem} crashed {MAX_STARTS} times ({worker.exit_reason}) and is given up; see {worker.log}."
        )

    def _terminate(self) -> None:
        for worker in self._workers:
            worker.terminate()

    def _raise_error(self) -> None:
        for worker in self._workers:
            if worker.error:
                raise worker.error
        if not any(worker.report or worker.was_terminated for worker in self._workers):
            raise WorkerLost(
                f"All workers crashed {MAX_STARTS} times ({self._workers[0].exit_reason}); see {self._workers[0].log}. "
                "Completed samples are saved. Fix the cause and run the same command again."
            )


class WorkerProcess:
    """A worker process, which can be started again.

    Args:
        command: What it executes.
        document: What it is started with.
        log: File for its standard error.
        environment: Additional environment variables.
    """

    def __init__(
        self, command: Sequence[str], document: WorkerDocument, log: Path, environment: Mapping[str, str]
    ) -> None:
        self._command = list(command)
        self._document = document
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self.log = log
        self.starts = 0
        """Starts that were followed by a crash, and the current one."""
        self.report: WorkerReport | None = None
        self.error: AuricleError | None = None
        self.has_ended = False
        self.was_terminated = False

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_reason(self) -> str:
        """How the process ended, if it crashed: its log is empty if it was killed."""
        code = self._process.returncode if self._process else 0
        if code == -signal.SIGKILL:
            return "SIGKILL, as when memory runs out"
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"

    def start(self) -> None:
        """Start the process; its pipe stays open, because the process ends when it is closed."""
        if self._started_at and time.monotonic() - self._started_at > STABLE_SECONDS:
            self.starts = 0
        self.starts += 1
        self._started_at = time.monotonic()
        make_folder(self.log.parent)
        with self.log.open("ab") as log:
            # In its own session, because this process handles Ctrl-C.
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True, env={**os.environ, **self._environment},
            )  # fmt: skip
        with suppress(BrokenPipeError):
            pipe = _require(self._process.stdin)
            pipe.write(self._document.encode())
            pipe.flush()

    def collect(self) -> None:
        """Read what an ended process has reported; it has crashed if that is nothing."""
        assert self._process
        output = _require(self._process.stdout).read()
        self._close_pipes()
        try:
            message = orjson.loads(output)
        except orjson.JSONDecodeError:
            return
        self.has_ended = True
        if "error" in message:
            self.error = unpack_error(message["error"])
        else:
            self.report = WorkerReport.parse(message)

    def terminate(self) -> None:
        """Ask the process to finish what is in flight and to end."""
        self.was_terminated = True
        if self._process and self.is_alive:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the process at once, if it has not ended."""
        if self._process and self.is_alive:
            self._process.kill()
            self._process.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        if self._process:
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(BrokenPipeError):
                    _require(pipe).close()


def thread_environment(workers: int) -> dict[str, str]:
    """Return variables that divide the cores among workers; those that are set already stay as they are.

    Numerical libraries start a thread per core otherwise, and the workers slow each other down.
    """
    if workers <= 1:
        return {}
    threads = str(max(1, (os.cpu_count() or 1) // workers))
    return {name: threads for name in THREAD_VARIABLES if name not in os.environ}


def _require(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
