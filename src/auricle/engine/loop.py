"""The one loop. Every sample is a coroutine; every finished sample is a line on disk.

An async model answers each coroutine directly; a batch model answers through a
`Batcher`. The loop does not know which, nor on how many machines.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Literal, Protocol, TypeAlias, cast

from auricle.core.errors import SampleError, SpecError, told
from auricle.core.gc_tuning import seldom_collected
from auricle.core.serialization import content_key, digest, dumps
from auricle.core.types import (
    ABILITY,
    Ability,
    Failure,
    Json,
    Output,
    Record,
    Rejected,
    Request,
    Sample,
    has_media,
)
from auricle.engine.batch_limits import Limits
from auricle.engine.batching import Batcher, Lane, Seat, Stopped
from auricle.engine.retry import Asking, Luck
from auricle.engine.retry import Settings as Settings
from auricle.models.base import AsyncModel, BatchModel, Model
from auricle.runs.run_directory import Run
from auricle.runs.throughput import Clock, passes
from auricle.runs.usage import heard as heard_seconds
from auricle.tasks.inferencers.base import Inferencer, beside, let_go

ESCAPES = (SystemExit, GeneratorExit, asyncio.CancelledError)
"""What a model may raise that no `except Exception` sees: it costs a sample, not the run."""
Rows: TypeAlias = Iterator[tuple[int, Sample | Rejected]]
BREATH = 256  # rows passed over before other coroutines get a turn


def escaped(error: BaseException) -> SampleError:
    return SampleError(f"the model raised {type(error).__name__} {error}".rstrip())


class Watch(Protocol):
    """Whoever wants to see a run go by."""

    def saw(self, record: Record) -> None: ...
    def skipped(self) -> None: ...
    def asking(self, number: int) -> None:
        """So many samples are being asked about at this moment."""


class Direct:
    """Seats for an async model: everybody is answered at once."""

    def __init__(self, model: AsyncModel, room: int) -> None:
        self._model = model
        self.room = room
        self.stopping = False

    def seat(self) -> Direct:
        return self

    async def ask(self, request: Request) -> Output:
        if self.stopping:
            raise Stopped
        try:
            return cast(Output, await getattr(self._model, ABILITY[type(request)])(request))
        except ESCAPES as error:
            task = asyncio.current_task()
            if task and task.cancelling():  # the run itself is being cancelled
                raise
            raise escaped(error) from error

    def stop(self) -> None:
        self.stopping = True

    def leave(self) -> None: ...
    def back(self) -> None: ...
    def seal(self) -> None: ...

    async def close(self) -> None: ...


class Batched(Batcher):
    """Seats for a batch model: two windows at once, one answered while the next fills."""

    def __init__(self, model: BatchModel, batch_size: int | Literal["auto"] | None) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-model")
        growing = batch_size == "auto"
        size = model.batch_size if not batch_size or growing else int(batch_size)
        limits = Limits(size, model.batch_seconds, model.sample_rate)
        super().__init__(self._lanes(), limits, growing=growing)
        self.room = 2 * self.window_size

    def _lanes(self) -> Sequence[Lane]:
        """A model's own lanes if it has any (a Ray pool), else one thread."""
        own: Sequence[Lane] | None = getattr(self._model, "lanes", None)
        return own or [self._in_thread]

    async def _in_thread(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._call, ability, batch)

    def _call(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        try:
            return cast(Sequence[Output], getattr(self._model, ability)(batch))
        except ESCAPES as error:
            raise escaped(error) from error

    async def close(self) -> None:
        await super().close()
        self._thread.shutdown()


def seats(model: Model, settings: Settings) -> Direct | Batched:
    if isinstance(model, AsyncModel):
        return Direct(model, settings.concurrency)
    return Batched(model, settings.batch_size)


class Pass:
    """One pass over the data: answers what the run does not hold yet."""

    def __init__(
        self, inferencer: Inferencer, model: Model, run: Run, settings: Settings, watch: Watch
    ) -> None:
        self._infer = beside(inferencer, batch=isinstance(model, BatchModel))
        self._model = model
        self._run = run
        self._settings = settings
        self._watch = watch
        self._held = run.held()
        self._seen: dict[int, int] = {}
        self._seats = seats(model, settings)
        self._luck = Luck()
        self._rows = self._inside = 0
        self._clock = Clock()
        self._before = passes(run)

    async def over(self, samples: Iterable[Sample | Rejected], stop: asyncio.Event) -> None:
        """Admit samples in order while there is room, until the data ends or somebody stops it."""
        self._run.write_progress({"passes": self._before} if self._before else None)
        watcher = asyncio.create_task(self._drain_on(stop))
        try:
            with seldom_collected():
                await self._take_all(enumerate(islice(samples, self._settings.limit)), stop)
        except BaseExceptionGroup as group:  # the data broke off, or the disk is full
            raise group.exceptions[0] from group
        finally:
            watcher.cancel()
            self._held.close()
            await self._seats.close()
            await let_go(self._infer)
        self._finish(self._rows, stop.is_set())

    async def _take_all(self, rows: Rows, stop: asyncio.Event) -> None:
        """As many places as there is room for; a task each, not one a sample: that costs more."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._seats.room):
                group.create_task(self._take(rows, stop))

    async def _take(self, rows: Rows, stop: asyncio.Event) -> None:
        """One place in the run: a row after the other, from the iterator that all places share."""
        for row, item in rows:
            if stop.is_set():
                break
            self._rows = row + 1
            if sample := self._admitted(row, item):
                # Nothing was awaited since the row was taken, so seats are in data order.
                await self._one(row, sample, self._seats.seat())
            if row % BREATH == 0:
                await asyncio.sleep(0)
        self._seats.seal()

    async def _drain_on(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._seats.stop()
        self._seats.seal()

    def _admitted(self, row: int, item: Sample | Rejected) -> Sample | None:
        """The sample a row holds; a row that holds none, or one seen before, is put on record."""
        if isinstance(item, Sample):
            first = self._seen.setdefault(digest(item.id), row)
            if first == row:
                return item
            reason = f"duplicate id {item.id!r}, first used in row {first + 1}"
            item = Rejected(item.origin or f"row {row + 1}", reason)
        self._reject(row, item)
        return None

    def _reject(self, row: int, item: Rejected) -> None:
        name = f"rejected {item.origin}"  # not the origin itself: a sample may be called so
        self._seen[digest(name)] = row
        sample = Sample(id=name, inputs={}, origin=item.origin)
        record = Record(sample=sample, row=row, error=Failure("RejectedRow", item.reason))
        held = self._held.get(name)
        if held and (held.error, held.row) == (record.error, row):
            self._watch.saw(record)  # known already; the journal need not say it twice
        else:
            self._keep(record)

    async def _one(self, row: int, sample: Sample, seat: Direct | Seat) -> None:
        self._count(1)
        try:
            held = None if self._settings.retry_failed else self._held.get(sample.id)
            if held and held.error:
                self._watch.saw(held)
                return
            record = await self._attempt(row, sample, seat)
            if record:
                self._keep(record)
            else:
                self._watch.skipped()
        except Stopped:
            pass  # not sent, so not answered: the next pass asks it
        finally:
            seat.leave()
            self._count(-1)

    def _count(self, more: int) -> None:
        self._inside += more
        self._watch.asking(self._inside)

    def _keep(self, record: Record) -> None:
        self._run.append(record)
        self._watch.saw(record)

    async def _attempt(self, row: int, sample: Sample, seat: Direct | Seat) -> Record | None:
        """Ask about one sample. What fails is kept with its reason, never as an answer."""
        began = time.perf_counter()
        ask = Asking(seat, self._settings, self._luck)
        key, error, heard, media = "", None, None, has_media(sample)
        outputs: tuple[Output, ...] = ()
        try:
            held = self._held.get(sample.id)
            answered = held.key if held and not held.error else ""
            if media:  # its content must be read, which takes a while
                key, heard = await asyncio.to_thread(_read, sample, answered, self._told(sample))
            else:
                key = content_key(sample, self._told(sample))
            if held and key == answered:
                return _retold(held, row, sample)
            outputs = await self._infer(sample, ask)
        except (Stopped, SpecError):  # nobody's turn, or the user's move
            raise
        except Exception as failure:  # noqa: BLE001 - kept with its sample
            error = Failure(type(failure).__name__, told(failure))
        ended = time.perf_counter()
        record = Record(
            sample=sample,
            row=row,
            key=key,
            outputs=outputs,
            error=error,
            seconds=_tenths_of_ms(ended - began),
            attempts=ask.attempts,
            audio_seconds=heard,
            cached=ask.cached,
        )
        self._clock.add(record, began, ended, media=media)
        return record

    def _told(self, sample: Sample) -> Mapping[str, Json] | None:
        """What the model is told beside the inputs, if it is: another meta is another question."""
        own: Callable[[Sample], Mapping[str, Json]] | None = getattr(self._infer, "about", None)
        return own(sample) if own else None

    def _finish(self, rows: int, stopped: bool) -> None:
        if not stopped and self._settings.limit is None:
            self._run.forget(self._held.ids() - self._seen.keys())
        self._run.flush()
        ready = getattr(self._model, "ready_at", None)  # told by models that load when first asked
        measured = [*self._before, *self._clock.measured(ready)]
        self._run.write_progress({"complete": not stopped, "rows": rows, "passes": measured})


def _read(
    sample: Sample, answered: str, told: Mapping[str, Json] | None
) -> tuple[str, float | None]:
    """A sample's key and, unless it was answered under that key, how long its sounds are."""
    key = content_key(sample, told)
    return key, None if key == answered else heard_seconds(sample)


def _tenths_of_ms(seconds: float) -> float:
    """Seconds to four decimals; `round` takes longer than all the rest of a record."""
    return int(seconds * 10_000) / 10_000


def _retold(held: Record, row: int, sample: Sample) -> Record | None:
    """An answered sample whose target, meta or place changed keeps its answer."""
    same = held.row == row and dumps([held.sample.target, held.sample.meta]) == dumps(
        [sample.target, sample.meta]
    )
    if same:
        return None
    return replace(held, sample=sample, row=row)


async def ask_once(model: Model, request: Request) -> Output:
    """One request by the same road: decoded, retried, checked."""
    settings = Settings(attempts=3)
    table = seats(model, settings)
    try:
        seat = table.seat()
        table.seal()
        return await Asking(seat, settings)(request)
    finally:
        await table.close()


async def close(model: Model) -> None:
    """Release what a model's constructor took; processes of its own take a while to end."""
    if isinstance(model, AsyncModel):
        await model.close()
        return
    model.close()
    if shut := getattr(model, "shut", None):
        await shut()
