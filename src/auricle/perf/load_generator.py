"""One sender's part of a load point: requests at their time, each timed, nothing tried twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedWriter
from typing import TYPE_CHECKING, Any

from auricle.core.errors import describe
from auricle.core.serialization import encode_record
from auricle.core.types import Failure, Generation, Output, Record, Request, Sample
from auricle.models.http.timing import RequestTimer
from auricle.perf.drivers import Driver, PreparedRequest
from auricle.perf.loads import ClosedLoop, Load, OpenLoop, SearchPlan, SweepPlan
from auricle.perf.plan import LoadPointPlan
from auricle.perf.request_record import Phase, RequestRecord, Status
from auricle.perf.saturation import SaturationDetector
from auricle.tasks.inferencers import Inferencer, preview_requests

if TYPE_CHECKING:
    from auricle.perf.loads import Times

STOP_POLL_SECONDS = 0.25  # seconds within which a stop is noticed by whoever waits for his time
STOP_GRACE_SECONDS = 2.0  # seconds that what is under way has left when somebody wants an end


@dataclass(frozen=True, slots=True)
class PreparedSample:
    """A sample and the requests it begins with, ready to be sent."""

    sample: Sample
    first_requests: tuple[PreparedRequest, ...]


async def prepare_samples(
    samples: Iterator[Sample], inferencer: Inferencer, driver: Driver, max_samples: int | None
) -> list[PreparedSample]:
    """Samples with everything done that can be done before the clock starts.

    What the first answer decides cannot: later turns are made ready between answer and question,
    which counts for neither.
    """
    found: list[PreparedSample] = []
    for sample in samples:
        if driver.is_full or len(found) == max_samples:
            break
        asked = await preview_requests(inferencer, sample)
        ready = [await asyncio.to_thread(driver.prepare, request) for request in asked[:1]]
        found.append(PreparedSample(sample, tuple(ready)))
    return found


@dataclass(slots=True)
class ProgressCounts:
    """What can be told while it goes on."""

    started: int = 0
    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    measured: int = 0
    """Conversations begun in the time that counts."""
    first_token_wait_seconds: float = 0.0
    """Seconds until the first word, of all that were answered together."""


class LoadGenerator:
    """The loop of one sender."""

    def __init__(
        self,
        plan: LoadPointPlan,
        inferencer: Inferencer,
        driver: Driver,
        samples: Sequence[PreparedSample],
        files: tuple[BufferedWriter, BufferedWriter],
    ) -> None:
        self._plan, self._inferencer, self._driver, self._samples = (plan, inferencer, driver, samples)
        self._requests_file, self._answers_file = files
        self._tasks: set[asyncio.Task[None]] = set()
        self._start_time = 0.0
        self.progress = ProgressCounts()
        self.lateness: list[float] = []
        """How long after its time each request was set going, whatever it then waited for."""
        self.stop_event = asyncio.Event()
        self.stop_reason = ""
        self._saturation_detector = SaturationDetector()
        self._last_wait_seconds: float | None = None

    async def run(self, load: Load, start_time: float) -> None:
        """Play this share of the load from `start` on; what is not done in time is given up."""
        self._start_time = start_time
        if isinstance(load, ClosedLoop):
            await self._run_closed_loop(load)
        elif not isinstance(load, (SweepPlan, SearchPlan)):
            await self._run_open_loop(load)
        grace = min(STOP_GRACE_SECONDS, self._plan.grace) if self.stop_event.is_set() else self._plan.grace
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def check_saturation(self) -> None:
        """From time to time: is more asked than can be answered?"""
        if not self._plan.stop_saturated:
            return
        self._saturation_detector.add(self.elapsed(), len(self._tasks), self._last_wait_seconds)
        if self._saturation_detector.is_saturated():
            self.stop_reason = "more was asked than could be answered"
            self.stop_event.set()

    def elapsed(self) -> float:
        return time.monotonic() - self._start_time

    # --- who is sent when ---------------------------------------------------------------

    async def _run_open_loop(self, load: OpenLoop) -> None:
        """Each at its time, whether or not those before it are answered."""
        plan = self._plan
        own = len(range(plan.sender_index, load.cap, plan.senders)) if load.cap else 0
        room = asyncio.Semaphore(own) if own else None
        due = schedule_due_times(plan, load).tolist()
        for index in range(plan.sender_index, len(due), plan.senders):
            if await self._wait_until(due[index]):
                self.lateness.append(self.elapsed() - due[index])
                self._spawn(self._run_within_cap(room, index, due[index]))
            elif due[index] > self.elapsed():
                return
            else:
                self._create_client(index, due=due[index]).record_unsent()

    async def _run_within_cap(self, cap_semaphore: asyncio.Semaphore | None, index: int, due: float) -> None:
        asking = self._create_client(index, due=due)
        if cap_semaphore is None:
            await self._run_sample(asking)
            return
        try:
            await cap_semaphore.acquire()
        except asyncio.CancelledError:
            asking.record_unsent()
            raise
        try:
            await self._run_sample(asking)
        finally:
            cap_semaphore.release()

    async def _run_closed_loop(self, load: ClosedLoop) -> None:
        """Users who ask, wait for the answer, think, and ask again."""
        mine = [user for user in range(load.users) if user % self._plan.senders == self._plan.sender_index]
        indices = iter(range(self._plan.sender_index, 1 << 62, self._plan.senders))
        users = [asyncio.create_task(self._run_user(load, user, indices)) for user in mine]
        await self._wait_for_users(users)

    async def _run_user(self, load: ClosedLoop, user: int, indices: Iterator[int]) -> None:
        if not await self._wait_until(load.ramp_seconds * user / load.users):
            return
        while not self._is_finished():
            asking = self._create_client(next(indices), user=user, think_seconds=load.think_seconds)
            self.progress.measured += asking.phase == "measure"  # before others look how many there are
            await asyncio.wait({self._spawn(self._run_sample(asking))})
            if load.think_seconds and not await self._wait_until(self.elapsed() + load.think_seconds):
                return

    async def _wait_for_users(self, users: Sequence[asyncio.Task[None]]) -> None:
        """Until no user asks any more; what they still wait for has its grace elsewhere."""
        over = self._plan.total_seconds
        left = None if over is None else max(0.0, over - self.elapsed())
        stopped: asyncio.Task[Any] = asyncio.create_task(self.stop_event.wait())
        everyone = asyncio.create_task(_wait_for_all(users))
        await asyncio.wait({everyone, stopped}, timeout=left, return_when="FIRST_COMPLETED")
        for task in (stopped, everyone, *users):
            task.cancel()
        await asyncio.gather(*users, return_exceptions=True)

    def _is_finished(self) -> bool:
        plan = self._plan
        if self.stop_event.is_set() or (plan.total_seconds is not None and self.elapsed() >= plan.total_seconds):
            return True
        if self._has_too_many_errors():
            return True
        if plan.count is None:
            return False
        return self.progress.measured >= len(range(plan.sender_index, plan.count, plan.senders))

    async def _wait_until(self, due: float) -> bool:
        """Wait for a time; False if the run is over before. Late is late: no time is made up."""
        while (left := due - self.elapsed()) > 0:
            if self.stop_event.is_set():
                return False
            await asyncio.sleep(min(left, STOP_POLL_SECONDS))
        return not self._is_past_end()

    def _is_past_end(self) -> bool:
        over = self._plan.total_seconds
        if self._has_too_many_errors() or self.stop_event.is_set():
            return True
        return over is not None and self.elapsed() >= over + STOP_POLL_SECONDS

    def _has_too_many_errors(self) -> bool:
        most = self._plan.max_errors
        if most is None or self.progress.failed < most:
            return False
        self.stop_reason = f"{self.progress.failed} requests failed"
        self.stop_event.set()
        return True

    # --- one conversation -----------------------------------------------------------------

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _create_client(
        self, index: int, *, due: float | None = None, user: int | None = None, think_seconds: float = 0.0
    ) -> TimedClient:
        case = self._samples[index % len(self._samples)]
        return TimedClient(self, index, case, due, user, think_seconds)

    async def _run_sample(self, client: TimedClient) -> None:
        sample = client.prepared_sample.sample
        self.progress.started += 1
        error: Failure | None = None
        outputs: tuple[Output, ...] = ()
        try:
            outputs = await self._inferencer(sample, client)
        except Exception as failure:  # noqa: BLE001 - kept with its question
            error = Failure(type(failure).__name__, describe(failure))
        if client.phase == "measure":
            self._write_answer(client.index, sample, outputs, error)

    def _write_answer(self, index: int, sample: Sample, outputs: tuple[Output, ...], error: Failure | None) -> None:
        """The answer, to be scored; one sample asked again and again is many."""
        again = index // len(self._samples)
        name = f"{sample.id}~{again}" if again else sample.id
        said = tuple(
            replace(each, audio=None) if isinstance(each, Generation) else each for each in outputs
        )  # its words are scored; speech would fill the disk
        kept = replace(sample, id=name)
        record = Record(sample=kept, row=index, key=name, outputs=said, error=error)
        self._answers_file.write(encode_record(record))

    def phase_at(self, elapsed_seconds: float) -> Phase:
        plan = self._plan
        if elapsed_seconds < plan.warmup:
            return "warmup"
        if plan.duration is not None and elapsed_seconds >= plan.warmup + plan.duration:
            return "cooldown"
        return "measure"

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        self.progress.in_flight += 1
        try:
            output = await self._driver.send(prepared, timer)
        except Exception:
            self.progress.failed += 1
            raise
        finally:
            self.progress.in_flight -= 1
        self.progress.answered += 1
        return output

    def record_wait(self, timer: RequestTimer, due: float | None) -> None:
        """How long the latest answer let wait for its first word, from when it was due."""
        first = timer.first_token or timer.done
        since = timer.sent if due is None else self._start_time + due
        if first is not None and since is not None:
            self._last_wait_seconds = first - since
            self.progress.first_token_wait_seconds += self._last_wait_seconds

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._driver.prepare, request)

    def write_record(self, build_record: Callable[[float, int], RequestRecord]) -> None:
        self._requests_file.write(build_record(self._start_time, self._plan.sender_index).to_json_line())


class TimedClient:
    """What an inferencer asks through: one request after the other, each a line."""

    def __init__(
        self,
        generator: LoadGenerator,
        index: int,
        prepared_sample: PreparedSample,
        due: float | None,
        user: int | None,
        think_seconds: float,
    ) -> None:
        self._generator, self.index, self.prepared_sample = generator, index, prepared_sample
        self._due, self._user, self._think_seconds = due, user, think_seconds
        self.phase = generator.phase_at(generator.elapsed() if due is None else due)
        """Of the first request; a later turn of a closed loop has the one it is sent in."""
        self._turn = 0

    async def __call__(self, request: Request) -> Output:
        turn, self._turn = self._turn, self._turn + 1
        ready = await self._prepare(turn, request)
        if turn and self._think_seconds:
            await asyncio.sleep(self._think_seconds)
        mark, output = RequestTimer(), None
        status: Status = "ok"
        error = ""
        try:
            output = await self._generator.send(ready, mark)
            self._generator.record_wait(mark, None if turn else self._due)
        except asyncio.CancelledError:
            status = "cancelled"
            raise
        except Exception as failure:
            status, error = "failed", f"{type(failure).__name__}: {describe(failure)}"
            raise
        finally:
            self._write_record(turn, ready, mark, output, status, error)
        return output

    def record_unsent(self) -> None:
        """It was due, and the end came before it could be sent."""
        self._write_record(0, self.prepared_sample.first_requests[0], RequestTimer(), None, "cancelled", "")

    async def _prepare(self, turn: int, request: Request) -> PreparedRequest:
        """What was made ready before the clock started, if this is it."""
        if turn < len(self.prepared_sample.first_requests):
            return self.prepared_sample.first_requests[turn]
        return await self._generator.prepare(request)

    def _write_record(
        self,
        turn: int,
        prepared: PreparedRequest,
        timer: RequestTimer,
        output: Output | None,
        status: Status,
        error: str,
    ) -> None:
        if timer.done is None:
            timer.stop()
        said = output if isinstance(output, Generation) else None

        def exchange(start: float, share: int) -> RequestRecord:
            sent = None if timer.sent is None else timer.sent - start
            later = sent if turn and self._due is None else None
            return RequestRecord(
                index=self.index,
                sample=self.prepared_sample.sample.id,
                turn=turn,
                user=self._user,
                sender=share,
                phase=self.phase if later is None else self._generator.phase_at(later),
                status=status,
                due=self._due if turn == 0 else None,
                sent=sent,
                uploaded=_seconds_since(timer.uploaded, start),
                first_byte=_seconds_since(timer.first_byte, start),
                first_token=_seconds_since(timer.first_token, start),
                first_content=_seconds_since(timer.first_content, start),
                first_audio=_seconds_since(timer.first_audio, start),
                first_audible=_seconds_since(timer.first_audible, start),
                last_content=_seconds_since(timer.last_content, start),
                done=_seconds_since(timer.done, start),
                gaps=tuple(timer.gaps),
                token_gaps=tuple(timer.token_gaps),
                spoken=tuple((at - start, seconds) for at, seconds in timer.spoken),
                streamed=timer.streamed,
                input_tokens=said.input_tokens if said else None,
                output_tokens=said.tokens if said else None,
                audio_seconds=prepared.audio_seconds,
                bytes_sent=prepared.size,
                body=prepared.digest,
                finish=said.finish if said else "",
                error=error,
            )

        self._generator.write_record(exchange)


async def _wait_for_all(tasks: Sequence[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


def _seconds_since(timestamp: float | None, start: float) -> float | None:
    return None if timestamp is None else timestamp - start


def schedule_due_times(plan: LoadPointPlan, load: OpenLoop) -> Times:
    """When each request of all senders is due; those of the warm-up stand before the count."""
    if plan.count is None:
        return load.due_times(duration=plan.total_seconds, seed=plan.seed)
    before = len(load.due_times(duration=plan.warmup, seed=plan.seed)) if plan.warmup else 0
    return load.due_times(count=before + plan.count, duration=plan.total_seconds, seed=plan.seed)
