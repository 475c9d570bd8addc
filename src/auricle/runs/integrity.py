"""Check that the files of a run are intact and belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from auricle.core.errors import AudioError, DataError
from auricle.core.types import Generation, Record, get_call
from auricle.media import Audio
from auricle.runs.calls import find_call_problems
from auricle.runs.extras import EXTRAS
from auricle.runs.health import DamagedLine, Fingerprint, JournalHealth
from auricle.runs.journal import SPEECH_FOLDER, JournalIndex
from auricle.runs.labels import HumanLabels
from auricle.runs.metrics import METRICS_FILE, Metrics, read_metrics
from auricle.runs.progress import PROGRESS_FILE, Progress, read_limit, read_progress
from auricle.runs.run_spec import LABELS_FILE, OUTPUTS_FILE, SPEC_FILE, VERDICTS_FILE, read_run_spec
from auricle.runs.shards.large_runs import check_has_samples
from auricle.runs.usage import PRICES_FILE, RunPrices
from auricle.runs.verdicts import iter_verdict_lines

MAX_LISTED_ROWS = 100
"""Missing rows that are listed; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file of a run."""

    file: str
    message: str
    line: int | None = None

    def describe(self) -> str:
        return f"{self.file}{'' if self.line is None else f':{self.line}'} {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What is damaged in a run, and what running it again would send."""

    run: str
    records: int = 0
    """Samples with an intact record."""
    problems: tuple[Problem, ...] = ()
    """Damage of the spec, the journal, the verdicts or speech, which cannot be derived again."""
    outdated: tuple[Problem, ...] = ()
    """Derived files that are damaged, or were made from another journal; `auricle score` writes them again."""
    missing: int = 0
    """Samples of the data without an intact record."""
    missing_rows: tuple[int, ...] = ()
    """Their first positions in the data, from 1."""
    failed: int = 0
    """Samples that failed, which are sent again unless `--skip-failed` is given."""

    @property
    def is_intact(self) -> bool:
        return not self.problems and not self.outdated and not self.missing


def verify_run(path: Path) -> Verification:
    """Check all files of a run without changing it.

    Raises:
        DataError: if `path` is not a run directory.
    """
    if not (path / SPEC_FILE).exists():
        read_run_spec(path)
    check_has_samples(path)
    problems = [*_check_documents(path)]
    damaged: list[DamagedLine] = []
    rows: set[int] = set()
    failed = 0
    with JournalIndex(path / OUTPUTS_FILE) as index:
        for record in index.records():
            rows.add(record.row)
            failed += record.error is not None
            problems += _check_speech(path, record)
            problems += _check_calls(path, record)
        damaged += index.damaged
    for _ in iter_verdict_lines(path / VERDICTS_FILE, damaged):
        pass
    problems += [Problem(line.file, line.reason, line.line) for line in damaged]
    health = JournalHealth.build(len(index), _read_progress(path).completed_rows, damaged)
    expected_rows = () if health.rows is None else range(health.rows)
    absent = [row + 1 for row in expected_rows if row not in rows]
    return Verification(
        run=str(path),
        records=len(index),
        problems=tuple(problems),
        outdated=tuple(_check_derived(path)),
        missing=health.missing,
        missing_rows=tuple(absent[:MAX_LISTED_ROWS]) if health.missing else (),
        failed=failed,
    )


def _check_documents(path: Path) -> Iterator[Problem]:
    readers: dict[str, Callable[[Path], object]] = {
        SPEC_FILE: read_run_spec,
        PROGRESS_FILE: read_progress,
        PRICES_FILE: RunPrices.load,
        LABELS_FILE: HumanLabels.load,
    }
    readers |= {extra.file: extra().check for extra in map(EXTRAS.get, EXTRAS) if extra.file}
    for name, read in readers.items():
        try:
            read(path)
        except DataError as error:
            yield Problem(name, _without_path(error, path / name))
    if not (path / OUTPUTS_FILE).exists():
        yield Problem(OUTPUTS_FILE, "is missing.")


def _without_path(error: DataError, path: Path) -> str:
    """Return a message that begins with the path of a file without it."""
    return str(error).removeprefix(str(path)).lstrip(": ")


def _read_progress(path: Path) -> Progress:
    try:
        return read_progress(path)
    except DataError:  # reported as a problem
        return Progress()


def _check_speech(path: Path, record: Record) -> Iterator[Problem]:
    """Check that the spoken outputs of a record exist; their names are digests of their content."""
    for output in record.outputs:
        if not isinstance(output, Generation) or output.audio is None or output.audio.path is None:
            continue
        file = output.audio.path
        if file.parent != path / SPEECH_FOLDER:
            continue
        name = f"{SPEECH_FOLDER}{file.name}"
        try:
            if Audio(str(file)).hash != file.stem:
                yield Problem(name, f"does not have the content it is named after (sample {record.sample.id!r}).")
        except AudioError:
            yield Problem(name, f"is missing or empty (sample {record.sample.id!r}).")


def _check_calls(path: Path, record: Record) -> Iterator[Problem]:
    """Check that the recordings and event logs of the calls of a record exist and belong to it."""
    for call in filter(None, map(get_call, record.outputs)):
        for name, message in find_call_problems(path, call):
            yield Problem(name, f"{message} (sample {record.sample.id!r}).")


def _check_derived(path: Path) -> Iterator[Problem]:
    if not (path / METRICS_FILE).exists():
        return
    try:
        metrics = read_metrics(path)
    except DataError as error:
        yield Problem(METRICS_FILE, _without_path(error, path / METRICS_FILE))
        return
    yield from _check_sources(path, metrics)
    for name, digest in metrics.derived.items():
        file = path / name
        if not file.exists():
            yield Problem(name, "is missing.")
        elif Fingerprint.take(file).digest != digest:
            yield Problem(name, f"was not written together with {METRICS_FILE}.")


def _check_sources(path: Path, metrics: Metrics) -> Iterator[Problem]:
    if metrics.limit != read_limit(path):
        yield Problem(METRICS_FILE, "is about other rows of the data than the run.")
    sources = {name for name in (OUTPUTS_FILE, VERDICTS_FILE) if (path / name).exists()}
    for name in sorted(sources | metrics.sources.keys()):
        if name not in metrics.sources or not metrics.sources[name].matches(path / name):
            yield Problem(METRICS_FILE, f"was made from another {name}.")
