"""One sender's part of a load point: requests at their time, each timed, nothing tried twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedWriter
from typing import TYPE_CHECKING, Any

from auricle.core.errors import told
from auricle.core.serialization import encode_record
from auricle.core.types import Failure, Generation, Output, Record, Request, Sample
from auricle.models.http.timing import Mark
from auricle.perf.drivers import Driver, Ready
from auricle.perf.exchange import Exchange, Phase, Status
from auricle.perf.loads import Closed, Load, Open, SearchPlan, SweepPlan
from auricle.perf.plan import Plan
from auricle.perf.saturation import Saturation
from auricle.tasks.inferencers import Inferencer, preview

if TYPE_CHECKING:
    from auricle.perf.loads import Times

TICK = 0.25  # seconds within which a stop is noticed by whoever waits for his time
STOPPED = 2.0  # seconds that what is under way has left when somebody wants an end


@dataclass(frozen=True, slots=True)
class Case:
    """A sample and the requests it begins with, ready to be sent."""

    sample: Sample
    first: tuple[Ready, ...]


async def cases(
    samples: Iterator[Sample], inferencer: Inferencer, driver: Driver, most: int | None
) -> list[Case]:
    """Samples with everything done that can be done before the clock starts.

    What the first answer decides cannot: later turns are made ready between answer and question,
    which counts for neither.
    """
    found: list[Case] = []
    for sample in samples:
        if driver.full or len(found) == most:
            break
        asked = await preview(inferencer, sample)
        ready = [await asyncio.to_thread(driver.ready, request) for request in asked[:1]]
        found.append(Case(sample, tuple(ready)))
    return found


@dataclass(slots=True)
class Live:
    """What can be told while it goes on."""

    started: int = 0
    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    measured: int = 0
    """Conversations begun in the time that counts."""
    waited: float = 0.0
    """Seconds until the first word, of all that were answered together."""


class Sending:
    """The loop of one sender."""

    def __init__(
        self,
        plan: Plan,
        inferencer: Inferencer,
        driver: Driver,
        held: Sequence[Case],
        files: tuple[BufferedWriter, BufferedWriter],
    ) -> None:
        self._plan, self._infer, self._driver, self._held = plan, inferencer, driver, held
        self._requests, self._answers = files
        self._tasks: set[asyncio.Task[None]] = set()
        self._start = 0.0
        self.live = Live()
        self.lates: list[float] = []
        """How long after its time each request was set going, whatever it then waited for."""
        self.stop = asyncio.Event()
        self.stopped = ""
        self._saturation = Saturation()
        self._waited: float | None = None

    async def run(self, load: Load, start: float) -> None:
        """Play this share of the load from `start` on; what is not done in time is given up."""
        self._start = start
        if isinstance(load, Closed):
            await self._closed(load)
        elif not isinstance(load, (SweepPlan, SearchPlan)):
            await self._open(load)
        grace = min(STOPPED, self._plan.grace) if self.stop.is_set() else self._plan.grace
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def look(self) -> None:
        """From time to time: is more asked than can be answered?"""
        if not self._plan.stop_saturated:
            return
        self._saturation.add(self.now(), len(self._tasks), self._waited)
        if self._saturation.reached():
            self.stopped = "more was asked than could be answered"
            self.stop.set()

    def now(self) -> float:
        return time.monotonic() - self._start

    # --- who is sent when ---------------------------------------------------------------

    async def _open(self, load: Open) -> None:
        """Each at its time, whether or not those before it are answered."""
        plan = self._plan
        own = len(range(plan.share, load.cap, plan.senders)) if load.cap else 0
        room = asyncio.Semaphore(own) if own else None
        due = planned(plan, load).tolist()
        for index in range(plan.share, len(due), plan.senders):
            if await self._until(due[index]):
                self.lates.append(self.now() - due[index])
                self._spawn(self._within(room, index, due[index]))
            elif due[index] > self.now():
                return
            else:
                self._asking(index, due=due[index]).never()

    async def _within(self, room: asyncio.Semaphore | None, index: int, due: float) -> None:
        asking = self._asking(index, due=due)
        if room is None:
            await self._one(asking)
            return
        try:
            await room.acquire()
        except asyncio.CancelledError:
            asking.never()
            raise
        try:
            await self._one(asking)
        finally:
            room.release()

    async def _closed(self, load: Closed) -> None:
        """Users who ask, wait for the answer, think, and ask again."""
        mine = [user for user in range(load.users) if user % self._plan.senders == self._plan.share]
        indices = iter(range(self._plan.share, 1 << 62, self._plan.senders))
        users = [asyncio.create_task(self._user(load, user, indices)) for user in mine]
        await self._all_or_stop(users)

    async def _user(self, load: Closed, user: int, indices: Iterator[int]) -> None:
        if not await self._until(load.ramp * user / load.users):
            return
        while not self._over():
            asking = self._asking(next(indices), user=user, think=load.think)
            self.live.measured += asking.phase == "measure"  # before others look how many there are
            await asyncio.wait({self._spawn(self._one(asking))})
            if load.think and not await self._until(self.now() + load.think):
                return

    async def _all_or_stop(self, users: Sequence[asyncio.Task[None]]) -> None:
        """Until no user asks any more; what they still wait for has its grace elsewhere."""
        over = self._plan.over
        left = None if over is None else max(0.0, over - self.now())
        stopped: asyncio.Task[Any] = asyncio.create_task(self.stop.wait())
        everyone = asyncio.create_task(_ended(users))
        await asyncio.wait({everyone, stopped}, timeout=left, return_when="FIRST_COMPLETED")
        for task in (stopped, everyone, *users):
            task.cancel()
        await asyncio.gather(*users, return_exceptions=True)

    def _over(self) -> bool:
        plan = self._plan
        if self.stop.is_set() or (plan.over is not None and self.now() >= plan.over):
            return True
        if self._too_many_errors():
            return True
        if plan.count is None:
            return False
        return self.live.measured >= len(range(plan.share, plan.count, plan.senders))

    async def _until(self, at: float) -> bool:
        """Wait for a time; False if the run is over before. Late is late: no time is made up."""
        while (left := at - self.now()) > 0:
            if self.stop.is_set():
                return False
            await asyncio.sleep(min(left, TICK))
        return not self._over_but_count()

    def _over_but_count(self) -> bool:
        over = self._plan.over
        if self._too_many_errors() or self.stop.is_set():
            return True
        return over is not None and self.now() >= over + TICK

    def _too_many_errors(self) -> bool:
        most = self._plan.max_errors
        if most is None or self.live.failed < most:
            return False
        self.stopped = f"{self.live.failed} requests failed"
        self.stop.set()
        return True

    # --- one conversation -----------------------------------------------------------------

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _asking(
        self, index: int, *, due: float | None = None, user: int | None = None, think: float = 0.0
    ) -> Asking:
        case = self._held[index % len(self._held)]
        return Asking(self, index, case, due, user, think)

    async def _one(self, asking: Asking) -> None:
        sample = asking.case.sample
        self.live.started += 1
        error: Failure | None = None
        outputs: tuple[Output, ...] = ()
        try:
            outputs = await self._infer(sample, asking)
        except Exception as failure:  # noqa: BLE001 - kept with its sample
            error = Failure(type(failure).__name__, told(failure))
        if asking.phase == "measure":
            self._keep(asking.index, sample, outputs, error)

    def _keep(
        self, index: int, sample: Sample, outputs: tuple[Output, ...], error: Failure | None
    ) -> None:
        """The answer, to be scored; one sample asked again and again is many."""
        again = index // len(self._held)
        name = f"{sample.id}~{again}" if again else sample.id
        said = tuple(
            replace(each, audio=None) if isinstance(each, Generation) else each for each in outputs
        )  # its words are scored; speech would fill the disk
        kept = replace(sample, id=name)
        record = Record(sample=kept, row=index, key=name, outputs=said, error=error)
        self._answers.write(encode_record(record))

    def phase(self, at: float) -> Phase:
        plan = self._plan
        if at < plan.warmup:
            return "warmup"
        if plan.duration is not None and at >= plan.warmup + plan.duration:
            return "cooldown"
        return "measure"

    async def fire(self, ready: Ready, mark: Mark) -> Output:
        self.live.in_flight += 1
        try:
            output = await self._driver.fire(ready, mark)
        except Exception:
            self.live.failed += 1
            raise
        finally:
            self.live.in_flight -= 1
        self.live.answered += 1
        return output

    def waited(self, mark: Mark, due: float | None) -> None:
        """How long the latest answer let wait for its first word, from when it was due."""
        first = mark.first_token or mark.done
        since = mark.sent if due is None else self._start + due
        if first is not None and since is not None:
            self._waited = first - since
            self.live.waited += self._waited

    async def ready(self, request: Request) -> Ready:
        return await asyncio.to_thread(self._driver.ready, request)

    def note(self, exchange: Callable[[float, int], Exchange]) -> None:
        self._requests.write(exchange(self._start, self._plan.share).line())


class Asking:
    """What an inferencer asks through: one request after the other, each a line."""

    def __init__(
        self,
        sending: Sending,
        index: int,
        case: Case,
        due: float | None,
        user: int | None,
        think: float,
    ) -> None:
        self._sending, self.index, self.case = sending, index, case
        self._due, self._user, self._think = due, user, think
        self.phase = sending.phase(sending.now() if due is None else due)
        """Of the first request; a later turn of a closed loop has the one it is sent in."""
        self._turn = 0

    async def __call__(self, request: Request) -> Output:
        turn, self._turn = self._turn, self._turn + 1
        ready = await self._ready(turn, request)
        if turn and self._think:
            await asyncio.sleep(self._think)
        mark, output = Mark(), None
        status: Status = "ok"
        error = ""
        try:
            output = await self._sending.fire(ready, mark)
            self._sending.waited(mark, None if turn else self._due)
        except asyncio.CancelledError:
            status = "cancelled"
            raise
        except Exception as failure:
            status, error = "failed", f"{type(failure).__name__}: {told(failure)}"
            raise
        finally:
            self._note(turn, ready, mark, output, status, error)
        return output

    def never(self) -> None:
        """It was due, and the end came before it could be sent."""
        self._note(0, self.case.first[0], Mark(), None, "cancelled", "")

    async def _ready(self, turn: int, request: Request) -> Ready:
        """What was made ready before the clock started, if this is it."""
        if turn < len(self.case.first):
            return self.case.first[turn]
        return await self._sending.ready(request)

    def _note(
        self,
        turn: int,
        ready: Ready,
        mark: Mark,
        output: Output | None,
        status: Status,
        error: str,
    ) -> None:
        if mark.done is None:
            mark.end()
        said = output if isinstance(output, Generation) else None

        def exchange(start: float, share: int) -> Exchange:
            sent = None if mark.sent is None else mark.sent - start
            later = sent if turn and self._due is None else None
            return Exchange(
                index=self.index,
                sample=self.case.sample.id,
                turn=turn,
                user=self._user,
                sender=share,
                phase=self.phase if later is None else self._sending.phase(later),
                status=status,
                due=self._due if turn == 0 else None,
                sent=sent,
                uploaded=_after(mark.uploaded, start),
                first_byte=_after(mark.first_byte, start),
                first_token=_after(mark.first_token, start),
                first_content=_after(mark.first_content, start),
                first_audio=_after(mark.first_audio, start),
                first_audible=_after(mark.first_audible, start),
                last_content=_after(mark.last_content, start),
                done=_after(mark.done, start),
                gaps=tuple(mark.gaps),
                token_gaps=tuple(mark.token_gaps),
                spoken=tuple((at - start, seconds) for at, seconds in mark.spoken),
                streamed=mark.streamed,
                input_tokens=said.input_tokens if said else None,
                output_tokens=said.tokens if said else None,
                audio_seconds=ready.seconds,
                bytes_sent=ready.size,
                body=ready.digest,
                finish=said.finish if said else "",
                error=error,
            )

        self._sending.note(exchange)


async def _ended(tasks: Sequence[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


def _after(at: float | None, start: float) -> float | None:
    return None if at is None else at - start


def planned(plan: Plan, load: Open) -> Times:
    """When each request of all senders is due; those of the warm-up stand before the count."""
    if plan.count is None:
        return load.due_times(duration=plan.over, seed=plan.seed)
    before = len(load.due_times(duration=plan.warmup, seed=plan.seed)) if plan.warmup else 0
    return load.due_times(count=before + plan.count, duration=plan.over, seed=plan.seed)
