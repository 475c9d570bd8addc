"""Generate one sender's share of a load point: send requests when they are due and time each; no retries."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BufferedWriter
from itertools import islice
from typing import Any

from auricle.core.calls import CallRecording
from auricle.core.errors import describe
from auricle.core.types import Failure, Generation, Output, Record, Request, Sample
from auricle.engine.batching import RunStopped
from auricle.engine.inferencers import Inferencer, preview_requests
from auricle.engine.request_loop import RequestLoop
from auricle.engine.retry import Slot
from auricle.models.http.timing import TIMER_FACTORY, RequestTimer
from auricle.perf.calls import measure_call
from auricle.perf.driver import Driver, PreparedRequest
from auricle.perf.load_patterns import ClosedLoop, Load, ScheduledLoad
from auricle.perf.messages import LoadPointPlan, SenderProgress
from auricle.perf.precise_timer import PreciseTimer
from auricle.perf.request_records import Phase, RequestRecord, Status
from auricle.perf.saturation import SaturationDetector
from auricle.runs.journal import encode_storable

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
    for sample in islice(samples, max_samples):
        requests = await preview_requests(inferencer, sample)
        prepared = [await asyncio.to_thread(driver.prepare, request) for request in requests[:1]]
        prepared_samples.append(PreparedSample(sample, tuple(prepared)))
        if driver.is_full:
            break
    return prepared_samples


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
        self.plan, self._inferencer, self.driver, self._samples = plan, inferencer, driver, samples
        self.requests_file, self._answers_file = files
        self._loop: RequestLoop[TimedClient] = RequestLoop(driver.slots, self._run_conversation, stop_event)
        self._cap = asyncio.Semaphore(sys.maxsize)
        self.start_time = 0.0
        self.progress = SenderProgress()
        self.lateness: list[float] = []
        """Delay of each request's start after its due time, before any waiting for the cap."""
        self._stop_event = stop_event
        self._timer = PreciseTimer()
        self._first_measured_index = 0
        self.stop_reason = ""
        self._saturation_detector = SaturationDetector()
        self._last_wait_seconds: float | None = None

    async def run(self, load: Load, start_time: float) -> None:
        """Send this sender's share of the load from `start_time` on; cancel requests that outlast the grace period."""
        self.start_time = start_time
        try:
            async with self._loop.open():
                await load.run(self)
                grace = min(STOP_GRACE_SECONDS, self.plan.grace) if self._stop_event.is_set() else self.plan.grace
                await self._loop.drain(grace)
        finally:
            self._timer.close()

    def check_saturation(self) -> None:
        """Stop the load if it saturates the server and the plan asks for that; called periodically."""
        if not self.plan.stop_saturated:
            return
        self._saturation_detector.add(self.elapsed(), self._loop.in_flight, self._last_wait_seconds)
        if self._saturation_detector.is_saturated():
            self.stop_reason = "the offered load exceeds the server's capacity"
            self._stop_event.set()

    def elapsed(self) -> float:
        return time.monotonic() - self.start_time

    # --- scheduling -----------------------------------------------------------------------

    async def run_schedule(self, load: ScheduledLoad) -> None:
        """Start each request when it is due, whether or not earlier ones are answered."""
        if load.cap:
            self._cap = asyncio.Semaphore(max(1, len(self.plan.own_indices(load.cap))))
        schedule = load.schedule(self.plan)
        due_times = schedule.due_times.tolist()
        self._first_measured_index = schedule.warmup_count
        for index in self.plan.own_indices(len(due_times)):
            client = TimedClient(self, index, self._choose_sample(index), due := due_times[index])
            if await self._wait_until(due, self._timer):
                self.lateness.append(self.elapsed() - due)
                self.progress.measured += client.phase == "measure"
                self._loop.start(client)
            elif due > self.elapsed():
                return
            else:
                client.record_unsent()

    async def run_users(self, load: ClosedLoop) -> None:
        """Run users who each send a request, wait for the answer, think, and start over."""
        indices = iter(self.plan.own_indices(1 << 62))
        start_times = load.user_start_times()
        for user in self.plan.own_indices(load.users):
            self._loop.start_sequence(self._conversations(load, user, start_times[user], indices))
        total = self.plan.total_seconds
        await self._loop.wait(None if total is None else max(0.0, total - self.elapsed()))

    async def _conversations(
        self, load: ClosedLoop, user: int, start_time: float, indices: Iterator[int]
    ) -> AsyncGenerator[TimedClient, None]:
        """Yield the conversations of a user, each when it may start."""
        count = self.plan.count
        limit = sys.maxsize if count is None else len(self.plan.own_indices(count))
        if not await self._wait_until(start_time):
            return
        while not self._has_ended() and self.progress.measured < limit:
            index = next(indices)
            client = TimedClient(self, index, self._choose_sample(index), None, user, load.think_seconds)
            self.progress.measured += client.phase == "measure"  # counted before other users check the total
            yield client
            if load.think_seconds and not await self._wait_until(self.elapsed() + load.think_seconds):
                return

    def _choose_sample(self, index: int) -> PreparedSample:
        """Return the sample of a request; a warm-up with a known number of requests takes the last samples."""
        return self._samples[(index - self._first_measured_index) % len(self._samples)]

    async def _wait_until(self, due: float, timer: PreciseTimer | None = None) -> bool:
        """Wait until a time and return whether the load is still running then; delays are not made up for."""
        if self.plan.total_seconds is not None and due >= self.plan.total_seconds:
            return False
        while (remaining := due - self.elapsed()) > 0:
            if self._stop_event.is_set():
                return False
            seconds = min(remaining, STOP_POLL_SECONDS)
            await (timer.wait_until(time.monotonic() + seconds) if timer else asyncio.sleep(seconds))
        return not self._has_ended(tolerance=STOP_POLL_SECONDS)

    def _has_ended(self, tolerance: float = 0.0) -> bool:
        """Return whether the time is over, a stop was requested, or too many requests failed."""
        limit, total = self.plan.max_errors, self.plan.total_seconds
        if limit is not None and self.progress.failed >= limit:
            self.stop_reason = f"{self.progress.failed} requests failed"
            self._stop_event.set()
        return self._stop_event.is_set() or (total is not None and self.elapsed() >= total + tolerance)

    # --- conversations --------------------------------------------------------------------

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
        status: Status = "cancelled"
        token = TIMER_FACTORY.set(client.start_own_request)
        try:
            outputs = await self._inferencer(sample, client)
            status = "ok"
        except RunStopped:
            raise
        except Exception as exception:  # noqa: BLE001 - recorded with its sample
            error, status = Failure(type(exception).__name__, describe(exception)), "failed"
        finally:
            TIMER_FACTORY.reset(token)
            client.record_own_requests(outputs, status, error)
        if client.phase == "measure":
            self._write_answer(client.index, sample, outputs, error)

    def _write_answer(self, index: int, sample: Sample, outputs: tuple[Output, ...], error: Failure | None) -> None:
        """Write an answer for scoring; each repeat of a sample gets its own id."""
        repeat = (index - self._first_measured_index) // len(self._samples)
        name = f"{sample.id}~{repeat}" if repeat else sample.id
        without_audio = tuple(
            replace(output, audio=None) if isinstance(output, Generation) else output for output in outputs
        )  # only the text is scored; audio would fill the disk
        record = Record(sample=replace(sample, id=name), row=index, key=name, outputs=without_audio, error=error)
        self._answers_file.write(encode_storable(record)[0])

    def phase_at(self, elapsed_seconds: float) -> Phase:
        plan = self.plan
        if elapsed_seconds < plan.warmup:
            return "warmup"
        if plan.duration is not None and elapsed_seconds >= plan.warmup + plan.duration:
            return "cooldown"
        return "measure"

    def record_wait(self, timer: RequestTimer, due: float | None) -> None:
        """Record how long the latest answer took to its first token, from its due time if it has one; also its TTFT."""
        first_token = timer.first_token or timer.done
        start = timer.sent if due is None else self.start_time + due
        if first_token is not None and start is not None:
            self._last_wait_seconds = first_token - start
        if timer.streamed and timer.first_token is not None and timer.sent is not None:
            self.progress.streamed += 1
            self.progress.first_token_wait_seconds += timer.first_token - timer.sent


@dataclass(slots=True, eq=False)
class TimedClient:
    """Sends the requests of one conversation for an inferencer, and writes a record of each."""

    generator: LoadGenerator
    index: int
    prepared_sample: PreparedSample
    due: float | None
    user: int | None = None
    think_seconds: float = 0.0
    phase: Phase = field(init=False)
    """Phase of the first request; a later turn of a closed loop belongs to the phase it is sent in."""
    slot: Slot = field(init=False)
    """Where its requests are sent; set when the conversation starts."""
    _turn: int = 0
    _own_timers: list[RequestTimer] = field(default_factory=list)
    """Timers of requests that the inferencer sends itself."""

    def __post_init__(self) -> None:
        self.phase = self.generator.phase_at(self.generator.elapsed() if self.due is None else self.due)

    async def __call__(self, request: Request) -> Output:
        turn, self._turn = self._turn, self._turn + 1
        progress, driver = self.generator.progress, self.generator.driver
        if turn < len(self.prepared_sample.first_requests):
            prepared = self.prepared_sample.first_requests[turn]
        else:
            prepared = await asyncio.to_thread(driver.prepare, request)
        if turn and self.think_seconds:
            await asyncio.sleep(self.think_seconds)
        timer, output, error = RequestTimer(), None, ""
        status: Status = "ok"
        progress.in_flight += 1
        progress.sent += 1
        try:
            output = await driver.send(prepared, timer, self.slot)
            progress.answered += 1
            if not isinstance(output, CallRecording):  # a call has no first token
                self.generator.record_wait(timer, None if turn else self.due)
        except (asyncio.CancelledError, RunStopped):
            status = "cancelled"
            raise
        except Exception as exception:
            progress.failed += 1
            status, error = "failed", f"{type(exception).__name__}: {describe(exception)}"
            raise
        finally:
            progress.in_flight -= 1
            self._write_record(turn, prepared, timer, output, status=status, error=error)
        return output

    def start_own_request(self) -> RequestTimer:
        """Return a timer for a request that the inferencer sends itself."""
        self.generator.progress.sent += 1
        self._own_timers.append(RequestTimer())
        return self._own_timers[-1]

    def record_own_requests(self, outputs: Sequence[Output], status: Status, error: Failure | None) -> None:
        """Write a record of each request that the inferencer sent itself; the last one decides whether it failed."""
        progress = self.generator.progress
        for index, timer in enumerate(self._own_timers):
            turn, self._turn = self._turn, self._turn + 1
            is_last = index == len(self._own_timers) - 1
            outcome: dict[str, Any] = {"status": "ok", "error": ""}
            if is_last and status != "ok":
                outcome = {"status": status, "error": f"{error.kind}: {error.message}" if error else ""}
            progress.answered += outcome["status"] == "ok"
            progress.failed += outcome["status"] == "failed"
            self._write_record(turn, None, timer, outputs[index] if index < len(outputs) else None, **outcome)
            self.generator.record_wait(timer, None if turn else self.due)

    def record_unsent(self) -> None:
        """Record a request that was due but could not be sent before the end."""
        prepared = next(iter(self.prepared_sample.first_requests), None)
        self._write_record(0, prepared, RequestTimer(), None, status="cancelled")

    def _write_record(
        self, turn: int, prepared: PreparedRequest | None, timer: RequestTimer, output: Output | None, **outcome: Any
    ) -> None:
        if timer.done is None:
            timer.stop()
        start = self.generator.start_time
        times = {name: getattr(timer, name) for name in TIMER_FIELDS}
        times = {name: None if value is None else value - start for name, value in times.items()}
        belongs_to_first = not turn or self.due is not None or timer.sent is None
        generation = output if isinstance(output, Generation) else None
        record = RequestRecord(
            index=self.index,
            sample=self.prepared_sample.sample.id,
            turn=turn,
            user=self.user,
            sender=self.generator.plan.sender_index,
            phase=self.phase if belongs_to_first else self.generator.phase_at(times["sent"] or 0.0),
            due=self.due if turn == 0 else None,
            gaps=tuple(timer.gaps),
            token_gaps=tuple(timer.token_gaps),
            spoken=tuple((arrival - start, seconds) for arrival, seconds in timer.spoken),
            streamed=timer.streamed,
            input_tokens=generation.input_tokens if generation else None,
            output_tokens=generation.tokens if generation else None,
            output_chars=len(generation.text) if generation else None,
            audio_seconds=prepared.audio_seconds if prepared else None,
            bytes_sent=prepared.size if prepared else None,
            body=prepared.digest if prepared else "",
            model=prepared.model if prepared else "",
            finish=generation.finish if generation else "",
            **measure_call(output),
            **times,
            **outcome,
        )
        self.generator.requests_file.write(record.to_json_line())
