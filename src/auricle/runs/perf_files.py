"""The files of a load test.

    perf.json               what is measured: task, model, loads and options
    summary.json            the numbers of each load point
    POINT/requests.jsonl    the times of each request of a load point
    POINT/health.json       what its senders measured about themselves
    POINT/server.jsonl      what the server reported while the load ran, if it was watched

A load point is a folder; if its answers are scored it is a run directory, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from auricle.core.files import open_regular_file, read_regular_file
from auricle.metrics.distributions import t_quantile
from auricle.runs.documents import read_document, write_document
from auricle.runs.run_spec import LOAD_TEST_FILE, StoredSpec

SUMMARY_FILE, REQUESTS_FILE, HEALTH_FILE = "summary.json", "requests.jsonl", "health.json"
SERVER_FILE = "server.jsonl"
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfManifest(StoredSpec):
    """What a load test measures, and where."""

    wanted: dict[str, Any]
    """The options of the load test."""
    revision: str = ""
    inferencer: str = ""
    created: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    platform: str = ""
    cores: int | None = None
    clock: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowSummary:
    """The part of a load point that its numbers are computed from."""

    kind: str
    start_s: float
    end_s: float
    length_s: float
    requests: int
    refused: str = ""
    """Why there is no steady window."""


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """How the requests ended."""

    ok: int = 0
    failed: int = 0
    cancelled: int = 0

    @property
    def total(self) -> int:
        return self.ok + self.failed + self.cancelled


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How the requests of a load point ended, by phase."""

    all: StatusCounts
    by_phase: dict[str, StatusCounts]
    window: StatusCounts
    never_sent: int = 0
    conversations: StatusCounts | None = None
    """How the conversations that started in the window ended; None if every request is one of its own."""


@dataclass(frozen=True, slots=True)
class StandardError:
    """The standard error of a number, and the degrees of freedom with which it was estimated."""

    value: float
    degrees: float

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of Student's t."""
        return t_quantile(0.975, round(self.degrees, 1)) * self.value

    def times(self, factor: float) -> StandardError:
        return StandardError(factor * self.value, self.degrees)


@dataclass(frozen=True, slots=True)
class RunMeasure:
    """A number of a load point as a whole, such as its throughput."""

    value: float | None
    interval: tuple[float, float] | None = None
    error: StandardError | None = None
    """None if the number cannot be tested."""


@dataclass(frozen=True, slots=True)
class Validity:
    """Whether the numbers of a load point can be trusted."""

    valid: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A number computed from the answers of a load point."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    scored: int
    total: int
    higher_is_better: bool
    signature: str
    unit: str = ""

    @property
    def measure(self) -> RunMeasure:
        """The value and its interval."""
        has_interval = self.low is not None and self.high is not None
        return RunMeasure(self.value, (self.low, self.high) if has_interval else None)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderHealth:
    """What the senders of a load point measured about themselves; None where nothing was measured."""

    idle_lag_p99_s: float | None = None
    """Lag of the idle event loop, before the load: the best this machine can do."""
    lag_p50_s: float | None = None
    lag_p99_s: float | None = None
    """Lag of the event loop under load."""
    lag_max_s: float | None = None
    late_p50_s: float | None = None
    late_p99_s: float | None = None
    """Delay between a request's due time and the moment it was started, excluding waiting for the cap."""
    late_max_s: float | None = None
    late_count: int = 0
    """Requests that were more than a second late."""
    cpu_share: tuple[float, ...] = ()
    """Share of one core that each sender used."""
    stopped: str = ""
    """Why the load ended early; empty if it did not."""
    rows: int | None = None
    """Rows of the data that were prepared; they are sent again when all have been sent."""
    has_unused_rows: bool = False
    """Whether the data has further rows."""
    notes: tuple[str, ...] = ()
    """What the senders noticed while they prepared the requests."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """Whether backlog and delay grew throughout the window, and how fast."""

    saturated: bool
    backlog_per_s: float | None = None
    delay_s_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class RequestRepeats:
    """How many requests have a body that was sent before; None if the bodies are unknown."""

    requests: int = 0
    distinct: int | None = None
    repeated: int | None = None
    mean_sends: float | None = None
    """How often each distinct body was sent, on average."""


@dataclass(frozen=True, slots=True)
class SloResult:
    """Whether one SLO was met; the value of an SLO for each request is the share of requests that met it."""

    slo: str
    of: str
    """`run`, or `request` for an SLO that applies to each request."""
    value: float | None
    met: bool | None
    reason: str = ""
    """Why it cannot be judged."""


@dataclass(frozen=True, slots=True)
class SloRequests:
    """How many requests met the SLOs that apply to each request."""

    met: int
    missed: int
    not_evaluable: int
    cancelled: int


@dataclass(frozen=True, slots=True)
class SloSummary:
    """Whether a load point met its SLOs; None if that is unknown."""

    met: bool | None
    promises: tuple[SloResult, ...]
    requests: SloRequests | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureStatistics:
    """The distribution of a measure over requests; None where there are too few values."""

    n: int = 0
    undefined: int = 0
    """Requests for which the measure has no value."""
    mean: float | None = None
    std: float | None = None
    min: float | None = None
    p01: float | None = None
    p05: float | None = None
    p10: float | None = None
    p25: float | None = None
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    p99_9: float | None = field(default=None, metadata={"name": "p99.9"})
    max: float | None = None
    withheld: dict[str, str] = field(default_factory=dict)
    """Why a percentile is None."""
    intervals: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    """95 % intervals of some statistics."""
    no_interval: dict[str, str] = field(default_factory=dict)
    """Why an interval is None."""
    errors: dict[str, StandardError] = field(default_factory=dict)
    """Standard errors of the statistics that can be compared; some of them have no interval."""

    def __getitem__(self, statistic: str) -> float | None:
        """Return a statistic by its name in the document."""
        value: float | None = getattr(self, statistic.replace(".", "_"))
        return value


@dataclass(frozen=True, slots=True)
class BucketStatistics:
    """The distribution of a measure within a bucket."""

    n: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Bucket:
    """The requests with similar values of a property, such as the length of their audio."""

    bucket: str
    ok: int
    failed: int
    cancelled: int
    measures: dict[str, BucketStatistics]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSlice:
    """The numbers of a slice of the measured phase."""

    start_s: float
    """Seconds from the first measured request."""
    end_s: float
    requests: int
    """Requests that were due in the slice; sent, in a closed loop."""
    ok: int
    failed: int
    cancelled: int
    in_flight_mean: float | None
    rates: dict[str, float | None]
    """Requests, tokens and seconds of audio per second that arrived in the slice."""
    measures: dict[str, BucketStatistics]
    """Times of the successful requests of the slice."""


@dataclass(frozen=True, slots=True)
class RequestFailures:
    """Failed requests with the same kind of error."""

    kind: str
    count: int
    after_p50_s: float | None = None
    """Median time until they failed."""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPointSummary:
    """The numbers of one load point."""

    format: int = FORMAT
    load: str
    window: WindowSummary
    counts: RequestCounts
    measures: dict[str, MeasureStatistics]
    """Mean, percentiles and intervals of each measure of a request."""
    run: dict[str, RunMeasure]
    validity: Validity
    notes: tuple[str, ...] = ()
    saturation: Saturation
    repeats: RequestRepeats
    slo: SloSummary | None = None
    breakdowns: dict[str, tuple[Bucket, ...]]
    slices: tuple[TimeSlice, ...] = ()
    finish: dict[str, int]
    failures: tuple[RequestFailures, ...]
    health: SenderHealth
    currency: str | None = None
    method: dict[str, str]
    folder: str = ""
    senders: int = 1
    accuracy: tuple[Accuracy, ...] = ()

    def read(self, name: str, statistic: str = "") -> RunMeasure:
        """Return a run measure, or a statistic of a request measure, with its interval; unknown if it is missing."""
        if not statistic:
            return self.run.get(name, RunMeasure(None))
        measure = self.measures.get(name, MeasureStatistics())
        return RunMeasure(measure[statistic], measure.intervals.get(statistic), measure.errors.get(statistic))


@dataclass(frozen=True, slots=True)
class TriedValue:
    """A value that a search tried, and whether each of its runs met the SLOs; None if a run was inconclusive."""

    value: float
    met: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The largest value that met the SLOs, the smallest that did not, and all that were tried."""

    search: str
    best: float | None
    """None if even the lowest value did not meet them."""
    beyond: float | None
    """None if even the highest value met them."""
    tried: tuple[TriedValue, ...] = ()


@dataclass(frozen=True, slots=True)
class RepeatedNumber:
    """A number in each repeat of a load, and its variation."""

    values: tuple[float, ...]
    mean: float
    std: float
    min: float
    max: float


@dataclass(frozen=True, slots=True)
class RepeatedLoad:
    """The variation between the repeats of a load."""

    load: str
    repeats: int
    numbers: dict[str, RepeatedNumber]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfSummary:
    """The content of `summary.json`."""

    format: int = FORMAT
    task: str
    model: str
    interrupted: bool = False
    complete: bool = False
    """Whether all load points were measured to the end; otherwise the measurement can be resumed."""
    valid: bool = False
    points: tuple[LoadPointSummary, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    spreads: tuple[RepeatedLoad, ...] = ()
    definitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    about: PerfManifest


def read_perf_manifest(folder: Path) -> PerfManifest:
    """Read what a load test measures.

    Raises:
        DataError: if the folder contains no load test, or its file is damaged or has a newer format.
    """
    missing = f"Not a load test: {folder} (it has no {LOAD_TEST_FILE})."
    return read_document(folder / LOAD_TEST_FILE, PerfManifest, FORMAT, missing=missing)


def write_perf_manifest(folder: Path, manifest: PerfManifest) -> None:
    write_document(folder / LOAD_TEST_FILE, manifest)


def read_perf_summary(folder: Path) -> PerfSummary:
    """Read the numbers of a load test.

    Raises:
        DataError: if no load point was completed, or the file is damaged or has a newer format.
    """
    missing = f"No {SUMMARY_FILE} in {folder}: no load point was completed."
    return read_document(folder / SUMMARY_FILE, PerfSummary, FORMAT, missing=missing)


def write_perf_summary(folder: Path, summary: PerfSummary) -> None:
    write_document(folder / SUMMARY_FILE, summary)


def read_health(point_folder: Path) -> SenderHealth:
    return read_document(point_folder / HEALTH_FILE, SenderHealth)


def write_health(point_folder: Path, health: SenderHealth) -> None:
    write_document(point_folder / HEALTH_FILE, health)


def write_server_readings(point_folder: Path, readings: Sequence[Mapping[str, float]]) -> None:
    """Write what was read from the server, each with its time `t` since the start of the load."""
    lines = (orjson.dumps(reading, option=orjson.OPT_APPEND_NEWLINE) for reading in readings)
    (point_folder / SERVER_FILE).write_bytes(b"".join(lines))


def read_server_readings(point_folder: Path) -> list[dict[str, float]]:
    """Read what was read from the server; empty if it was not watched."""
    path = point_folder / SERVER_FILE
    return [orjson.loads(line) for line in read_regular_file(path).splitlines()] if path.exists() else []


def merge_requests(point_folder: Path, senders: int) -> None:
    """Merge what the senders recorded in the order of the plan; only the offsets of lines are kept in memory."""
    parts = [point_folder / f"requests.{sender}.jsonl" for sender in range(senders)]
    with ExitStack() as open_files, (point_folder / REQUESTS_FILE).open("wb") as merged:
        files = [open_files.enter_context(open_regular_file(part)) for part in parts if part.exists()]
        entries = sorted(entry for number, file in enumerate(files) for entry in _index_requests(number, file))
        for _, _, number, offset in entries:
            files[number].seek(offset)
            merged.write(files[number].readline())
    for part in parts:
        part.unlink(missing_ok=True)


def _index_requests(file_index: int, file: BinaryIO) -> Iterator[tuple[int, int, int, int]]:
    """Yield index, turn, file number and offset of each line."""
    offset = 0
    for line in file:
        if line.endswith(b"\n"):  # the last line may be incomplete
            row = orjson.loads(line)
            yield row["index"], row.get("turn", 0), file_index, offset
        offset += len(line)
