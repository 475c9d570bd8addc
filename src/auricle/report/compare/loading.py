"""Load what a comparison needs of a run: numbers in arrays, with texts left in the journal."""

from __future__ import annotations

import math
from array import array
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.serialization import NAME_KEY_PREFIX, digest, dumps, name_key
from auricle.core.types import Output, Prediction, Record
from auricle.metrics.base import Codes, Metric
from auricle.report.clusters import NO_CLUSTER
from auricle.report.score_table import StatArray
from auricle.report.text_format import format_group
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import REFUSED, ScoreLine, read_scores

ABSENT = -1
NESTED = {list, type(None)}


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


@dataclass
class ComparedRun:
    """A run's samples in order: ids, content keys, metadata and statistics."""

    run: Run
    results: Metrics
    index_by_id: dict[str, int] = field(default_factory=dict)
    rows: array[int] = field(default_factory=lambda: array("q"))
    content_keys: list[str] = field(default_factory=list)
    target_digests: array[int] = field(default_factory=lambda: array("Q"))
    failed: set[int] = field(default_factory=set)
    fields: dict[str, list[str | None]] = field(default_factory=dict)
    """The requested metadata fields, as text."""
    labels: list[str | None] = field(default_factory=list)
    """Targets that are labels, if outputs are dimensions."""
    dimensions: dict[int, Mapping[str, float]] = field(default_factory=dict)
    outputs: dict[int, tuple[Output, ...]] = field(default_factory=dict)
    """Predicted dimensions of each sample; two predictions for a sample with two recordings."""
    scored: dict[str, MetricStats] = field(default_factory=dict)
    class_output_count: int = 0
    """Number of outputs that are probabilities or scores of classes."""

    @property
    def path(self) -> Path:
        return self.run.path


def load_compared_run(path: Path, results: Metrics, metrics: Sequence[Metric], fields: Sequence[str]) -> ComparedRun:
    """Load what a comparison by these metrics and metadata fields needs, reading each file once."""
    side = ComparedRun(Run.load(path), results, fields={name: [] for name in fields if name})
    losses: dict[int, Record] = {}
    for record in side.run.records():
        place = _add_record(side, record)
        if record.error:
            side.failed.add(place)
            losses[place] = record
    for metric in metrics:
        side.scored[metric.name] = MetricStats(StatArray(), array("q", [ABSENT]) * len(side.rows))
        _add_failed_bounds(side.scored[metric.name], metric, losses)
    for line in read_scores(path):
        _add_scores(side, line)
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


def _add_record(side: ComparedRun, record: Record) -> int:
    place = len(side.rows)
    sample = record.sample
    side.index_by_id[sample.id] = place
    side.rows.append(record.row)
    side.content_keys.append(record.key)
    side.target_digests.append(digest(_to_text(sample.target)))
    for name, values in side.fields.items():
        values.append(format_group(sample.meta[name]) if name in sample.meta else None)
    last = record.outputs[-1] if record.outputs else None
    continuous = isinstance(last, Prediction) and last.scale == "continuous"
    side.class_output_count += isinstance(last, Prediction) and not continuous
    side.labels.append(sample.target if isinstance(sample.target, str) else None)
    if isinstance(last, Prediction) and continuous:
        side.dimensions[place] = last.values
        side.outputs[place] = record.outputs
    return place


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else dumps(value).decode().strip()


def _add_failed_bounds(scored: MetricStats, metric: Metric, failed_records: Mapping[int, Record]) -> None:
    for place, record in failed_records.items():
        if metric.applies and record.sample.target is None:  # of a row that could not be read, it is not known whether
            continue
        if metric.applies and not metric.applies(record.sample):
            scored.not_applicable.add(place)
        elif bounds := metric.bound(record.sample):
            scored.failed_bounds[place] = bounds


def _add_scores(side: ComparedRun, line: ScoreLine) -> None:
    place = side.index_by_id.get(line.id)
    if place is None:
        return
    for name, scored in side.scored.items():
        scored.unreadable += name in line.unreadable
        scored.refused += name in line.unreadable and line.reading == REFUSED
        if name in line.stats:
            scored.stats.append(restore_stat(line.stats[name]))
            scored.stat_index[place] = scored.count
            scored.count += 1


def restore_stat(stat: Any) -> Any:
    """Restore a statistic from JSON: lists become tuples, null becomes NaN."""
    if type(stat) is not list:
        return math.nan if stat is None else stat
    if not NESTED & set(map(type, stat)):  # the common case
        return tuple(stat)
    if any(each is None for each in stat) and not any(isinstance(each, str) for each in stat):
        return tuple(math.nan if each is None else _to_tuple(each) for each in stat)
    return tuple(map(_to_tuple, stat))


def _to_tuple(value: Any) -> Any:
    return tuple(map(_to_tuple, value)) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """How many samples are paired, and how many are left out for which reason."""

    count: int
    only_a: int
    only_b: int
    changed: int
    """Samples with the same id but different content."""
    corrected: int
    """Samples with the same content but a different reference."""
    failed_a: int
    failed_b: int
    coverage: float
    """The share of all samples that are paired."""

    @classmethod
    def none(cls, only_a: int, only_b: int, failed_a: int, failed_b: int) -> PairCounts:
        """Return the counts of two groups that have no pairs."""
        return cls(
            count=0,
            only_a=only_a,
            only_b=only_b,
            changed=0,
            corrected=0,
            failed_a=failed_a,
            failed_b=failed_b,
            coverage=math.nan,
        )

    @property
    def shared(self) -> int:
        """Number of samples in both runs, whether they can be compared or not."""
        return self.count + self.changed + self.corrected + max(self.failed_a, self.failed_b)


@dataclass(frozen=True)
class Pairs:
    """The paired samples of two runs: the same content and reference, answered by both."""

    a: Codes
    """Codes of the paired samples in A, in data order."""
    b: Codes
    """Codes of the same samples in B."""
    failed: tuple[tuple[int, int], ...]
    """Codes of samples that are the same but failed in A, in B or in both."""
    counts: PairCounts


def pair_samples(a: ComparedRun, b: ComparedRun) -> Pairs:
    """Pair samples with the same content and reference: those with the same id first, then others in data order."""
    matches = match_samples(a, b)
    paired, lost, left_out = [], [], Counter[str]()
    for here, there in matches.items():
        if a.target_digests[here] != b.target_digests[there]:
            left_out["corrected"] += 1
        elif here in a.failed or there in b.failed:
            lost.append((here, there))
        else:
            paired.append((a.rows[here], here, there))
    matched_b = set(matches.values())
    rest_a, rest_b = (
        {sample for sample, place in side.index_by_id.items() if place not in matched}
        for side, matched in ((a, matches.keys()), (b, matched_b))
    )
    left_out["changed"] = len(rest_a & rest_b)
    left_out["only_a"], left_out["only_b"] = len(rest_a - rest_b), len(rest_b - rest_a)
    # A row may have no record that can be read in either run.
    total = max(len(paired) + len(lost) + left_out.total(), a.results.journal.total, b.results.journal.total)
    both = np.array(sorted(paired), dtype=np.int64).reshape(-1, 3)
    counts = PairCounts(
        count=len(paired),
        **{name: left_out[name] for name in ("only_a", "only_b", "changed", "corrected")},
        failed_a=sum(here in a.failed for here, _ in lost),
        failed_b=sum(there in b.failed for _, there in lost),
        coverage=len(paired) / total if total else math.nan,
    )
    return Pairs(both[:, 1], both[:, 2], tuple(lost), counts)


def match_samples(a: ComparedRun, b: ComparedRun) -> dict[int, int]:
    """Return the place in B of each sample of A with the same content, by its place in A.

    Ids may be row numbers, which differ between files of the same data; then the content alone decides. Media that
    could not be read when a run was imported are matched by their file names.
    """
    matches: dict[int, int] = {}
    for sample, here in a.index_by_id.items():
        there = b.index_by_id.get(sample, ABSENT)
        if there != ABSENT and a.content_keys[here] == b.content_keys[there]:
            matches[here] = there
    if len(matches) < min(len(a.rows), len(b.rows)):
        _match_rest(matches, a, b, a.content_keys, b.content_keys)
        if any(key.startswith(NAME_KEY_PREFIX) for side in (a, b) for key in side.content_keys):
            names_a, names_b = _read_name_keys(a), _read_name_keys(b)
            _match_rest(matches, a, b, _keep_name_keys(a.content_keys), names_b)
            _match_rest(matches, a, b, names_a, _keep_name_keys(b.content_keys))
    return matches


def _match_rest(
    matches: dict[int, int], a: ComparedRun, b: ComparedRun, keys_a: Sequence[str], keys_b: Sequence[str]
) -> None:
    """Add matches of samples that have none yet but the same key and reference, in data order."""
    matched = set(matches.values())
    candidates: dict[tuple[str, int], deque[int]] = {}
    for there in sorted({*range(len(b.rows))} - matched, key=b.rows.__getitem__):
        candidates.setdefault((keys_b[there], b.target_digests[there]), deque()).append(there)
    for here in sorted({*range(len(a.rows))} - matches.keys(), key=a.rows.__getitem__):
        same = candidates.get((keys_a[here], a.target_digests[here]))
        if keys_a[here] and same:  # rejected rows have no key
            matches[here] = same.popleft()


def _keep_name_keys(keys: Sequence[str]) -> list[str]:
    """Return the keys of samples whose media could not be read, and an empty key for the others."""
    return [key if key.startswith(NAME_KEY_PREFIX) else "" for key in keys]


def _read_name_keys(side: ComparedRun) -> list[str]:
    return [name_key(record.sample) if record.key else "" for record in side.run.records()]
