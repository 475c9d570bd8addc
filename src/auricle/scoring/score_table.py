"""Score records: compute the statistics of each sample for each metric.

They are written to `scores.jsonl` one by one and kept in compact arrays: runs may have a million samples, and their
texts stay in the journal.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from auricle.core.errors import AnswerMismatch, AnswerRefused, SpecError, Truncated, Unreadable, Unsuited, describe
from auricle.core.types import Generation, Outcome, Output, Record, Sample, Stat
from auricle.core.user_code import UserCall
from auricle.core.value_text import format_group
from auricle.metrics.base import OVERSIZED_TEXT, Metric, SupportsContexts, has_oversized_text
from auricle.metrics.capabilities import Bounded, CountsLeftOut, Judged, ReadsReply, Restricted, Stratified
from auricle.metrics.multi_answer import AnswerAggregator, accepts_multiple_outputs, ambiguous_answers_error
from auricle.runs.scores import JUDGED, READINGS, REFUSED, TRUNCATED, UNREAD, ScoreLine
from auricle.scoring.clusters import ClusterTable
from auricle.scoring.judge_panel import JudgePanel, describe_need, format_reply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        verdicts: JudgePanel | None = None,
        breakdown_fields: Sequence[str] = (),
    ) -> None:
        self.breakdown_fields = breakdown_fields
        self.columns = [MetricColumn(metric) for metric in metrics]
        self._columns_by_name = {column.metric.name: column for column in self.columns}
        self._scoring_order = sorted(self.columns, key=lambda column: self._depth(column.metric))
        self.rows = array("q")
        self.failed: array[int] = array("q")
        self.fields: dict[str, MetaField] = {}
        self.verdicts = verdicts
        self.clusters = ClusterTable(cluster)
        self.outcomes: Counter[Outcome] = Counter()
        self.audio_not_sent = self.rightly_empty = self.finish_unknown = 0
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, list[Record]] = {}
        self.ignored_fields: set[str] = set()
        """Metadata fields with too many values for a breakdown."""
        self._max_worst = max_worst
        self._worst: dict[Hashable, list[tuple[float, int, int, Record, ScoreLine]]] = {}
        self._ranked_by: MetricColumn | None = None

    @property
    def total(self) -> int:
        return len(self.rows)

    def add(self, record: Record) -> ScoreLine:
        return self.add_all([record])[0]

    def add_all(self, records: Sequence[Record]) -> list[ScoreLine]:
        """Score records metric by metric, which is faster than one by one, and return their lines."""
        entries = [self._add_entry(record) for record in records]
        self.audio_not_sent += sum(record.audio_not_sent for record in records)
        self.rightly_empty += sum(record.outcome is Outcome.EMPTY and record.sample.target == "" for record in records)
        self.finish_unknown += sum(any(map(_lacks_finish, record.outputs)) for record in records)
        answered: list[ScoreEntry] = []
        oversized: list[ScoreEntry] = []
        for entry in entries:
            if not entry[2].failed:
                (oversized if has_oversized_text(entry[1]) else answered).append(entry)
        for column in self._scoring_order:
            for source in column.metric.derived_from:
                column.refuse_like(self._columns_by_name[source])
            if not column.refusal_reason:
                column.add(answered, self.score_record)
                with column.refusing():
                    column.add_readings(answered)
                    column.count_left_out(answered)
                    column.add_oversized(oversized)
        if ranking := self.ranking_column:
            if ranking is not self._ranked_by:  # an earlier metric has its first statistics
                self._worst, self._ranked_by = {}, ranking
            with ranking.refusing():
                self._update_worst(ranking.metric, answered)
        self.outcomes.update([line.resolve_outcome(record.outcome) for _, record, line in entries])
        return [line for *_, line in entries]

    def _add_entry(self, record: Record) -> ScoreEntry:
        place = len(self.rows)
        self.rows.append(record.row)
        self._add_to_groups(place, record)
        if not record.error:
            return place, record, ScoreLine(record.sample.id, record.row)
        self._add_failure(place, record)
        return place, record, ScoreLine(record.sample.id, record.row, failed=record.error.kind)

    @property
    def ranking_column(self) -> MetricColumn | None:
        """The metric by which samples are the worst: the first that could be computed for any."""
        return next((column for column in self.columns if column.indices and not column.refusal_reason), None)

    def worst_records(self) -> list[tuple[Record, ScoreLine]]:
        """Return the worst samples by `ranking_column` with their scores, worst first."""
        entries = [entry for kind in self._worst.values() for entry in kind]
        column = self.ranking_column
        if column and len(self._worst) > 1:
            import numpy as np

            stats = [line.stats[column.metric.name] for *_, line in entries]
            ratings = column.metric.rate_stats(stats, column.stats[np.arange(len(column.indices))])
            entries = [(rating, *entry[1:]) for rating, entry in zip(ratings, entries, strict=True)]
        return [(record, line) for *_, record, line in sorted(entries, reverse=True)[: self._max_worst]]

    def _depth(self, metric: Metric) -> int:
        """Return how many times a metric is derived from others, which are computed before it."""
        return max((1 + self._depth(self._columns_by_name[name].metric) for name in metric.derived_from), default=0)

    def _value_of(self, name: str, line: ScoreLine) -> float | None:
        stat = line.stats.get(name)
        return None if stat is None else self._columns_by_name[name].metric.sample_value(stat)

    def score_record(self, metric: Metric, record: Record, line: ScoreLine) -> Any:
        """Compute the statistic of a record; verdicts are added to its line."""
        outputs = record.outputs
        if metric.derived_from:
            return metric.score(record.sample, *(self._value_of(name, line) for name in metric.derived_from))
        if len(outputs) > 1 and not accepts_multiple_outputs(metric.score):
            raise ambiguous_answers_error(len(outputs))
        facts = _collect_facts(metric, record)
        if not hasattr(metric, "judge_requests"):  # which is much faster than to ask for the protocol
            return metric.score(record.sample, *outputs, **facts)
        if self.verdicts is None:
            raise SpecError(describe_need(metric))
        replies = self.verdicts.read_replies(metric, record)
        if replies:
            clipped = [format_reply(reply)[-MAX_VERDICT_LENGTH:] for reply in replies]
            line.verdicts = {**line.verdicts, metric.name: clipped}
        return metric.score(record.sample, *outputs, verdicts=replies, **facts)

    def _update_worst(self, metric: Metric, entries: Sequence[ScoreEntry]) -> None:
        stratum = metric.stratum if isinstance(metric, Stratified) else None
        for place, record, line in entries:
            stat = line.stats.get(metric.name)
            if stat is None:
                continue
            badness = metric.badness(stat)
            worst = self._worst.setdefault(stratum(stat) if stratum else None, [])
            full = len(worst) >= self._max_worst
            if full and badness < worst[0][0]:
                continue
            entry = (badness, -record.row, -place, record, line)  # the earlier of two equal samples comes first
            if not full:
                heapq.heappush(worst, entry)
            elif entry > worst[0]:
                heapq.heapreplace(worst, entry)

    def _add_failure(self, index: int, record: Record) -> None:
        assert record.error
        self.failed.append(index)
        self.failures[record.error.kind] += 1
        examples = self.examples.setdefault(record.error.kind, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(record)
        for column in self.columns:
            column.add_failure(index, record.sample)

    def _add_to_groups(self, index: int, record: Record) -> None:
        meta = record.sample.meta
        self.clusters.add(meta)
        for name, value in meta.items():
            if name in self.ignored_fields or not isinstance(value, GROUPABLE_TYPES):
                continue
            if self.breakdown_fields and name not in self.breakdown_fields:
                continue
            column = self.fields.get(name)
            if column is None:
                column = self.fields[name] = MetaField(array("q"))
            if index > len(column.codes):
                column.codes.extend([-1] * (index - len(column.codes)))
            if not column.add(value, MAX_GROUPS if not self.breakdown_fields else MAX_REQUESTED_GROUPS):
                self.ignored_fields.add(name)
                del self.fields[name]

    def close(self) -> None:
        """Extend every field to the current number of samples."""
        for column in self.fields.values():
            column.codes.extend([-1] * (self.total - len(column.codes)))


def _lacks_finish(output: Output) -> bool:
    """Return whether it is unknown if the end of a written answer is the end of what the model had to say."""
    return type(output) is Generation and not (output.finish or output.call or output.segments) and bool(output.text)


def _collect_facts(metric: Metric, record: Record) -> dict[str, float | None]:
    """Return what the score of a metric needs beside the sample and its outputs."""
    facts = {"audio_seconds": record.audio_seconds} if "audio_seconds" in metric.facts else {}
    if "model_seconds" in metric.facts:
        facts["model_seconds"] = None if record.cached else record.seconds
    return facts


def score_records(records: Iterable[Record], score_table: ScoreTable) -> Iterator[ScoreLine]:
    """Score records and yield the lines of `scores.jsonl`."""
    coming = iter(records)
    while some := list(islice(coming, SCORING_BATCH_SIZE)):
        yield from score_table.add_all(some)
    score_table.close()


MAX_REASONS = 20

ScoreEntry: TypeAlias = tuple[int, Record, ScoreLine]
"""A sample's index in the score table, its record, and its line."""


class StatArray:
    """Statistics in order: numbers in a packed array, anything else in a list."""

    def __init__(self) -> None:
        self._numbers = array("d")
        self._objects: list[Any] = []
        self._width: int | None = None  # numbers per statistic; 0 if statistics are not all numbers

    def append(self, result: Any) -> Stat:
        """Append a statistic; all statistics of a metric must have the same shape."""
        if type(result) is float and self._width == 1:  # the common case
            self._numbers.append(result)
            return result
        if self._width and type(result) is tuple and len(result) == self._width:
            self._numbers.fromlist([*result])
            return result
        stat = normalise_stat(result)
        width = _stat_width(stat)
        if self._width is None:
            self._width = width
        elif width != self._width:  # it cannot be aggregated with the others
            raise TypeError(f"the statistic {stat!r} has another shape than the previous ones")
        if width == 0:
            self._objects.append(stat)
        else:
            numbers = [stat] if isinstance(stat, (int, float)) else cast("Sequence[float]", stat)
            self._numbers.extend(array("d", numbers))
        return stat

    def append_numbers(self, stats: Sequence[Any]) -> bool:
        """Append many statistics at once, if all are numbers or lists of numbers like the previous ones.

        Returns:
            Whether they are; if not, none is appended.
        """
        if not self._width or not stats:
            return not stats
        types = set(map(type, stats))
        try:
            if self._width == 1 and types <= {int, float}:
                self._numbers.extend(array("d", stats))
                return True
            if types == {list} and set(map(len, stats)) == {self._width}:
                self._numbers.extend(array("d", [*chain.from_iterable(stats)]))
                return True
        except TypeError:  # lists of something else
            pass
        return False

    def __getitem__(self, indices: NDArray[np.int64]) -> Any:
        """Return the statistics at these indices, as rows of numbers or a list."""
        import numpy as np

        if self._width:
            whole = np.frombuffer(self._numbers, dtype=np.float64).reshape(-1, self._width)
            return (whole[:, 0] if self._width == 1 else whole)[indices]
        return [self._objects[at] for at in indices]


def list_readings(metric: Metric) -> list[str]:
    """Return how answers may be read by a metric; by a judge only if there is one."""
    return [reading for reading in READINGS if reading != JUDGED or isinstance(metric, Judged)]


@dataclass
class LostStats:
    """The worst and the best statistic that samples without an answer could have had."""

    indices: array[int] = field(default_factory=lambda: array("q"))
    worst: StatArray = field(default_factory=StatArray)
    best: StatArray = field(default_factory=StatArray)

    def append(self, index: int, bounds: tuple[Stat, Stat]) -> None:
        self.indices.append(index)
        self.worst.append(bounds[0])
        self.best.append(bounds[1])


@dataclass
class MetricColumn:
    """The statistics of a metric and the samples they belong to, by index in the score table."""

    metric: Metric
    indices: array[int] = field(default_factory=lambda: array("q"))
    stats: StatArray = field(default_factory=StatArray)
    unreadable: array[int] = field(default_factory=lambda: array("q"))
    refused: array[int] = field(default_factory=lambda: array("q"))
    truncated: array[int] = field(default_factory=lambda: array("q"))
    """Samples whose reply was cut off before it gave an answer."""
    read: array[int] = field(default_factory=lambda: array("q"))
    """Samples whose answer was read from a reply."""
    strengths: array[int] = field(default_factory=lambda: array("b"))
    """How firmly each of them states its answer, as an index in `READINGS`."""
    unread: LostStats = field(default_factory=LostStats)
    """What the statistics of unreadable answers could have been, as far as that is known."""
    reasons: Counter[str] = field(default_factory=Counter)
    failed: LostStats = field(default_factory=LostStats)
    """What the statistics of failed samples could have been, as far as that is known."""
    refusal_reason: str = ""
    is_unsuited: bool = False
    """Whether the metric does not apply to this kind of model."""
    not_applicable: array[int] = field(default_factory=lambda: array("q"))
    """Samples that the metric does not apply to."""
    left_out: Counter[str] = field(default_factory=Counter)
    """What of the samples cannot be decided, by reason."""
    contexts: set[Hashable] = field(default_factory=set)
    mismatched: int = 0
    """Number of answers that are of another kind than the metric needs."""

    @property
    def reads_no_answer(self) -> bool:
        """Whether all answers are of another kind than the metric needs."""
        return self.mismatched > 0 and self.mismatched == len(self.unreadable) and not self.indices

    @cached_property
    def _contextual_aggregator(self) -> SupportsContexts | None:
        return find_contextual_aggregator(self.metric)

    def add(self, entries: Sequence[ScoreEntry], score_record: Callable[..., Any]) -> None:
        """Add the statistics of these records; `score_record` computes those of judged and of several answers."""
        metric, keep = self.metric, self.stats.append
        applies = metric.applies if isinstance(metric, Restricted) else None
        score, needs_output_only = (
            metric.score,
            not (isinstance(metric, Judged) or metric.derived_from or metric.facts),
        )
        with self.refusing() as call:
            for place, record, line in entries:
                call.next()
                try:
                    made = None
                    if applies is None or applies(record.sample):
                        is_simple = needs_output_only and len(record.outputs) == 1
                        made = (
                            score(record.sample, *record.outputs) if is_simple else score_record(metric, record, line)
                        )
                    if made is None:  # the metric does not apply to this sample
                        self.not_applicable.append(place)
                        continue
                    stat = keep(made)
                except SpecError as error:
                    self.refuse(error)
                    return
                except Unreadable as error:
                    self._add_unreadable(place, record, line, error)
                except BaseException as error:  # noqa: BLE001 - a metric may raise anything
                    self._add_reason(line, call.describe(error))
                else:
                    self._add_stat(place, record, line, stat)

    def add_failure(self, index: int, sample: Sample) -> None:
        """Add what the statistic of a failed sample could have been, if that is known."""
        with self.refusing():
            if isinstance(self.metric, Restricted):
                if sample.target is None:  # of a row that could not be read, it is not known whether it applies
                    return
                if not self.metric.applies(sample):
                    self.not_applicable.append(index)
                    return
            if bounds := self.metric.bound(sample):
                self.failed.append(index, bounds)

    def add_oversized(self, entries: Sequence[ScoreEntry]) -> None:
        """Leave out records with texts that would take too long to score."""
        for place, record, line in entries:
            if isinstance(self.metric, Restricted) and not self.metric.applies(record.sample):
                self.not_applicable.append(place)
            else:
                self._add_reason(line, OVERSIZED_TEXT)

    def _add_stat(self, index: int, record: Record, line: ScoreLine, stat: Stat) -> None:
        if self._contextual_aggregator:
            self._add_context(record)
        self.indices.append(index)
        line.stats[self.metric.name] = stat

    @contextmanager
    def refusing(self) -> Iterator[UserCall]:
        """Refuse the metric if it raises in the block: its statistics would not be those of all samples."""
        call = UserCall(f"the metric {self.metric.name}")
        try:
            with call:
                yield call
        except Exception as error:  # noqa: BLE001 - a metric may raise anything
            self.refuse(SpecError(f"it raised {call.describe(error)}"))

    def refuse(self, error: SpecError) -> None:
        self.refusal_reason, self.is_unsuited = describe(error), isinstance(error, Unsuited)

    def refuse_like(self, other: MetricColumn) -> None:
        """Refuse a metric that is derived from another one, if that was refused."""
        if other.refusal_reason:
            self.refusal_reason, self.is_unsuited = other.refusal_reason, other.is_unsuited

    def _add_context(self, record: Record) -> None:
        """Record context that the aggregator's details need."""
        assert self._contextual_aggregator
        self.contexts.add(self._contextual_aggregator.extract_context(record.sample, *record.outputs))

    def resolved_metric(self) -> Metric:
        """Return the metric with the recorded context."""
        return resolve_contexts(self.metric, self.contexts)

    def count_left_out(self, entries: Sequence[ScoreEntry]) -> None:
        """Count what the metric cannot decide about these records."""
        if isinstance(self.metric, CountsLeftOut) and not self.refusal_reason:
            for _, record, _ in entries:
                self.left_out.update(self.metric.left_out(record.sample, record.outputs[-1]))

    def add_readings(self, entries: Sequence[ScoreEntry]) -> None:
        """Add how firmly the replies state the answers that were scored."""
        name, needs_judge = self.metric.name, isinstance(self.metric, Judged)
        if not isinstance(self.metric, ReadsReply):
            return
        for place, record, line in entries:
            if name not in line.stats or name in line.unreadable:
                continue
            strength = self.metric.reader(record.sample, *record.outputs).strength
            is_judged = needs_judge and isinstance(record.outputs[-1], Generation)
            if strength is not None or is_judged:  # class scores are no replies
                reading = strength.name.lower() if strength else JUDGED
                line.add_reading(reading)
                self.read.append(place)
                self.strengths.append(READINGS.index(reading))

    def _add_unreadable(self, index: int, record: Record, line: ScoreLine, error: Unreadable) -> None:
        """Count an answer that was not read; it scores worst or is left out, as the metric declares."""
        is_refused = isinstance(error, AnswerRefused)
        reading = REFUSED if is_refused else TRUNCATED if isinstance(error, Truncated) else UNREAD
        {REFUSED: self.refused, TRUNCATED: self.truncated, UNREAD: self.unreadable}[reading].append(index)
        self.mismatched += isinstance(error, AnswerMismatch)
        if reading != UNREAD or isinstance(self.metric, ReadsReply):
            line.add_reading(reading)
        self._add_reason(line, describe(error))
        if not is_refused and (bounds := self.metric.bound(record.sample)):
            self.unread.append(index, bounds)
        if self.metric.unreadable == "wrong" and isinstance(self.metric, Bounded):
            worst = self.stats.append(self.metric.bounds(record.sample)[0])
            self._add_stat(index, record, line, worst)

    def _add_reason(self, line: ScoreLine, reason: str) -> None:
        """Count a reason; after many distinct reasons, count only known ones."""
        line.unreadable = {**line.unreadable, self.metric.name: reason}
        if reason in self.reasons or len(self.reasons) < MAX_REASONS:
            self.reasons[reason] += 1


def find_contextual_aggregator(metric: Metric) -> SupportsContexts | None:
    """Return the aggregator of a metric if its details need data that samples share."""
    fold = metric.aggregate
    inner = fold.inner if isinstance(fold, AnswerAggregator) else fold
    return inner if isinstance(inner, SupportsContexts) else None


def resolve_contexts(metric: Metric, contexts: Collection[Hashable]) -> Metric:
    """Return a metric with what its samples share."""
    contextual, fold = find_contextual_aggregator(metric), metric.aggregate
    if contextual is None or not contexts:
        return metric
    aggregator = contextual.with_contexts(contexts)
    return metric.replace(
        aggregate=replace(fold, inner=aggregator) if isinstance(fold, AnswerAggregator) else aggregator
    )


@dataclass
class MetaField:
    """One metadata field as an integer code per sample; -1 if the sample has no value."""

    codes: array[int]
    values: dict[str, int] = field(default_factory=dict)

    def add(self, value: Any, limit: int) -> bool:
        """Add a value; return False if there are too many for a breakdown."""
        name = value if isinstance(value, str) else format_group(value)
        code = self.values.setdefault(name, len(self.values))
        self.codes.append(code)
        return len(self.values) <= limit


def normalise_stat(stat: Any) -> Stat:
    """Convert a metric's result to a Python number or tuple."""
    if hasattr(stat, "item") and getattr(stat, "ndim", 0) == 0:
        stat = stat.item()
    if isinstance(stat, (int, float)):
        return stat
    if isinstance(stat, (list, tuple)):
        return tuple(stat)
    raise TypeError(f"a metric must return a number or a tuple, not {type(stat).__name__}")


def _stat_width(stat: Stat) -> int:
    if isinstance(stat, (int, float)):
        return 1
    return len(stat) if all(isinstance(each, (int, float)) for each in stat) else 0
