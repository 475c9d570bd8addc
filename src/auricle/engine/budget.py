"""Stop a run, or its judges, when the budget is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from auricle.core.errors import SpecError
from auricle.core.serialization import digest
from auricle.core.types import Record
from auricle.engine.observer import ForwardingObserver, Observer
from auricle.runs.metrics import format_money
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price, RunPrices, UsageTotals, VerdictCosts
from auricle.runs.verdicts import Verdict, add_verdict_costs

if TYPE_CHECKING:
    from auricle.runs.shards.status import ShardStatus

MAX_UNPRICED_ANSWERS = 10
"""Answers without a known cost, and none with one, after which a limit cannot be enforced."""
NO_PRICES: Mapping[str, Price] = {}


class Budget(ForwardingObserver):
    """An observer that adds up the cost of runs and of their verdicts, and stops them at a limit.

    Args:
        price: Price of the model; None if only judges are used.
        limit: Maximum cost in the currency of the prices. Default: only store the prices.
        judge_prices: Prices of judges, by their names.
        limit_name: What the limit is, for messages.
        counts_earlier: Whether the limit includes what runs have spent before they start.

    Raises:
        SpecError: if there is a limit and the prices are in different currencies.
    """

    def __init__(
        self,
        price: Price | None,
        limit: float | None = None,
        judge_prices: Mapping[str, Price] = NO_PRICES,
        *,
        limit_name: str = "the limit",
        counts_earlier: bool = True,
    ) -> None:
        super().__init__()
        self.totals = UsageTotals(price)
        self.verdict_costs = VerdictCosts(judge_prices)
        self.price, self.limit = price, limit
        self._limit_name = limit_name
        self._counts_earlier = counts_earlier
        self.stop_reason = ""
        """Why the run was stopped; empty if it was not."""
        self.judge_prices = judge_prices
        self._prices = RunPrices(price, dict(judge_prices))
        priced = [*([price] if price else ()), *judge_prices.values()]
        if limit is not None and len(currencies := sorted({entry.currency for entry in priced})) > 1:
            raise SpecError(f"A limit needs prices in one currency; these are in {' and '.join(currencies)}.")
        self._cost_of_shards = 0.0
        self._currency = priced[0].currency if priced else ""
        self._stop: Callable[[], None] = lambda: None
        self._counted_keys: dict[int, str] = {}
        self._runs_with_counted_verdicts: set[Path] = set()

    @property
    def cost(self) -> float:
        """What model and judges have cost, as far as that is known."""
        return self.totals.cost + self.verdict_costs.cost + self._cost_of_shards

    def on_shards(self, status: ShardStatus, /) -> None:
        """Take over what the workers of a sharded run have spent; each of them has a budget of its own."""
        self.observer.on_shards(status)
        self._cost_of_shards = status.cost or 0.0

    def with_observer(self, observer: Observer) -> Budget:
        """Forward all callbacks to another observer, and return this budget."""
        self.observer = observer
        return self

    def save_prices(self, run: Run) -> None:
        """Store the prices in a run, from which its costs are computed."""
        self._prices.save(run)

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        """Add what the run has spent before; `stop` is called when the limit is reached."""
        self.observer.on_start(run, stop)
        self._prices.save(run)
        self._stop, self._counted_keys = stop, {}
        if self.limit is None:
            return
        with run.open_index(beyond_limit=True) as index:
            for record in index.records():
                if self._counts_earlier:
                    self.totals.add(record)
                if not record.error:
                    self._counted_keys[digest(record.sample.id)] = record.key
        self._count_earlier_verdicts(run)
        if not run.read_progress().complete:  # a complete run sends nothing, so it may exceed the limit
            self._check_limit()

    def on_result(self, record: Record, /) -> None:
        self.observer.on_result(record)
        if self.limit is None or self._counted_keys.get(digest(record.sample.id)) == record.key:
            return  # an earlier answer, reported again because its target or row changed
        self.totals.add(record)
        self._check_limit()

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        """Add what the verdicts of the run have cost before; `stop` is called when the limit is reached."""
        self.observer.on_judging(run, total, stop)
        self._prices.save(run)
        self._stop = stop
        if self.limit is not None:
            self._count_earlier_verdicts(run)
            self._check_limit()

    def on_verdict(self, verdict: Verdict, /) -> None:
        self.observer.on_verdict(verdict)
        if self.limit is not None and verdict.reply:
            self.verdict_costs.add(verdict.judge_name, verdict.usage)
            self._check_limit()

    def _count_earlier_verdicts(self, run: Run) -> None:
        if self._counts_earlier and run.path not in self._runs_with_counted_verdicts:
            self._runs_with_counted_verdicts.add(run.path)
            add_verdict_costs(run.verdicts_path, self.verdict_costs)

    def _check_limit(self) -> None:
        assert self.limit is not None
        if round(self.cost, 9) >= self.limit:  # ten times 0.3 is slightly less than 3
            floor = "at least " if self.totals.without_cost or self.verdict_costs.without_cost else ""
            self.stop_reason = (
                f"{floor}{format_money(self.cost, self._currency)} spent, {self._limit_name} is "
                f"{format_money(self.limit, self._currency)}"
            )
        elif _is_unpriced(self.totals):
            assert self.price
            self.stop_reason = _cannot_enforce(self.price.model)
        elif _is_unpriced(self.verdict_costs):
            self.stop_reason = _cannot_enforce("the judge")
        if self.stop_reason:
            self._stop()


def _is_unpriced(totals: UsageTotals | VerdictCosts) -> bool:
    """Return whether many answers have a price, but none a known cost."""
    return not totals.cost and MAX_UNPRICED_ANSWERS <= totals.without_cost == totals.with_price


def _cannot_enforce(model: str) -> str:
    return f"{model} does not report the usage it charges for, so --max-cost cannot be enforced"
