"""The statistics of one metric with the groups of their samples, by metadata and by the signal of their recordings."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.serialization import JsonObject
from auricle.metrics.base import Codes, Mask, Metric, Stats
from auricle.metrics.intervals import compute_interval
from auricle.metrics.jackknife import take_stats
from auricle.runs.journal import read_latest
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.sound_measures import read_signals
from auricle.scoring.clusters import ClusterTable, renumber_clusters
from auricle.scoring.score_table import GROUPABLE_TYPES, MAX_GROUPS, MetaField, ScoreTable
from auricle.scoring.sound_slices import ABSENT, MEASURED, SLICINGS, UNKNOWN_GROUP, Grouping, SoundTable
from auricle.scoring.stored_stats import load_stats
from auricle.scoring.summary import natural_sort_key

MIN_RECORDINGS = 30
"""Recordings from which on reports break numbers down by signal."""


@dataclass(frozen=True)
class GroupedStats:
    """The statistics of one metric, and the groups of all samples of the run."""

    metric: Metric
    stats: Stats
    places: Codes
    """The index among all samples of each sample that was scored."""
    groupings: Mapping[str, Grouping]
    """The groups of all samples by field."""
    cluster: str = ""
    clusters: Codes | None = None
    """The cluster of each sample of the run; None if samples are independent."""

    def codes(self, field: str) -> Codes:
        """Return the group of each scored sample."""
        return self.groupings[field].codes[self.places]

    def scored_clusters(self) -> Codes | None:
        """Return the cluster of each scored sample."""
        return None if self.clusters is None else self.clusters[self.places]

    def compute_numbers(self, field: str, overall: Number) -> Iterator[Number]:
        """Compute the number of each group of a field, and of samples of an unknown group.

        Args:
            field: Field of the groups.
            overall: The number over all samples.
        """
        grouping = self.groupings[field]
        for code, name in (*enumerate(grouping.names), (ABSENT, UNKNOWN_GROUP)):
            members = self.codes(field) == code
            if members.any():
                total = int((grouping.codes == code).sum()) if not overall.not_applicable else int(members.sum())
                yield replace(self._compute_number(members, overall), field=field, group=name, total=total)

    def _compute_number(self, members: Mask, overall: Number) -> Number:
        stats, clusters = take_stats(self.stats, np.flatnonzero(members)), self.scored_clusters()
        clusters = renumber_clusters(None if clusters is None else clusters[members])
        interval = compute_interval(stats, self.metric.aggregate, clusters=clusters)
        value, low, high = (
            number if math.isfinite(number) else None
            for number in (float(self.metric.aggregate(stats)), interval.low, interval.high)
        )
        return Number(
            metric=overall.metric,
            title=overall.title,
            details={},
            value=value,
            low=low,
            high=high,
            interval=interval.method,
            cluster=interval.members or ("" if clusters is None else self.cluster),
            units=interval.units,
            scored=int(members.sum()),
            worst=value,
            best=value,
            higher_is_better=overall.higher_is_better,
            optimum=overall.optimum,
            unit=overall.unit,
            right_or_wrong=overall.right_or_wrong,
            signature=overall.signature,
        )


def group_table(table: ScoreTable, place: int, signals: SoundTable, slices: Sequence[str]) -> GroupedStats:
    """Group the statistics of a metric of a run that was just scored.

    Args:
        table: The statistics of all samples.
        place: Index of the metric.
        signals: The measures of the same samples in the same order.
        slices: Names of slices by signal; metadata fields of the same name take precedence.
    """
    column = table.columns[place]
    places = np.array(column.indices, dtype=np.int64)
    groupings = {name: _to_grouping(field) for name, field in sorted(table.fields.items())}
    groupings |= {name: signals.cut(name) for name in slices if name not in groupings}
    clusters = table.clusters
    stats = column.stats[np.arange(len(places))]
    return GroupedStats(column.resolved_metric(), stats, places, groupings, clusters.field, clusters.codes())


def _to_grouping(field: MetaField) -> Grouping:
    names = sorted(field.values, key=natural_sort_key)
    codes = np.full(len(names) + 1, ABSENT)
    codes[[field.values[name] for name in names]] = np.arange(len(names))
    return Grouping(tuple(names), codes[np.array(field.codes, dtype=np.int64)])


@dataclass(frozen=True)
class SampleGroups:
    """The groups and clusters of all samples of a run, by metadata and signal."""

    places: Mapping[str, int]
    """The index of each sample by id."""
    groupings: Mapping[str, Grouping]
    cluster: str
    clusters: Codes | None
    unmeasured: int
    """Recordings that were not measured."""

    def group(self, path: Path, number: Number) -> GroupedStats | None:
        """Group the statistics behind a number; return None if no metric that is at hand gives the number again."""
        stored = load_stats(path, number)
        if stored is None:
            return None
        places = np.array([self.places.get(sample_id, ABSENT) for sample_id in stored.ids], dtype=np.int64)
        is_known = places != ABSENT
        stats = take_stats(stored.stats, np.flatnonzero(is_known))
        return GroupedStats(stored.metric, stats, places[is_known], self.groupings, self.cluster, self.clusters)


def load_groups(path: Path, metrics: Metrics) -> SampleGroups:
    """Read the groups of all samples of a run from its journal: metadata fields with few values, and slices by signal.

    Args:
        path: Run directory.
        metrics: The metrics of the run, which state what samples are clustered by.
    """
    rows: list[tuple[Any, ...]] = []
    latest = read_latest(path / OUTPUTS_FILE, partial(_add_rows, rows))
    signals, clusters = SoundTable(read_signals(path)), ClusterTable(metrics.task.cluster or "none")
    fields = {field: MetaField(array("q")) for field in metrics.fields}
    for place, position in enumerate(latest.positions.values()):
        meta, key, seconds, target = rows[position]
        signals.add(key, seconds, target)
        clusters.add(meta)
        for name, field in fields.items():
            field.codes.extend([ABSENT] * (place - len(field.codes)))
            if name in meta and isinstance(meta[name], GROUPABLE_TYPES):
                field.add(meta[name], MAX_GROUPS)
    total = len(latest.positions)
    for field in fields.values():
        field.codes.extend([ABSENT] * (total - len(field.codes)))
    groupings = {name: signals.cut(name) for name in SLICINGS if signals.recordings}
    groupings |= {name: _to_grouping(field) for name, field in fields.items() if field.values}
    places = {sample_id: place for place, sample_id in enumerate(latest.positions)}
    unmeasured = signals.recordings - signals.measured
    return SampleGroups(places, groupings, clusters.field, clusters.codes(), unmeasured)


def _add_rows(rows: list[tuple[Any, ...]], _: Sequence[int], documents: Sequence[JsonObject]) -> None:
    rows += [
        (document["meta"], str(document["key"]), document.get("audio_seconds"), document["target"])
        for document in documents
    ]


def add_slices(path: Path, metrics: Metrics, fields: Sequence[str]) -> Metrics:
    """Add the numbers of slices by signal to the metrics of a run.

    Args:
        path: Run directory.
        metrics: The metrics of the run.
        fields: Names of the slices.
    """
    groups = load_groups(path, metrics)
    grouped = [(number, groups.group(path, number)) for number in metrics.overall]
    numbers = [
        group_number
        for field in fields
        if field in groups.groupings
        for overall, stats in grouped
        if stats is not None
        for group_number in stats.compute_numbers(field, overall)
    ]
    return replace(metrics, numbers=(*metrics.numbers, *numbers))


def list_automatic_slices(signals: SoundTable, numbers: Sequence[Number]) -> list[str]:
    """Return the slices that reports show: enough recordings, all of them measured, in several groups.

    Slices of some of the recordings would depend on how fast the model was.
    """
    if signals.recordings < MIN_RECORDINGS:
        return []
    is_measured = signals.measured == signals.recordings
    names = [name for name in SLICINGS if is_measured or name not in MEASURED]
    if not has_transcripts(numbers):
        names = [name for name in names if name != "speaking_rate"]
    return [name for name in names if signals.cut(name).count() > 1]


def has_transcripts(numbers: Sequence[Number]) -> bool:
    """Return whether references are transcripts, so that their speaking rate is meaningful."""
    return any("reference_length" in number.details for number in numbers)
