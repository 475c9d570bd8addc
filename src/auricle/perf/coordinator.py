"""Run a load point with one sender in this process, or several in subprocesses."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.platform_support import require_posix
from auricle.engine.factory import Evaluation
from auricle.engine.workers.protocol import unpack_error
from auricle.perf.messages import (
    LoadPointPlan,
    PointProgress,
    SenderMessage,
    SenderProgress,
    SenderResult,
    decode_message,
    encode_message,
)
from auricle.perf.worker import PROGRESS_INTERVAL, Sender
from auricle.runs.perf_files import SenderHealth, merge_requests

START_DELAY = 0.3  # seconds from "all senders are ready" to the start, so that the start message arrives in time
LATE_THRESHOLD_S = 1.0  # seconds a request may be late before it counts as such
CLOSE_TIMEOUT = 5.0
INTERRUPTED = "interrupted"
"""Why a load ended early, if a signal ended it."""
ProgressCallback: TypeAlias = Callable[[PointProgress], None]
Senders: TypeAlias = "Sequence[Sender | SenderProcess]"


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
    senders: Senders
    if plan.senders == 1 and not plan.uses_processes:
        senders = [Sender(plan, evaluation)]
    else:
        senders = [*map(SenderProcess, plan.split_by_sender())]
    interrupt = asyncio.create_task(stop_event.wait())
    try:
        await _wait_until_ready(senders, interrupt)
        stop_reason = ""
        if not interrupt.done():
            stop_reason = await _send_load(plan, senders, on_progress, interrupt)
        results = [sender.task.result() for sender in senders if sender.task.done()]
    finally:
        interrupt.cancel()
        await asyncio.gather(*(sender.close() for sender in senders))
    merge_requests(Path(plan.folder), plan.senders)
    return summarise_health(results, INTERRUPTED if stop_event.is_set() else stop_reason)


async def _wait_until_ready(senders: Senders, interrupt: asyncio.Task[bool]) -> None:
    """Wait until all senders are ready or the load is interrupted; raise the error of a sender that has one."""

    async def wait_for_all() -> None:
        for sender in senders:
            await sender.ready.wait()

    ready, tasks = asyncio.create_task(wait_for_all()), [sender.task for sender in senders]
    await asyncio.wait({ready, interrupt, *tasks}, return_when="FIRST_COMPLETED")
    ready.cancel()
    for task in tasks:
        if task.done():
            task.result()


async def _send_load(
    plan: LoadPointPlan, senders: Senders, on_progress: ProgressCallback, interrupt: asyncio.Task[bool]
) -> str:
    """Run the load to its end, and return why it ended early. If one sender stops early, all do."""
    start_time = time.monotonic() + START_DELAY
    for sender in senders:
        sender.start(start_time)
    report = _progress_reporter(plan, on_progress, start_time)
    stop_reason = ""
    while running := {sender.task for sender in senders if not sender.task.done()}:
        watched = running if interrupt.done() else {*running, interrupt}
        await asyncio.wait(watched, timeout=PROGRESS_INTERVAL, return_when="FIRST_COMPLETED")
        counts = SenderProgress.total(sender.progress for sender in senders)
        report(counts)
        stop_reason = stop_reason or _find_stop_reason(plan, senders, counts)
        if stop_reason or interrupt.done():
            for sender in senders:
                sender.stop()
    return stop_reason


def _find_stop_reason(plan: LoadPointPlan, senders: Senders, counts: SenderProgress) -> str:
    """Return why a sender stopped early, or why those that are still running have to."""
    reasons = [sender.task.result().stop_reason for sender in senders if sender.task.done()]
    if len(reasons) < len(senders) and plan.max_errors is not None and counts.failed >= plan.max_errors:
        reasons.append(f"{counts.failed} requests failed")
    return next(filter(None, reasons), "")


def _progress_reporter(
    plan: LoadPointPlan, on_progress: ProgressCallback, start_time: float
) -> Callable[[SenderProgress], None]:
    """Return a function that reports counts, with the mean TTFT since its last call."""
    last = SenderProgress()

    def report(counts: SenderProgress) -> None:
        nonlocal last
        waited = counts.first_token_wait_seconds - last.first_token_wait_seconds
        streamed = counts.streamed - last.streamed
        on_progress(
            PointProgress(
                load=plan.load,
                seconds=plan.total_seconds,
                count=plan.count,
                measured=counts.measured,
                started=counts.started,
                sent=counts.sent,
                answered=counts.answered,
                failed=counts.failed,
                in_flight=counts.in_flight,
                ttft_s=waited / streamed if streamed else None,
                start_time=start_time,
            )
        )
        last = counts

    return report


class SenderProcess:
    """A sender in a subprocess; see `Sender`."""

    def __init__(self, plan: LoadPointPlan) -> None:
        require_posix("Sender processes")
        self._plan = plan
        self._process: Process | None = None
        self._log_path = Path(plan.folder) / f"sender.{plan.sender_index}.log"
        self.ready = asyncio.Event()
        self.progress = SenderProgress()
        self.task = asyncio.create_task(self._run())

    def start(self, start_time: float) -> None:
        self._send_line(f"start {start_time!r}\n".encode())

    def stop(self) -> None:
        self._send_line(b"stop\n")

    async def _run(self) -> SenderResult:
        with self._log_path.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "auricle.perf.worker",
                stdin=PIPE, stdout=PIPE, stderr=log,
                env={**os.environ, "PYTHONSAFEPATH": ""},
                start_new_session=True,  # Ctrl-C reaches only the coordinator, which forwards it
                limit=1 << 26,
            )  # fmt: skip
        self._send_line(encode_message(self._plan))
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message = decode_message(SenderMessage, line)
            if message.error:
                raise unpack_error(message.error)
            if message.result:
                return message.result
            if message.ready:
                self.ready.set()
            self.progress = message.progress or self.progress
        raise SpecError(f"A sender process ended unexpectedly. See its log: {self._log_path}")

    def _send_line(self, line: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(line)

    async def close(self) -> None:
        """End the process; one that does not end by itself is killed."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), CLOSE_TIMEOUT)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


def summarise_health(results: Sequence[SenderResult], stopped: str = "") -> SenderHealth:
    """Summarise what all senders measured; it decides whether a load point is valid."""
    lateness = [seconds for result in results for seconds in result.lateness]
    lag, late = _percentiles([lag for result in results for lag in result.lags]), _percentiles(lateness)
    return SenderHealth(
        idle_lag_p99_s=_percentiles([lag for result in results for lag in result.idle_lags])[1],
        lag_p50_s=lag[0],
        lag_p99_s=lag[1],
        lag_max_s=lag[2],
        late_p50_s=late[0],
        late_p99_s=late[1],
        late_max_s=late[2],
        late_count=sum(seconds > LATE_THRESHOLD_S for seconds in lateness),
        cpu_share=tuple(result.cpu_share for result in results),
        stopped=stopped,
        rows=max((result.rows for result in results), default=None),
        has_unused_rows=any(result.has_unused_rows for result in results),
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
    )


def _percentiles(samples: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Return median, 99th percentile and maximum."""
    if not samples:
        return None, None, None
    median, high = np.percentile(np.asarray(samples, dtype=np.float64), [50, 99])
    return float(median), float(high), max(samples)
