"""What the shards of a run that are not completed have cost so far."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from auricle.runs.journal import JournalIndex
from auricle.runs.run_spec import OUTPUTS_FILE, VERDICTS_FILE
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import Price, UsageTotals, VerdictCosts
from auricle.runs.verdicts import add_verdict_costs


def sum_unfinished_cost(store: ShardStore, price: Price | None, judge_prices: Mapping[str, Price]) -> float:
    """Add up the answers and verdicts of begun shards, as far as their cost is known.

    Args:
        store: The run.
        price: Price of the model; None if only judges have one.
        judge_prices: Prices of judges, by their names.
    """
    states = store.read_states()
    totals, verdict_costs = UsageTotals(price), VerdictCosts(judge_prices)
    for shard in range(store.plan.count):
        if store.is_done(states, shard) or not states.epochs[shard]:
            continue
        with TemporaryDirectory(prefix="auricle-shard-") as scratch:
            folder = Path(scratch)
            store.copy_lines(shard, folder)
            with JournalIndex(folder / OUTPUTS_FILE) as index:
                for record in index.records():
                    totals.add(record)
            add_verdict_costs(folder / VERDICTS_FILE, verdict_costs)
    return totals.cost + verdict_costs.cost
