"""What load to offer: `closed:8`, `poisson:4`, ... read, named, and unrolled into due times.

    parse(text) -> list[Load]           one a point: `closed:1,2,4` are three
    str(load), folder(load)             its one name, and the same fit for a folder
    Closed.start_times()                when each user begins; afterwards users pace themselves
    Open.due_times(count, duration, seed)   seconds from the start, never falling
    Trace.timed(timestamps)             a trace with the times of the data
    SearchPlan.at(value), SweepPlan.at(rate)    the load of one point of a plan
    dealt(size, senders)                which indexes each sender serves

A schedule depends on its seed and its name alone: not on senders, cap or the run's length.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count as counting
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from auricle.core.errors import SpecError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Times: TypeAlias = NDArray[np.float64]

ARRIVALS_PER_BLOCK = 4096  # arrivals drawn at a time; part of what a seed means, so it never changes


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """Users who each ask, wait for the answer, think, and ask again."""

    users: int
    ramp_seconds: float = 0.0
    """Seconds over which the users begin, one after the other."""
    think_seconds: float = 0.0
    """Seconds between an answer and the same user's next question."""

    def __str__(self) -> str:
        return _format_load(f"closed:{self.users}", ramp=self.ramp_seconds, think=self.think_seconds)

    def user_start_times(self) -> tuple[float, ...]:
        """When each user begins."""
        return tuple(self.ramp_seconds * user / self.users for user in range(self.users))


class _ScheduledLoad(ABC):
    """A load whose requests are due at times known before it starts."""

    __slots__ = ()
    cap: int | None
    """So many may be in flight; who is due later waits, and the waiting is measured."""

    @property
    def planned_seconds(self) -> float | None:
        """Seconds after which nothing more is due; None if it could go on for ever."""
        return None

    def due_times(self, count: int | None = None, duration: float | None = None, seed: int = 0) -> Times:
        """When each request is due: the first `count` of them, those before `duration`, or both."""
        ends = [each for each in (duration, self.planned_seconds) if each is not None]
        if count is None and not ends:
            raise SpecError(f"{self} has no end of its own: say how many requests, or how long.")
        return _truncate(self._due_time_blocks(seed), count, min(ends, default=None))

    @abstractmethod
    def _due_time_blocks(self, seed: int) -> Iterator[Times]:
        """Due times in rising order, block by block."""


@dataclass(frozen=True, slots=True)
class Burst(_ScheduledLoad):
    """All at once."""

    size: int
    cap: int | None = None

    def __str__(self) -> str:
        return _format_load(f"burst:{self.size}", cap=self.cap)

    def due_times(self, count: int | None = None, duration: float | None = None, seed: int = 0) -> Times:
        """Zero, `size` times or at most `count`."""
        return next(self._due_time_blocks(seed))[:count]

    def _due_time_blocks(self, seed: int) -> Iterator[Times]:
        import numpy as np

        yield np.zeros(self.size)


@dataclass(frozen=True, slots=True)
class FixedRate(_ScheduledLoad):
    """So many a second: evenly, or at random intervals that know nothing of each other."""

    kind: Literal["constant", "poisson", "gamma"]
    rate: float
    shape: float = 1.0
    """Of gamma intervals: 1 is Poisson, less is burstier, more is smoother."""
    cap: int | None = None

    def __str__(self) -> str:
        shape = self.shape if self.kind == "gamma" else None
        return _format_load(f"{self.kind}:{_format_number(self.rate)}", shape=shape, cap=self.cap)

    def _due_time_blocks(self, seed: int) -> Iterator[Times]:
        shape = {"constant": None, "poisson": 1.0, "gamma": self.shape}[self.kind]
        name = str(replace(self, cap=None))
        return (block / self.rate for block in _generate_arrivals(shape, seed, name))


@dataclass(frozen=True, slots=True)
class Ramp(_ScheduledLoad):
    """A rate that moves with time from one value to another, along a line or a power."""

    start_rate: float
    end_rate: float
    ramp_seconds: float
    exponential: bool = False
    is_poisson: bool = False
    """Arrive as a Poisson process of that rate, rather than as evenly as the rate allows."""
    cap: int | None = None

    def __str__(self) -> str:
        words = [
            f"ramp:{_format_number(self.start_rate)}-{_format_number(self.end_rate)}",
            f"over={_format_number(self.ramp_seconds)}",
        ]
        words += ["exp"] * self.exponential + ["poisson"] * self.is_poisson
        return _format_load(",".join(words), cap=self.cap)

    @property
    def planned_seconds(self) -> float:
        return self.ramp_seconds

    @property
    def total_arrivals(self) -> float:
        """How many are due in all: the rate integrated over time."""
        if self.exponential and self.start_rate != self.end_rate:
            return self.ramp_seconds * (self.end_rate - self.start_rate) / math.log(self.end_rate / self.start_rate)
        return self.ramp_seconds * (self.start_rate + self.end_rate) / 2

    def _due_time_blocks(self, seed: int) -> Iterator[Times]:
        name = str(replace(self, cap=None))
        arrivals = _generate_arrivals(1.0 if self.is_poisson else None, seed, name)
        return (self._arrival_times(block) for block in arrivals)

    def _arrival_times(self, arrivals: Times) -> Times:
        """The time by which so many were due: the inverse of the integral."""
        import numpy as np

        due = np.full(len(arrivals), np.inf)
        inside = arrivals[arrivals < self.total_arrivals]
        if self.exponential and self.start_rate != self.end_rate:
            growth = math.log(self.end_rate / self.start_rate) / self.ramp_seconds
            found = np.log1p(growth * inside / self.start_rate) / growth
        else:
            slope = (self.end_rate - self.start_rate) / self.ramp_seconds
            speed = self.start_rate + np.sqrt(self.start_rate**2 + 2 * slope * inside)
            found = 2 * inside / np.where(speed > 0, speed, 1.0)
        due[: len(inside)] = found
        return due


@dataclass(frozen=True, slots=True)
class Steps(_ScheduledLoad):
    """One rate after another, each for so many seconds."""

    steps: tuple[tuple[float, float], ...]
    """Rate and seconds."""
    is_poisson: bool = False
    cap: int | None = None

    def __str__(self) -> str:
        words = [f"{_format_number(rate)}x{_format_number(seconds)}" for rate, seconds in self.steps]
        return _format_load("steps:" + ",".join(words + ["poisson"] * self.is_poisson), cap=self.cap)

    @property
    def planned_seconds(self) -> float:
        return sum(seconds for _, seconds in self.steps)

    def _due_time_blocks(self, seed: int) -> Iterator[Times]:
        import numpy as np

        rates, seconds = np.array(self.steps).T
        times = np.concatenate([[0.0], np.cumsum(seconds)])
        arrived = np.concatenate([[0.0], np.cumsum(rates * seconds)])
        name = str(replace(self, cap=None))
        for block in _generate_arrivals(1.0 if self.is_poisson else None, seed, name):
            yield np.interp(block, arrived, times, right=np.inf)


@dataclass(frozen=True, slots=True)
class Trace(_ScheduledLoad):
    """As it once happened: the data says when."""

    scale: float = 1.0
    """So many times as fast; 1000 if the timestamps are milliseconds."""
    cap: int | None = None
    times: tuple[float, ...] = ()
    """Seconds from the first, once `timed`."""

    def __str__(self) -> str:
        words = _format_load("", scale=self.scale if self.scale != 1 else None, cap=self.cap)
        return f"trace:{words[1:]}" if words else "trace"

    @property
    def planned_seconds(self) -> float:
        return math.inf

    def with_timestamps(self, timestamps: Sequence[float]) -> Trace:
        """The trace with its times, which must be in order."""
        for place, (before, after) in enumerate(pairwise(timestamps), 2):
            if not after >= before:
                raise SpecError(
                    f"A trace needs timestamps in order; row {place} has {after} after {before}."
                    " Sort the data by its timestamps."
                )
        return replace(self, times=tuple((at - timestamps[0]) / self.scale for at in timestamps))

    def _due_time_blocks(self, seed: int) -> Iterator[Times]:
        import numpy as np

        if not self.times:
            raise SpecError("trace needs data with timestamps: none were found.")
        yield np.array([*self.times, math.inf])


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """One request at a time, then as many as can be, then rates between what the two gave."""

    points: int
    max_users: int = 128
    """Users that are thought to saturate the server."""

    def __str__(self) -> str:
        return _format_load(f"sweep:{self.points}", high=self.max_users if self.max_users != 128 else None)

    def load_at(self, rate: float) -> Load:
        """A point between."""
        return FixedRate("poisson", _round_rate(rate))


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The most that meets a promise: a rate, or a number of users."""

    variable: Literal["rate", "closed"]
    low: float = 1.0
    high: float = 128.0
    tolerance: float = 0.05
    """Stops when what was met and what was not are so close, relative to the former."""
    repeat: int = 1
    """Runs of a point, of which most must agree."""

    def __str__(self) -> str:
        within = self.tolerance if self.tolerance != 0.05 else None
        repeat = self.repeat if self.repeat != 1 else None
        bounds = f"search:{self.variable},low={_format_number(self.low)},high={_format_number(self.high)}"
        return _format_load(bounds, within=within, repeat=repeat)

    def load_at(self, value: float) -> Load:
        """The load that tries `value`."""
        return ClosedLoop(round(value)) if self.variable == "closed" else FixedRate("poisson", _round_rate(value))


OpenLoop: TypeAlias = Burst | FixedRate | Ramp | Steps | Trace
Load: TypeAlias = ClosedLoop | OpenLoop | SweepPlan | SearchPlan


def split_indices(size: int, senders: int) -> list[range]:
    """Which of `size` requests, or users, each sender serves: in turn, so all are equally busy."""
    return [range(first, size, senders) for first in range(senders)]


def folder_name(load: Load) -> str:
    """A load's name without what some file systems refuse."""
    return str(load).replace(":", "-").replace(",", "_")


def _format_load(prefix: str, **options: float | None) -> str:
    """A name with the options that say something."""
    said = [f"{name}={_format_number(value)}" for name, value in options.items() if value]
    return ",".join([prefix, *said])


def _format_number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _round_rate(rate: float) -> float:
    """Four digits: what is found by halving would else have sixteen, and a name as long."""
    return float(f"{rate:.4g}")


def _generate_arrivals(shape: float | None, seed: int, name: str) -> Iterator[Times]:
    """Arrivals at one a second on average, block by block; evenly if `shape` is None."""
    import numpy as np

    if shape is None:
        yield from (np.arange(at, at + ARRIVALS_PER_BLOCK, dtype=np.float64) for at in counting(0, ARRIVALS_PER_BLOCK))
        return
    digest = hashlib.sha256(name.encode()).digest()
    dice = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    reached = 0.0
    while True:
        block = reached + np.cumsum(dice.gamma(shape, 1 / shape, ARRIVALS_PER_BLOCK))
        yield block
        reached = float(block[-1])


def _truncate(blocks: Iterator[Times], count: int | None, end: float | None) -> Times:
    """The first `count`, and of these what lies before the end."""
    import numpy as np

    kept: list[Times] = []
    size = 0
    for block in blocks:
        inside = len(block) if end is None else int(np.searchsorted(block, end))
        inside = inside if count is None else min(inside, count - size)
        kept.append(block[:inside])
        size += inside
        if inside < len(block) or size == count:
            break
    return np.concatenate(kept)


def parse_loads(text: str) -> list[Load]:
    """The loads a text names, one a point; a text that names none is refused with the grammar."""
    from auricle.perf.load_syntax import parse_load_text

    return parse_load_text(text)
