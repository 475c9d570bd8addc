"""A sender: prepares requests, waits for the start, sends them, and measures its own health.

`python -m auricle.perf.worker` runs one in a subprocess. It reads its plan as a line from standard input, then
`start SECONDS` and possibly `stop`, and ends when its input ends. It writes a `SenderMessage` per line.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import BufferedWriter
from itertools import chain
from pathlib import Path

from auricle.core.errors import AuricleError, DataError, Rejected, SpecError, Transient
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Output, Request, Sample
from auricle.engine.factory import Evaluation, construct_model
from auricle.engine.inferencers import Inferencer, preview_requests
from auricle.engine.inferencers.base import adapt_to_batching, adapt_to_load_test, close_inferencer
from auricle.engine.spec import Spec
from auricle.engine.workers.lifetime import end_with_parent
from auricle.engine.workers.protocol import encode_error
from auricle.models import BatchModel
from auricle.models.http.timing import RequestTimer
from auricle.perf.driver import Driver
from auricle.perf.load_generator import LoadGenerator, PreparedSample, prepare_samples
from auricle.perf.load_patterns import Load
from auricle.perf.load_syntax import parse_load
from auricle.perf.messages import (
    LoadPointPlan,
    SenderMessage,
    SenderProgress,
    SenderResult,
    decode_message,
    encode_message,
)

IDLE_PROBE_SECONDS = 0.5  # seconds during which the lag of the idle event loop is measured
PROBE_INTERVAL = 0.02  # seconds between two measurements of the lag
PREFLIGHT_ATTEMPTS = 3  # attempts at the unmeasured first request
PREFLIGHT_ERROR = "The first request failed, so nothing was measured: {}"
LENGTH_NOTE = (
    "The server does not accept ignore_eos and min_tokens, so answers may be shorter than out= or the trace states."
)
SENDER_NICENESS = -10  # priority of a sender process
AUTOGROUP_PATH = Path("/proc/self/autogroup")
PROGRESS_INTERVAL = 0.5  # seconds between two progress messages, and between two checks for saturation


class Sender:
    """A sender in this process.

    Args:
        plan: What to send, and when.
        evaluation: The task, if it was built in this process before.
    """

    def __init__(self, plan: LoadPointPlan, evaluation: Evaluation | None = None) -> None:
        self._plan = plan
        self._start_time: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._stop_event = asyncio.Event()
        self.ready = asyncio.Event()
        """Set when all requests are prepared."""
        self.progress = SenderProgress()
        self.task = asyncio.create_task(self._run(evaluation))

    def start(self, start_time: float) -> None:
        """Start the load at a time of the monotonic clock."""
        self._start_time.set_result(start_time)

    def stop(self) -> None:
        """End the load early; requests in flight have some seconds left."""
        self._stop_event.set()

    async def close(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _run(self, evaluation: Evaluation | None) -> SenderResult:
        """Load the model, prepare the samples and send the load."""
        plan = self._plan
        evaluation = evaluation or Evaluation.prepare(Spec.model_validate(plan.spec))
        spec, task = evaluation.spec, evaluation.task
        is_batch_model = issubclass(evaluation.model_class, BatchModel)
        inferencer = adapt_to_load_test(adapt_to_batching(evaluation.inferencer, is_batch_model=is_batch_model))
        model = construct_model(evaluation.model_class, spec.model, spec.model_args)
        if plan.stream is not None and hasattr(model, "streams"):
            model.streams = plan.stream
        forces_length = getattr(task.samples, "forces_length", False)
        driver = Driver(model, plan.batch_size, forces_length=forces_length)
        load = parse_load(plan.load)
        try:
            rows = load.select_samples((row for row in task.samples if isinstance(row, Sample)), plan)
            samples, notes = await self._prepare(rows, load, inferencer, driver)
            if not samples:
                raise DataError(f"Task '{task.name}' has no sample to send.")
            has_unused_rows = next(rows, None) is not None
            with gc_paused():  # before the start time is chosen, because a collection takes time
                result = await self._send_load(load, inferencer, driver, samples)
            return replace(result, rows=len(samples), has_unused_rows=has_unused_rows, notes=notes)
        finally:
            await close_inferencer(inferencer)
            await driver.close()

    async def _prepare(
        self, rows: Iterator[Sample], load: Load, inferencer: Inferencer, driver: Driver
    ) -> tuple[list[PreparedSample], tuple[str, ...]]:
        """Try one request, then prepare all; return them with notes."""
        first_row = next(rows, None)
        if first_row is None:
            return [], ()
        load.with_timestamps([first_row.meta.get("timestamp")])  # raises before all rows are prepared
        forced_length = driver.forces_length
        if self._plan.sender_index == 0 or forced_length:
            await _preflight(first_row, driver, inferencer)
        samples = await prepare_samples(chain([first_row], rows), inferencer, driver, self._plan.max_samples)
        notes = [LENGTH_NOTE] if forced_length and not driver.forces_length else []
        if driver.is_full:
            notes.append(f"Only {len(samples)} rows were prepared, because their requests fill {driver.size:,} bytes.")
        return samples, tuple(notes)

    async def _send_load(
        self, load: Load, inferencer: Inferencer, driver: Driver, samples: list[PreparedSample]
    ) -> SenderResult:
        load = load.with_timestamps([item.sample.meta.get("timestamp") for item in samples])
        lags: list[float] = []
        background = [asyncio.create_task(_measure_loop_lag(lags))]
        try:
            await asyncio.sleep(IDLE_PROBE_SECONDS)
            idle_lags = list(lags)
            self.ready.set()
            start_time = await self._start_time
            with self._open("requests") as requests, self._open("answers") as answers:
                files = (requests, answers)
                generator = LoadGenerator(self._plan, inferencer, driver, samples, files, self._stop_event)
                self.progress = generator.progress
                background.append(asyncio.create_task(_check_saturation(generator)))
                lags.clear()
                cpu_start, wall_start = time.process_time(), time.monotonic()
                await generator.run(load, start_time)
                cpu_share = (time.process_time() - cpu_start) / max(1e-9, time.monotonic() - wall_start)
        finally:
            for task in background:
                task.cancel()
        return SenderResult(idle_lags, lags, generator.lateness, cpu_share, generator.stop_reason)

    def _open(self, name: str) -> BufferedWriter:
        return (Path(self._plan.folder) / f"{name}.{self._plan.sender_index}.jsonl").open("wb")


async def _preflight(row: Sample, driver: Driver, inferencer: Inferencer) -> None:
    """Send one unmeasured request, so that a server that does not work is noticed before the load starts.

    A server that rejects the fields for the length of the answer gets requests without them.
    """
    try:
        await _send_unmeasured(row, driver, inferencer)
    except Rejected as error:
        if not driver.forces_length:
            raise SpecError(PREFLIGHT_ERROR.format(error)) from error
        driver.forces_length = False
        await _preflight(row, driver, inferencer)
    except AuricleError as error:
        raise SpecError(PREFLIGHT_ERROR.format(error)) from error


async def _send_unmeasured(row: Sample, driver: Driver, inferencer: Inferencer) -> None:
    """Send the first request of a sample; a failure that may pass is retried."""

    async def ask(request: Request) -> Output:
        return await driver.send(await asyncio.to_thread(driver.prepare, request), RequestTimer())

    requests = await preview_requests(inferencer, row)
    for remaining in reversed(range(PREFLIGHT_ATTEMPTS)):
        try:
            if requests:
                await ask(requests[0])
            else:  # the inferencer sends its requests itself
                await inferencer(row, ask)
        except Transient:
            if not remaining:
                raise
        else:
            return


@contextmanager
def gc_paused() -> Iterator[None]:
    """Exclude existing objects from garbage collection, which would delay all requests."""
    gc.collect()
    gc.freeze()
    try:
        with infrequent_gc():
            yield
    finally:
        gc.unfreeze()


async def _measure_loop_lag(lags: list[float]) -> None:
    """Measure how late the event loop wakes a sleeping task, which delays every recorded time."""
    while True:
        due = time.monotonic() + PROBE_INTERVAL
        await asyncio.sleep(PROBE_INTERVAL)
        lags.append(max(0.0, time.monotonic() - due))


async def _check_saturation(generator: LoadGenerator) -> None:
    while True:
        await asyncio.sleep(PROGRESS_INTERVAL)
        generator.check_saturation()


def raise_priority() -> None:
    """Let other processes delay this one less, if the user may do so and the process has a session of its own.

    Linux divides its processors between sessions first, so the session needs the same priority.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, SENDER_NICENESS)
        AUTOGROUP_PATH.write_text(str(SENDER_NICENESS))


# --- subprocess -------------------------------------------------------------------------


async def _main() -> None:
    end_with_parent(sys.stdin.fileno())
    raise_priority()
    reader = asyncio.StreamReader(limit=1 << 26)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # libraries that print must not write among the messages

    def send(message: SenderMessage) -> None:
        out.write(encode_message(message))

    sender = Sender(decode_message(LoadPointPlan, await reader.readline()))
    helpers = [asyncio.create_task(_follow_input(reader, sender)), asyncio.create_task(_report(sender, send))]
    try:
        send(SenderMessage(result=await sender.task))
    except AuricleError as error:
        send(SenderMessage(error=encode_error(error)))
    finally:
        for helper in helpers:
            helper.cancel()


async def _follow_input(reader: asyncio.StreamReader, sender: Sender) -> None:
    """Start and stop the sender as the coordinator requests; cancel it when the coordinator is gone."""
    while line := await reader.readline():
        word, *arguments = line.split()
        if word == b"start":
            sender.start(float(arguments[0]))
        else:
            sender.stop()
    sender.task.cancel()


async def _report(sender: Sender, send: Callable[[SenderMessage], None]) -> None:
    await sender.ready.wait()
    send(SenderMessage(ready=True))
    while True:
        await asyncio.sleep(PROGRESS_INTERVAL)
        send(SenderMessage(progress=sender.progress))


if __name__ == "__main__":
    asyncio.run(_main())
