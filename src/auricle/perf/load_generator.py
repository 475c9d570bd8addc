"""Generate one sender's share of a load point: send requests when they are due and time each; no retries."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedWriter
from typing import Any

from auricle.core.errors import describe
from auricle.core.serialization import encode_record
from auricle.core.types import Failure, Generation, Output, Record, Request, Sample
from auricle.engine.batching import RunStopped
from auricle.engine.request_loop import RequestLoop
from auricle.engine.retry import Slot
from auricle.models.http.timing import RequestTimer
from auricle.perf.driver import Driver, PreparedRequest
from auricle.perf.load_patterns import ClosedLoop, Load, ScheduledLoad
from auricle.perf.plan import LoadPointPlan
from auricle.perf.request_record import Phase, RequestRecord, Status
from auricle.perf.saturation import SaturationDetector
from auricle.tasks.inferencers import Inferencer, preview_requests

STOP_POLL_SECONDS = 0.25  # longest time until a waiting task notices a stop
STOP_GRACE_SECONDS = 2.0  # time that requests in flight have left after a stop
TIMER_FIELDS = (
    "sent", "uploaded", "first_byte", "first_token", "first_content", "first_audio", "first_audible", "last_content",
    "done",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PreparedSample:
    """A sample and its first requests, ready to be sent."""

    sample: Sample
    first_requests: tuple[PreparedRequest, ...]


async def prepare_samples(
    samples: Iterator[Sample], inferencer: Inferencer, driver: Driver, max_samples: int | None
) -> list[PreparedSample]:
    """Encode the first request of each sample before the clock starts.

    Later turns depend on the first answer. They are prepared between two turns, outside the measured times.
    """
    prepared_samples: list[PreparedSample] = []
    for sample in samples:
        if driver.is_full or len(prepared_samples) == max_samples:
            break
        requests = await preview_requests(inferencer, sample)
        prepared = [await asyncio.to_thread(driver.prepare, request) for request in requests[:1]]
        prepared_samples.append(PreparedSample(sample, tuple(prepared)))
    return prepared_samples


@dataclass(slots=True)
class ProgressCounts:
    """Counts that are reported while the load runs."""

    started: int = 0
    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    measured: int = 0
    """Conversations that began in the measured phase."""
    first_token_wait_seconds: float = 0.0
    """Sum of the times to first token of all answered requests."""


class LoadGenerator:
    """Sends the requests of one sender."""

    def __init__(
        self,
        plan: LoadPointPlan,
        inferencer: Inferencer,
        driver: Driver,
        samples: Sequence[PreparedSample],
        files: tuple[BufferedWriter, BufferedWriter],
        stop_event: asyncio.Event,
    ) -> None:
        self._plan, self._inferencer, self._driver, self._samples = (plan, inferencer, driver, samples)
        self._requests_file, self._answers_file = files
        self._loop: RequestLoop[TimedClient] = RequestLoop(driver.slots, self._run_conversation, stop_event)
        self._cap = asyncio.Semaphore(sys.maxsize)
        self._start_time = 0.0
        self.progress = ProgressCounts()
        self.lateness: list[float] = []
        """Delay of each request's start after its due time, before any waiting for the cap."""
        self._stop_event = stop_event
        self.stop_reason = ""
        self._saturation_detector = SaturationDetector()
        self._last_wait_seconds: float | None = None

    async def run(self, load: Load, start_time: float) -> None:
        """Send this sender's share of the load from `start_time` on; cancel requests that outlast the grace period."""
        self._start_time = start_time
        async with self._loop.open():
            await load.run(self)
            grace = min(STOP_GRACE_SECONDS, self._plan.grace) if self._stop_event.is_set() else self._plan.grace
            await self._loop.drain(grace)

    def check_saturation(self) -> None:
        """Stop the load if it saturates the server and the plan asks for that; called periodically."""
        if not self._plan.stop_saturated:
            return
        self._saturation_detector.add(self.elapsed(), self._loop.in_flight, self._last_wait_seconds)
        if self._saturation_detector.is_saturated():
            self.stop_reason = "the offered load exceeds the server's capacity"
            self._stop_event.set()

    def elapsed(self) -> float:
        return time.monotonic() - self._start_time

    # --- scheduling -----------------------------------------------------------------------

    async def run_schedule(self, load: ScheduledLoad) -> None:
        """Start each request when it is due, whether or not earlier ones are answered."""
        if load.cap:
            self._cap = asyncio.Semaphore(max(1, len(self._plan.own_indices(load.cap))))
        due_times = load.schedule(self._plan).tolist()
        for index in self._plan.own_indices(len(due_times)):
            due = due_times[index]
            if await self._wait_until(due):
                self.lateness.append(self.elapsed() - due)
                self._loop.start(self._create_client(index, due=due))
            elif due > self.elapsed():
                return
            else:
                self._create_client(index, due=due).record_unsent()

    async def run_users(self, load: ClosedLoop) -> None:
        """Run users who each send a request, wait for the answer, think, and start over."""
        indices = iter(self._plan.own_indices(1 << 62))
        start_times = load.user_start_times()
        for user in self._plan.own_indices(load.users):
            self._loop.start_sequence(self._conversations(load, user, start_times[user], indices))
        total = self._plan.total_seconds
        await self._loop.wait(None if total is None else max(0.0, total - self.elapsed()))

    async def _conversations(
        self, load: ClosedLoop, user: int, start_time: float, indices: Iterator[int]
    ) -> AsyncGenerator[TimedClient, None]:
        """Yield the conversations of a user, each when it may start."""
        if not await self._wait_until(start_time):
            return
        while not self._is_finished():
            client = self._create_client(next(indices), user=user, think_seconds=load.think_seconds)
            self.progress.measured += client.phase == "measure"  # counted before other users check the total
            yield client
            if load.think_seconds and not await self._wait_until(self.elapsed() + load.think_seconds):
                return

    def _is_finished(self) -> bool:
        plan = self._plan
        if self._stop_event.is_set() or (plan.total_seconds is not None and self.elapsed() >= plan.total_seconds):
            return True
        if self._has_too_many_errors():
            return True
        if plan.count is None:
            return False
        return self.progress.measured >= len(plan.own_indices(plan.count))

    async def _wait_until(self, due: float) -> bool:
        """Wait until a time and return whether the load is still running then; delays are not made up for."""
        if self._plan.total_seconds is not None and due >= self._plan.total_seconds:
            return False
        while (remaining := due - self.elapsed()) > 0:
            if self._stop_event.is_set():
                return False
            await asyncio.sleep(min(remaining, STOP_POLL_SECONDS))
        return not self._is_past_end()

    def _is_past_end(self) -> bool:
        total = self._plan.total_seconds
        if self._has_too_many_errors() or self._stop_event.is_set():
            return True
        return total is not None and self.elapsed() >= total + STOP_POLL_SECONDS

    def _has_too_many_errors(self) -> bool:
        limit = self._plan.max_errors
        if limit is None or self.progress.failed < limit:
            return False
        self.stop_reason = f"{self.progress.failed} requests failed"
        self._stop_event.set()
        return True

    # --- conversations --------------------------------------------------------------------

    def _create_client(
        self, index: int, *, due: float | None = None, user: int | None = None, think_seconds: float = 0.0
    ) -> TimedClient:
        prepared_sample = self._samples[index % len(self._samples)]
        return TimedClient(self, index, prepared_sample, due, user, think_seconds)

    async def _run_conversation(self, client: TimedClient, slot: Slot) -> None:
        client.slot = slot
        try:
            await self._cap.acquire()
        except asyncio.CancelledError:
            client.record_unsent()
            raise
        try:
            await self._run_sample(client)
        finally:
            self._cap.release()

    async def _run_sample(self, client: TimedClient) -> None:
        sample = client.prepared_sample.sample
        self.progress.started += 1
        error: Failure | None = None
        outputs: tuple[Output, ...] = ()
        try:
            outputs = await self._inferencer(sample, client)
        except RunStopped:
            raise
        except Exception as exception:  # noqa: BLE001 - recorded with its sample
            error = Failure(type(exception).__name__, describe(exception))
        if client.phase == "measure":
            self._write_answer(client.index, sample, outputs, error)

    def _write_answer(self, index: int, sample: Sample, outputs: tuple[Output, ...], error: Failure | None) -> None:
        """Write an answer for scoring; each repeat of a sample gets its own id."""
        repeat = index // len(self._samples)
        name = f"{sample.id}~{repeat}" if repeat else sample.id
        without_audio = tuple(
            replace(output, audio=None) if isinstance(output, Generation) else output for output in outputs
        )  # only the text is scored; audio would fill the disk
        record = Record(sample=replace(sample, id=name), row=index, key=name, outputs=without_audio, error=error)
        self._answers_file.write(encode_record(record))

    def phase_at(self, elapsed_seconds: float) -> Phase:
        plan = self._plan
        if elapsed_seconds < plan.warmup:
            return "warmup"
        if plan.duration is not None and elapsed_seconds >= plan.warmup + plan.duration:
            return "cooldown"
        return "measure"

    async def send(self, prepared: PreparedRequest, timer: RequestTimer, slot: Slot) -> Output:
        self.progress.in_flight += 1
        try:
            output = await self._driver.send(prepared, timer, slot)
        except RunStopped:
            raise
        except Exception:
            self.progress.failed += 1
            raise
        finally:
            self.progress.in_flight -= 1
        self.progress.answered += 1
        return output

    def record_wait(self, timer: RequestTimer, due: float | None) -> None:
        """Record how long the latest answer took to its first token, from its due time if it has one."""
        first_token = timer.first_token or timer.done
        start = timer.sent if due is None else self._start_time + due
        if first_token is not None and start is not None:
            self._last_wait_seconds = first_token - start
            self.progress.first_token_wait_seconds += self._last_wait_seconds

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._driver.prepare, request)

    def write_record(self, timer: RequestTimer, turn: int, phase: Phase | None, **fields: Any) -> None:
        """Write a record with the times of a request, by default in the phase in which it was sent."""
        start = self._start_time
        times: dict[str, Any] = {name: getattr(timer, name) for name in TIMER_FIELDS}
        times = {name: None if value is None else value - start for name, value in times.items()}
        record = RequestRecord(
            turn=turn,
            phase=phase or self.phase_at(times["sent"] or 0.0),
            sender=self._plan.sender_index,
            gaps=tuple(timer.gaps),
            token_gaps=tuple(timer.token_gaps),
            spoken=tuple((arrival - start, seconds) for arrival, seconds in timer.spoken),
            streamed=timer.streamed,
            **times,
            **fields,
        )
        self._requests_file.write(record.to_json_line())


class TimedClient:
    """Sends the requests of one conversation for an inferencer, and writes a record of each."""

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
        """Phase of the first request; a later turn of a closed loop belongs to the phase it is sent in."""
        self._turn = 0
        self.slot: Slot
        """Where its requests are sent; set when the conversation starts."""

    async def __call__(self, request: Request) -> Output:
        turn, self._turn = self._turn, self._turn + 1
        prepared = await self._prepare(turn, request)
        if turn and self._think_seconds:
            await asyncio.sleep(self._think_seconds)
        timer, output = RequestTimer(), None
        status: Status = "ok"
        error = ""
        try:
            output = await self._generator.send(prepared, timer, self.slot)
            self._generator.record_wait(timer, None if turn else self._due)
        except (asyncio.CancelledError, RunStopped):
            status = "cancelled"
            raise
        except Exception as exception:
            status, error = "failed", f"{type(exception).__name__}: {describe(exception)}"
            raise
        finally:
            self._write_record(turn, prepared, timer, output, status, error)
        return output

    def record_unsent(self) -> None:
        """Record a request that was due but could not be sent before the end."""
        self._write_record(0, self.prepared_sample.first_requests[0], RequestTimer(), None, "cancelled", "")

    async def _prepare(self, turn: int, request: Request) -> PreparedRequest:
        """Return the request prepared before the clock started, or prepare a later turn now."""
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
        generation = output if isinstance(output, Generation) else None
        belongs_to_first = not turn or self._due is not None or timer.sent is None
        self._generator.write_record(
            timer,
            turn,
            self.phase if belongs_to_first else None,
            index=self.index,
            sample=self.prepared_sample.sample.id,
            user=self._user,
            status=status,
            due=self._due if turn == 0 else None,
            input_tokens=generation.input_tokens if generation else None,
            output_tokens=generation.tokens if generation else None,
            audio_seconds=prepared.audio_seconds,
            bytes_sent=prepared.size,
            body=prepared.digest,
            finish=generation.finish if generation else "",
            error=error,
        )
