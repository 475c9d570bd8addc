"""Load patterns and their schedules.

The measured schedule depends only on the seed and the load's name, not on the number of senders, the cap, the warm-up
or the duration.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, takewhile
from itertools import count as counting
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Sample
from auricle.perf.messages import LoadPointPlan
from auricle.perf.request_records import Floats
from auricle.perf.slo import Slo
from auricle.runs.perf_files import LoadPointSummary, SearchResult

ARRIVALS_PER_BLOCK = 4096  # arrivals drawn at a time; changing it would change the schedule of a seed
EXPECTED_REQUESTS_PER_USER_S = 10.0  # for how many answers samples are prepared, if their number is not known
MIN_EXPECTED_SAMPLES, MAX_EXPECTED_SAMPLES = 1_000, 10_000

PointSequence: TypeAlias = "Generator[LoadPoint, LoadPointSummary | None, SearchResult | None]"
"""Yields points to measure, receives the summary of each (None after an interrupt), and may return a result."""


class LoadPattern(ABC):
    """A value of `--load`: one load point, or a plan whose points depend on the results of earlier ones."""

    __slots__ = ()
    has_end: bool = False
    """Whether it ends without a number of requests or a duration."""
    needs_slo: bool = False

    @abstractmethod
    def points(self, slos: Sequence[Slo]) -> PointSequence:
        """Yield the points to measure, one after the other."""


class LoadRunner(Protocol):
    """Sends the requests of a load."""

    async def run_users(self, load: ClosedLoop) -> None: ...
    async def run_schedule(self, load: ScheduledLoad) -> None: ...


class Load(LoadPattern):
    """The load of one point, and what its measurement depends on."""

    __slots__ = ()
    cap: int | None = None
    """Most requests in flight; excess requests queue, and queueing time is recorded."""
    users: int | None = None
    """Number of users, in a closed loop."""
    has_schedule: bool = True
    """Whether requests are due at planned times, so that they can be late and exceed the server's capacity."""
    is_constant: bool = False
    """Whether its level stays the same, so that there can be a steady window."""

    @property
    def peak_rate(self) -> float:
        """Highest planned number of requests per second; 0 if no rate is planned."""
        return 0.0

    @property
    def busy_users(self) -> int | None:
        """Users who are always waiting for an answer if the senders keep up; None if that is not known."""
        return None

    def points(self, slos: Sequence[Slo]) -> PointSequence:
        """Yield the load itself."""
        yield LoadPoint(self)
        return None

    def with_timestamps(self, timestamps: Sequence[Any]) -> Load:
        """Return the load with the timestamps of its data as due times, if it needs them."""
        return self

    def select_samples(self, samples: Iterator[Sample], plan: LoadPointPlan) -> Iterator[Sample]:
        """Return the samples that the load can need."""
        return samples

    @abstractmethod
    def count_samples(self, plan: LoadPointPlan) -> int | None:
        """Return how many samples to prepare; None for all."""

    @abstractmethod
    async def run(self, runner: LoadRunner) -> None:
        """Send the requests with a runner."""


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """A load to measure, and how it differs from the options of the measurement."""

    load: Load
    seed_offset: int = 0
    """Added to the seed, so that a further run of the same load has another schedule."""
    length_factor: int = 1
    """Factor of the duration and the number of requests."""


@dataclass(frozen=True, slots=True)
class ClosedLoop(Load):
    """Users who each send a request, wait for the answer, think, and start over."""

    has_schedule = False
    is_constant = True
    users: int
    ramp_seconds: float = 0.0
    """Seconds over which the users start, one after the other."""
    think_seconds: float = 0.0
    """Seconds between an answer and the same user's next request."""

    def __str__(self) -> str:
        return format_load(f"closed:{self.users}", ramp=self.ramp_seconds, think=self.think_seconds)

    def user_start_times(self) -> tuple[float, ...]:
        """Return when each user starts, in seconds from the start of the load."""
        return tuple(self.ramp_seconds * user / self.users for user in range(self.users))

    @property
    def busy_users(self) -> int | None:
        return None if self.think_seconds else self.users

    def count_samples(self, plan: LoadPointPlan) -> int | None:
        """Return the number of requests; if it depends on the server, as many as fast answers would need."""
        if plan.total_seconds is None and not plan.warmup:
            return plan.count
        seconds = plan.warmup if plan.total_seconds is None else plan.total_seconds
        expected = math.ceil(self.users * seconds * EXPECTED_REQUESTS_PER_USER_S)
        return max(MIN_EXPECTED_SAMPLES, min(expected, MAX_EXPECTED_SAMPLES), plan.count or 0)

    async def run(self, runner: LoadRunner) -> None:
        await runner.run_users(self)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The due times of a load point in seconds, ascending."""

    due_times: Floats
    warmup_count: int
    """Number of requests of the warm-up; they come first."""


class ScheduledLoad(Load):
    """An open-loop load: its due times are known before it starts."""

    __slots__ = ()

    @property
    def planned_seconds(self) -> float | None:
        """Seconds after which no request is due; None if the load has no end."""
        return None

    def due_times(self, count: int | None = None, duration: float | None = None, seed: int = 0) -> Floats:
        """Return the due times in seconds, ascending: the first `count`, those before `duration`, or both."""
        ends = [seconds for seconds in (duration, self.planned_seconds) if seconds is not None]
        if count is None and not ends:
            raise SpecError(f"Load {self} has no end. Set the number of requests or the duration.")
        return _truncate(self.due_time_blocks(seed), count, min(ends, default=None))

    def schedule(self, plan: LoadPointPlan) -> Schedule:
        """Return the due times of all senders' requests. The load itself starts when the warm-up is over."""
        seconds = None if plan.duration is None else plan.duration + plan.cooldown
        measured = plan.warmup + self.due_times(plan.count, seconds, plan.seed)
        if not plan.warmup:
            return Schedule(measured, 0)
        warmup = self.warmup_load().due_times(duration=plan.warmup, seed=plan.seed)
        return Schedule(np.concatenate([warmup, measured]), len(warmup))

    def warmup_load(self) -> ScheduledLoad:
        """Return the load before the measured phase."""
        return self

    def count_samples(self, plan: LoadPointPlan) -> int | None:
        return len(self.schedule(plan).due_times)

    async def run(self, runner: LoadRunner) -> None:
        await runner.run_schedule(self)

    @abstractmethod
    def due_time_blocks(self, seed: int) -> Iterator[Floats]:
        """Yield due times in ascending order, block by block."""

    def _generate_arrivals(self, shape: float | None, seed: int) -> Iterator[Floats]:
        """Yield arrival times at one per second on average, block by block; evenly spaced if `shape` is None."""
        if shape is None:
            for first in counting(0, ARRIVALS_PER_BLOCK):
                yield np.arange(first, first + ARRIVALS_PER_BLOCK, dtype=np.float64)
            return
        name = str(self).removesuffix(f",cap={self.cap}")
        digest = hashlib.sha256(name.encode()).digest()
        generator = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
        last_arrival = 0.0
        while True:
            block = last_arrival + np.cumsum(generator.gamma(shape, 1 / shape, ARRIVALS_PER_BLOCK))
            yield block
            last_arrival = float(block[-1])


@dataclass(frozen=True, slots=True)
class Burst(ScheduledLoad):
    """Requests that are all due at once."""

    has_end = True
    size: int
    cap: int | None = None

    def __str__(self) -> str:
        return format_load(f"burst:{self.size}", cap=self.cap)

    @property
    def planned_seconds(self) -> float:
        return math.inf

    def due_time_blocks(self, seed: int) -> Iterator[Floats]:
        yield np.append(np.zeros(self.size), math.inf)


@dataclass(frozen=True, slots=True)
class FixedRate(ScheduledLoad):
    """A fixed rate of requests per second, evenly spaced or at independent random intervals."""

    is_constant = True
    kind: Literal["constant", "poisson", "gamma"]
    rate: float
    shape: float = 1.0
    """Shape of gamma intervals: 1 is Poisson, below 1 is burstier, above 1 is smoother."""
    cap: int | None = None

    @property
    def peak_rate(self) -> float:
        return self.rate

    def __str__(self) -> str:
        shape = self.shape if self.kind == "gamma" else None
        return format_load(f"{self.kind}:{format_number(self.rate)}", shape=shape, cap=self.cap)

    def due_time_blocks(self, seed: int) -> Iterator[Floats]:
        shape = {"constant": None, "poisson": 1.0, "gamma": self.shape}[self.kind]
        return (block / self.rate for block in self._generate_arrivals(shape, seed))


@dataclass(frozen=True, slots=True)
class Ramp(ScheduledLoad):
    """A rate that changes from one value to another, linearly or exponentially."""

    has_end = True
    start_rate: float
    end_rate: float
    ramp_seconds: float
    exponential: bool = False
    is_poisson: bool = False
    """Whether requests arrive as a Poisson process of that rate, rather than evenly."""
    cap: int | None = None

    def __str__(self) -> str:
        words = [
            f"ramp:{format_number(self.start_rate)}-{format_number(self.end_rate)}",
            f"over={format_number(self.ramp_seconds)}",
        ]
        words += ["exp"] * self.exponential + ["poisson"] * self.is_poisson
        return format_load(",".join(words), cap=self.cap)

    @property
    def planned_seconds(self) -> float:
        return self.ramp_seconds

    @property
    def peak_rate(self) -> float:
        return max(self.start_rate, self.end_rate)

    @property
    def total_arrivals(self) -> float:
        """Number of requests due in total: the rate integrated over time."""
        if self.exponential and self.start_rate != self.end_rate:
            return self.ramp_seconds * (self.end_rate - self.start_rate) / math.log(self.end_rate / self.start_rate)
        return self.ramp_seconds * (self.start_rate + self.end_rate) / 2

    def warmup_load(self) -> ScheduledLoad:
        """Return the rate with which the ramp begins; the other one if it begins at 0."""
        return FixedRate("poisson" if self.is_poisson else "constant", self.start_rate or self.end_rate)

    def due_time_blocks(self, seed: int) -> Iterator[Floats]:
        return map(self._arrival_times, self._generate_arrivals(1.0 if self.is_poisson else None, seed))

    def _arrival_times(self, arrivals: Floats) -> Floats:
        """Return the times by which these numbers of requests are due: the inverse of the integrated rate."""
        due = np.full(len(arrivals), np.inf)
        inside = arrivals[arrivals < self.total_arrivals]
        if self.exponential and self.start_rate != self.end_rate:
            growth = math.log(self.end_rate / self.start_rate) / self.ramp_seconds
            times = np.log1p(growth * inside / self.start_rate) / growth
        else:
            slope = (self.end_rate - self.start_rate) / self.ramp_seconds
            speed = self.start_rate + np.sqrt(self.start_rate**2 + 2 * slope * inside)
            times = 2 * inside / np.where(speed > 0, speed, 1.0)
        due[: len(inside)] = times
        return due


@dataclass(frozen=True, slots=True)
class Steps(ScheduledLoad):
    """A sequence of rates, each for a number of seconds."""

    has_end = True
    steps: tuple[tuple[float, float], ...]
    """Pairs of rate and seconds."""
    is_poisson: bool = False
    cap: int | None = None

    def __str__(self) -> str:
        words = [f"{format_number(rate)}x{format_number(seconds)}" for rate, seconds in self.steps]
        return format_load("steps:" + ",".join(words + ["poisson"] * self.is_poisson), cap=self.cap)

    @property
    def planned_seconds(self) -> float:
        return sum(seconds for _, seconds in self.steps)

    @property
    def peak_rate(self) -> float:
        return max(rate for rate, _ in self.steps)

    def warmup_load(self) -> ScheduledLoad:
        """Return the rate of the first step."""
        return FixedRate("poisson" if self.is_poisson else "constant", self.steps[0][0])

    def due_time_blocks(self, seed: int) -> Iterator[Floats]:
        rates, seconds = np.array(self.steps).T
        times = np.concatenate([[0.0], np.cumsum(seconds)])
        arrived = np.concatenate([[0.0], np.cumsum(rates * seconds)])
        for block in self._generate_arrivals(1.0 if self.is_poisson else None, seed):
            yield np.interp(block, arrived, times, right=np.inf)


@dataclass(frozen=True, slots=True)
class Trace(ScheduledLoad):
    """A replay of the timestamps in the data."""

    has_end = True
    scale: float = 1.0
    """Factor by which the replay is faster; 1000 if the timestamps are milliseconds."""
    cap: int | None = None
    times: tuple[float, ...] = ()
    """Seconds from the first timestamp, set by `with_timestamps`."""

    def __str__(self) -> str:
        words = format_load("", scale=self.scale if self.scale != 1 else None, cap=self.cap)
        return f"trace:{words[1:]}" if words else "trace"

    @property
    def planned_seconds(self) -> float:
        return math.inf

    def with_timestamps(self, timestamps: Sequence[Any]) -> Trace:
        """Return the trace with its due times.

        Raises:
            DataError: A row has no timestamp.
            SpecError: The timestamps are not in ascending order.
        """
        if not all(isinstance(timestamp, (int, float)) for timestamp in timestamps):
            raise DataError("Load 'trace' needs a column 'timestamp' with a number in every row.")
        for row, (before, after) in enumerate(pairwise(timestamps), 2):
            if not after >= before:
                raise SpecError(
                    f"A trace needs ascending timestamps; row {row} has {after} after {before}."
                    " Sort the data by its timestamps."
                )
        return replace(self, times=tuple((timestamp - timestamps[0]) / self.scale for timestamp in timestamps))

    def select_samples(self, samples: Iterator[Sample], plan: LoadPointPlan) -> Iterator[Sample]:
        """Return the samples up to the end of the measurement."""
        first = next(samples, None)
        if first is None:
            return iter(())
        start = first.meta.get("timestamp")
        if plan.duration is None or not isinstance(start, (int, float)):
            return chain([first], samples)
        end = start + self.scale * (plan.duration + plan.cooldown)

        def is_inside(sample: Sample) -> bool:
            timestamp = sample.meta.get("timestamp")
            return not isinstance(timestamp, (int, float)) or timestamp < end

        return chain([first], takewhile(is_inside, samples))

    def count_samples(self, plan: LoadPointPlan) -> int | None:
        return plan.count

    def warmup_load(self) -> ScheduledLoad:
        """Return the mean rate of the trace; a burst if all its requests are due at once."""
        seconds = self.times[-1] if self.times else 0.0
        return FixedRate("constant", (len(self.times) - 1) / seconds) if seconds else Burst(max(1, len(self.times)))

    def due_time_blocks(self, seed: int) -> Iterator[Floats]:
        if not self.times:
            raise SpecError("Load 'trace' needs data with a column 'timestamp'.")
        yield np.array([*self.times, math.inf])


def folder_name(load: LoadPattern) -> str:
    """Return a load's name without characters that some file systems reject."""
    return str(load).replace(":", "-").replace(",", "_")


def format_load(prefix: str, **options: float | None) -> str:
    """Append the options that are set to a load's name."""
    words = [f"{name}={format_number(value)}" for name, value in options.items() if value]
    return ",".join([prefix, *words])


def format_number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def round_rate(rate: float) -> float:
    """Round to four significant digits, to keep the names of computed loads short."""
    return float(f"{rate:.4g}")


def _truncate(blocks: Iterator[Floats], count: int | None, end: float | None) -> Floats:
    """Return the first `count` times that are before `end`."""
    parts: list[Floats] = []
    size = 0
    for block in blocks:
        inside = len(block) if end is None else int(np.searchsorted(block, end))
        inside = inside if count is None else min(inside, count - size)
        parts.append(block[:inside])
        size += inside
        if inside < len(block) or size == count:
            break
    return np.concatenate(parts)
