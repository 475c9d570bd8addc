"""Run all samples of a task through a model and append each result to the journal.

An async model gets each request directly; a batch model gets them through a `Batcher`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Literal, TypeAlias, cast

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
from auricle.engine.observer import Observer
from auricle.engine.retry import FailFast, RetryingSender
from auricle.engine.settings import Settings
from auricle.models.base import AsyncModel, BatchModel, Model
from auricle.runs.run_directory import Run
from auricle.runs.throughput import PassTimer, read_passes
from auricle.runs.usage import sample_audio_seconds
from auricle.tasks.inferencers.base import Inferencer, adapt_to_batching, close_inferencer

ESCAPING_ERRORS = (SystemExit, GeneratorExit, asyncio.CancelledError)
"""Errors that `except Exception` does not catch. Raised by a model, they fail the sample, not the run."""
NumberedRows: TypeAlias = Iterator[tuple[int, Sample | RejectedRow]]
ROWS_PER_YIELD = 256
"""Rows processed without awaiting before other coroutines get a turn."""


def as_sample_error(error: BaseException) -> SampleError:
    return SampleError(f"the model raised {type(error).__name__} {error}".rstrip())


class DirectSlot:
    """Slot for an async model, shared by all samples: requests are sent immediately."""

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
            if task and task.cancelling():  # the run is being cancelled
                raise
            raise as_sample_error(error) from error

    def stop(self) -> None:
        self.is_stopping = True

    def release(self) -> None: ...
    def reacquire(self) -> None: ...
    def close_window(self) -> None: ...

    async def close(self) -> None: ...


class ModelBatcher(Batcher):
    """Slots for a batch model: one window is processed while the next fills."""

    def __init__(self, model: BatchModel, batch_size: int | Literal["auto"] | None) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-model")
        auto_grow = batch_size == "auto"
        size = model.batch_size if not batch_size or auto_grow else int(batch_size)
        limits = BatchLimits(size, model.batch_seconds, model.sample_rate)
        super().__init__(self._get_workers(), limits, auto_grow=auto_grow)
        self.capacity = 2 * self.window_size

    def _get_workers(self) -> Sequence[BatchWorker]:
        """Return the workers of a replica pool, or one thread for a local model."""
        workers: Sequence[BatchWorker] | None = getattr(self._model, "workers", None)
        return workers or [self._run_in_thread]

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
    """Return what hands out slots for a model."""
    if isinstance(model, AsyncModel):
        return DirectSlot(model, settings.concurrency)
    return ModelBatcher(model, settings.batch_size)


class RunLoop:
    """One pass over the data, which answers the samples that the run has no answer for.

    Args:
        inferencer: Turns samples into requests.
        model: Answers requests.
        run: Run directory, opened for appending.
        settings: How to execute the run.
        observer: Follows the progress.
    """

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
        """Process samples in order until the data ends or `stop` is set."""
        self._run_directory.write_progress({"passes": self._earlier_passes} if self._earlier_passes else None)
        watcher = asyncio.create_task(self._drain_when_stopped(stop))
        try:
            with infrequent_gc():
                await self._process_all(enumerate(islice(samples, self._settings.limit)), stop)
        except BaseExceptionGroup as group:  # such as unreadable data or a full disk
            raise group.exceptions[0] from group
        finally:
            watcher.cancel()
            self._journal_index.close()
            await self._slots.close()
            await close_inferencer(self._inferencer)
        self._finish(self._row_count, stop.is_set())

    async def _process_all(self, rows: NumberedRows, stop: asyncio.Event) -> None:
        """Process rows in one task per slot; one task per sample would be slower."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._slots.capacity):
                group.create_task(self._process_rows(rows, stop))

    async def _process_rows(self, rows: NumberedRows, stop: asyncio.Event) -> None:
        """Process one row after the other from the iterator that all tasks share."""
        for row, item in rows:
            if stop.is_set():
                break
            self._row_count = row + 1
            if sample := self._admit(row, item):
                # Nothing was awaited since the row was taken, so slots are in data order.
                await self._process_sample(row, sample, self._slots.acquire_slot())
            if row % ROWS_PER_YIELD == 0:
                await asyncio.sleep(0)
        self._slots.close_window()

    async def _drain_when_stopped(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._slots.stop()
        self._slots.close_window()

    def _admit(self, row: int, item: Sample | RejectedRow) -> Sample | None:
        """Return the sample of a row; invalid rows and duplicate ids are recorded as failed."""
        if isinstance(item, Sample):
            first = self._first_row_by_id.setdefault(digest(item.id), row)
            if first == row:
                return item
            reason = f"duplicate id {item.id!r}, first used in row {first + 1}"
            item = RejectedRow(item.origin or f"row {row + 1}", reason)
        self._reject(row, item)
        return None

    def _reject(self, row: int, item: RejectedRow) -> None:
        name = f"rejected {item.origin}"  # prefixed, because a sample may have the origin as its id
        self._first_row_by_id[digest(name)] = row
        sample = Sample(id=name, inputs={}, origin=item.origin)
        record = Record(sample=sample, row=row, error=Failure("RejectedRow", item.reason))
        previous = self._journal_index.get(name)
        if previous and (previous.error, previous.row) == (record.error, row):
            self._observer.on_result(record)  # already in the journal
        else:
            self._save(record)

    async def _process_sample(self, row: int, sample: Sample, slot: DirectSlot | BatchSlot) -> None:
        self._update_in_flight(1)
        try:
            previous = None if self._settings.retry_failed else self._journal_index.get(sample.id)
            if previous and previous.error:
                self._observer.on_result(previous)
                return
            record = await self._ask_model(row, sample, slot)
            if record:
                self._save(record)
            else:
                self._observer.on_skipped()
        except RunStopped:
            pass  # not sent; the next pass sends it
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
        """Answer one sample. Return None if its answer is already stored; errors are recorded."""
        started_at = time.perf_counter()
        sender = RetryingSender(slot, self._settings, self._fail_fast)
        key, error, audio_seconds, sample_has_media = "", None, None, has_media(sample)
        outputs: tuple[Output, ...] = ()
        try:
            previous = self._journal_index.get(sample.id)
            answered_key = previous.key if previous and not previous.error else ""
            if sample_has_media:  # hashing files takes a while
                key, audio_seconds = await asyncio.to_thread(
                    _read_key_and_duration, sample, answered_key, self._request_context(sample)
                )
            else:
                key = content_key(sample, self._request_context(sample))
            if previous and key == answered_key:
                return _update_record(previous, row, sample)
            outputs = await self._inferencer(sample, sender)
        except (RunStopped, SpecError):  # these end the run, not the sample
            raise
        except Exception as failure:  # noqa: BLE001 - recorded with its sample
            error = Failure(type(failure).__name__, describe(failure))
        ended_at = time.perf_counter()
        record = Record(
            sample=sample,
            row=row,
            key=key,
            outputs=outputs,
            error=error,
            seconds=_truncate_seconds(ended_at - started_at),
            attempts=sender.attempts,
            audio_seconds=audio_seconds,
            cached=sender.cache_hits,
        )
        self._timer.add(record, started_at, ended_at, has_media=sample_has_media)
        return record

    def _request_context(self, sample: Sample) -> Mapping[str, Json] | None:
        """Return the metadata that is sent with the inputs, if any; it is part of the sample's key."""
        get_context: Callable[[Sample], Mapping[str, Json]] | None = getattr(self._inferencer, "sample_context", None)
        return get_context(sample) if get_context else None

    def _finish(self, row_count: int, stopped: bool) -> None:
        if not stopped and self._settings.limit is None:
            self._run_directory.mark_removed(self._journal_index.id_digests() - self._first_row_by_id.keys())
        self._run_directory.flush()
        ready_at = getattr(self._model, "ready_at", None)  # set by models that load at the first request
        passes = [*self._earlier_passes, *self._timer.timings(ready_at)]
        self._run_directory.write_progress({"complete": not stopped, "rows": row_count, "passes": passes})


def _read_key_and_duration(
    sample: Sample, answered_key: str, context: Mapping[str, Json] | None
) -> tuple[str, float | None]:
    """Return a sample's key and, unless it was answered with that key, the duration of its audio."""
    key = content_key(sample, context)
    return key, None if key == answered_key else sample_audio_seconds(sample)


def _truncate_seconds(seconds: float) -> float:
    """Truncate to four decimals; `round` is slower than all the rest of creating a record."""
    return int(seconds * 10_000) / 10_000


def _update_record(earlier: Record, row: int, sample: Sample) -> Record | None:
    """Return an answered record with the new target, metadata or row; None if nothing changed."""
    earlier_fields, fields = ([item.target, item.meta] for item in (earlier.sample, sample))
    if earlier.row == row and dumps(earlier_fields) == dumps(fields):
        return None
    return replace(earlier, sample=sample, row=row)


async def send_once(model: Model, request: Request) -> Output:
    """Send one request as a run would: with decoding, retries and checks."""
    settings = Settings(max_attempts=3)
    slots = open_slots(model, settings)
    try:
        slot = slots.acquire_slot()
        slots.close_window()
        return await RetryingSender(slot, settings)(request)
    finally:
        await slots.close()


async def close_model(model: Model) -> None:
    """Close a model, and wait for its worker processes to end."""
    if isinstance(model, AsyncModel):
        await model.close()
        return
    model.close()
    if aclose := getattr(model, "aclose", None):
        await aclose()
