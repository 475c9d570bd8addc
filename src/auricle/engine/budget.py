"""Stop a run when it has spent its budget."""

from __future__ import annotations

from collections.abc import Callable

from auricle.core.serialization import digest
from auricle.core.types import Record
from auricle.engine.observer import ForwardingObserver, Observer
from auricle.runs.metrics import format_money
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price, UsageTotals

MAX_UNPRICED_ANSWERS = 10
"""Answers without a known cost, and none with one, after which a limit cannot be enforced."""


class Budget(ForwardingObserver):
    """An observer that adds up the cost of runs and stops a run at a limit.

    Args:
        price: Price of the model.
        limit: Maximum cost in the currency of the price. Default: only store the price.
    """

    def __init__(self, price: Price, limit: float | None = None) -> None:
        super().__init__()
        self.totals = UsageTotals(price)
        self.price, self.limit = price, limit
        self.stop_reason = ""
        """Why the run was stopped; empty if it was not."""
        self._stop: Callable[[], None] = lambda: None
        self._counted_keys: dict[int, str] = {}

    def with_observer(self, observer: Observer) -> Budget:
        """Forward all callbacks to another observer, and return this budget."""
        self.observer = observer
        return self

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        """Add what the run has spent before; `stop` is called when the limit is reached."""
        self.observer.on_start(run, stop)
        self.price.save(run)
        self._stop, self._counted_keys = stop, {}
        if self.limit is None:
            return
        for record in run.records():
            self.totals.add(record)
            if not record.error:
                self._counted_keys[digest(record.sample.id)] = record.key
        if not run.read_progress().complete:  # a complete run sends nothing, so it may exceed the limit
            self._check_limit()

    def on_result(self, record: Record, /) -> None:
        self.observer.on_result(record)
        if self.limit is None or self._counted_keys.get(digest(record.sample.id)) == record.key:
            return  # an earlier answer, reported again because its target or row changed
        self.totals.add(record)
        self._check_limit()

    def _check_limit(self) -> None:
        assert self.limit is not None
        totals = self.totals
        if round(totals.cost, 9) >= self.limit:  # ten times 0.3 is slightly less than 3
            floor = "at least " if totals.without_cost else ""
            self.stop_reason = (
                f"{floor}{format_money(totals.cost, self.price.currency)} spent, the limit is "
                f"{format_money(self.limit, self.price.currency)}"
            )
        elif (
            not totals.cost and totals.without_cost >= MAX_UNPRICED_ANSWERS and totals.without_cost == totals.with_price
        ):
            self.stop_reason = (
                f"{self.price.model} does not report the usage it charges for, so --max-cost cannot be enforced"
            )
        if self.stop_reason:
            self._stop()
