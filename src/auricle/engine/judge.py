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

from auricle.core.errors import AuricleError, Hopeless, told
from auricle.core.files import Journal, cut_torn_line
from auricle.core.serialization import digest
from auricle.core.types import Failure, Generation
from auricle.engine import loop
from auricle.engine.batching import Stopped
from auricle.engine.retry import Asking, Luck, Seated, Settings
from auricle.metrics.base import Metric
from auricle.models.base import Model
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Judge, Question, Verdict, Verdicts, last_judge, questions


class SeesVerdicts(Protocol):
    """Whoever wants to see verdicts go by."""

    def saw(self, verdict: Verdict) -> None: ...


class WatchesJudging(Protocol):
    """Whoever watches a run and also wants to see it judged."""

    def judging(self, total: int) -> SeesVerdicts: ...


class Unseen:
    """For verdicts nobody looks at."""

    def judging(self, total: int) -> Unseen:
        return self

    def saw(self, verdict: Verdict) -> None: ...


class Bench:
    """A run's answers before a judge: which verdicts are wanted, and asking for them."""

    def __init__(self, run: Run, metrics: Sequence[Metric], judge: Judge) -> None:
        self._run = run
        self._metrics = [metric for metric in metrics if metric.asks]
        self._judge = judge
        cut_torn_line(run.verdicts)

    def size(self) -> int:
        """How many verdicts are wanted and not there; a model need only be loaded for some."""
        with self._held() as held:
            return sum(1 for _ in self._pending(held))

    async def over(
        self, model: Model, settings: Settings, watch: SeesVerdicts, stop: asyncio.Event
    ) -> None:
        """Ask for every verdict that is wanted and not there, until somebody stops it."""
        self.introduce()
        journal = Journal(self._run.verdicts)
        try:
            with self._held() as held:
                sitting = Sitting(self._judge.name, model, settings, journal, watch)
                await sitting.over(self._pending(held), stop)
        finally:
            journal.close()

    def introduce(self) -> None:
        """Note that from here on this is the judge, unless it was already."""
        if self._metrics and last_judge(self._run.verdicts) != self._judge:
            journal = Journal(self._run.verdicts)
            journal.append(self._judge.introduction())
            journal.close()

    def _held(self) -> Verdicts:
        return Verdicts(self._run.verdicts, self._judge)

    def _pending(self, held: Verdicts) -> Iterator[Question]:
        if not self._metrics:
            return
        seen: set[int] = set()  # two samples may have the same question and the same answer
        for record in self._run.records():
            for metric in () if record.error else self._metrics:
                try:
                    wanted = questions(self._judge, metric, record)
                except AuricleError:
                    continue  # scoring meets the same, and tells it with the sample
                for each in wanted:
                    key = digest(each.key)
                    if key not in seen and not held.answered(each.key):
                        seen.add(key)
                        yield each


class Sitting:
    """Questions to one judge, as many at once as there is room for."""

    def __init__(
        self, name: str, model: Model, settings: Settings, journal: Journal, watch: SeesVerdicts
    ) -> None:
        # No cache: votes are the same request again, and every answer would be the first.
        self._settings = replace(settings, cache=None)
        self._seats = loop.seats(model, self._settings)
        self._luck = Luck()
        self._name = name
        self._journal = journal
        self._watch = watch

    async def over(self, wanted: Iterator[Question], stop: asyncio.Event) -> None:
        watcher = asyncio.create_task(self._drain_on(stop))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._seats.room):
                    group.create_task(self._take(wanted, stop))
        except BaseExceptionGroup as errors:  # the judge is out of reach, or the disk is full
            raise errors.exceptions[0] from errors
        finally:
            watcher.cancel()
            await self._seats.close()

    async def _drain_on(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._seats.stop()
        self._seats.seal()

    async def _take(self, wanted: Iterator[Question], stop: asyncio.Event) -> None:
        """One place: a question after the other, from the iterator that all places share."""
        for question in wanted:
            if stop.is_set():
                break
            seat = self._seats.seat()
            try:
                self._keep(await self._verdict(question, seat))
            except Stopped:
                break  # not sent, so not answered: the next pass asks it
            finally:
                seat.leave()
        self._seats.seal()

    async def _verdict(self, question: Question, seat: Seated) -> Verdict:
        began = time.perf_counter()
        reply, error = None, None
        try:
            output = await Asking(seat, self._settings, self._luck)(question.request)
            assert isinstance(output, Generation)
            reply = output
        except (Stopped, Hopeless):
            raise
        except Exception as failure:  # noqa: BLE001 - kept with its question
            error = Failure(type(failure).__name__, told(failure))
        seconds = round(time.perf_counter() - began, 4)
        return Verdict(question, self._name, reply, error, seconds)

    def _keep(self, verdict: Verdict) -> None:
        self._journal.append(verdict.line())
        self._watch.saw(verdict)
