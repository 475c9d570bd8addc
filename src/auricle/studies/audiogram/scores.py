"""Load the statistics of one task under several conditions, with the same independent units in all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.errors import SampleError
from auricle.core.types import Sample
from auricle.core.value_text import format_group
from auricle.metrics.base import Codes, Metric
from auricle.metrics.capabilities import Choosing
from auricle.metrics.joint_replicates import JointReplicates, UnitStats
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores, restore_stat
from auricle.scoring.clusters import encode_clusters, renumber_clusters
from auricle.scoring.score_table import StatArray


@dataclass(frozen=True)
class SampleUnits:
    """The samples of a task in their order, and the independent unit of each: itself, or its cluster."""

    unit_by_id: Mapping[str, int]
    count: int
    """Number of units."""
    cluster: str = ""
    """Metadata field whose values are the units; empty if samples are."""
    chance_by_metric: Mapping[str, float] = field(default_factory=dict)
    """What guessing would score, by metric; only of metrics that choose among options."""

    @classmethod
    def load(cls, clean_run: Path, cluster: str, metrics: Sequence[Metric] = ()) -> SampleUnits:
        """Read the samples of the run without a condition.

        Args:
            clean_run: Directory of the run.
            cluster: Metadata field whose values are independent; empty if samples are.
            metrics: Metrics whose chance level is computed.
        """
        choosing = [metric for metric in metrics if metric.right_or_wrong and isinstance(metric, Choosing)]
        shares: dict[str, list[float]] = {metric.name: [] for metric in choosing}
        records = sorted(Run.load(clean_run).records(), key=lambda record: record.row)
        for record in records:
            for metric in choosing:
                shares[metric.name] += _list_chances(metric, record.sample)
        values = [_read_field(record.sample, cluster) for record in records]
        codes = renumber_clusters(encode_clusters(values)) if cluster else None
        units = range(len(records)) if codes is None else codes.tolist()
        return cls(
            {record.sample.id: unit for record, unit in zip(records, units, strict=True)},
            len(records) if codes is None else int(codes.max()) + 1,
            "" if codes is None else cluster,
            {name: float(np.mean(values)) for name, values in shares.items() if values},
        )

    def restrict(self, ids: Collection[str]) -> SampleUnits:
        """Return the units of some of the samples."""
        kept = [sample for sample in self.unit_by_id if sample in ids]
        codes = np.unique([self.unit_by_id[sample] for sample in kept], return_inverse=True)[1]
        count = int(codes.max()) + 1 if len(codes) else 0
        return replace(self, unit_by_id=dict(zip(kept, codes.tolist(), strict=True)), count=count)


def _read_field(sample: Sample, name: str) -> str | None:
    return format_group(sample.meta[name]) if name in sample.meta else None


def _list_chances(metric: Metric, sample: Sample) -> list[float]:
    """Return the chance of a right guess, if the options are known."""
    assert isinstance(metric, Choosing)
    try:
        count = len({*metric.options(sample).values()})
    except SampleError:  # its row was rejected, or its target is none of the options
        return []
    return [1 / count] if count > 1 else []


@dataclass
class SampleStats:
    """The statistics of a metric in one part, by the id of the sample."""

    stats: StatArray = field(default_factory=StatArray)
    index: dict[str, int] = field(default_factory=dict)
    """The place of the statistic of each sample that was scored."""

    def append(self, sample: str, stat: Any) -> None:
        self.stats.append(stat)
        self.index[sample] = len(self.index)

    def select(self, ids: Sequence[str]) -> Any:
        """Return the statistics of some of the samples, in this order."""
        return self.stats[np.array([self.index[sample] for sample in ids], dtype=np.int64)]

    def restrict(self, ids: Collection[str]) -> SampleStats:
        """Return the statistics of the samples with these ids."""
        return SampleStats(self.stats, {sample: place for sample, place in self.index.items() if sample in ids})


@dataclass(frozen=True)
class ConditionScores:
    """The statistics of all parts of a suite of conditions, by part and metric."""

    units: SampleUnits
    parts: Mapping[str, Mapping[str, SampleStats]]

    @classmethod
    def load(
        cls, runs: Mapping[str, Path], metrics: Sequence[str], units: SampleUnits, ids: Mapping[str, str] | None = None
    ) -> ConditionScores:
        """Read the scores of the runs of a suite.

        Args:
            runs: Run directories by the name of the part.
            metrics: Names of the metrics to read.
            units: The samples; others are left out.
            ids: The id in `units` of each sample of the runs, if it has another one there.
        """
        known = ids if ids is not None else {sample: sample for sample in units.unit_by_id}
        return cls(units, {part: _read_stats(path, metrics, known) for part, path in runs.items()})

    def restrict(self, other: ConditionScores) -> ConditionScores:
        """Return the statistics of the samples that were scored in another suite, too, part by part."""
        return replace(
            self,
            parts={
                part: {name: stats.restrict(other.parts[part][name].index) for name, stats in by_metric.items()}
                for part, by_metric in self.parts.items()
            },
        )

    def pair(self, metric: str, part: str, other: str) -> tuple[Any, Any, Codes | None]:
        """Return the statistics of the samples that were scored in two parts, and the clusters they belong to."""
        a, b = self.parts[part][metric], self.parts[other][metric]
        in_both = a.index.keys() & b.index.keys()
        ids = [sample for sample in self.units.unit_by_id if sample in in_both]
        codes = np.array([self.units.unit_by_id[sample] for sample in ids], dtype=np.int64)
        return a.select(ids), b.select(ids), renumber_clusters(codes) if self.units.cluster else None

    def resample(self, metric: Metric, parts: Sequence[str]) -> JointReplicates:
        """Return the numbers of some parts over the samples that were scored in all of them, resampled together."""
        collected, count = self.collect(metric, parts)
        return JointReplicates(collected, count)

    def collect(self, metric: Metric, parts: Sequence[str]) -> tuple[list[UnitStats], int]:
        """Return the statistics of the samples that were scored in all of some parts, and how many units they are."""
        columns = [self.parts[part][metric.name] for part in parts]
        in_all = set.intersection(*({*column.index} for column in columns))
        ids = [sample for sample in self.units.unit_by_id if sample in in_all]
        codes = np.unique([self.units.unit_by_id[sample] for sample in ids], return_inverse=True)[1]
        count = int(codes.max()) + 1 if len(codes) else 0
        return [UnitStats(column.select(ids), codes, metric.aggregate) for column in columns], count


def _read_stats(run: Path, metrics: Sequence[str], known_ids: Mapping[str, str]) -> dict[str, SampleStats]:
    columns = {name: SampleStats() for name in metrics}
    for line in read_scores(run):
        if line.id not in known_ids:
            continue
        for name, stat in line.stats.items():
            if (column := columns.get(name)) is not None:
                column.append(known_ids[line.id], restore_stat(stat))
    return columns
