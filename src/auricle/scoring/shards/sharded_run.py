"""Execute a sharded run: plan it, start workers and follow them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from socket import gethostname

from auricle.core.closing import Closing
from auricle.core.errors import DataError, SpecError, StorageError, StorageUnavailable
from auricle.core.files import make_folder
from auricle.engine.budget import Budget
from auricle.engine.factory import Evaluation, check_settings
from auricle.engine.observer import Observer
from auricle.engine.settings import Settings
from auricle.engine.shards.launch_document import Launcher, Notify, WorkerDocument, WorkerReport
from auricle.engine.shards.launch_local import LocalLauncher
from auricle.engine.shards.planning import open_sharded_run, read_stored_spec
from auricle.engine.shards.worker import StopSignal, stop_on_signals
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import write_run_spec
from auricle.runs.shards.leases import RELEASED_SUFFIX, LeaseHolder
from auricle.runs.shards.mirror import mirror_folder
from auricle.runs.shards.status import ShardStatus, StatusReader
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import RunPrices
from auricle.scoring.shards.spending import sum_unfinished_cost
from auricle.scoring.shards.worker_process import COMMAND, work

POLL_PAUSE = 20
"""The display waits this many times as long as it takes to read the state of all shards."""
LOCAL_POLL_SECONDS, REMOTE_POLL_SECONDS = 0.5, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedOutcome:
    """What is known after the workers of a command have ended."""

    store: ShardStore
    folder: Path
    """Run directory of the merged run: the location itself, or its copy on this machine."""
    status: ShardStatus
    stop_reason: str
    stopped: bool
    """Whether the workers were asked to stop."""


def run_workers(evaluation: Evaluation, location: str | Path, settings: Settings, observer: Observer) -> ShardedOutcome:
    """Process the shards of an evaluation that are not completed.

    Args:
        evaluation: What to evaluate.
        location: A folder or the URL of a bucket with a prefix.
        settings: Number of shards and workers, and how each of them works.
        observer: Follows the progress; a `Budget` limits the cost.
    """
    check_settings(evaluation.model_class, evaluation.spec, settings)
    store = open_sharded_run(evaluation, location, settings.shards or "auto", settings.workers)
    folder = prepare_folder(store)
    release_dead_workers(store, settings.lease)
    reader = StatusReader(store, count_active=False)
    status = reader.read(settings.lease)
    _announce(observer, folder)
    document = _describe_worker(evaluation, settings, store, observer, status)
    launcher = make_launcher(
        evaluation,
        settings,
        document,
        folder,
        observer.on_message,
        partial(release_dead_workers, store, settings.lease),
    )
    stop = StopSignal()
    with stop_on_signals(stop), ProgressFollower(reader, settings.lease, observer.on_shards):
        reports = launcher.run(stop)
    return ShardedOutcome(
        store=store,
        folder=folder,
        status=reader.read(settings.lease),
        stop_reason=next((report.stop_reason for report in reports if report.stop_reason), ""),
        stopped=stop.is_set(),
    )


def release_dead_workers(store: ShardStore, term: float) -> None:
    """Give back the shards of workers of this machine that were killed, instead of waiting for their leases to expire.

    Args:
        store: The run.
        term: Term of leases in seconds.
    """
    with suppress(StorageUnavailable):  # the leases expire then
        states = store.read_states()
        for shard in range(store.plan.count):
            if store.is_done(states, shard) or not states.is_leased(shard, term):
                continue
            with suppress(DataError):
                holder = store.read_lease(states, shard)
                if holder and has_died(holder):
                    store.storage.write(states.lease_path(shard) + RELEASED_SUFFIX, b"")


def has_died(holder: LeaseHolder) -> bool:
    """Return whether a process is certainly gone; those of other machines cannot be seen."""
    return holder.host == gethostname() and not _is_alive(holder.pid)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # a process of another user
        return True
    return True


def prepare_folder(store: ShardStore) -> Path:
    """Return the local folder of a run, with its spec."""
    folder = store.folder or mirror_folder(store.storage.url)
    if store.folder is None:
        make_folder(folder)
        write_run_spec(folder, read_stored_spec(store.storage))
    return folder


def _announce(observer: Observer, folder: Path) -> None:
    """Start an observer on the run as a whole; a budget counts in the workers."""
    run = Run.load(folder)
    if isinstance(observer, Budget):
        observer.save_prices(run)
        observer = observer.observer
    observer.on_start(run, lambda: None)


def _describe_worker(
    evaluation: Evaluation, settings: Settings, store: ShardStore, observer: Observer, status: ShardStatus
) -> WorkerDocument:
    """Return the document that all workers share."""
    budget = observer if isinstance(observer, Budget) else None
    limit = None
    if budget and budget.limit is not None:
        spent = (status.cost or 0.0) + sum_unfinished_cost(store, budget.price, budget.judge_prices)
        limit = round(budget.limit - spent, 9)
        if limit <= 0 and not status.complete:
            raise SpecError(f"{status.run} has already spent the limit of --max-cost. Resume with a higher one.")
    return WorkerDocument.create(
        evaluation.spec,
        settings,
        store.storage.url,
        name=f"{gethostname()}-{os.getpid()}",
        since=store.storage.now(),
        prices=RunPrices(budget.price, dict(budget.judge_prices)) if budget else RunPrices(),
        max_cost=limit,
        cache_path=str(getattr(settings.cache, "path", "")),
    )


def make_launcher(
    evaluation: Evaluation,
    settings: Settings,
    document: WorkerDocument,
    folder: Path,
    notify: Notify,
    on_crash: Callable[[], None] = lambda: None,
) -> Launcher:
    """Return what starts the workers that the settings ask for."""
    if settings.workers == 1 and not settings.backend:
        return InProcess(evaluation, document)
    if MODELS.is_local(evaluation.spec.model):
        raise SpecError(
            f"Other processes cannot import {evaluation.spec.model}, which is defined in this one. "
            f"Move it to a file and use model='file.py:{evaluation.spec.model}'."
        )
    documents = [document.share(index, settings.workers) for index in range(settings.workers)]
    if settings.backend == "ray":
        from auricle.engine.shards.launch_ray import RayLauncher

        return RayLauncher(work, documents, settings, notify=notify)
    if settings.backend == "slurm":
        from auricle.engine.shards.launch_slurm import SlurmLauncher

        return SlurmLauncher(work, documents, folder / "logs", settings.slurm, notify=notify)
    return LocalLauncher(
        COMMAND, documents, folder / "logs", devices=settings.devices, notify=notify, on_crash=on_crash
    )


class InProcess:
    """A single worker in this process, whose model need not be importable by others."""

    def __init__(self, evaluation: Evaluation, document: WorkerDocument) -> None:
        self._evaluation = evaluation
        self._document = document

    def run(self, stop: StopSignal) -> list[WorkerReport]:
        return [work(self._document, stop, self._evaluation)]


class ProgressFollower(Closing):
    """Reports the state of a sharded run from time to time, from a thread, until it is closed.

    Args:
        reader: Reads the state.
        term: Term of leases in seconds.
        report: Called with each state, the last one included.
    """

    def __init__(self, reader: StatusReader, term: float, report: Callable[[ShardStatus], None]) -> None:
        self._read = partial(reader.read, term)
        self._report = report
        self._is_remote = reader.is_remote
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="auricle-shards", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _follow(self) -> None:
        least = REMOTE_POLL_SECONDS if self._is_remote else LOCAL_POLL_SECONDS
        is_closing = False
        while not is_closing:
            started_at = time.monotonic()
            with suppress(StorageError, DataError, FileNotFoundError):  # the workers report what matters
                self._report(self._read())
            is_closing = self._closing.is_set()
            self._closing.wait(max(least, POLL_PAUSE * (time.monotonic() - started_at)))
