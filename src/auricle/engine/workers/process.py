"""A worker process with a model, restarted when it ends."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any

from auricle.core.errors import AuricleError, SpecError, TimedOut, Transient
from auricle.core.platform_support import require_posix
from auricle.core.types import Output, Request
from auricle.core.user_code import DEFAULT_TIMEOUT
from auricle.engine.batching import WorkerLost
from auricle.engine.workers.protocol import pack, pack_request, unpack_answer, unpack_error
from auricle.engine.workers.worker import read_message
from auricle.models.call_timer import waiting

MAX_STARTS = 8
"""Consecutive starts without an answer after which a worker is given up."""
CLOSE_TIMEOUT = 5.0


def earliest_time(times: Iterable[float | None]) -> float | None:
    """Return when the first worker was ready, or None if none was."""
    return min((time for time in times if time is not None), default=None)


def no_answer(worker: str, seconds: float) -> TimedOut:
    return TimedOut(f"{worker} did not answer within {seconds:g} s (--timeout) and was killed")


class WorkerProcess:
    """A worker process and its pending requests.

    Args:
        model: Name of the model.
        arguments: Arguments of the model.
        python: Python that runs the worker.
        environment: Additional environment variables.
        log: File for the worker's stderr. Default: this terminal.
        timeout: Seconds that a call of the model may take. Default: as many as in a run without this option.
    """

    def __init__(
        self,
        model: str,
        arguments: Mapping[str, Any],
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
        timeout: float | None = None,
    ) -> None:
        require_posix("Worker processes")
        self._timeout = timeout or DEFAULT_TIMEOUT
        self._setup = {"model": model, "arguments": dict(arguments), "timeout": self._timeout}
        self._python = python
        self._environment = environment or {}
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._listener: asyncio.Task[None] | None = None
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._start_lock = asyncio.Lock()
        self._starts = 0
        self._request_numbers, self._batch_numbers = count(), count()
        self.in_flight = 0
        self.ready_at: float | None = None
        """When the model was first loaded, by `time.perf_counter`."""

    async def send(self, request: Request) -> Output:
        self.in_flight += 1  # before starting, or all requests would go to the first process meanwhile
        try:
            process = await self._ensure_ready()
            return await self._exchange(process, request)
        finally:
            self.in_flight -= 1

    async def send_batch(self, batch: Sequence[Request]) -> list[Output]:
        """Send a batch; if one request fails, the batch fails. A process that does not answer in time is killed."""
        process = await self._ensure_ready()
        batch_info = {"batch": next(self._batch_numbers), "size": len(batch)}
        # If one fails, the others end with the reply to them, which a worker sends for every request of a batch.
        try:
            async with asyncio.timeout(self._timeout):
                return await asyncio.gather(*(self._exchange(process, request, batch_info) for request in batch))
        except TimeoutError as error:
            await self.kill()
            raise no_answer("a worker process", self._timeout) from error

    async def _ensure_ready(self) -> asyncio.subprocess.Process:
        with waiting():
            async with self._start_lock:
                return await self._ensure_started()

    async def kill(self) -> None:
        """Kill a process that does not answer; the next request starts another."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._listener:
            await asyncio.wait([self._listener])

    async def _exchange(
        self, process: asyncio.subprocess.Process, request: Request, batch_info: Mapping[str, int] | None = None
    ) -> Output:
        assert process.stdin
        number = next(self._request_numbers)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._pending[number] = future
        try:
            # A process that has ended is noticed by `_listen`.
            with suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(pack_request(number, request, batch_info))
                await process.stdin.drain()
            return unpack_answer(await future)
        finally:
            del self._pending[number]

    async def _ensure_started(self) -> asyncio.subprocess.Process:
        if self._process and self._listener and not self._listener.done():
            return self._process
        if self._starts == MAX_STARTS:
            raise WorkerLost(
                f"A worker process of {self._setup['model']} crashed {MAX_STARTS} times without an answer; "
                f"see {self._log or 'its messages above'}. Completed samples are saved. "
                "Fix the cause and run the same command again."
            )
        self._starts += 1
        # In its own session, because the parent handles Ctrl-C; the process ends with its parent.
        with self._open_log() as log:
            self._process = await asyncio.create_subprocess_exec(
                self._python, "-m", "auricle.engine.workers.worker",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
                limit=1 << 20, start_new_session=True, env={**os.environ, **self._environment},
            )  # fmt: skip
        await self._send_setup(self._process)
        self.ready_at = self.ready_at or time.perf_counter()
        self._listener = asyncio.create_task(self._listen(self._process))
        return self._process

    @contextmanager
    def _open_log(self) -> Iterator[IO[bytes] | None]:
        """Open the log file of the process; None stands for this terminal."""
        if self._log is None:
            yield None
            return
        self._log.parent.mkdir(exist_ok=True)
        with self._log.open("ab") as log:
            yield log

    async def _send_setup(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(pack(self._setup))
            await process.stdin.drain()
        message = await read_message(process.stdout)
        if message is None:
            raise Transient("a worker process crashed before it was ready")
        if "error" in message:
            raise self._with_interpreter(unpack_error(message["error"]))

    def _with_interpreter(self, error: AuricleError) -> AuricleError:
        """Add the path of the worker's Python to an error, if it is another Python."""
        if self._python == sys.executable or not isinstance(error, SpecError):
            return error
        return SpecError(f"{error} (under {self._python})")

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        try:
            while message := await read_message(process.stdout):
                self._starts = 0
                future = self._pending.get(message["number"])
                if future and not future.done():  # it may have been cancelled
                    future.set_result(message)
        finally:
            process.stdin.close()
            for future in self._pending.values():
                if not future.done():
                    future.set_exception(Transient("a worker process crashed"))

    async def close(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), CLOSE_TIMEOUT)
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._listener:
            await asyncio.wait([self._listener])
