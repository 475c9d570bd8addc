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

from auricle.core.errors import AuricleError, DataError, SpecError, Transient, told
from auricle.core.gc_tuning import seldom_collected
from auricle.core.types import Sample
from auricle.engine.factory import build, class_of, construct
from auricle.engine.spec import Spec
from auricle.models import BatchModel, abilities
from auricle.models.http.timing import Mark
from auricle.perf.drivers import Driver, driver
from auricle.perf.load_generator import Case, Sending, cases
from auricle.perf.loads import Load, Trace, parse
from auricle.perf.plan import Plan
from auricle.tasks.inferencers import Inferencer, suited, telling
from auricle.tasks.inferencers.base import beside, let_go

IDLE = 0.5  # seconds in which the event loop's own lag is measured before anything is sent
PROBE = 0.02  # seconds between two looks at it
TRIES = 3  # at the one request that is not measured; a server may fail now and then
LIVE = 0.5  # seconds between two words on how it goes

Tell = Callable[[dict[str, Any]], None]
Probed = dict[str, Any]
"""What a sender measured of itself: how late its loop woke, idle and not, and its processor."""


NOTHING: Probed = {"idle_lags": [], "lags": [], "lates": [], "cpu": 0.0, "stopped": ""}
"""Of one who was stopped before he sent anything."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Whoever runs the show, as a sender knows it."""

    begin: Callable[[], Awaitable[float]]
    """Tells when to start, once all are ready: seconds of the monotonic clock."""
    tell: Tell
    stop: asyncio.Event


async def send(plan: Plan, stage: Stage) -> Probed:
    """One sender's whole life."""
    spec = Spec.model_validate(plan.spec)
    task, model_class = build(spec), class_of(spec)
    way = suited(task.inferencer, abilities(model_class), task.name, spec.model)
    way = telling(way, model_class, task.facts)
    inferencer = beside(way, batch=issubclass(model_class, BatchModel))
    model = construct(model_class, spec.model, spec.model_args)
    if plan.stream is not None and hasattr(model, "streams"):
        model.streams = plan.stream
    wire = driver(model, plan.batch_size)
    try:
        rows = takewhile(lambda _: not stage.stop.is_set(), islice(task.samples, spec.limit))
        held = await cases((s for s in rows if isinstance(s, Sample)), inferencer, wire, plan.most)
        if stage.stop.is_set():
            return NOTHING
        if not held:
            raise DataError(f"{task.name} has no sample that could be sent.")
        if plan.share == 0:
            await _preflight(held[0], wire)
        with undisturbed():  # before the start is agreed on: looking for garbage takes its time
            return await _timed(plan, inferencer, wire, held, stage)
    finally:
        await let_go(inferencer)
        await wire.close()


async def _preflight(case: Case, wire: Driver) -> None:
    """One request before all others: a server that cannot answer it is not worth the wait."""
    for left in reversed(range(TRIES)):
        try:
            await wire.fire(case.first[0], Mark())
        except Transient as error:
            if not left:
                raise SpecError(f"The first request already failed: {error}") from error
        except AuricleError as error:
            raise SpecError(f"The first request already failed: {error}") from error
        else:
            return


async def _timed(
    plan: Plan,
    inferencer: Inferencer,
    wire: Driver,
    held: list[Case],
    stage: Stage,
) -> Probed:
    load = _timed_by(parse(plan.load)[0], held)
    lags: list[float] = []
    probe = asyncio.create_task(_probe(lags))
    await asyncio.sleep(IDLE)
    idle = list(lags)
    stage.tell({"kind": "ready", "samples": len(held)})
    start = await stage.begin()
    folder = Path(plan.folder)
    names = (f"requests.{plan.share}.jsonl", f"answers.{plan.share}.jsonl")
    with (folder / names[0]).open("wb") as requests, (folder / names[1]).open("wb") as answers:
        sending = Sending(plan, inferencer, wire, held, (requests, answers))
        sending.stop = stage.stop
        telling = asyncio.create_task(_tell_live(sending, stage.tell))
        lags.clear()
        cpu, wall = time.process_time(), time.monotonic()
        await sending.run(load, start)
        busy = (time.process_time() - cpu) / max(1e-9, time.monotonic() - wall)
    for task in (telling, probe):
        task.cancel()
    return {
        "idle_lags": idle,
        "lags": lags,
        "lates": sending.lates,
        "cpu": busy,
        "stopped": sending.stopped,
    }


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without looking for garbage in what was there before: that stops the clock for everybody."""
    gc.collect()
    gc.freeze()
    try:
        with seldom_collected():
            yield
    finally:
        gc.unfreeze()


def _timed_by(load: Load, held: list[Case]) -> Load:
    """A trace gets its times from the data; other loads have their own."""
    if not isinstance(load, Trace):
        return load
    told = [case.sample.meta.get("timestamp") for case in held]
    if not all(isinstance(each, (int, float)) for each in told):
        raise DataError("trace needs a column `timestamp` with a number in every row.")
    return load.timed([float(each) for each in told if isinstance(each, (int, float))])


async def _probe(lags: list[float]) -> None:
    """How late the event loop wakes whoever sleeps: what it does to everybody else's clock."""
    while True:
        due = time.monotonic() + PROBE
        await asyncio.sleep(PROBE)
        lags.append(max(0.0, time.monotonic() - due))


async def _tell_live(sending: Sending, tell: Tell) -> None:
    while True:
        await asyncio.sleep(LIVE)
        tell({"kind": "live", **asdict(sending.live)})
        sending.look()


# --- in a process of its own ------------------------------------------------------------


async def _main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever a library prints is not for whoever reads our lines

    def tell(said: dict[str, Any]) -> None:
        out.write(orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE))

    plan = Plan.unpacked(await reader.readline())
    stop = asyncio.Event()

    async def begin() -> float:
        word = (await reader.readline()).split()
        if not word or word[0] != b"start":
            raise asyncio.CancelledError  # whoever started us is gone, or thinks better of it
        listening = asyncio.create_task(_listen(reader, stop))
        listening.add_done_callback(lambda _: stop.set())
        return float(word[1])

    try:
        tell({"kind": "end", "probed": await send(plan, Stage(begin, tell, stop))})
    except AuricleError as error:
        tell({"kind": "error", "name": type(error).__name__, "message": told(error)})


async def _listen(reader: asyncio.StreamReader, stop: asyncio.Event) -> None:
    """Until somebody says stop, or nobody is there any more."""
    while line := await reader.readline():
        if line.strip() == b"stop":
            stop.set()
            return


if __name__ == "__main__":
    asyncio.run(_main())
