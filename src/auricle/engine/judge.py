"""Have a judge score the answers of a run.

Each verdict is appended to `verdicts.jsonl` when it arrives, so a pass that is killed resumes where it
stopped and sends no request twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from auricle.core.errors import AllRequestsFailed, AuricleError, describe
from auricle.core.serialization import digest
from auricle.core.types import Failure, Generation
from auricle.engine import run_loop
from auricle.engine.batching import RunStopped
from auricle.engine.observer import VerdictObserver
from auricle.engine.retry import FailFast, RetryingSender, Slot
from auricle.engine.settings import Settings
from auricle.metrics.base import Metric
from auricle.models.base import Model
from auricle.runs.journal import Journal, truncate_partial_line
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Judge, JudgeRequest, Verdict, VerdictIndex, build_judge_requests, read_last_judge


class JudgePass:
    """One pass of a judge over the answers of a run.

    Args:
        run: The run whose answers are judged.
        metrics: Metrics of the task; those without judge requests are ignored.
        judge: The judge model.
    """

    def __init__(self, run: Run, metrics: Sequence[Metric], judge: Judge) -> None:
        self._run_directory = run
        self._metrics = [metric for metric in metrics if metric.judge_requests]
        self._judge = judge
        truncate_partial_line(run.verdicts_path)

    def count_pending(self) -> int:
        """Count the missing verdicts; without any, the judge need not be loaded."""
        with self._open_verdicts() as verdicts:
            return sum(1 for _ in self._pending(verdicts))

    async def run(self, model: Model, settings: Settings, observer: VerdictObserver, stop: asyncio.Event) -> None:
        """Request all missing verdicts, until `stop` is set."""
        self.write_judge_line()
        journal = Journal(self._run_directory.verdicts_path)
        try:
            with self._open_verdicts() as verdicts:
                loop = JudgeLoop(self._judge.name, model, settings, journal, observer)
                await loop.run(self._pending(verdicts), stop)
        finally:
            journal.close()

    def write_judge_line(self) -> None:
        """Append a line that names the judge, unless it was the last judge already."""
        if self._metrics and read_last_judge(self._run_directory.verdicts_path) != self._judge:
            journal = Journal(self._run_directory.verdicts_path)
            journal.append(self._judge.to_json_line())
            journal.close()

    def _open_verdicts(self) -> VerdictIndex:
        return VerdictIndex(self._run_directory.verdicts_path, self._judge)

    def _pending(self, verdicts: VerdictIndex) -> Iterator[JudgeRequest]:
        if not self._metrics:
            return
        seen: set[int] = set()  # two samples may have the same question and answer
        for record in self._run_directory.records():
            for metric in () if record.error else self._metrics:
                try:
                    requests = build_judge_requests(self._judge, metric, record)
                except AuricleError:
                    continue  # scoring raises the same error and records it with the sample
                for request in requests:
                    key = digest(request.key)
                    if key not in seen and not verdicts.has_reply(request.key):
                        seen.add(key)
                        yield request


class JudgeLoop:
    """Sends requests to one judge, as many at once as it has slots."""

    def __init__(
        self, judge_name: str, model: Model, settings: Settings, journal: Journal, observer: VerdictObserver
    ) -> None:
        # No cache: votes repeat the same request, and would all get the first reply.
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
        except BaseExceptionGroup as errors:  # such as an unreachable judge or a full disk
            raise errors.exceptions[0] from errors
        finally:
            watcher.cancel()
            await self._slots.close()

    async def _drain_when_stopped(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._slots.stop()
        self._slots.close_window()

    async def _process_requests(self, requests: Iterator[JudgeRequest], stop: asyncio.Event) -> None:
        """Send one request after the other from the iterator that all tasks share."""
        for request in requests:
            if stop.is_set():
                break
            slot = self._slots.acquire_slot()
            try:
                self._save(await self._request_verdict(request, slot))
            except RunStopped:
                break  # not sent; the next pass sends it
            finally:
                slot.release()
        self._slots.close_window()

    async def _request_verdict(self, judge_request: JudgeRequest, slot: Slot) -> Verdict:
        started_at = time.perf_counter()
        reply, error = None, None
        try:
            output = await RetryingSender(slot, self._settings, self._fail_fast)(judge_request.request)
            assert isinstance(output, Generation)
            reply = output
        except (RunStopped, AllRequestsFailed):
            raise
        except Exception as failure:  # noqa: BLE001 - recorded with its request
            error = Failure(type(failure).__name__, describe(failure))
        seconds = round(time.perf_counter() - started_at, 4)
        return Verdict(judge_request, self._judge_name, reply, error, seconds)

    def _save(self, verdict: Verdict) -> None:
        self._journal.append(verdict.to_json_line())
        self._observer.on_result(verdict)
