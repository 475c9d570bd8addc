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

from auricle.core.errors import SampleError, SpecError, describe
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.serialization import content_key, digest, dumps
from auricle.core.types import (
    ABILITY_BY_REQUEST,
    Ability,
    Failure,
    Json,
    Output,
    Record,
    RejectedRow,
    Request,
    Sample,
    has_media,
)
from auricle.engine.batch_limits import BatchLimits
from auricle.engine.batching import Batcher, BatchSlot, BatchWorker, RunStopped
from auricle.engine.retry import FailFast, RetryingSender
from auricle.engine.retry import Settings as Settings
from auricle.models.base import AsyncModel, BatchModel, Model
from auricle.runs.run_directory import Run
from auricle.runs.throughput import PassTimer, read_passes
from auricle.runs.usage import sample_audio_seconds as heard_seconds
from auricle.tasks.inferencers.base import Inferencer, adapt_to_batching, close_inferencer

ESCAPING_ERRORS = (SystemExit, GeneratorExit, asyncio.CancelledError)
"""What a model may raise that no `except Exception` sees: it costs a sample, not the run."""
NumberedRows: TypeAlias = Iterator[tuple[int, Sample | RejectedRow]]
ROWS_PER_YIELD = 256  # rows passed over before other coroutines get a turn


def as_sample_error(error: BaseException) -> SampleError:
    return SampleError(f"the model raised {type(error).__name__} {error}".rstrip())


class Observer(Protocol):
    """Whoever wants to see a run go by."""

    def on_result(self, record: Record) -> None: ...
    def on_skipped(self) -> None: ...
    def on_in_flight(self, count: int) -> None:
        """So many samples are being asked about at this moment."""


class DirectSlot:
    """Seats for an async model: everybody is answered at once."""

    def __init__(self, model: AsyncModel, capacity: int) -> None:
        self._model = model
        self.capacity = capacity
        self.is_stopping = False

    def acquire_slot(self) -> DirectSlot:
        return self

    async def send(self, request: Request) -> Output:
        if self.is_stopping:
            raise RunStopped
        try:
            return cast(Output, await getattr(self._model, ABILITY_BY_REQUEST[type(request)])(request))
        except ESCAPING_ERRORS as error:
            task = asyncio.current_task()
            if task and task.cancelling():  # the run itself is being cancelled
                raise
            raise as_sample_error(error) from error

    def stop(self) -> None:
        self.is_stopping = True

    def release(self) -> None: ...
    def reacquire(self) -> None: ...
    def close_window(self) -> None: ...

    async def close(self) -> None: ...


class ModelBatcher(Batcher):
    """Seats for a batch model: two windows at once, one answered while the next fills."""

    def __init__(self, model: BatchModel, batch_size: int | Literal["auto"] | None) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-model")
        growing = batch_size == "auto"
        size = model.batch_size if not batch_size or growing else int(batch_size)
        limits = BatchLimits(size, model.batch_seconds, model.sample_rate)
        super().__init__(self._get_workers(), limits, auto_grow=growing)
        self.capacity = 2 * self.window_size

    def _get_workers(self) -> Sequence[BatchWorker]:
        """A model's own lanes if it has any (a Ray pool), else one thread."""
        own: Sequence[BatchWorker] | None = getattr(self._model, "workers", None)
        return own or [self._run_in_thread]

    async def _run_in_thread(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._call_model, ability, batch)

    def _call_model(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        try:
            return cast(Sequence[Output], getattr(self._model, ability)(batch))
        except ESCAPING_ERRORS as error:
            raise as_sample_error(error) from error

    async def close(self) -> None:
        await super().close()
        self._thread.shutdown()


def open_slots(model: Model, settings: Settings) -> DirectSlot | ModelBatcher:
    if isinstance(model, AsyncModel):
        return DirectSlot(model, settings.concurrency)
    return ModelBatcher(model, settings.batch_size)


class RunLoop:
    """One pass over the data: answers what the run does not hold yet."""

    def __init__(self, inferencer: Inferencer, model: Model, run: Run, settings: Settings, observer: Observer) -> None:
        self._inferencer = adapt_to_batching(inferencer, is_batch_model=isinstance(model, BatchModel))
        self._model = model
        self._run_directory = run
        self._settings = settings
        self._observer = observer
        self._journal_index = run.open_index()
        self._first_row_by_id: dict[int, int] = {}
        self._slots = open_slots(model, settings)
        self._fail_fast = FailFast()
        self._row_count = self._in_flight = 0
        self._timer = PassTimer()
        self._earlier_passes = read_passes(run)

    async def run(self, samples: Iterable[Sample | RejectedRow], stop: asyncio.Event) -> None:
        """Admit samples in order while there is room, until the data ends or somebody stops it."""
        self._run_directory.write_progress({"passes": self._earlier_passes} if self._earlier_passes else None)
        watcher = asyncio.create_task(self._drain_when_stopped(stop))
        try:
            with infrequent_gc():
                await self._process_all(enumerate(islice(samples, self._settings.limit)), stop)
        except BaseExceptionGroup as group:  # the data broke off, or the disk is full
            raise group.exceptions[0] from group
        finally:
            watcher.cancel()
            self._journal_index.close()
            await self._slots.close()
            await close_inferencer(self._inferencer)
        self._finish(self._row_count, stop.is_set())

    async def _process_all(self, rows: NumberedRows, stop: asyncio.Event) -> None:
        """As many places as there is room for; a task each, not one a sample: that costs more."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._slots.capacity):
                group.create_task(self._process_rows(rows, stop))

    async def _process_rows(self, rows: NumberedRows, stop: asyncio.Event) -> None:
        """One place in the run: a row after the other, from the iterator that all places share."""
        for row, item in rows:
            if stop.is_set():
                break
            self._row_count = row + 1
            if sample := self._admit(row, item):
                # Nothing was awaited since the row was taken, so seats are in data order.
                await self._process_sample(row, sample, self._slots.acquire_slot())
            if row % ROWS_PER_YIELD == 0:
                await asyncio.sleep(0)
        self._slots.close_window()

    async def _drain_when_stopped(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._slots.stop()
        self._slots.close_window()

    def _admit(self, row: int, item: Sample | RejectedRow) -> Sample | None:
        """The sample a row holds; a row that holds none, or one seen before, is put on record."""
        if isinstance(item, Sample):
            first = self._first_row_by_id.setdefault(digest(item.id), row)
            if first == row:
                return item
            reason = f"duplicate id {item.id!r}, first used in row {first + 1}"
            item = RejectedRow(item.origin or f"row {row + 1}", reason)
        self._reject(row, item)
        return None

    def _reject(self, row: int, item: RejectedRow) -> None:
        name = f"rejected {item.origin}"  # not the origin itself: a sample may be called so
        self._first_row_by_id[digest(name)] = row
        sample = Sample(id=name, inputs={}, origin=item.origin)
        record = Record(sample=sample, row=row, error=Failure("RejectedRow", item.reason))
        held = self._journal_index.get(name)
        if held and (held.error, held.row) == (record.error, row):
            self._observer.on_result(record)  # known already; the journal need not say it twice
        else:
            self._save(record)

    async def _process_sample(self, row: int, sample: Sample, slot: DirectSlot | BatchSlot) -> None:
        self._update_in_flight(1)
        try:
            held = None if self._settings.retry_failed else self._journal_index.get(sample.id)
            if held and held.error:
                self._observer.on_result(held)
                return
            record = await self._ask_model(row, sample, slot)
            if record:
                self._save(record)
            else:
                self._observer.on_skipped()
        except RunStopped:
            pass  # not sent, so not answered: the next pass asks it
        finally:
            slot.release()
            self._update_in_flight(-1)

    def _update_in_flight(self, change: int) -> None:
        self._in_flight += change
        self._observer.on_in_flight(self._in_flight)

    def _save(self, record: Record) -> None:
        self._run_directory.append(record)
        self._observer.on_result(record)

    async def _ask_model(self, row: int, sample: Sample, slot: DirectSlot | BatchSlot) -> Record | None:
        """Ask about one sample. What fails is kept with its reason, never as an answer."""
        began = time.perf_counter()
        ask = RetryingSender(slot, self._settings, self._fail_fast)
        key, error, heard, media = "", None, None, has_media(sample)
        outputs: tuple[Output, ...] = ()
        try:
            held = self._journal_index.get(sample.id)
            answered = held.key if held and not held.error else ""
            if media:  # its content must be read, which takes a while
                key, heard = await asyncio.to_thread(
                    _read_key_and_duration, sample, answered, self._request_context(sample)
                )
            else:
                key = content_key(sample, self._request_context(sample))
            if held and key == answered:
                return _update_record(held, row, sample)
            outputs = await self._inferencer(sample, ask)
        except (RunStopped, SpecError):  # nobody's turn, or the user's move
            raise
        except Exception as failure:  # noqa: BLE001 - kept with its question
            error = Failure(type(failure).__name__, describe(failure))
        ended = time.perf_counter()
        record = Record(
            sample=sample,
            row=row,
            key=key,
            outputs=outputs,
            error=error,
            seconds=_truncate_seconds(ended - began),
            attempts=ask.attempts,
            audio_seconds=heard,
            cached=ask.cache_hits,
        )
        self._timer.add(record, began, ended, has_media=media)
        return record

    def _request_context(self, sample: Sample) -> Mapping[str, Json] | None:
        """What the model is told beside the inputs, if it is: another meta is another question."""
        own: Callable[[Sample], Mapping[str, Json]] | None = getattr(self._inferencer, "sample_context", None)
        return own(sample) if own else None

    def _finish(self, row_count: int, stopped: bool) -> None:
        if not stopped and self._settings.limit is None:
            self._run_directory.mark_removed(self._journal_index.id_digests() - self._first_row_by_id.keys())
        self._run_directory.flush()
        ready = getattr(self._model, "ready_at", None)  # told by models that load when first asked
        measured = [*self._earlier_passes, *self._timer.timings(ready)]
        self._run_directory.write_progress({"complete": not stopped, "rows": row_count, "passes": measured})


def _read_key_and_duration(
    sample: Sample, answered_key: str, context: Mapping[str, Json] | None
) -> tuple[str, float | None]:
    """A sample's key and, unless it was answered under that key, how long its sounds are."""
    key = content_key(sample, context)
    return key, None if key == answered_key else heard_seconds(sample)


def _truncate_seconds(seconds: float) -> float:
    """Seconds to four decimals; `round` takes longer than all the rest of a record."""
    return int(seconds * 10_000) / 10_000


def _update_record(earlier: Record, row: int, sample: Sample) -> Record | None:
    """An answered sample whose target, meta or place changed keeps its answer."""
    same = earlier.row == row and dumps([earlier.sample.target, earlier.sample.meta]) == dumps(
        [sample.target, sample.meta]
    )
    if same:
        return None
    return replace(earlier, sample=sample, row=row)


async def send_once(model: Model, request: Request) -> Output:
    """One request by the same road: decoded, retried, checked."""
    settings = Settings(max_attempts=3)
    table = open_slots(model, settings)
    try:
        seat = table.acquire_slot()
        table.close_window()
        return await RetryingSender(seat, settings)(request)
    finally:
        await table.close()


async def close_model(model: Model) -> None:
    """Release what a model's constructor took; processes of its own take a while to end."""
    if isinstance(model, AsyncModel):
        await model.close()
        return
    model.close()
    if shut := getattr(model, "aclose", None):
        await shut()
