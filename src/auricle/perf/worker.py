"""A sender: makes everything ready, waits for the start, sends, and tells how well it could.

`python -m auricle.perf.worker` is one in a process of its own. Its plan comes as a line on
standard input, then `start SECONDS` and maybe `stop`; when the input ends, so does the sender.
It writes lines of JSON: `ready`, `live` and, last, `end` or `error`.
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
from auricle.engine.factory import build_task, construct_model, resolve_model
from auricle.engine.spec import Spec
from auricle.models import BatchModel, abilities
from auricle.models.http.timing import RequestTimer
from auricle.perf.drivers import Driver, create_driver
from auricle.perf.load_generator import LoadGenerator, PreparedSample, prepare_samples
from auricle.perf.loads import Load, Trace, parse_loads
from auricle.perf.plan import LoadPointPlan
from auricle.tasks.inferencers import Inferencer, select_inferencer, with_context
from auricle.tasks.inferencers.base import adapt_to_batching, close_inferencer

IDLE_PROBE_SECONDS = 0.5  # seconds in which the event loop's own lag is measured before anything is sent
PROBE_INTERVAL = 0.02  # seconds between two looks at it
PREFLIGHT_ATTEMPTS = 3  # at the one request that is not measured; a server may fail now and then
PROGRESS_INTERVAL = 0.5  # seconds between two words on how it goes

SendMessage = Callable[[dict[str, Any]], None]
ProbeResult = dict[str, Any]
"""What a sender measured of itself: how late its loop woke, idle and not, and its processor."""


EMPTY_PROBE_RESULT: ProbeResult = {"idle_lags": [], "lags": [], "lates": [], "cpu": 0.0, "stopped": ""}
"""Of one who was stopped before he sent anything."""


@dataclass(frozen=True, slots=True)
class CoordinatorChannel:
    """Whoever runs the show, as a sender knows it."""

    wait_for_start: Callable[[], Awaitable[float]]
    """Tells when to start, once all are ready: seconds of the monotonic clock."""
    send_message: SendMessage
    stop_event: asyncio.Event


async def run_worker(plan: LoadPointPlan, coordinator: CoordinatorChannel) -> ProbeResult:
    """One sender's whole life."""
    spec = Spec.model_validate(plan.spec)
    task, model_class = build_task(spec), resolve_model(spec)
    way = select_inferencer(task.inferencer, abilities(model_class), task.name, spec.model)
    way = with_context(way, model_class, task.model_context)
    inferencer = adapt_to_batching(way, is_batch_model=issubclass(model_class, BatchModel))
    model = construct_model(model_class, spec.model, spec.model_args)
    if plan.stream is not None and hasattr(model, "streams"):
        model.streams = plan.stream
    wire = create_driver(model, plan.batch_size)
    try:
        rows = takewhile(lambda _: not coordinator.stop_event.is_set(), islice(task.samples, spec.limit))
        held = await prepare_samples((s for s in rows if isinstance(s, Sample)), inferencer, wire, plan.max_samples)
        if coordinator.stop_event.is_set():
            return EMPTY_PROBE_RESULT
        if not held:
            raise DataError(f"{task.name} has no sample that could be sent.")
        if plan.sender_index == 0:
            await _preflight(held[0], wire)
        with gc_paused():  # before the start is agreed on: looking for garbage takes its time
            return await _run_load(plan, inferencer, wire, held, coordinator)
    finally:
        await close_inferencer(inferencer)
        await wire.close()


async def _preflight(sample: PreparedSample, driver: Driver) -> None:
    """One request before all others: a server that cannot answer it is not worth the wait."""
    for left in reversed(range(PREFLIGHT_ATTEMPTS)):
        try:
            await driver.send(sample.first_requests[0], RequestTimer())
        except Transient as error:
            if not left:
                raise SpecError(f"The first request already failed: {error}") from error
        except AuricleError as error:
            raise SpecError(f"The first request already failed: {error}") from error
        else:
            return


async def _run_load(
    plan: LoadPointPlan,
    inferencer: Inferencer,
    driver: Driver,
    samples: list[PreparedSample],
    coordinator: CoordinatorChannel,
) -> ProbeResult:
    load = _apply_trace_timestamps(parse_loads(plan.load)[0], samples)
    lags: list[float] = []
    probe = asyncio.create_task(_measure_loop_lag(lags))
    await asyncio.sleep(IDLE_PROBE_SECONDS)
    idle = list(lags)
    coordinator.send_message({"kind": "ready", "samples": len(samples)})
    start = await coordinator.wait_for_start()
    folder = Path(plan.folder)
    names = (f"requests.{plan.sender_index}.jsonl", f"answers.{plan.sender_index}.jsonl")
    with (folder / names[0]).open("wb") as requests, (folder / names[1]).open("wb") as answers:
        sending = LoadGenerator(plan, inferencer, driver, samples, (requests, answers))
        sending.stop_event = coordinator.stop_event
        telling = asyncio.create_task(_report_progress(sending, coordinator.send_message))
        lags.clear()
        cpu, wall = time.process_time(), time.monotonic()
        await sending.run(load, start)
        busy = (time.process_time() - cpu) / max(1e-9, time.monotonic() - wall)
    for task in (telling, probe):
        task.cancel()
    return {"idle_lags": idle, "lags": lags, "lates": sending.lateness, "cpu": busy, "stopped": sending.stop_reason}


@contextmanager
def gc_paused() -> Iterator[None]:
    """Without looking for garbage in what was there before: that stops the clock for everybody."""
    gc.collect()
    gc.freeze()
    try:
        with infrequent_gc():
            yield
    finally:
        gc.unfreeze()


def _apply_trace_timestamps(load: Load, samples: list[PreparedSample]) -> Load:
    """A trace gets its times from the data; other loads have their own."""
    if not isinstance(load, Trace):
        return load
    told = [case.sample.meta.get("timestamp") for case in samples]
    if not all(isinstance(each, (int, float)) for each in told):
        raise DataError("trace needs a column `timestamp` with a number in every row.")
    return load.with_timestamps([float(each) for each in told if isinstance(each, (int, float))])


async def _measure_loop_lag(lags: list[float]) -> None:
    """How late the event loop wakes whoever sleeps: what it does to everybody else's clock."""
    while True:
        due = time.monotonic() + PROBE_INTERVAL
        await asyncio.sleep(PROBE_INTERVAL)
        lags.append(max(0.0, time.monotonic() - due))


async def _report_progress(generator: LoadGenerator, send_message: SendMessage) -> None:
    while True:
        await asyncio.sleep(PROGRESS_INTERVAL)
        send_message({"kind": "live", **asdict(generator.progress)})
        generator.check_saturation()


# --- in a process of its own ------------------------------------------------------------


async def _main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever a library prints is not for whoever reads our lines

    def tell(said: dict[str, Any]) -> None:
        out.write(orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE))

    plan = LoadPointPlan.from_json(await reader.readline())
    stop = asyncio.Event()

    async def begin() -> float:
        word = (await reader.readline()).split()
        if not word or word[0] != b"start":
            raise asyncio.CancelledError  # whoever started us is gone, or thinks better of it
        listening = asyncio.create_task(_wait_for_stop(reader, stop))
        listening.add_done_callback(lambda _: stop.set())
        return float(word[1])

    try:
        tell({"kind": "end", "probed": await run_worker(plan, CoordinatorChannel(begin, tell, stop))})
    except AuricleError as error:
        tell({"kind": "error", "name": type(error).__name__, "message": describe(error)})


async def _wait_for_stop(reader: asyncio.StreamReader, stop_event: asyncio.Event) -> None:
    """Until somebody says stop, or nobody is there any more."""
    while line := await reader.readline():
        if line.strip() == b"stop":
            stop_event.set()
            return


if __name__ == "__main__":
    asyncio.run(_main())
