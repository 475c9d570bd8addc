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
from contextlib import contextmanager
from dataclasses import replace
from io import BufferedWriter
from pathlib import Path

from auricle.core.errors import AuricleError, DataError, SpecError, Transient
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Output, Request, Sample
from auricle.engine.factory import Evaluation, construct_model
from auricle.engine.spec import Spec
from auricle.engine.workers.lifetime import end_with_parent
from auricle.engine.workers.protocol import encode_error
from auricle.models import BatchModel
from auricle.models.http.timing import RequestTimer
from auricle.perf.driver import Driver
from auricle.perf.load_generator import LoadGenerator, PreparedSample, prepare_samples
from auricle.perf.load_syntax import parse_load
from auricle.perf.messages import (
    LoadPointPlan,
    SenderMessage,
    SenderProgress,
    SenderResult,
    decode_message,
    encode_message,
)
from auricle.tasks.inferencers import Inferencer
from auricle.tasks.inferencers.base import adapt_to_batching, adapt_to_load_test, close_inferencer

IDLE_PROBE_SECONDS = 0.5  # seconds during which the lag of the idle event loop is measured
PROBE_INTERVAL = 0.02  # seconds between two measurements of the lag
PREFLIGHT_ATTEMPTS = 3  # attempts at the unmeasured first request
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
        driver = Driver(model, plan.batch_size)
        try:
            rows = (row for row in task.samples if isinstance(row, Sample))
            samples = await prepare_samples(rows, inferencer, driver, plan.max_samples)
            if not samples:
                raise DataError(f"Task '{task.name}' has no sample to send.")
            if plan.sender_index == 0:
                await _preflight(samples[0], driver, inferencer)
            has_unused_rows = next(rows, None) is not None
            with gc_paused():  # before the start time is chosen, because a collection takes time
                result = await self._send_load(inferencer, driver, samples)
            return replace(result, rows=len(samples), has_unused_rows=has_unused_rows)
        finally:
            await close_inferencer(inferencer)
            await driver.close()

    async def _send_load(self, inferencer: Inferencer, driver: Driver, samples: list[PreparedSample]) -> SenderResult:
        load = parse_load(self._plan.load).with_timestamps([item.sample.meta.get("timestamp") for item in samples])
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


async def _preflight(sample: PreparedSample, driver: Driver, inferencer: Inferencer) -> None:
    """Send one unmeasured request, so that a server that does not work is noticed before the load starts."""

    async def ask(request: Request) -> Output:
        return await driver.send(await asyncio.to_thread(driver.prepare, request), RequestTimer())

    for remaining in reversed(range(PREFLIGHT_ATTEMPTS)):
        try:
            if sample.first_requests:
                await driver.send(sample.first_requests[0], RequestTimer())
            else:  # the inferencer sends its requests itself
                await inferencer(sample.sample, ask)
        except AuricleError as error:
            if not isinstance(error, Transient) or not remaining:
                raise SpecError(f"The first request failed, so nothing was measured: {error}") from error
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


# --- subprocess -------------------------------------------------------------------------


async def _main() -> None:
    end_with_parent(sys.stdin.fileno())
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
