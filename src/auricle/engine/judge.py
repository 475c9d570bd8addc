"""One pass of a judge over a run's answers, by the road every model is asked on.

What it said is kept line by line as it comes, so that a pass killed at any moment goes on
where it stopped and asks nothing twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from auricle.core.errors import AllRequestsFailed, AuricleError, describe
from auricle.core.files import Journal, truncate_partial_line
from auricle.core.serialization import digest
from auricle.core.types import Failure, Generation
from auricle.engine import run_loop
from auricle.engine.batching import RunStopped
from auricle.engine.retry import FailFast, RetryingSender, Settings, Slot
from auricle.metrics.base import Metric
from auricle.models.base import Model
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Judge, JudgeRequest, Verdict, VerdictIndex, build_judge_requests, read_last_judge


class VerdictObserver(Protocol):
    """Whoever wants to see verdicts go by."""

    def on_result(self, verdict: Verdict) -> None: ...


class JudgeObserver(Protocol):
    """Whoever watches a run and also wants to see it judged."""

    def start_judging(self, total: int) -> VerdictObserver: ...


class NullJudgeObserver:
    """For verdicts nobody looks at."""

    def start_judging(self, total: int) -> NullJudgeObserver:
        return self

    def on_result(self, verdict: Verdict) -> None: ...


class JudgePass:
    """A run's answers before a judge: which verdicts are wanted, and asking for them."""

    def __init__(self, run: Run, metrics: Sequence[Metric], judge: Judge) -> None:
        self._run_directory = run
        self._metrics = [metric for metric in metrics if metric.judge_requests]
        self._judge = judge
        truncate_partial_line(run.verdicts_path)

    def count_pending(self) -> int:
        """How many verdicts are wanted and not there; a model need only be loaded for some."""
        with self._open_verdicts() as held:
            return sum(1 for _ in self._pending(held))

    async def run(self, model: Model, settings: Settings, observer: VerdictObserver, stop: asyncio.Event) -> None:
        """Ask for every verdict that is wanted and not there, until somebody stops it."""
        self.write_judge_line()
        journal = Journal(self._run_directory.verdicts_path)
        try:
            with self._open_verdicts() as held:
                sitting = JudgeLoop(self._judge.name, model, settings, journal, observer)
                await sitting.run(self._pending(held), stop)
        finally:
            journal.close()

    def write_judge_line(self) -> None:
        """Note that from here on this is the judge, unless it was already."""
        if self._metrics and read_last_judge(self._run_directory.verdicts_path) != self._judge:
            journal = Journal(self._run_directory.verdicts_path)
            journal.append(self._judge.to_json_line())
            journal.close()

    def _open_verdicts(self) -> VerdictIndex:
        return VerdictIndex(self._run_directory.verdicts_path, self._judge)

    def _pending(self, verdicts: VerdictIndex) -> Iterator[JudgeRequest]:
        if not self._metrics:
            return
        seen: set[int] = set()  # two samples may have the same question and the same answer
        for record in self._run_directory.records():
            for metric in () if record.error else self._metrics:
                try:
                    wanted = build_judge_requests(self._judge, metric, record)
                except AuricleError:
                    continue  # scoring meets the same, and tells it with the sample
                for each in wanted:
                    key = digest(each.key)
                    if key not in seen and not verdicts.has_reply(each.key):
                        seen.add(key)
                        yield each


class JudgeLoop:
    """Questions to one judge, as many at once as there is room for."""

    def __init__(
        self, judge_name: str, model: Model, settings: Settings, journal: Journal, observer: VerdictObserver
    ) -> None:
        # No cache: votes are the same request again, and every answer would be the first.
        self._settings = replace(settings, cache=None)
        self._slots = run_loop.open_slots(model, self._settings)
        self._fail_fast = FailFast()
        self._judge_name = judge_name
        self._journal = journal
        self._observer = observer

    async def run(self, requests: Iterator[JudgeRequest], stop: asyncio.Event) -> None:
        watcher = asyncio.create_task(self._drain_when_stopped(stop))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._slots.capacity):
                    group.create_task(self._process_requests(requests, stop))
        except BaseExceptionGroup as errors:  # the judge is out of reach, or the disk is full
            raise errors.exceptions[0] from errors
        finally:
            watcher.cancel()
            await self._slots.close()

    async def _drain_when_stopped(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._slots.stop()
        self._slots.close_window()

    async def _process_requests(self, requests: Iterator[JudgeRequest], stop: asyncio.Event) -> None:
        """One place: a question after the other, from the iterator that all places share."""
        for question in requests:
            if stop.is_set():
                break
            seat = self._slots.acquire_slot()
            try:
                self._save(await self._request_verdict(question, seat))
            except RunStopped:
                break  # not sent, so not answered: the next pass asks it
            finally:
                seat.release()
        self._slots.close_window()

    async def _request_verdict(self, judge_request: JudgeRequest, slot: Slot) -> Verdict:
        began = time.perf_counter()
        reply, error = None, None
        try:
            output = await RetryingSender(slot, self._settings, self._fail_fast)(judge_request.request)
            assert isinstance(output, Generation)
            reply = output
        except (RunStopped, AllRequestsFailed):
            raise
        except Exception as failure:  # noqa: BLE001 - kept with its question
            error = Failure(type(failure).__name__, describe(failure))
        seconds = round(time.perf_counter() - began, 4)
        return Verdict(judge_request, self._judge_name, reply, error, seconds)

    def _save(self, verdict: Verdict) -> None:
        self._journal.append(verdict.to_json_line())
        self._observer.on_result(verdict)
