"""The files of a load test.

    perf.json               what is measured: task, model, loads and options
    summary.json            the numbers of each load point
    POINT/requests.jsonl    the times of each request of a load point
    POINT/health.json       what its senders measured about themselves

A load point is a folder; if its answers are scored it is a run directory, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.runs.documents import read_document, write_document
from auricle.runs.run_spec import LOAD_TEST_FILE

SUMMARY_FILE, REQUESTS_FILE, HEALTH_FILE = "summary.json", "requests.jsonl", "health.json"
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfManifest:
    """What a load test measures, and where."""

    format: int = FORMAT
    spec: dict[str, Any]
    """The fields of `Spec`, without secrets."""
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

    @property
    def task(self) -> str:
        return str(self.spec.get("task", ""))

    @property
    def model(self) -> str:
        return str(self.spec.get("model", ""))

    @property
    def model_args(self) -> Mapping[str, Any]:
        arguments: Mapping[str, Any] = self.spec.get("model_args") or {}
        return arguments


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


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How the requests of a load point ended, by phase."""

    all: StatusCounts
    by_phase: dict[str, StatusCounts]
    window: StatusCounts
    never_sent: int = 0


@dataclass(frozen=True, slots=True)
class RunMeasure:
    """A number of a load point as a whole, such as its throughput."""

    value: float | None
    interval: tuple[float, float] | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPointSummary:
    """The numbers of one load point."""

    format: int = FORMAT
    load: str
    window: WindowSummary
    counts: RequestCounts
    measures: dict[str, dict[str, Any]]
    """Mean, percentiles and intervals of each measure of a request."""
    run: dict[str, RunMeasure]
    validity: Validity
    notes: tuple[str, ...] = ()
    saturation: dict[str, Any]
    repeats: dict[str, int]
    slo: dict[str, Any] | None = None
    breakdowns: dict[str, list[dict[str, Any]]]
    finish: dict[str, int]
    failures: list[dict[str, Any]]
    health: dict[str, Any]
    currency: str | None = None
    method: dict[str, str]
    folder: str = ""
    senders: int = 1
    accuracy: tuple[Accuracy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfSummary:
    """The content of `summary.json`."""

    format: int = FORMAT
    task: str
    model: str
    interrupted: bool = False
    valid: bool = False
    points: tuple[LoadPointSummary, ...] = ()
    searches: list[dict[str, Any]] = field(default_factory=list)
    spreads: list[dict[str, Any]] = field(default_factory=list)
    definitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    about: PerfManifest


def read_perf_manifest(folder: Path) -> PerfManifest:
    """Read what a load test measures.

    Raises:
        DataError: if the folder contains no load test, or its file is damaged or has a newer format.
    """
    try:
        return read_document(folder / LOAD_TEST_FILE, PerfManifest, FORMAT)
    except FileNotFoundError as error:
        raise DataError(f"Not a load test: {folder} (it has no {LOAD_TEST_FILE}).") from error


def write_perf_manifest(folder: Path, manifest: PerfManifest) -> None:
    write_document(folder / LOAD_TEST_FILE, manifest)


def read_perf_summary(folder: Path) -> PerfSummary:
    """Read the numbers of a load test.

    Raises:
        DataError: if no load point was completed, or the file is damaged or has a newer format.
    """
    try:
        return read_document(folder / SUMMARY_FILE, PerfSummary, FORMAT)
    except FileNotFoundError as error:
        raise DataError(f"No {SUMMARY_FILE} in {folder}: no load point was completed.") from error


def write_perf_summary(folder: Path, summary: PerfSummary) -> None:
    write_document(folder / SUMMARY_FILE, summary)
