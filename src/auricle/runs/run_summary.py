"""Summaries of runs: status, headline number, counts and notes, from their documents rather than their journals."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

from auricle.core.errors import DataError
from auricle.runs.journal_follower import JournalFollower
from auricle.runs.metrics import METRICS_FILE, MetricsOverview, Number, read_metrics_overview
from auricle.runs.perf_files import SUMMARY_FILE, read_perf_manifest
from auricle.runs.progress import PROGRESS_FILE, Progress, read_progress
from auricle.runs.run_directory import LOCK_FILE, contains_load_test, contains_run, is_being_written
from auricle.runs.run_notes import NOTES_FILE, RunNotes, read_run_notes
from auricle.runs.run_spec import LOAD_TEST_FILE, OUTPUTS_FILE, SPEC_FILE, StoredSpec, read_run_spec
from auricle.runs.shards.locations import contains_sharded_run

Status: TypeAlias = Literal["running", "stopped", "failed", "done"]
Phase: TypeAlias = Literal["", "answering", "stopping", "scoring"]
CheckFile: TypeAlias = Callable[[Path], None]
"""Raises `DataError` if a file may not be read."""
SUMMARISED_FILES = frozenset(
    {SPEC_FILE, METRICS_FILE, PROGRESS_FILE, NOTES_FILE, OUTPUTS_FILE, LOAD_TEST_FILE, SUMMARY_FILE, LOCK_FILE}
)
MAX_NAME_LENGTH = 200
MAX_DEPTH = 4
"""Levels below a folder that are searched for runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run or load test on one line; unknown values are None."""

    name: str
    """Path relative to the runs folder."""
    path: Path
    kind: Literal["run", "perf"] = "run"
    status: Status = "stopped"
    """Failed: nothing was answered, or the run cannot be read."""
    phase: Phase = ""
    """What a running run does. Stopping: it waits for requests in flight."""
    model: str = ""
    task: str = ""
    data: str = ""
    """Where the rows of the task come from: a path or an address."""
    revision: str = ""
    """Identifies the content of the data; empty before a run is scored."""
    created: str = ""
    """Start time in ISO 8601."""
    numbers: tuple[Number, ...] = ()
    """The numbers over all samples, without details; the first is the headline."""
    done: int | None = None
    """Samples with a result."""
    total: int | None = None
    failed: int | None = None
    dropped: int = 0
    """Calls that the agent dropped."""
    cost: float | None = None
    currency: str = ""
    seconds: float | None = None
    """Wall time of its passes."""
    notes: RunNotes = field(default_factory=RunNotes)
    error: str = ""
    """Why it cannot be read."""

    @property
    def title(self) -> str:
        return self.notes.title or self.name

    @property
    def headline(self) -> Number | None:
        return self.numbers[0] if self.numbers else None

    @property
    def scored(self) -> int | None:
        return self.headline.scored if self.headline else None

    @property
    def coverage(self) -> float | None:
        return self.headline.coverage if self.headline and self.headline.total else None

    def shown_value(self, metric: str) -> float | None:
        """Return the value of a metric as it is shown: shares in per cent. None if the run does not have it."""
        for number in self.numbers:
            if number.metric.casefold() == metric.casefold() and number.value is not None:
                return 100 * number.value if number.unit == "share" else number.value
        return None


def summarise_run(
    root: Path, path: Path, check: CheckFile = lambda _: None, follower: JournalFollower | None = None
) -> RunSummary:
    """Summarise a run; what cannot be read is described in the summary.

    Args:
        root: The runs folder.
        path: Folder of the run.
        check: Raises `DataError` if a file may not be read.
        follower: Counts the results of an unfinished run; by default its journal is read from the start.
    """
    summary = RunSummary(
        name=str(path.relative_to(root)), path=path, kind="perf" if contains_load_test(path) else "run"
    )
    try:
        check(path / NOTES_FILE)
        summary = replace(summary, notes=read_run_notes(path))
        if summary.kind == "perf":
            return _summarise_load_test(summary, check)
        return _summarise_evaluation(summary, check, follower or JournalFollower(path / OUTPUTS_FILE))
    except (DataError, OSError) as error:
        message = str(error).replace(f"{path}/", "").replace(str(path), summary.name)
        return replace(summary, status="failed", error=f"Cannot be read: {message}")


def _summarise_load_test(summary: RunSummary, check: CheckFile) -> RunSummary:
    check(summary.path / LOAD_TEST_FILE)
    manifest = read_perf_manifest(summary.path)
    return replace(
        summary,
        status="done" if (summary.path / SUMMARY_FILE).exists() else "stopped",
        model=_shorten_model(manifest),
        task=_shorten(manifest.task),
        created=manifest.created[:MAX_NAME_LENGTH],
    )


def _summarise_evaluation(summary: RunSummary, check: CheckFile, follower: JournalFollower) -> RunSummary:
    path = summary.path
    for name in (SPEC_FILE, PROGRESS_FILE, METRICS_FILE, OUTPUTS_FILE):
        check(path / name)
    spec, progress, metrics = read_run_spec(path), read_progress(path), None
    with suppress(DataError):
        metrics = read_metrics_overview(path)
    done, failed = progress.completed_rows, metrics.outcomes.failed if metrics else None
    dropped = metrics.outcomes.dropped if metrics else 0
    if done is None or failed is None:
        follower.update()
        done, failed, dropped = done or follower.done, follower.failed, follower.dropped
    if contains_sharded_run(path) and not progress.complete:
        status = _find_sharded_status(path)
    else:
        status = _find_status(path, progress, done - failed)
    summary = replace(
        summary,
        status=status,
        phase=_find_phase(progress) if status == "running" else "",
        model=_shorten_model(spec, spec.model_name),
        task=(metrics.task.name if metrics else _shorten(spec.task))[:MAX_NAME_LENGTH],
        created=spec.created[:MAX_NAME_LENGTH],
        done=done,
        total=progress.completed_rows or progress.total,
        failed=failed,
        dropped=dropped,
        seconds=_sum_seconds(progress, done),
    )
    return _add_metrics(summary, metrics) if metrics else summary


def _sum_seconds(progress: Progress, done: int) -> float | None:
    """Return how long the samples took; None if that is unknown, or if the passes answered other samples, too."""
    if sum(timing.samples for timing in progress.passes) > done:
        return None
    return sum(timing.wall_seconds for timing in progress.passes) or None


def _find_sharded_status(path: Path) -> Status:
    """Return whether a worker has a shard of a sharded run that is not merged; `auricle status` shows more."""
    from auricle.runs.shards.store import ShardStore  # takes a while to import

    store = ShardStore.open(path)
    states = store.read_states()
    shards = (shard for shard in range(states.count) if not store.is_done(states, shard))
    return "running" if any(states.is_leased(shard, 0.0) for shard in shards) else "stopped"


def _find_status(path: Path, progress: Progress, answered: int) -> Status:
    if is_being_written(path):
        return "running"
    if answered <= 0:
        return "failed"
    return "done" if progress.complete else "stopped"


def _find_phase(progress: Progress) -> Phase:
    if progress.rows is not None:  # written at the end of a pass
        return "scoring"
    return "stopping" if progress.stopping else "answering"


def _add_metrics(summary: RunSummary, metrics: MetricsOverview) -> RunSummary:
    usage = metrics.usage
    return replace(
        summary,
        data=metrics.task.source[:MAX_NAME_LENGTH],
        revision=metrics.task.revision,
        numbers=metrics.overall(),
        cost=usage.cost,
        currency=usage.currency or "",
    )


def _shorten_model(spec: StoredSpec, declared_name: str = "") -> str:
    """Return the label of a model, or its name without folders and with its checkpoint."""
    if label := spec.spec.get("label"):
        return str(label)[:MAX_NAME_LENGTH]
    if declared_name:
        return _shorten(declared_name)
    variant = spec.model_args.get("model")
    name = _shorten(spec.model)
    return f"{name} · {PurePath(variant).name}" if isinstance(variant, str) and variant else name


def _shorten(name: str) -> str:
    """Return a name without folders, and a class without the package it is in.

    >>> _shorten("runs/models/mine.py:Model"), _shorten("package.module:Model")
    ('mine.py:Model', 'Model')
    """
    module, colon, attribute = name.rpartition(":")
    is_package = colon and "." in module and not module.endswith(".py")
    return (attribute if is_package else PurePath(name).name)[:MAX_NAME_LENGTH]


def find_run_folders(folder: Path, depth: int = MAX_DEPTH) -> Iterator[Path]:
    """Yield the folders in a folder that contain a run or load test, sorted by name, including broken ones.

    Hidden folders are left out, and symbolic links are not followed.
    """
    try:
        with os.scandir(folder) as items:
            names = sorted(item.name for item in items if item.is_dir(follow_symlinks=False))
    except OSError:
        return
    for path in (folder / name for name in names if not name.startswith(".")):
        if contains_run(path):
            yield path
        elif depth:
            yield from find_run_folders(path, depth - 1)


class RunIndex:
    """Summaries of the runs in a folder; those whose files changed are read again.

    Args:
        root: The runs folder.
        check: Raises `DataError` if a file may not be read.
    """

    def __init__(self, root: Path, check: CheckFile = lambda _: None) -> None:
        self._summarise = partial(summarise_run, root, check=check)
        self._known: dict[Path, tuple[tuple[int, ...], RunSummary]] = {}
        self._followers: dict[Path, JournalFollower] = {}
        self._lock = threading.Lock()

    def summarise(self, paths: Iterable[Path]) -> list[RunSummary]:
        """Summarise the runs in these folders: running ones first, then the newest."""
        with self._lock:
            self._known = dict(self._read(paths))
            summaries = [summary for _, summary in self._known.values()]
        summaries.sort(key=lambda summary: (summary.created, summary.name), reverse=True)
        return sorted(summaries, key=lambda summary: summary.status != "running")

    def _read(self, paths: Iterable[Path]) -> Iterator[tuple[Path, tuple[tuple[int, ...], RunSummary]]]:
        for path in paths:
            fingerprint = _take_fingerprint(path)
            earlier = self._known.get(path)
            # Whether a run is being written does not show in its files.
            if earlier and earlier[0] == fingerprint and earlier[1].status != "running":
                yield path, earlier
            else:
                follower = self._followers.setdefault(path, JournalFollower(path / OUTPUTS_FILE))
                yield path, (fingerprint, self._summarise(path, follower=follower))


def _take_fingerprint(path: Path) -> tuple[int, ...]:
    """Return the time of the last change, the size and the number of each file that a summary is made from."""
    parts: list[int] = []
    with suppress(OSError), os.scandir(path) as items:
        for item in sorted((item for item in items if item.name in SUMMARISED_FILES), key=lambda item: item.name):
            stat = item.stat(follow_symlinks=False)
            parts += [stat.st_ino, stat.st_mtime_ns, stat.st_size]
    return tuple(parts)
