"""A sender: prepares requests, waits for the start, sends them, and measures its own health.

`python -m auricle.perf.worker` runs one in a subprocess. It reads its plan as a line from standard input, then
`start SECONDS` and possibly `stop`, and ends when its input ends. It writes JSON lines of the kinds `ready`,
`progress` and, last, `result` or `error`.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import AuricleError, DataError, SpecError, Transient, describe
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Sample
from auricle.engine.factory import Evaluation, construct_model
from auricle.engine.spec import Spec
from auricle.models import BatchModel
from auricle.models.http.timing import RequestTimer
from auricle.perf.driver import Driver
from auricle.perf.load_generator import LoadGenerator, PreparedSample, prepare_samples
from auricle.perf.load_patterns import Load
from auricle.perf.load_syntax import parse_load
from auricle.perf.plan import LoadPointPlan
from auricle.tasks.inferencers import Inferencer
from auricle.tasks.inferencers.base import adapt_to_batching, close_inferencer

IDLE_PROBE_SECONDS = 0.5  # seconds during which the lag of the idle event loop is measured
PROBE_INTERVAL = 0.02  # seconds between two measurements of the lag
PREFLIGHT_ATTEMPTS = 3  # attempts at the unmeasured first request
PROGRESS_INTERVAL = 0.5  # seconds between two progress messages

SendMessage = Callable[[dict[str, Any]], None]
ProbeResult = dict[str, Any]
"""What a sender measured about itself: lag of its event loop, lateness, CPU share and why it stopped early."""


EMPTY_PROBE_RESULT: ProbeResult = {"idle_lags": [], "lags": [], "lateness": [], "cpu": 0.0, "stop_reason": ""}
"""Result of a sender that was stopped before it sent anything."""


@dataclass(frozen=True, slots=True)
class CoordinatorChannel:
    """A sender's connection to the coordinator."""

    wait_for_start: Callable[[], Awaitable[float]]
    """Waits until all senders are ready and returns the start time on the monotonic clock."""
    send_message: SendMessage
    stop_event: asyncio.Event


async def run_worker(
    plan: LoadPointPlan, coordinator: CoordinatorChannel, evaluation: Evaluation | None = None
) -> ProbeResult:
    """Run one sender: load the model, prepare the samples and send the load.

    Args:
        plan: What to send, and when.
        coordinator: Starts and stops the sender.
        evaluation: The task, if it was built in this process before.
    """
    evaluation = evaluation or Evaluation.prepare(Spec.model_validate(plan.spec))
    spec, task = evaluation.spec, evaluation.task
    is_batch_model = issubclass(evaluation.model_class, BatchModel)
    inferencer = adapt_to_batching(evaluation.inferencer, is_batch_model=is_batch_model)
    model = construct_model(evaluation.model_class, spec.model, spec.model_args)
    if plan.stream is not None and hasattr(model, "streams"):
        model.streams = plan.stream
    driver = Driver(model, plan.batch_size)
    try:
        rows = takewhile(lambda _: not coordinator.stop_event.is_set(), islice(task.samples, spec.limit))
        sendable = (row for row in rows if isinstance(row, Sample))
        samples = await prepare_samples(sendable, inferencer, driver, plan.max_samples)
        if coordinator.stop_event.is_set():
            return EMPTY_PROBE_RESULT
        if not samples:
            raise DataError(f"Task '{task.name}' has no sample to send.")
        if plan.sender_index == 0:
            await _preflight(samples[0], driver)
        with gc_paused():  # before the start time is chosen, because a collection takes time
            return await _run_load(plan, inferencer, driver, samples, coordinator)
    finally:
        await close_inferencer(inferencer)
        await driver.close()


async def _preflight(sample: PreparedSample, driver: Driver) -> None:
    """Send one unmeasured request, so that a server that does not work is noticed before the load starts."""
    for remaining in reversed(range(PREFLIGHT_ATTEMPTS)):
        try:
            await driver.send(sample.first_requests[0], RequestTimer())
        except AuricleError as error:
            if not isinstance(error, Transient) or not remaining:
                raise SpecError(f"The first request failed, so nothing was measured: {error}") from error
        else:
            return


async def _run_load(
    plan: LoadPointPlan,
    inferencer: Inferencer,
    driver: Driver,
    samples: list[PreparedSample],
    coordinator: CoordinatorChannel,
) -> ProbeResult:
    load = _apply_timestamps(parse_load(plan.load), samples)
    lags: list[float] = []
    probe = asyncio.create_task(_measure_loop_lag(lags))
    await asyncio.sleep(IDLE_PROBE_SECONDS)
    idle_lags = list(lags)
    coordinator.send_message({"kind": "ready", "samples": len(samples)})
    start = await coordinator.wait_for_start()
    folder = Path(plan.folder)
    names = (f"requests.{plan.sender_index}.jsonl", f"answers.{plan.sender_index}.jsonl")
    with (folder / names[0]).open("wb") as requests, (folder / names[1]).open("wb") as answers:
        generator = LoadGenerator(plan, inferencer, driver, samples, (requests, answers), coordinator.stop_event)
        reporting = asyncio.create_task(_report_progress(generator, coordinator.send_message))
        lags.clear()
        cpu_start, wall_start = time.process_time(), time.monotonic()
        await generator.run(load, start)
        cpu_share = (time.process_time() - cpu_start) / max(1e-9, time.monotonic() - wall_start)
    for task in (reporting, probe):
        task.cancel()
    return {
        "idle_lags": idle_lags,
        "lags": lags,
        "lateness": generator.lateness,
        "cpu": cpu_share,
        "stop_reason": generator.stop_reason,
    }


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


def _apply_timestamps(load: Load, samples: list[PreparedSample]) -> Load:
    """Give a load the timestamps of its data, if it needs them."""
    if not load.needs_timestamps:
        return load
    values = [prepared.sample.meta.get("timestamp") for prepared in samples]
    timestamps = [float(value) for value in values if isinstance(value, (int, float))]
    if len(timestamps) < len(values):
        raise DataError("Load 'trace' needs a column 'timestamp' with a number in every row.")
    return load.with_timestamps(timestamps)


async def _measure_loop_lag(lags: list[float]) -> None:
    """Measure how late the event loop wakes a sleeping task, which delays every recorded time."""
    while True:
        due = time.monotonic() + PROBE_INTERVAL
        await asyncio.sleep(PROBE_INTERVAL)
        lags.append(max(0.0, time.monotonic() - due))


async def _report_progress(generator: LoadGenerator, send_message: SendMessage) -> None:
    while True:
        await asyncio.sleep(PROGRESS_INTERVAL)
        send_message({"kind": "progress", **asdict(generator.progress)})
        generator.check_saturation()


# --- subprocess -------------------------------------------------------------------------


async def _main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # libraries that print must not write among the messages

    def send(message: dict[str, Any]) -> None:
        out.write(orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE))

    plan = LoadPointPlan.from_json(await reader.readline())
    stop_event = asyncio.Event()

    async def wait_for_start() -> float:
        words = (await reader.readline()).split()
        if not words or words[0] != b"start":
            raise asyncio.CancelledError  # the coordinator is gone, or was interrupted
        listening = asyncio.create_task(_wait_for_stop(reader, stop_event))
        listening.add_done_callback(lambda _: stop_event.set())
        return float(words[1])

    try:
        result = await run_worker(plan, CoordinatorChannel(wait_for_start, send, stop_event))
        send({"kind": "result", "result": result})
    except AuricleError as error:
        send({"kind": "error", "name": type(error).__name__, "message": describe(error)})


async def _wait_for_stop(reader: asyncio.StreamReader, stop_event: asyncio.Event) -> None:
    """Wait for the line `stop`, or for the end of the input."""
    while line := await reader.readline():
        if line.strip() == b"stop":
            stop_event.set()
            return


if __name__ == "__main__":
    asyncio.run(_main())
