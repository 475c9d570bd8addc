"""Load what a comparison needs of a run: numbers in arrays, with texts left in the journal."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.serialization import JsonObject, decode_outputs, decode_record, digest, dumps
from auricle.core.types import Output, Prediction, Record
from auricle.core.value_text import format_group
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.runs.journal import read_latest
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import REFUSED, ScoreLine, read_scores, restore_stat
from auricle.scoring.clusters import NO_CLUSTER
from auricle.scoring.score_table import StatArray

T = TypeVar("T")

ABSENT = -1
SCORE_BATCH_SIZE = 1024
"""Lines of scores that are added at a time: numbers are copied at once, and few lines are in memory."""


@dataclass
class MetricStats:
    """The statistics of a metric, and the index of the statistic of each sample."""

    stats: StatArray
    stat_index: array[int]
    failed_bounds: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """The worst and best possible statistic of each failed sample, by sample index."""
    not_applicable: set[int] = field(default_factory=set)
    """Failed samples that the metric does not apply to."""
    unreadable: int = 0
    """Answers that could not be read, including refused ones."""
    refused: int = 0
    count: int = 0

    def add(self, name: str, lines: Sequence[tuple[int, ScoreLine]]) -> None:
        """Add the statistics of the metric with this name from the lines of samples, each with its place."""
        unread = [line for _, line in lines if line.unreadable and name in line.unreadable]
        self.unreadable += len(unread)
        self.refused += sum(line.reading == REFUSED for line in unread)
        scored = [(place, line.stats[name]) for place, line in lines if name in line.stats]
        stats = [stat for _, stat in scored]
        if not self.stats.append_numbers(stats):
            for stat in stats:
                self.stats.append(restore_stat(stat))
        indices = np.frombuffer(self.stat_index, dtype=np.int64)
        indices[[place for place, _ in scored]] = np.arange(self.count, self.count + len(scored))
        self.count += len(scored)


@dataclass
class ComparedRun:
    """A run's samples in order: ids, content keys, metadata and statistics."""

    run: Run
    results: Metrics
    index_by_id: dict[str, int] = field(default_factory=dict)
    rows: array[int] = field(default_factory=lambda: array("q"))
    content_keys: list[str] = field(default_factory=list)
    target_digests: array[int] = field(default_factory=lambda: array("Q"))
    offsets: array[int] = field(default_factory=lambda: array("q"))
    """Where the record of each sample starts in the journal."""
    failed: set[int] = field(default_factory=set)
    fields: dict[str, list[str | None]] = field(default_factory=dict)
    """The requested metadata fields, as text."""
    labels: list[str | None] = field(default_factory=list)
    """Targets that are labels, if outputs are dimensions."""
    dimensions: dict[int, Mapping[str, float]] = field(default_factory=dict)
    outputs: dict[int, tuple[Output, ...]] = field(default_factory=dict)
    """Predicted dimensions of each sample; two predictions for a sample with two recordings."""
    scored: dict[str, MetricStats] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.run.path

    def keep(self, places: Mapping[int, int]) -> None:
        """Keep the samples at the places that are the keys, in this order, and move them to the values."""
        for column in (self.rows, self.target_digests, self.offsets):
            column[:] = array(column.typecode, [column[place] for place in places])
        columns: tuple[list[Any], ...] = (self.content_keys, self.labels, *self.fields.values())
        for values in columns:
            values[:] = [values[place] for place in places]
        self.index_by_id = {sample: places[place] for sample, place in self.index_by_id.items()}
        self.dimensions, self.outputs = _move(self.dimensions, places), _move(self.outputs, places)

    def add_scores(self, lines: Sequence[ScoreLine]) -> None:
        """Add the statistics of these samples by each metric."""
        places = [self.index_by_id.get(line.id, ABSENT) for line in lines]
        known = [(place, line) for place, line in zip(places, lines, strict=True) if place != ABSENT]
        for name, scored in self.scored.items():
            scored.add(name, known)


def load_compared_run(path: Path, results: Metrics, metrics: Sequence[Metric], fields: Sequence[str]) -> ComparedRun:
    """Load what a comparison by these metrics and metadata fields needs, reading each file once."""
    side = ComparedRun(Run.load(path), results, fields={name: [] for name in fields if name})
    losses: dict[int, Record] = {}
    latest = read_latest(side.run.outputs_path, partial(_add_records, side, losses))
    side.index_by_id = latest.positions
    if len(latest.positions) < latest.count:  # samples were sent again or removed
        places = {position: place for place, position in enumerate(latest.positions.values())}
        side.keep(places)
        losses = _move(losses, places)
    side.failed = {*losses}
    for metric in metrics:
        side.scored[metric.name] = MetricStats(StatArray(), array("q", [ABSENT]) * len(side.rows))
        _add_failed_bounds(side.scored[metric.name], metric, losses)
    lines = read_scores(path)
    while batch := list(islice(lines, SCORE_BATCH_SIZE)):
        side.add_scores(batch)
    return side


def choose_cluster(requested: str | None, results: Sequence[Metrics]) -> str:
    """Return the metadata field to cluster samples by: the requested one, or that which both runs were scored by."""
    if requested:
        return "" if requested == NO_CLUSTER else requested
    a, b = (side.task.cluster for side in results)
    return a if a == b else ""


def check_cluster(field: str, *sides: ComparedRun) -> None:
    """Raise `SpecError` if no sample of a run has the metadata field."""
    for side in sides if field else ():
        if not any(side.fields[field]):
            raise SpecError(f"No sample of {side.path} has the metadata field {field!r}. Choose another --cluster.")


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else dumps(value).decode().strip()


def _add_failed_bounds(scored: MetricStats, metric: Metric, failed_records: Mapping[int, Record]) -> None:
    for place, record in failed_records.items():
        if (
            isinstance(metric, Restricted) and record.sample.target is None
        ):  # of a row that could not be read, it is not known whether
            continue
        if isinstance(metric, Restricted) and not metric.applies(record.sample):
            scored.not_applicable.add(place)
        elif bounds := metric.bound(record.sample):
            scored.failed_bounds[place] = bounds


def _add_records(
    side: ComparedRun, losses: dict[int, Record], offsets: Sequence[int], documents: Sequence[JsonObject]
) -> None:
    """Add what a comparison needs of some records, once all of it could be read."""
    first = len(side.rows)
    targets, metas = ([document[name] for document in documents] for name in ("target", "meta"))
    digests = [digest(_to_text(target)) for target in targets]
    rows = array("q", [document["row"] for document in documents])
    keys = [document["key"] for document in documents]
    values = [[format_group(meta[name]) if name in meta else None for meta in metas] for name in side.fields]
    outputs = {
        place: decode_outputs([{**output} for output in document["outputs"]])
        for place, document in enumerate(documents, first)
        if _predicts_dimensions(document["outputs"])
    }
    losses |= {place: decode_record(document) for place, document in enumerate(documents, first) if document["error"]}
    side.rows.extend(rows)
    side.offsets.extend(offsets)
    side.content_keys.extend(keys)
    side.target_digests.extend(digests)
    side.labels.extend([target if isinstance(target, str) else None for target in targets])
    for column, added in zip(side.fields.values(), values, strict=True):
        column.extend(added)
    side.outputs |= outputs
    side.dimensions |= {place: last.values for place, (*_, last) in outputs.items() if isinstance(last, Prediction)}


def _predicts_dimensions(outputs: Sequence[JsonObject]) -> bool:
    return bool(outputs) and outputs[-1]["kind"] == "Prediction" and outputs[-1]["scale"] == "continuous"


def _move(values: Mapping[int, T], places: Mapping[int, int]) -> dict[int, T]:
    return {places[place]: value for place, value in values.items() if place in places}
