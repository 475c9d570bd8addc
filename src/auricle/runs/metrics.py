"""`metrics.json`: the numbers of a run, with everything that is needed to read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.core.direction import Directed
from auricle.core.errors import DataError
from auricle.core.result_table import MIN_INTERVAL_UNITS, format_number
from auricle.core.signature import Signature
from auricle.runs.documents import INLINE, Document, UnknownFormat, decode, read_document, write_document
from auricle.runs.extras import decode_extras, make_empty_extras, refresh_extras
from auricle.runs.health import Fingerprint, JournalHealth
from auricle.runs.number_table import NumberTable
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.progress import read_limit
from auricle.runs.run_spec import LABELS_FILE, OUTPUTS_FILE, VERDICTS_FILE

if TYPE_CHECKING:  # `auricle show` starts faster without them
    from auricle.core.types import Record

METRICS_FILE = "metrics.json"
SOURCE_FILES = (OUTPUTS_FILE, VERDICTS_FILE, LABELS_FILE)
"""What numbers are computed from."""
FORMAT = 1
PART_FIELD, LANGUAGE_FIELD = "part", "language"
"""The fields that combined numbers of a suite are broken down by."""
FAMILY_FIELD = "family"
"""The field of numbers that summarise a family of conditions, such as noise at several levels."""
POSITION_FIELD = "position"
"""The field of numbers about the options at one position."""
CALL_COMPLETION = "call_completion"
"""Metric of the share of calls that were not lost, without which no other metric of calls can be read."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Number(Directed, NumberTable):
    """The value of a metric over some samples, with its interval and counts. Undefined values are None.

    Examples:
        >>> from auricle import Spec, evaluate
        >>> number = evaluate(Spec(task="demo", model="echo", limit=4), "runs/echo")["wer"]
        >>> number.scored, number.coverage
        (4, 1.0)
    """

    metric: str
    """Name of the metric."""
    title: str = ""
    """The metric's name for people."""
    details: dict[str, Any]
    """What the metric reports beside the number, such as counts of errors."""
    readings: dict[str, int] = field(default_factory=dict)
    """How many answers were read how firmly, unread, refused or cut off; empty if the metric does not read replies."""
    field: str = ""
    """Metadata field of the group; empty for all samples."""
    group: str = "all"
    """Value of that field; `all` for all samples."""
    value: float | None
    """The number."""
    low: float | None = None
    """Lower end of the 95 % interval."""
    high: float | None = None
    """Upper end."""
    interval: str = ""
    """How the interval was computed."""
    censored: str = ""
    """`<` or `>` if the true value is beyond `value`, the last level that was tested. An interval with one end only
    is open on the other side for the same reason."""
    cluster: str = ""
    """Metadata field whose values are the independent units of the interval; empty if samples are."""
    units: int = 0
    """Number of independent units: clusters, or samples."""
    scored: int = 0
    """Samples that the number is computed from."""
    total: int = 0
    """Samples that the metric applies to."""
    failed: int = 0
    """Samples that were not answered."""
    unbounded: int = 0
    """Failed samples of which the worst and best score are unknown, so that `worst` and `best` leave them out."""
    unreadable: int = 0
    """Answers that could not be read."""
    refused: int = 0
    """Replies that decline to answer; not part of `unreadable`."""
    truncated: int = 0
    """Replies that were cut off before they gave an answer; not part of `unreadable`."""
    counted_wrong: int = 0
    """Unreadable, refused and cut-off answers that are part of `scored`, because they count as wrong."""
    unread_wrong: float | None = None
    """The value if every unreadable or cut-off answer were wrong; None if all were read, or wrong is not defined."""
    unread_right: float | None = None
    """The value if every unreadable or cut-off answer were right."""
    not_applicable: int = 0
    """Samples that the metric does not apply to, which are not part of `total`."""
    worst: float | None = None
    """The value if every failed sample had been worst; `value` if none failed."""
    best: float | None = None
    """The value if every failed sample had been best."""
    higher_is_better: bool = True
    """Whether a higher number is better."""
    optimum: str = ""
    """What is best if neither higher nor lower numbers are; see `Metric.optimum`."""
    unit: str = ""
    """What the number counts."""
    plot: str = ""
    """How the number is drawn; see `Metric.plot`."""
    right_or_wrong: bool = False
    """Whether the metric counts samples as right or wrong: right is a statistic of 1, or of 0 if lower is better."""
    signature: Signature
    """Exactly what was measured; numbers are comparable if it is the same."""

    def list_numbers(self) -> Iterable[Number]:
        return (self,)

    def describe(self) -> str:
        return self.title or self.metric

    def __repr__(self) -> str:
        low, high = (format_number(end, self.unit) for end in self.shown_ends)
        group = f", {self.field}={self.group}" if self.field else ""
        interval = "" if self.shown_ends == (None, None) else f" [{low}, {high}]"
        value = f"{self.censored} {format_number(self.value, self.unit)}".lstrip()
        return f"<Number {self.metric}{group}: {value}{interval}, {self.scored:,} of {self.total:,} samples>"

    @property
    def coverage(self) -> float:
        """The share of samples whose answer was read and scored."""
        return self.read / self.total if self.total else math.nan

    @property
    def has_too_few_units(self) -> bool:
        """Whether the interval is not shown, because it is that of too few independent units."""
        return 0 < self.units < MIN_INTERVAL_UNITS

    @property
    def shown_ends(self) -> tuple[float | None, float | None]:
        """The ends of the interval for tables and charts; None if they are undefined or not shown."""
        return (None, None) if self.has_too_few_units else (self.low, self.high)

    @property
    def read(self) -> int:
        """How many answers were read and scored."""
        return self.scored - self.counted_wrong


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """The task of a run."""

    name: str
    version: int | str = 1
    language: str = ""
    licence: str = ""
    source: str = ""
    revision: str = ""
    cluster: str = ""
    """Metadata field that samples were clustered by; empty if they were treated as independent."""
    citation: str = ""
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The model of a run; its arguments contain no secrets."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FailureExample:
    """One sample that failed."""

    id: str
    origin: str
    message: str

    @classmethod
    def from_record(cls, record: Record) -> FailureExample:
        return cls(record.sample.id, record.sample.origin, record.error.message if record.error else "")


@dataclass(frozen=True, slots=True)
class FailureKind:
    """Failures with the same kind of error."""

    kind: str
    count: int
    examples: tuple[FailureExample, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """The judge, and how many of its verdicts were read, failed or are missing."""

    name: str
    model: str
    arguments: dict[str, Any] = field(default_factory=dict)
    verdicts: int = 0
    failed: int = 0
    missing: int = 0
    tokens: int = 0
    input_tokens: int = 0
    cost: float | None = None
    """Cost of the verdicts that were read; None without a price, or if nothing is known."""
    currency: str | None = None
    verdicts_without_cost: int | None = None
    role: str = "judge"
    """Whether it scores answers, reads replies that rules cannot read, transcribes, or rates spoken answers."""
    version: str = ""
    """Version of the package that the model consists of, if it is part of its identity."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests, tokens, audio and cost of the answered samples. Unknown amounts are None, never zero."""

    requests: int = 0
    attempts: int = 0
    cached: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    audio_seconds: float | None = None
    cost: float | None = None
    currency: str | None = None
    samples_without_usage: int = 0
    samples_without_cost: int | None = None
    call_seconds: float | None = None
    """Duration of live calls; None if there were none."""

    @property
    def cost_per_call_minute(self) -> float | None:
        """Cost of a minute of conversation; None if there were no live calls or their cost is unknown."""
        return self.cost * 60 / self.call_seconds if self.cost is not None and self.call_seconds else None


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds from sending requests to a part of their streamed answers."""

    answers: int
    p50: float
    p95: float | None = None
    """None below 20 answers."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """How fast a run was, over all its passes."""

    wall_seconds: float
    samples: int
    samples_per_second: float | None = None
    audio_seconds: float | None = None
    throughput: float | None = None
    """Seconds of audio per second of wall time, with as many requests in flight as there were."""
    rtfx: float | None = None
    """Speed of one request: seconds of audio per second that the model took, a share of the time of a batch."""
    passes: int = 1
    ttft_s: Delay | None = None
    """Time to first token; None if no answer was streamed."""
    ttfa_s: Delay | None = None
    """Time to first audio."""
    model_seconds: float | None = None
    """Time that the model took; None if a pass recorded only its wall time."""

    @property
    def concurrency(self) -> float | None:
        """Mean number of requests that the model worked on at a time; None if it is unknown."""
        return self.model_seconds / self.wall_seconds if self.model_seconds and self.wall_seconds else None


@dataclass(frozen=True, slots=True)
class ScoringArguments:
    """What replaced the run's own arguments when its numbers were computed."""

    profiles: tuple[str, ...] = ()
    task_args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PartFacts:
    """A part of a suite, as far as its number is combined with others."""

    name: str
    folder: str
    """Folder of its run, relative to that of the suite."""
    share: float | None = None
    """Its share in the combined number; None if there is none."""
    language: str = ""
    complete: bool = False
    """Whether all of its samples were processed."""
    problem: str = ""
    """Why it has no number."""


@dataclass(frozen=True, slots=True)
class FamilyFacts:
    """A family of conditions: the same change at several levels."""

    name: str
    """What is changed, such as `noise:babble`."""
    parts: tuple[str, ...]
    """The parts of the suite, from the easiest to the hardest."""
    levels: tuple[float, ...] = ()
    """The level of each part; none if the family is a single condition without a level."""
    unit: str = ""
    """Unit of the levels, such as dB; `share` for those that are shown in per cent."""
    is_harder_if_higher: bool = False
    is_logarithmic: bool = False
    """Whether levels are compared by their ratios, as bit rates are."""
    clean_level: float | None = None
    """The level that changes nothing, which the clean number then has; None if there is no such level."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Metrics(NumberTable):
    """The content of `metrics.json`; the report and the CSV files are derived from it."""

    format: int = FORMAT
    task: TaskFacts
    model: ModelFacts
    auricle: str = ""
    """The version of Auricle that computed the numbers."""
    created: str = ""
    scoring: ScoringArguments = field(default_factory=ScoringArguments)
    complete: bool = False
    rows: int | None = None
    limit: int | None = None
    """How many rows of the data, from the first, the numbers are about; None if all."""
    notes: tuple[str, ...] = ()
    judges: tuple[JudgeFacts, ...] = ()
    outcomes: OutcomeCounts = field(default_factory=OutcomeCounts)
    failures: tuple[FailureKind, ...] = ()
    not_computed: dict[str, str] = field(default_factory=dict)
    """Metrics and breakdowns that were requested but not computed, with the reason."""
    unsuited: tuple[str, ...] = ()
    """Metrics that do not apply to the outputs of the model."""
    unreadable: dict[str, dict[str, int]] = field(default_factory=dict)
    """Per metric, how many answers were unreadable for which reason."""
    numbers: tuple[Number, ...] = ()
    usage: Usage = Usage()
    speed: Throughput | None = None
    journal: JournalHealth = field(default_factory=JournalHealth)
    """What of the run could be read."""
    sources: dict[str, Fingerprint] = field(default_factory=dict)
    """The files that the numbers were computed from."""
    derived: dict[str, str] = field(default_factory=dict)
    """The digests of the other files that were written with these numbers."""
    extras: dict[str, Any] = field(default_factory=make_empty_extras, metadata={INLINE: decode_extras})
    """The documents of features, by name; each is a field of its own in `metrics.json`."""
    parts: tuple[PartFacts, ...] = ()
    """The parts, if these are the combined numbers of a suite."""
    families: tuple[FamilyFacts, ...] = ()
    """The families of conditions, if the parts are conditions of one task."""
    purpose: str = ""
    """What the parts are for, if they are not averaged; see `SuiteKind`."""

    def list_numbers(self) -> Iterable[Number]:
        return self.numbers

    def list_rows(self) -> list[dict[str, Any]]:
        facts = {"task": self.task.name, "model": self.model.name}
        return [{**facts, **row} for row in NumberTable.list_rows(self)]

    def describe(self) -> str:
        counts = self.outcomes
        return f"{self.task.name}, {self.model.name}: {counts.answered:,} answered, {counts.failed:,} failed"

    @property
    def overall(self) -> tuple[Number, ...]:
        """The numbers over all samples."""
        return tuple(number for number in self.numbers if not number.field)

    @property
    def table_rows(self) -> tuple[Number, ...]:
        """The numbers in the order of tables: whether calls took place at all comes before what became of them."""
        return tuple(sorted(self.numbers, key=lambda number: number.metric != CALL_COMPLETION))

    @property
    def headlines(self) -> tuple[Number, ...]:
        """The numbers over all samples that pages show unfolded."""
        from auricle.metrics.headlines import select_headlines  # `auricle show` starts faster without it

        shown = select_headlines([number.metric for number in self.overall])
        return tuple(number for number in self.table_rows if not number.field and number.metric in shown)

    @property
    def folded(self) -> tuple[Number, ...]:
        """The other numbers over all samples."""
        return tuple(number for number in self.overall if number not in self.headlines)

    @property
    def missing_verdicts(self) -> int:
        """Verdicts that were not requested yet."""
        return sum(judge.missing for judge in self.judges)

    @property
    def failed_verdicts(self) -> int:
        return sum(judge.failed for judge in self.judges)

    @property
    def fields(self) -> tuple[str, ...]:
        """The metadata fields that the numbers are broken down by."""
        return tuple(dict.fromkeys(number.field for number in self.numbers if number.field))

    def __getitem__(self, metric: str) -> Number:
        """Return the number of a metric over all samples."""
        for number in self.overall:
            if number.metric == metric:
                return number
        raise KeyError(metric)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsOverview:
    """The part of `metrics.json` that a list of runs needs; reading it takes a tenth of the time."""

    task: TaskFacts
    outcomes: OutcomeCounts = field(default_factory=OutcomeCounts)
    usage: Usage = Usage()
    numbers: tuple[Any, ...] = ()
    """The numbers as they are stored, groups included."""

    def overall(self) -> tuple[Number, ...]:
        """Return the numbers over all samples, without details."""
        stored = [number for number in self.numbers if isinstance(number, dict) and not number.get("field")]
        return tuple(decode(Number, {**number, "details": {}}, "numbers") for number in stored)


def read_metrics(run_path: Path) -> Metrics:
    """Read the numbers of a run as they were last written.

    Raises:
        DataError: if the run was not scored yet, or the file is damaged or has a newer format.
    """
    metrics = _read(run_path, Metrics)
    return replace(metrics, extras=refresh_extras(run_path, metrics))


def read_metrics_overview(run_path: Path) -> MetricsOverview:
    """Read the numbers of a run over all samples; see `read_metrics`."""
    return _read(run_path, MetricsOverview)


def _read(run_path: Path, kind: type[Document]) -> Document:
    path = run_path / METRICS_FILE
    return read_document(
        path,
        kind,
        FORMAT,
        remedy=f"Run `auricle score {run_path}` to write it again.",
        missing=f"{path} not found: the run has not been scored yet.",
    )


def read_current_metrics(run_path: Path) -> Metrics | None:
    """Read the numbers of a run; return None if they are missing, damaged, or of another journal or of other rows.

    Raises:
        UnknownFormat: if a newer version of Auricle wrote them.
    """
    try:
        metrics = read_metrics(run_path)
    except UnknownFormat:
        raise
    except DataError:
        return None
    existing = {name for name in SOURCE_FILES if (run_path / name).exists()}
    is_current = (
        existing == metrics.sources.keys()
        and metrics.limit == read_limit(run_path)
        and all(source.matches(run_path / name) for name, source in metrics.sources.items())
    )
    return metrics if is_current else None


def read_scoring(run_path: Path) -> ScoringArguments:
    """Read the arguments that the numbers of a run were computed with, current or not; none without numbers."""
    try:
        return read_metrics(run_path).scoring
    except DataError:
        return ScoringArguments()


def write_metrics(run_path: Path, metrics: Metrics) -> None:
    write_document(run_path / METRICS_FILE, metrics, is_derived=True)


def format_money(amount: float, currency: str) -> str:
    """Format an amount with two decimals, or four significant digits below 1.

    Examples:
        >>> format_money(1234.5, "USD"), format_money(0.00123456, "USD")
        ('1,234.50 USD', '0.001235 USD')
    """
    digits = f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.4g}"
    return f"{digits} {currency}"
