"""A child process that holds a model, and is started again when it ends."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from auricle.core.errors import AuricleError, SpecError, Transient
from auricle.core.types import Output, Request
from auricle.engine.batching import WorkerLost
from auricle.engine.workers.protocol import pack, pack_request, unpack_error, unpack_output
from auricle.engine.workers.worker import read_message

MAX_STARTS = 8  # in a row, without an answer between
CLOSE_TIMEOUT = 5.0


def earliest_time(times: Iterable[float | None]) -> float | None:
    """When the first of several was ready, if any was: before that nothing could be answered."""
    return min((each for each in times if each is not None), default=None)


class WorkerProcess:
    """One process and what it has been asked."""

    def __init__(
        self,
        model: str,
        arguments: Mapping[str, Any],
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> None:
        self._setup = {"model": model, "arguments": dict(arguments)}
        self._python = python
        self._environment = environment or {}
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._listener: asyncio.Task[None] | None = None
        self._pending: dict[int, asyncio.Future[Output]] = {}
        self._start_lock = asyncio.Lock()
        self._starts = self._last_number = self._batch_count = 0
        self.in_flight = 0
        self.ready_at: float | None = None
        """When it had first loaded its model, by `time.perf_counter`."""

    async def send(self, request: Request) -> Output:
        self.in_flight += 1  # from here on, or all would queue for the first child while it starts
        try:
            process = await self._ensure_ready()
            return await self._exchange(process, request)
        finally:
            self.in_flight -= 1

    async def send_batch(self, batch: Sequence[Request]) -> list[Output]:
        """Ask a batch model about a whole list; one failure is the list's."""
        process = await self._ensure_ready()
        self._batch_count += 1
        of = {"batch": self._batch_count, "size": len(batch)}
        asked = [asyncio.ensure_future(self._exchange(process, each, of)) for each in batch]
        try:
            return list(await asyncio.gather(*asked))
        finally:
            for each in asked:
                each.cancel()
            await asyncio.gather(*asked, return_exceptions=True)

    async def _ensure_ready(self) -> asyncio.subprocess.Process:
        async with self._start_lock:
            return await self._ensure_started()

    async def kill(self) -> None:
        """End a process that does not answer; the next question starts another."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._listener:
            await asyncio.wait([self._listener])

    async def _exchange(
        self, process: asyncio.subprocess.Process, request: Request, batch_info: Mapping[str, int] | None = None
    ) -> Output:
        assert process.stdin
        self._last_number += 1
        number = self._last_number
        answer: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            # A child that is gone is heard of where its answers are read.
            with suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(pack_request(number, request, batch_info))
                await process.stdin.drain()
            return await answer
        finally:
            del self._pending[number]

    async def _ensure_started(self) -> asyncio.subprocess.Process:
        if self._process and self._listener and not self._listener.done():
            return self._process
        if self._starts == MAX_STARTS:
            raise WorkerLost(
                f"A process of {self._setup['model']} ended {MAX_STARTS} times without answering "
                f"anything; see {self._log or 'what it said above'}. Nothing answered is lost: "
                "put that right and give the same command again."
            )
        self._starts += 1
        # In a session of its own, because Ctrl-C is the parent's; it ends with its pipe.
        with self._open_log() as words:
            self._process = await asyncio.create_subprocess_exec(
                self._python, "-m", "auricle.engine.workers.worker",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=words,
                limit=1 << 20, start_new_session=True, env={**os.environ, **self._environment},
            )  # fmt: skip
        await self._send_setup(self._process)
        self.ready_at = self.ready_at or time.perf_counter()
        self._listener = asyncio.create_task(self._listen(self._process))
        return self._process

    @contextmanager
    def _open_log(self) -> Iterator[IO[bytes] | None]:
        """Where a process says what is not an answer: a file of the run, or this terminal."""
        if self._log is None:
            yield None
            return
        self._log.parent.mkdir(exist_ok=True)
        with self._log.open("ab") as words:
            yield words

    async def _send_setup(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(pack(self._setup))
            await process.stdin.drain()
        said = await read_message(process.stdout)
        if said is None:
            raise Transient("a process of the model ended before it was ready")
        if "error" in said:
            raise self._with_interpreter(unpack_error(said["error"]))

    def _with_interpreter(self, error: AuricleError) -> AuricleError:
        """An error, with the Python it was met under if that is not this one."""
        if self._python == sys.executable or not isinstance(error, SpecError):
            return error
        return SpecError(f"{error} That is under {self._python}.")

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        try:
            while message := await read_message(process.stdout):
                self._starts = 0
                self._handle_response(message)
        finally:
            process.stdin.close()
            for answer in self._pending.values():
                if not answer.done():
                    answer.set_exception(Transient("a process of the model ended"))

    def _handle_response(self, message: dict[str, Any]) -> None:
        answer = self._pending.get(message["number"])
        if answer is None or answer.done():
            return  # whoever asked has left
        if "error" in message:
            answer.set_exception(unpack_error(message["error"]))
        else:
            answer.set_result(unpack_output(message))

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
