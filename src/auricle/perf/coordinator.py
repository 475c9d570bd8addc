"""Run a load point with one sender in this process, or several in subprocesses."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from auricle.core import errors
from auricle.core.errors import SpecError
from auricle.engine.factory import Evaluation
from auricle.perf.health import summarise_health
from auricle.perf.plan import LoadPointPlan
from auricle.perf.worker import CoordinatorChannel, run_worker
from auricle.runs.perf_files import SenderHealth, merge_requests

START_DELAY = 0.3  # seconds from "all senders are ready" to the start, so that the start message arrives in time

ProgressCallback = Callable[[dict[str, Any]], None]
"""Receives the load and the counts over all senders."""


async def run_load_point(
    plan: LoadPointPlan, on_progress: ProgressCallback, stop_event: asyncio.Event, evaluation: Evaluation | None = None
) -> SenderHealth:
    """Offer the load of a plan, write its requests and answers to the plan's folder, and return the senders' health.

    Args:
        plan: What to send, and when.
        on_progress: Receives the counts over all senders.
        stop_event: Ends the load early.
        evaluation: The task, if it was built before; a sender in this process uses it.
    """
    on_progress = _with_recent_ttft(plan, on_progress)
    if plan.senders == 1:
        results = [await _run_in_process(plan, on_progress, stop_event, evaluation)]
    else:
        results = await _run_in_subprocesses(plan, on_progress, stop_event)
    merge_requests(Path(plan.folder), plan.senders)
    stop_reason = next((result["stop_reason"] for result in results if result["stop_reason"]), "")
    return summarise_health(
        lags=[lag for result in results for lag in result["lags"]],
        idle_lags=[lag for result in results for lag in result["idle_lags"]],
        lateness=[seconds for result in results for seconds in result["lateness"]],
        cpu_share=[result["cpu"] for result in results],
        stopped="interrupted" if stop_event.is_set() else stop_reason,
    )


def _with_recent_ttft(plan: LoadPointPlan, on_progress: ProgressCallback) -> ProgressCallback:
    """Wrap a progress callback to add the load, its length and the mean TTFT since the last call."""
    last_answered, last_wait = 0, 0.0

    def report(counts: dict[str, Any]) -> None:
        nonlocal last_answered, last_wait
        if not counts:
            return
        shown = dict(counts)
        wait = shown.pop("first_token_wait_seconds")
        if (new_answers := counts["answered"] - last_answered) > 0:
            shown["ttft_s"] = (wait - last_wait) / new_answers
        last_answered, last_wait = counts["answered"], wait
        on_progress({"load": plan.load, "seconds": plan.total_seconds, **shown})

    return report


async def _run_in_process(
    plan: LoadPointPlan, on_progress: ProgressCallback, stop_event: asyncio.Event, evaluation: Evaluation | None
) -> dict[str, Any]:
    async def choose_start() -> float:
        return time.monotonic() + START_DELAY

    def receive(message: dict[str, Any]) -> None:
        if message["kind"] == "progress":
            on_progress({name: value for name, value in message.items() if name != "kind"})

    worker_stop_event = asyncio.Event()
    forwarding = asyncio.create_task(_forward_stop(stop_event, worker_stop_event))
    try:
        return await run_worker(plan, CoordinatorChannel(choose_start, receive, worker_stop_event), evaluation)
    finally:
        forwarding.cancel()


async def _forward_stop(stop_event: asyncio.Event, worker_stop_event: asyncio.Event) -> None:
    """Pass an interrupt on; the worker has its own event because it may also stop itself after too many errors."""
    await stop_event.wait()
    worker_stop_event.set()


async def _run_in_subprocesses(
    plan: LoadPointPlan, on_progress: ProgressCallback, stop_event: asyncio.Event
) -> list[dict[str, Any]]:
    workers = [WorkerProcess(worker_plan) for worker_plan in plan.split_by_sender()]
    try:
        await asyncio.gather(*(worker.start() for worker in workers))
        ready = asyncio.gather(*(worker.wait_for_message("ready") for worker in workers))
        if not await _finish_before_stop(stop_event, ready):
            return []
        start_time = time.monotonic() + START_DELAY
        _send_to_all(workers, f"start {start_time!r}")
        result_tasks = [asyncio.create_task(_wait_for_result(worker, workers)) for worker in workers]
        forwarding = asyncio.create_task(_forward_stop_to_all(stop_event, workers))
        monitoring = asyncio.create_task(_monitor_progress(workers, on_progress, plan.max_errors))
        try:
            results = await asyncio.gather(*result_tasks)
        finally:
            forwarding.cancel()
            monitoring.cancel()
        if monitoring.done() and not monitoring.cancelled():  # it stopped the workers
            results[0]["stop_reason"] = results[0]["stop_reason"] or monitoring.result()
        return results
    finally:
        await asyncio.gather(*(worker.close() for worker in workers))


def _send_to_all(workers: Sequence[WorkerProcess], line: str) -> None:
    for worker in workers:
        worker.send_line(line)


async def _finish_before_stop(stop_event: asyncio.Event, future: asyncio.Future[Any]) -> bool:
    """Wait for a future or a stop, and return whether the future finished first."""
    stopped: asyncio.Task[Any] = asyncio.create_task(stop_event.wait())
    await asyncio.wait({future, stopped}, return_when="FIRST_COMPLETED")
    stopped.cancel()
    if future.done():
        future.result()
        return True
    future.cancel()
    return False


async def _wait_for_result(worker: WorkerProcess, workers: Sequence[WorkerProcess]) -> dict[str, Any]:
    """Return what a worker measured about itself; if it stopped early, stop the other workers too."""
    message = await worker.wait_for_message("result")
    result: dict[str, Any] = message["result"]
    if result["stop_reason"]:
        _send_to_all(workers, "stop")
    return result


async def _forward_stop_to_all(stop_event: asyncio.Event, workers: Sequence[WorkerProcess]) -> None:
    await stop_event.wait()
    _send_to_all(workers, "stop")


async def _monitor_progress(
    workers: Sequence[WorkerProcess], on_progress: ProgressCallback, max_errors: int | None
) -> str:
    """Report progress over all workers; stop them when they have `max_errors` failures together."""
    while True:
        await asyncio.sleep(0.5)
        progress = [worker.progress for worker in workers if worker.progress]
        counts = {name: sum(entry[name] for entry in progress) for name in (progress[0] if progress else {})}
        on_progress(counts)
        if max_errors is not None and counts.get("failed", 0) >= max_errors:
            _send_to_all(workers, "stop")
            return f"{counts['failed']} requests failed"


class WorkerProcess:
    """A sender in a subprocess."""

    def __init__(self, plan: LoadPointPlan) -> None:
        self._plan = plan
        self._process: Process | None = None
        self._log_path = Path(plan.folder) / f"sender.{plan.sender_index}.log"
        self.progress: dict[str, int] = {}

    async def start(self) -> None:
        with self._log_path.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "auricle.perf.worker",
                stdin=PIPE, stdout=PIPE, stderr=log,
                env={**os.environ, "PYTHONSAFEPATH": ""},
                start_new_session=True,  # Ctrl-C reaches only the coordinator, which forwards it
                limit=1 << 26,
            )  # fmt: skip
        self.send_line(self._plan.to_json().decode())

    def send_line(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(f"{line}\n".encode())

    async def wait_for_message(self, kind: str) -> dict[str, Any]:
        """Return the next message of this kind; raise the error if the worker reports one."""
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message: dict[str, Any] = orjson.loads(line)
            if message["kind"] == "error":
                raise _error_from_message(message)
            if message.pop("kind") == kind:
                return message
            self.progress = message
        raise SpecError(f"A sender process ended unexpectedly. See its log: {self._log_path}")

    async def close(self) -> None:
        if self._process is None:
            return
        if self._process.stdin:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


def _error_from_message(message: dict[str, Any]) -> SpecError:
    error_class = getattr(errors, message["name"], SpecError)
    takes_message = (
        isinstance(error_class, type) and issubclass(error_class, SpecError) and error_class is not errors.MissingExtra
    )
    return (error_class if takes_message else SpecError)(message["message"])
