"""The sums of a run: those of its shards, added in the order of the plan; their size does not depend on the samples."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from auricle.core.types import Outcome, RejectedRow
from auricle.metrics.base import Codes, Metric
from auricle.runs.metrics import FailureExample, JudgeFacts
from auricle.runs.progress import PassTiming
from auricle.runs.shards.duplicate_ids import renumber_message
from auricle.runs.usage import Price, UsageTotals
from auricle.runs.verdicts import COUNT_FIELDS
from auricle.scoring.clusters import DEFAULT_FIELDS, NO_CLUSTER
from auricle.scoring.score_table import MAX_EXAMPLES, MAX_GROUPS, MAX_REQUESTED_GROUPS, MAX_WORST_SAMPLES
from auricle.scoring.shards.cluster_sketch import ClusterSketch, RunningSketch
from auricle.scoring.shards.delay_histogram import DelayHistogram
from auricle.scoring.shards.keyed_table import KeyMap
from auricle.scoring.shards.running_column import RunningColumn
from auricle.scoring.shards.scoring import USAGE_FIELDS
from auricle.scoring.shards.sums import ShardSums
from auricle.scoring.summary import natural_sort_key


class WorstSample(NamedTuple):
    """One of the worst samples of a shard; of several, the largest is the worst."""

    badness: float
    order: int
    """Minus its row in the data: the earlier of two equal samples comes first."""
    shard: int
    id: str


class RunningSums:
    """Everything that the numbers of a run are computed from.

    Args:
        metrics: The metrics, in the order of the report.
        cluster: Metadata field that samples are clustered by, `none`, or "" for the usual ones.
        breakdown_fields: Metadata fields to break numbers down by; all with few values if there are none.
    """

    def __init__(self, metrics: Sequence[Metric], cluster: str = "", breakdown_fields: Sequence[str] = ()) -> None:
        self.columns = {metric.name: RunningColumn(metric) for metric in metrics}
        self.breakdown_fields = breakdown_fields
        self._requested_cluster = cluster
        self._max_groups = MAX_REQUESTED_GROUPS if breakdown_fields else MAX_GROUPS
        self._cells: dict[tuple[str, str], int] = {("", "all"): 0}
        self._values: dict[str, list[str]] = {}
        self._ignored_fields: set[str] = set()
        self._sketches: dict[str, RunningSketch] = {}
        self.total = self.shards = self.rows = self.audio_not_sent = self.rightly_empty = self.finish_unknown = 0
        self.outcomes: Counter[Outcome] = Counter()
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, list[FailureExample]] = {}
        self.usage = UsageTotals()
        self.delays = {"first_token": DelayHistogram(), "first_audio": DelayHistogram()}
        self.damaged = Counter(records=0, verdicts=0)
        self.judges: dict[str, JudgeFacts] = {}
        self.passes = PassTotals()
        self._worst: dict[str, list[WorstSample]] = {}

    def add(self, sums: ShardSums, shard: int, rows: int) -> None:
        """Add the sums of the next shard of the plan.

        Args:
            sums: The sums.
            shard: Number of the shard.
            rows: Rows of the data in it.
        """
        document = sums.document
        cells = self._map_cells(document)
        keys = KeyMap(cells)
        for name in document["units"]:
            sketch = ClusterSketch(sums.arrays[f"cluster:{name}/digests"], sums.arrays[f"cluster:{name}/counts"])
            self._sketches.setdefault(name, RunningSketch()).add(sketch)
        for column_document, arrays in zip(document["columns"], sums.list_arrays(), strict=True):
            column = self.columns.get(column_document["name"])
            if column is not None:
                column.add(column_document, arrays, keys, self._sketches)
        offset = 0 if document.get("has_data_rows") else self.rows
        self._add_outcomes(document, offset)
        self._add_costs(document)
        self._add_worst(document["worst"], shard, offset)
        self.total += document["total"]
        self.rows += rows
        self.shards += 1

    def _map_cells(self, document: Mapping[str, Any]) -> Codes:
        """Return the number of each group of a shard in the run; -1 if its field has too many values."""
        for field, value in document["cells"][1:]:
            if (field, value) not in self._cells and field not in self._ignored_fields:
                self._cells[field, value] = len(self._cells)
                self._values.setdefault(field, []).append(value)
        too_large = {name for name, values in self._values.items() if len(values) > self._max_groups}
        for name in (*document["ignored_fields"], *too_large):
            self._ignored_fields.add(name)
            self._values.pop(name, None)
        return np.array(
            [-1 if field in self._ignored_fields else self._cells[field, value] for field, value in document["cells"]]
        )

    def _add_outcomes(self, document: Mapping[str, Any], offset: int) -> None:
        self.outcomes.update({Outcome(name): count for name, count in document["outcomes"].items()})
        self.audio_not_sent += document["audio_not_sent"]
        self.rightly_empty += document["rightly_empty"]
        self.finish_unknown += document.get("finish_unknown", 0)  # sums of earlier versions lack it
        self.failures.update(document["failures"])
        for kind, examples in document["examples"].items():
            kept = self.examples.setdefault(kind, [])
            for fields in examples[: MAX_EXAMPLES - len(kept)]:
                is_row = kind == RejectedRow.__name__
                message = renumber_message(fields["message"], offset) if is_row else fields["message"]
                kept.append(FailureExample(**{**fields, "message": message}))

    def _add_costs(self, document: Mapping[str, Any]) -> None:
        """Add usage, delays and times; unknown amounts stay None."""
        if document["price"] and self.usage.price is None:
            self.usage.price = Price(**document["price"])
        for name in USAGE_FIELDS:
            added, before = document["usage"][name], getattr(self.usage, name)
            if added is not None:
                setattr(self.usage, name, added if before is None else before + added)
        for name, counts in document["delays"].items():
            self.delays[name].add(DelayHistogram({int(key): count for key, count in counts.items()}))
        self.damaged.update(document["damaged"])
        self.passes.add([PassTiming(**fields) for fields in document["passes"]])
        for fields in document["judges"]:
            judge = JudgeFacts(**fields)
            self.judges[judge.name] = (
                _add_verdicts(self.judges[judge.name], judge) if judge.name in self.judges else judge
            )

    def _add_worst(self, worst: Mapping[str, Any], shard: int, offset: int) -> None:
        samples = self._worst.setdefault(worst["metric"], [])
        samples += [WorstSample(badness, -(offset + row), shard, name) for badness, row, name in worst["samples"]]
        self._worst[worst["metric"]] = heapq.nlargest(MAX_WORST_SAMPLES, samples)

    # --- what was added -------------------------------------------------------------------------

    @property
    def ranking_column(self) -> RunningColumn | None:
        """The metric by which samples are the worst: the first that was computed for any."""
        return next((column for column in self.columns.values() if column.scored), None)

    def worst_samples(self) -> list[WorstSample]:
        """Return the worst samples by `ranking_column`, worst first."""
        column = self.ranking_column
        return self._worst.get(column.metric.name, []) if column else []

    @property
    def fields(self) -> list[str]:
        """The metadata fields that numbers are broken down by, subsets first."""
        names = sorted(self._values, key=lambda name: (name != "subset", name))
        return [name for name in names if name == "subset" or 1 < len(self._values[name]) < self.total]

    def list_cells(self, field: str) -> list[tuple[str, int]]:
        """Return the values of a field with the numbers of their groups."""
        return [(value, self._cells[field, value]) for value in sorted(self._values[field], key=natural_sort_key)]

    @property
    def cluster(self) -> str:
        """The field that samples are clustered by; empty if they are independent."""
        requested = self._requested_cluster
        candidates = DEFAULT_FIELDS if not requested else () if requested == NO_CLUSTER else (requested,)
        for candidate in candidates:
            for name, running in self._sketches.items():
                if (name if requested else name.casefold()) != candidate:
                    continue
                sketch = running.total
                if sketch.clusters > 1 and (requested or sketch.repeats):
                    return name
        return ""

    @property
    def cluster_problem(self) -> str:
        """Why the requested field is not used."""
        name = self._requested_cluster
        if name in ("", NO_CLUSTER) or self.cluster:
            return ""
        if name not in self._sketches:
            return f"no sample has the metadata field {name!r}; samples are treated as independent"
        return f"all samples have the same {name}; intervals are over samples, and hold for this {name} only"


def _add_verdicts(before: JudgeFacts, added: JudgeFacts) -> JudgeFacts:
    counts = {name: getattr(before, name) + getattr(added, name) for name in COUNT_FIELDS}
    costs = [judge.cost for judge in (before, added) if judge.cost is not None]
    without = [judge.verdicts_without_cost for judge in (before, added) if judge.verdicts_without_cost is not None]
    return replace(
        before, **counts, cost=sum(costs) if costs else None, verdicts_without_cost=sum(without) if without else None
    )


class PassTotals:
    """The times of all passes over all shards, as one pass of a single worker would have them."""

    def __init__(self) -> None:
        self.count = 0
        self._wall = self._audio = self._model = 0.0
        self._samples = 0
        self._knows_audio = self._knows_model = True

    def add(self, timings: Sequence[PassTiming]) -> None:
        for timing in timings:
            self.count += 1
            self._wall += timing.wall_seconds
            self._samples += timing.samples
            self._audio += timing.audio_seconds or 0.0
            self._model += timing.model_seconds or 0.0
            self._knows_audio &= timing.audio_seconds is not None
            self._knows_model &= timing.model_seconds is not None

    def to_timings(self) -> list[PassTiming]:
        """Return the sum of all times; none if nothing was answered."""
        if not self.count:
            return []
        audio, model = self._audio if self._knows_audio else None, self._model if self._knows_model else None
        return [PassTiming(self._wall, self._samples, audio, model)]
