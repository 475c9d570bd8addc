"""Count the progress of a run, and describe it as events that programs can follow."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import orjson

from auricle.core.types import Record
from auricle.engine.observer import Observer
from auricle.runs.recent_rate import RecentRate
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price, UsageTotals
from auricle.runs.verdicts import Verdict

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from auricle.runs.shards.status import ShardStatus

Phase = Literal["inference", "judging"]
COUNTED_FIELDS = (
    *("phase", "title", "run", "total", "done", "answered", "failed", "answered_before", "retried", "in_flight"),
)
"""Fields that an event takes from the tracker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent:
    """What `--progress json` writes, one object per line.

    >>> ProgressEvent.parse(ProgressEvent(event="started", title="demo × echo", total=48).to_json_line()).total
    48
    """

    event: Literal["started", "progress", "failed", "finished"]
    phase: Phase = "inference"
    title: str = ""
    """Task and model."""
    run: str = ""
    """The run directory."""
    total: int | None = None
    """Samples, or verdicts while judging; None if unknown."""
    done: int = 0
    """Answered, failed and answered before."""
    answered: int = 0
    failed: int = 0
    answered_before: int = 0
    """Samples that were answered in an earlier pass."""
    retried: int = 0
    in_flight: int = 0
    rate: float = 0.0
    """Samples per second over the last minute, or since the start of the phase while that is unknown."""
    eta_seconds: float | None = None
    """Estimated seconds until the phase ends, at the rate of the last minute."""
    cost: float | None = None
    """Cost of this pass so far, if prices are known."""
    currency: str | None = None
    id: str | None = None
    """The sample that failed."""
    kind: str | None = None
    message: str | None = None
    exit_code: int | None = None
    """How the run ended."""
    shards: int | None = None
    """Number of shards of a sharded run."""
    shards_done: int | None = None
    """Number of completed shards."""

    def to_json_line(self) -> bytes:
        """Return the event as a line of JSON; unknown values are left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        known = {name: value for name, value in values.items() if value is not None}
        return orjson.dumps(known, option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def parse(cls, line: bytes | str) -> ProgressEvent | None:
        """Parse a line; return None if it is not an event, such as what a model prints."""
        from pydantic import ValidationError

        try:
            return _adapter().validate_json(line)
        except ValidationError:
            return None


@cache
def _adapter() -> TypeAdapter[ProgressEvent]:
    from pydantic import TypeAdapter

    return TypeAdapter(ProgressEvent)


class ProgressTracker(Observer):
    """Counts samples, then verdicts, and reports the counts.

    Args:
        title: Task and model.
        total: Number of samples, if known.
        price: Price of the model, to count the cost.
        phase: What comes first.
    """

    def __init__(
        self, title: str, total: int | None = None, price: Price | None = None, phase: Phase = "inference"
    ) -> None:
        self.title, self.total, self.phase = title, total, phase
        self.run = ""
        self.answered = self.failed = self.answered_before = self.retried = self.in_flight = 0
        self.shards: ShardStatus | None = None
        """The state of a sharded run; None for other runs."""
        self._usage = UsageTotals(price) if price else None
        self._started_at = time.monotonic()
        self._recent_rate = RecentRate()

    def on_start(self, run: Run, _stop: Callable[[], None], /) -> None:
        self.run = str(run.location)

    def on_result(self, record: Record, /) -> None:
        if self._usage:
            self._usage.add(record)
        self.retried += record.attempts - 1
        self._count(failed=record.error is not None)

    def on_skipped(self) -> None:
        self.answered_before += 1
        self.update()

    def on_in_flight(self, count: int, /) -> None:
        self.in_flight = count

    def on_shards(self, status: ShardStatus, /) -> None:
        """Take over the counts of all workers; what was done before this command is counted apart."""
        if self.shards is None or status.rows < self.answered_before:  # rows of a file that changed may be gone
            self.answered_before = status.rows
        self.shards, self.total = status, status.total
        self.failed = min(status.failed, status.rows - self.answered_before)
        self.answered = max(0, status.rows - self.answered_before - self.failed)
        self._recent_rate.observe(time.monotonic(), self.answered + self.failed)
        self.update()

    def on_judging(self, _run: Run, total: int, _stop: Callable[[], None], /) -> None:
        self.phase, self.total = "judging", total
        self.answered = self.failed = self.answered_before = self.retried = self.in_flight = 0
        self._started_at = time.monotonic()
        self._recent_rate = RecentRate()

    def on_verdict(self, verdict: Verdict, /) -> None:
        self._count(failed=verdict.error is not None)

    def _count(self, *, failed: bool) -> None:
        self.answered += not failed
        self.failed += failed
        self._recent_rate.observe(time.monotonic(), self.answered + self.failed)
        self.update()

    def update(self) -> None:
        """Called after each count; subclasses show the progress."""

    @property
    def done(self) -> int:
        return self.answered + self.failed + self.answered_before

    @property
    def rate(self) -> float:
        """Samples or verdicts per second over the last minute, or since the start of the phase while that is unknown.

        The time before the first one, in which the model is loaded, does not count in the former.
        """
        now = time.monotonic()
        average = (self.answered + self.failed) / max(1e-9, now - self._started_at)
        return self._recent_rate.get(now) or average

    @property
    def eta_seconds(self) -> float | None:
        """Seconds until all samples are done at the rate of the last minute; None while that is unknown."""
        rate = self._recent_rate.get(time.monotonic())
        return (self.total - self.done) / rate if self.total and self.done < self.total and rate else None

    def event(self, name: Literal["started", "progress", "failed", "finished"], **details: Any) -> ProgressEvent:
        """Return the current counts as an event."""
        eta = self.eta_seconds
        cost = self.shards.cost if self.shards else self._usage.cost if self._usage else None
        return ProgressEvent(
            event=name,
            **{field: getattr(self, field) for field in COUNTED_FIELDS},
            rate=float(f"{self.rate:.4g}"),
            eta_seconds=None if eta is None else round(eta, 1),
            cost=None if cost is None else round(cost, 6),
            currency=self._usage.price.currency if self._usage and self._usage.price else None,
            shards=self.shards.shards if self.shards else None,
            shards_done=self.shards.done if self.shards else None,
            **details,
        )
