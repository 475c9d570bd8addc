"""From records to stats: what each sample adds to each metric, or why it adds nothing.

Per-sample stats go to `scores.jsonl` as they are made; what is kept of them is in `columns`.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Record
from auricle.metrics.base import Metric
from auricle.metrics.multi_answer import reads_several, unsaid
from auricle.report.columns import Column, Entry, Field, Line
from auricle.runs.verdicts import Verdicts

MOST_GROUPS = 50  # a meta field with more values than this is an identifier, not a breakdown
MOST_ASKED_FOR = 1000  # groups of a field that was asked for by name
MOST_EXAMPLES = 20
MOST_WORST = 50
MOST_OF_A_VERDICT = 500  # characters of it in `scores.jsonl`; all of it is in `verdicts.jsonl`
TOGETHER = 256  # records scored at a time
GROUPABLE = (str, int, float, bool, type(None))


class Scoreboard:
    """Everything the numbers are made of."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        cluster: str = "",
        most_worst: int = MOST_WORST,
        verdicts: Verdicts | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.by = by
        self.columns = [Column(metric) for metric in metrics]
        self.rows = array("q")
        self.failed: array[int] = array("q")
        self.fields: dict[str, Field] = {}
        self.verdicts = verdicts
        self.cluster = cluster
        self.clusters = Field(array("q"))
        self.clustered = False
        self.empty = 0
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, list[Record]] = {}
        self._dropped: set[str] = set()
        self._most_worst = most_worst
        self._worst: list[tuple[float, int, Record]] = []

    @property
    def total(self) -> int:
        return len(self.rows)

    def add(self, record: Record) -> Line:
        """Score one record; its line for `scores.jsonl`."""
        return self.add_all([record])[0]

    def add_all(self, records: Sequence[Record]) -> list[Line]:
        """Score records, metric by metric, which is quicker than one by one; their lines."""
        entries = [self._entry(record) for record in records]
        answered = [entry for entry in entries if "stats" in entry[2]]
        for column in self.columns:
            if not column.refused:
                column.add(answered, self.result)
        if self.columns:
            self._note_worst(self.columns[0].metric, answered)
        return [line for *_, line in entries]

    def _entry(self, record: Record) -> Entry:
        """Give a record its place, and note all that no metric tells."""
        place = len(self.rows)
        self.rows.append(record.row)
        self._group(place, record)
        if record.error:
            self._fail(place, record)
            failed = {"id": record.sample.id, "row": record.row, "failed": record.error.kind}
            return place, record, failed
        self.empty += _is_empty(record)
        return place, record, {"id": record.sample.id, "row": record.row, "stats": {}}

    def worst(self) -> list[str]:
        """Ids of the samples that did worst on the first metric, worst first."""
        return [record.sample.id for record in self.worst_records()]

    def worst_records(self) -> list[Record]:
        return [record for *_, record in sorted(self._worst, reverse=True)]

    def result(self, metric: Metric, record: Record, line: dict[str, Any]) -> Any:
        """What a metric makes of a record; what a judge said of it goes into the line."""
        outputs = record.outputs
        if len(outputs) > 1 and not reads_several(metric.score):
            raise unsaid(len(outputs))
        if metric.asks is None:
            return metric.score(record.sample, *outputs)
        if self.verdicts is None:
            raise SpecError("needs a judge: auricle score RUN --judge MODEL")
        texts = self.verdicts.texts(metric, record)
        if not metric.applies and texts:
            clipped = [text[-MOST_OF_A_VERDICT:] for text in texts]
            line.setdefault("verdicts", {})[metric.name] = clipped
        return metric.score(record.sample, *outputs, verdicts=texts)

    def _note_worst(self, metric: Metric, entries: Sequence[Entry]) -> None:
        for _, record, line in entries:
            stat = line["stats"].get(metric.name)
            if stat is None:
                continue
            badness = metric.badness(stat)
            full = len(self._worst) >= self._most_worst
            if full and badness < self._worst[0][0]:
                continue
            entry = (badness, -record.row, record)  # the earlier of two equals is shown first
            if not full:
                heapq.heappush(self._worst, entry)
            elif entry > self._worst[0]:
                heapq.heapreplace(self._worst, entry)

    def _fail(self, place: int, record: Record) -> None:
        assert record.error
        self.failed.append(place)
        self.failures[record.error.kind] += 1
        examples = self.examples.setdefault(record.error.kind, [])
        if len(examples) < MOST_EXAMPLES:
            examples.append(record)
        if record.sample.target is None:
            return
        for column in self.columns:
            if column.metric.applies and not column.metric.applies(record.sample):
                column.others.append(place)
            elif column.metric.bounds:
                worst, best = column.metric.bounds(record.sample)
                column.lost.append(place)
                column.worst.append(worst)
                column.best.append(best)

    def _group(self, place: int, record: Record) -> None:
        meta = record.sample.meta
        if self.cluster:
            self.clustered |= self.cluster in meta
            self.clusters.add(meta.get(self.cluster, record.sample.id), 1)
        for name, value in meta.items():
            if name in self._dropped or not isinstance(value, GROUPABLE):
                continue
            if self.by and name not in self.by:
                continue
            column = self.fields.get(name)
            if column is None:
                column = self.fields[name] = Field(array("q"))
            if place > len(column.codes):
                column.codes.extend([-1] * (place - len(column.codes)))
            if not column.add(value, MOST_GROUPS if not self.by else MOST_ASKED_FOR):
                self._dropped.add(name)
                del self.fields[name]

    def close(self) -> None:
        """Give every field a code for the samples that came after its last value."""
        for column in self.fields.values():
            column.codes.extend([-1] * (self.total - len(column.codes)))


def scored(records: Iterable[Record], board: Scoreboard) -> Iterator[bytes]:
    """Score records; yields the lines of `scores.jsonl`."""
    coming = iter(records)
    while some := list(islice(coming, TOGETHER)):
        yield from map(dumps, board.add_all(some))
    board.close()


def _is_empty(record: Record) -> bool:
    last = record.outputs[-1] if record.outputs else None
    return isinstance(last, Generation) and not last.text.strip()
