"""Score records: compute the statistics of each sample for each metric.

They are written to `scores.jsonl` one by one and kept in compact form by `metric_columns`.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Outcome, Record
from auricle.metrics.base import Metric
from auricle.metrics.multi_answer import accepts_multiple_outputs, ambiguous_answers_error
from auricle.report.metric_columns import MetaField, MetricColumn, ScoreEntry
from auricle.runs.scores import ScoreLine
from auricle.runs.verdicts import VerdictIndex

MAX_GROUPS = 50  # a metadata field with more values is an identifier, not a breakdown
MAX_REQUESTED_GROUPS = 1000  # limit for fields that were requested by name
MAX_EXAMPLES = 20
MAX_WORST_SAMPLES = 50
MAX_VERDICT_LENGTH = 500  # characters in `scores.jsonl`; `verdicts.jsonl` has the full text
SCORING_BATCH_SIZE = 256  # records scored at a time
GROUPABLE_TYPES = (str, int, float, bool, type(None))


class ScoreTable:
    """The statistics of all samples for all metrics."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        cluster: str = "",
        max_worst: int = MAX_WORST_SAMPLES,
        verdicts: VerdictIndex | None = None,
        breakdown_fields: Sequence[str] = (),
    ) -> None:
        self.breakdown_fields = breakdown_fields
        self.columns = [MetricColumn(metric) for metric in metrics]
        self.rows = array("q")
        self.failed: array[int] = array("q")
        self.fields: dict[str, MetaField] = {}
        self.verdicts = verdicts
        self.cluster = cluster
        self.clusters = MetaField(array("q"))
        self.has_clusters = False
        self.outcomes: Counter[Outcome] = Counter()
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, list[Record]] = {}
        self._ignored_fields: set[str] = set()
        self._max_worst = max_worst
        self._worst: list[tuple[float, int, Record, ScoreLine]] = []

    @property
    def total(self) -> int:
        return len(self.rows)

    def add(self, record: Record) -> ScoreLine:
        """Score one record and return its line for `scores.jsonl`."""
        return self.add_all([record])[0]

    def add_all(self, records: Sequence[Record]) -> list[ScoreLine]:
        """Score records metric by metric, which is faster than one by one, and return their lines."""
        entries = [self._add_entry(record) for record in records]
        others = [outcome for record in records if (outcome := record.outcome) is not Outcome.ANSWERED]
        self.outcomes.update(others)
        self.outcomes[Outcome.ANSWERED] += len(records) - len(others)
        answered = [entry for entry in entries if not entry[2].failed]
        for column in self.columns:
            if not column.refusal_reason:
                column.add(answered, self.score_record)
        if self.columns:
            self._update_worst(self.columns[0].metric, answered)
        return [line for *_, line in entries]

    def _add_entry(self, record: Record) -> ScoreEntry:
        """Assign an index to a record and count its metadata."""
        place = len(self.rows)
        self.rows.append(record.row)
        self._add_to_groups(place, record)
        if not record.error:
            return place, record, ScoreLine(record.sample.id, record.row)
        self._add_failure(place, record)
        return place, record, ScoreLine(record.sample.id, record.row, failed=record.error.kind)

    def worst_ids(self) -> list[str]:
        """Return the ids of the worst samples by the first metric, worst first."""
        return [record.sample.id for record, _ in self.worst_records()]

    def worst_records(self) -> list[tuple[Record, ScoreLine]]:
        """Return the worst samples by the first metric with their scores, worst first."""
        return [(record, line) for *_, record, line in sorted(self._worst, reverse=True)]

    def score_record(self, metric: Metric, record: Record, line: ScoreLine) -> Any:
        """Compute the statistic of a record; verdicts are added to its line."""
        outputs = record.outputs
        if len(outputs) > 1 and not accepts_multiple_outputs(metric.score):
            raise ambiguous_answers_error(len(outputs))
        if metric.judge_requests is None:
            return metric.score(record.sample, *outputs)
        if self.verdicts is None:
            raise SpecError("needs a judge: auricle score RUN --judge MODEL")
        texts = self.verdicts.read_replies(metric, record)
        if not metric.applies and texts:
            clipped = [text[-MAX_VERDICT_LENGTH:] for text in texts]
            line.verdicts = {**line.verdicts, metric.name: clipped}
        return metric.score(record.sample, *outputs, verdicts=texts)

    def _update_worst(self, metric: Metric, entries: Sequence[ScoreEntry]) -> None:
        for _, record, line in entries:
            stat = line.stats.get(metric.name)
            if stat is None:
                continue
            badness = metric.badness(stat)
            full = len(self._worst) >= self._max_worst
            if full and badness < self._worst[0][0]:
                continue
            entry = (badness, -record.row, record, line)  # the earlier of two equal samples comes first
            if not full:
                heapq.heappush(self._worst, entry)
            elif entry > self._worst[0]:
                heapq.heapreplace(self._worst, entry)

    def _add_failure(self, index: int, record: Record) -> None:
        assert record.error
        self.failed.append(index)
        self.failures[record.error.kind] += 1
        examples = self.examples.setdefault(record.error.kind, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(record)
        if record.sample.target is None:
            return
        for column in self.columns:
            if column.metric.applies and not column.metric.applies(record.sample):
                column.not_applicable.append(index)
            elif column.metric.bounds:
                worst, best = column.metric.bounds(record.sample)
                column.failed_indices.append(index)
                column.worst_stats.append(worst)
                column.best_stats.append(best)

    def _add_to_groups(self, index: int, record: Record) -> None:
        meta = record.sample.meta
        if self.cluster:
            self.has_clusters |= self.cluster in meta
            self.clusters.add(meta.get(self.cluster, record.sample.id), 1)
        for name, value in meta.items():
            if name in self._ignored_fields or not isinstance(value, GROUPABLE_TYPES):
                continue
            if self.breakdown_fields and name not in self.breakdown_fields:
                continue
            column = self.fields.get(name)
            if column is None:
                column = self.fields[name] = MetaField(array("q"))
            if index > len(column.codes):
                column.codes.extend([-1] * (index - len(column.codes)))
            if not column.add(value, MAX_GROUPS if not self.breakdown_fields else MAX_REQUESTED_GROUPS):
                self._ignored_fields.add(name)
                del self.fields[name]

    def close(self) -> None:
        """Extend every field to the current number of samples."""
        for column in self.fields.values():
            column.codes.extend([-1] * (self.total - len(column.codes)))


def score_records(records: Iterable[Record], score_table: ScoreTable) -> Iterator[ScoreLine]:
    """Score records and yield the lines of `scores.jsonl`."""
    coming = iter(records)
    while some := list(islice(coming, SCORING_BATCH_SIZE)):
        yield from score_table.add_all(some)
    score_table.close()
