"""Run all samples of a task through a model and append each result to the journal."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TypeAlias

from auricle.core.adaptive_executor import AdaptiveExecutor
from auricle.core.calls import get_recording
from auricle.core.closing import Closing
from auricle.core.errors import SpecError, describe, kind_of
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.serialization import content_key, digest, dumps
from auricle.core.types import (
    Failure,
    Json,
    Outcome,
    Output,
    Record,
    RejectedRow,
    Sample,
    create_record,
    get_call,
    has_audio,
    has_media,
    list_audio,
)
from auricle.data.read_ahead import ReadAhead
from auricle.engine.batching import RunStopped
from auricle.engine.conditions import is_perturbed, render_sample
from auricle.engine.inferencers.base import Inferencer, adapt_to_batching, close_inferencer, wrap_model
from auricle.engine.observer import Observer
from auricle.engine.request_loop import RequestLoop
from auricle.engine.retry import FailFast, RetryingSender, Slot
from auricle.engine.settings import Settings
from auricle.engine.slots import open_slots
from auricle.engine.task import count_samples
from auricle.media.sound_measures import SignalMeasures
from auricle.models.base import AsyncModel, BatchModel, Model
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.runs.sound_measures import RecordingMeasurer, SignalLog, first_recording, measure_recording
from auricle.runs.throughput import PassTimer, read_passes
from auricle.runs.usage import sample_audio_seconds

Job: TypeAlias = tuple[int, Sample, Record | None]
"""A row, its sample, and its earlier answer if that may still be valid."""
GetContext: TypeAlias = Callable[[Sample], Mapping[str, Json]]


class RunLoop(Closing):
    """One pass over the data, which answers the samples that the run has no answer for.

    Args:
        inferencer: Turns samples into requests.
        samples: The data, which is read once.
        run: Run directory, opened for appending.
        settings: How to execute the run.
        observer: Follows the progress.
    """

    def __init__(
        self,
        inferencer: Inferencer,
        samples: Iterable[Sample | RejectedRow],
        run: Run,
        settings: Settings,
        observer: Observer,
    ) -> None:
        self._inferencer = inferencer
        self._get_context: GetContext | None = getattr(inferencer, "sample_context", None)
        self._admitted = self._admit_rows(samples)
        self._jobs: Iterator[Job | None] = self._admitted
        self._total = count_samples(samples, settings.limit)
        self._run_directory = run
        self._settings = settings
        self._observer = observer
        self._journal_index = run.open_index(beyond_limit=True)
        self._has_earlier_answers = len(self._journal_index) > 0
        # Without a journal to look into, ids are only compared with each other.
        self._digest_id: Callable[[str], int] = digest if self._has_earlier_answers else hash
        self._first_row_by_id: dict[int, int] = {}
        self._fail_fast = FailFast()
        self._executor = AdaptiveExecutor(8, "auricle-read")
        self._row_count = self._answered = 0
        self.audio_not_sent = 0
        """Samples of this pass with audio that none of their requests contained."""
        self._outcomes: Counter[Outcome] = Counter()
        self._used_answers: set[int] = set()
        """Hashes of the ids whose earlier answers were kept or moved in this pass."""
        self._timer = PassTimer()
        self._earlier_passes = read_passes(run)

    def needs_model(self) -> bool:
        """Return whether a sample has to be sent.

        The rows of a finished run are processed here, up to the first that has to be sent. Other runs nearly always
        need a model, so that their rows are left to `run`.
        """
        if not self._run_directory.read_progress().complete:
            return True
        self._mark_unfinished()
        with infrequent_gc():
            for job in self._jobs:
                if job is not None and not self._keep_if_unchanged(*job):
                    self._jobs = chain([job], self._jobs)
                    return True
        return False

    async def run(
        self,
        model: Model,
        stop: asyncio.Event,
        describe_data: Callable[[Progress], Progress] = lambda progress: progress,
    ) -> Mapping[Outcome, int]:
        """Process the rows in order until the data ends or `stop` is set.

        Args:
            model: Answers requests.
            stop: When set, requests in flight may finish and no further ones are sent.
            describe_data: Adds what is known about the data after the pass to the progress.

        Returns:
            The number of each outcome.
        """
        self._mark_unfinished()
        self._fail_fast = FailFast(stop)
        self._inferencer = adapt_to_batching(self._inferencer, is_batch_model=isinstance(model, BatchModel))
        answering = model
        if isinstance(model, BatchModel) and not self._settings.cache:  # which has answers of the model alone
            answering = wrap_model(self._inferencer, model)
        slots, run = open_slots(answering, self._settings), self._run_directory
        loop = RequestLoop(slots, self._process_sample, stop, self._observer.on_in_flight, run.check, _get_subset)
        stop_watcher = asyncio.create_task(self._mark_stopping(stop))
        try:
            with infrequent_gc():
                await loop.run(self._jobs)
        finally:
            stop_watcher.cancel()
            self.close()
            await close_inferencer(self._inferencer)
        ready_at = getattr(model, "ready_at", None)  # set by models that load at the first request
        self._run_directory.write_progress(describe_data(self._finish(ready_at, stopped=stop.is_set())))
        return self._outcomes + Counter({Outcome.ANSWERED: self._answered})

    def close(self) -> None:
        self._admitted.close()
        self._journal_index.close()
        self._executor.close()
        if "_measurer" in self.__dict__:
            with suppress(OSError):
                self._measurer.close()
        if "_signal_log" in self.__dict__:
            self._signal_log.close()

    def _mark_unfinished(self, *, stopping: bool = False) -> None:
        passes = tuple(self._earlier_passes)
        limit = self._settings.limit
        self._run_directory.write_progress(Progress(limit=limit, passes=passes, total=self._total, stopping=stopping))

    async def _mark_stopping(self, stop: asyncio.Event) -> None:
        """Record that a stop was requested, for those who follow the run, while requests in flight are answered."""
        await stop.wait()
        with suppress(OSError):  # such as a full disk, which the end of the pass reports
            self._mark_unfinished(stopping=True)

    @property
    def stop_reason(self) -> str:
        """Why the server ended the run; empty if it did not."""
        return self._fail_fast.stop_reason

    def _admit_rows(self, samples: Iterable[Sample | RejectedRow]) -> Generator[Job | None]:
        """Yield the samples to process, and None for rows that need no request."""
        is_remote = getattr(samples, "is_remote", False)
        rows = islice(samples, self._settings.limit)
        with ReadAhead(rows, _count_bytes) if is_remote else nullcontext(rows) as ready_rows:
            for row, item in enumerate(ready_rows):
                self._row_count = row + 1
                yield self._admit(row, item)

    def _admit(self, row: int, item: Sample | RejectedRow) -> Job | None:
        """Return the sample of a row, unless it is answered; invalid rows and duplicate ids are recorded as failed."""
        if isinstance(item, Sample):
            id_digest = self._digest_id(item.id)
            first = self._first_row_by_id.setdefault(id_digest, row)
            if first == row:
                previous = self._journal_index.get_by_digest(id_digest)
                return (row, item, None) if previous is None else self._admit_again(row, item, previous)
            reason = f"duplicate id {item.id!r}, first used in row {first + 1}"
            item = RejectedRow(item.origin or f"row {row + 1}", reason, item.target)
        self._reject(row, item)
        return None

    def _admit_again(self, row: int, sample: Sample, previous: Record) -> Job | None:
        """Return a sample of an earlier pass if it has to be sent, or if its media have to be read to decide that."""
        if previous.error and not self._settings.retry_failed:
            self._store_if_changed(row, sample, previous)
            self._report(previous)
            return None
        if not self._is_answer(previous):
            return row, sample, None
        if has_media(sample) or not self._keep_if_unchanged(row, sample, previous):
            return row, sample, previous
        return None

    def _is_answer(self, previous: Record) -> bool:
        """Return whether what became of a sample in an earlier pass is to be kept."""
        return not previous.error and not (self._settings.retry_dropped and previous.outcome is Outcome.DROPPED)

    def _keep_if_unchanged(self, row: int, sample: Sample, previous: Record | None) -> bool:
        """Keep the earlier answer of a sample if its content can be read and is the same."""
        if previous is None:
            return False
        key = ""
        with suppress(Exception):  # raised again, and recorded, when the sample is processed
            key = content_key(sample, self._request_context(sample))
        if key != previous.key:
            return False
        self._keep_answer(row, sample, previous)
        return True

    def _reject(self, row: int, item: RejectedRow) -> None:
        name = item.id
        if not name or self._digest_id(name) in self._first_row_by_id:
            name = f"rejected {item.origin}"  # prefixed, because a sample may have the origin as its id
        self._first_row_by_id[self._digest_id(name)] = row
        sample = Sample(id=name, inputs={}, target=item.target, meta=item.meta, origin=item.origin)
        record = Record(sample=sample, row=row, error=Failure(RejectedRow.__name__, item.reason))
        previous = self._journal_index.get(name)
        if previous and (previous.error, previous.row, previous.sample) == (record.error, row, sample):
            self._report(record)  # already in the journal
        else:
            self._save(record)

    def _keep_answer(self, row: int, sample: Sample, previous: Record) -> None:
        """Count an answer of an earlier pass, and store it again if the row, target or metadata changed."""
        self._used_answers.add(hash(previous.sample.id))
        self._store_if_changed(row, sample, previous)
        self._answered += 1
        self._observer.on_skipped()

    def _store_if_changed(self, row: int, sample: Sample, earlier: Record) -> None:
        if earlier.row != row or not _is_stored(sample, earlier.sample):
            self._run_directory.append(replace(earlier, sample=sample, row=row))

    def _find_moved_answer(self, key: str) -> Record | None:
        """Return an answer of an earlier pass to the same content under an id that is now that of another row.

        Rows without ids are numbered, so that inserting one gives all later rows another id.
        """
        for sample_id in self._ids_by_key.get(key, ()):
            if hash(sample_id) not in self._used_answers:
                return self._journal_index.get(sample_id)
        return None

    @cached_property
    def _signal_log(self) -> SignalLog:
        return SignalLog(self._run_directory.path)

    @cached_property
    def _measurer(self) -> RecordingMeasurer:
        return RecordingMeasurer(self._signal_log)

    @cached_property
    def _ids_by_key(self) -> dict[str, list[str]]:
        """Ids of the answers of earlier passes, by the key of their sample."""
        ids_by_key: dict[str, list[str]] = {}
        for record in self._journal_index.records():
            if self._is_answer(record):
                ids_by_key.setdefault(record.key, []).append(record.sample.id)
        return ids_by_key

    def _save(self, record: Record) -> None:
        self._report(self._run_directory.append(record))

    def _report(self, record: Record) -> None:
        if (outcome := record.outcome) is Outcome.ANSWERED:
            self._answered += 1  # the common case; hashing an enum takes as long as the rest of this function
        else:
            self._outcomes[outcome] += 1
        self.audio_not_sent += record.audio_not_sent
        self._observer.on_result(record)

    async def _process_sample(self, job: Job, slot: Slot) -> None:
        """Answer one sample, unless its media are those of its earlier answer; errors are recorded."""
        row, sample, previous = job
        started_at = time.perf_counter()
        key, error, audio_seconds, sample_has_media = "", None, None, has_media(sample)
        sender = RetryingSender(slot, self._settings, self._fail_fast, has_media=sample_has_media)
        outputs: tuple[Output, ...] = ()
        try:
            if sample_has_media:  # hashing files takes a while
                answered_key = previous.key if previous else ""
                key, audio_seconds = await self._executor.run(
                    _read_key_and_duration, sample, answered_key, self._request_context(sample)
                )
                if previous and key == answered_key:
                    self._keep_answer(row, sample, previous)
                    return
            else:
                key = content_key(sample, self._request_context(sample))
            if self._has_earlier_answers and (moved := self._find_moved_answer(key)):
                self._keep_answer(row, sample, moved)
                return
            to_send = await self._render(sample, key) if sample_has_media else sample
            outputs = await self._inferencer(to_send, sender)
        except (RunStopped, SpecError):  # these end the run, not the sample
            raise
        except Exception as failure:  # noqa: BLE001 - recorded with its sample
            error = Failure(kind_of(failure), describe(failure) + await self._store_failed_call(sample, failure))
        record = create_record(
            sample=sample,
            row=row,
            key=key,
            outputs=outputs,
            error=error,
            seconds=_truncate_seconds(sender.model_seconds),
            attempts=sender.attempts,
            audio_seconds=audio_seconds,
            cached=sender.cache_hits,
            audio_not_sent=sample_has_media and sender.has_sent_audio is False and has_audio(sample),
            wait_seconds=_truncate_seconds(sender.wait_seconds),
        )
        span = started_at, time.perf_counter()
        self._timer.add(record, span, model_seconds=sender.model_seconds, has_media=sample_has_media)
        if any(map(get_call, outputs)):  # encoding their audio here would delay the frames of other calls
            self._report(await asyncio.to_thread(self._run_directory.append, record))
        else:
            self._save(record)

    async def _store_failed_call(self, sample: Sample, failure: Exception) -> str:
        """Keep the event log of a call that failed; return where it is, as the end of a message."""
        recording = get_recording(failure)
        if recording is None:
            return ""
        with suppress(OSError):  # such as a full disk, which the journal reports
            log = await asyncio.to_thread(self._run_directory.store_failed_call, sample.id, recording)
            return f" (events until then: {log})"
        return ""

    async def _render(self, sample: Sample, key: str) -> Sample:
        """Return the sample as it is sent, perturbed if it is to be; its recording is measured, now or later."""
        if is_perturbed(sample):
            rendered, measures, realised = await self._executor.run(_render_and_measure, sample)
            self._signal_log.append(key, measures, realised)
            return rendered
        if recording := first_recording(sample):
            with suppress(OSError):  # such as a full disk, which the journal reports
                await self._measurer.add(key, recording)
        return sample

    def _request_context(self, sample: Sample) -> Mapping[str, Json] | None:
        """Return the metadata that is sent with the inputs, if any; it is part of the sample's key."""
        return self._get_context(sample) if self._get_context else None

    def _finish(self, ready_at: float | None, *, stopped: bool) -> Progress:
        if not stopped:
            self._exclude_others()
        self._run_directory.flush()
        return Progress(
            complete=not stopped,
            rows=self._row_count,
            limit=self._settings.limit,
            passes=(*self._earlier_passes, *self._timer.timings(ready_at)),
            total=self._total,
        )

    def _exclude_others(self) -> None:
        """Exclude earlier samples that are not in the rows of this pass."""
        run, limit = self._run_directory, self._settings.limit
        if limit is None or self._row_count < limit:  # all of the data was read
            run.mark_removed(self._journal_index.id_digests() - self._first_row_by_id.keys())
        elif self._has_earlier_answers:
            run.flush()
            with run.open_index() as index:
                for id_digest in index.id_digests() - self._first_row_by_id.keys():
                    if displaced := index.get_by_digest(id_digest):  # it may be in a later row: its answer is kept
                        run.append(replace(displaced, row=limit))


class NoModel(AsyncModel):
    """Stands for the model of a run that has all its answers, which need not be loaded."""


def _get_subset(job: Job) -> Json:
    return job[1].meta.get("subset")


def _read_key_and_duration(
    sample: Sample, answered_key: str, context: Mapping[str, Json] | None
) -> tuple[str, float | None]:
    """Return a sample's key and, unless it was answered with that key, the duration of its audio."""
    key = content_key(sample, context)
    return key, None if key == answered_key else sample_audio_seconds(sample)


def _render_and_measure(sample: Sample) -> tuple[Sample, SignalMeasures, dict[str, float]]:
    """Perturb the recordings of a sample, and measure the first of them and its perturbation."""
    rendered, realised = render_sample(sample)
    return rendered, measure_recording(first_recording(rendered)), realised


def _count_bytes(item: Sample | RejectedRow) -> int:
    """Return the bytes of a row's recordings that are in memory."""
    recordings = list_audio(item) if isinstance(item, Sample) else []
    return sum(len(audio.data) for audio in recordings if isinstance(audio.data, bytes))


def _truncate_seconds(seconds: float) -> float:
    """Truncate to four decimals; `round` is slower than all the rest of creating a record."""
    return int(seconds * 10_000) / 10_000


def _is_stored(sample: Sample, earlier: Sample) -> bool:
    """Return whether id, target and metadata are those of an earlier sample, which was read from JSON."""
    fields, earlier_fields = ([item.id, item.target, item.meta] for item in (sample, earlier))
    if fields == earlier_fields and all(type(text) is str for text in (sample.target, *sample.meta.values())):
        return True  # without encoding them, which distinguishes 1, 1.0 and True
    return dumps(fields) == dumps(earlier_fields)
