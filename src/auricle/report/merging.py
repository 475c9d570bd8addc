"""Merge the shards of a run: as an ordinary run if they fit into memory, otherwise from their sums."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from socket import gethostname

from auricle.core.errors import DataError, ObjectChanged, RunMismatch, SpecError, StorageError
from auricle.core.files import make_folder
from auricle.core.local_storage import LocalStorage
from auricle.core.storage import Storage, open_storage
from auricle.engine.command_line import format_repeat_command
from auricle.engine.factory import build_task, model_name
from auricle.engine.inference import describe_data
from auricle.engine.judge import read_judges
from auricle.engine.settings import DEFAULT_LEASE_SECONDS
from auricle.engine.shards.launch_document import Notify
from auricle.engine.shards.planning import read_stored_spec
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.report.run_files import DERIVED_FILES, score_and_write, write_run_files
from auricle.report.run_html import render_report
from auricle.report.worst_samples import view_worst_samples
from auricle.runs.documents import encode_document
from auricle.runs.journal import CALLS_FOLDER, SPEECH_FOLDER
from auricle.runs.metrics import METRICS_FILE, SOURCE_FILES, Metrics
from auricle.runs.progress import PROGRESS_FILE
from auricle.runs.run_directory import Run, lock_run
from auricle.runs.run_spec import SPEC_FILE
from auricle.runs.shards.assembly import assemble_run
from auricle.runs.shards.collection import collect_shards
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.leases import LeaseHolder, exists, read_lease_file
from auricle.runs.shards.merged_files import DUPLICATES_FILE, SUMS_FILE, copy_spec
from auricle.runs.shards.states import ShardStates
from auricle.runs.shards.status import ShardStatus, StatusReader
from auricle.runs.shards.store import ShardStore
from auricle.runs.sound_measures import SIGNALS_FILE
from auricle.runs.usage import PRICES_FILE
from auricle.scoring.shards.sharded_run import ShardedOutcome, has_died, prepare_folder
from auricle.scoring.shards.sum_metrics import score_shards

EXACT_SAMPLES = 200_000
"""Samples up to which shards are merged into an ordinary run."""
MERGE_SECONDS = 600.0
"""Seconds after which a merge that another worker has begun is not waited for."""
MERGED_FILES = (
    *SOURCE_FILES,
    SIGNALS_FILE,
    PRICES_FILE,
    PROGRESS_FILE,
    SUMS_FILE,
    DUPLICATES_FILE,
    *DERIVED_FILES,
    METRICS_FILE,
)
"""What a merge writes besides media; the numbers last, so that they never precede what they are computed from."""


def merge_run(
    store: ShardStore, folder: Path, task: Task, spec: Spec, *, exact_samples: int = EXACT_SAMPLES
) -> Metrics:
    """Compute the numbers of a sharded run from its completed shards, and write everything that is derived from them.

    Args:
        store: The run.
        folder: Local folder of the merged run: that of the run itself, or a copy if the run is in a bucket, which the
            results are then uploaded to.
        task: Task with the metrics to compute, over all samples.
        spec: What was evaluated.
        exact_samples: Most samples that are merged into an ordinary run.

    Returns:
        The numbers; they are those of the completed shards, and `complete` if these are all.
    """
    make_folder(folder)
    copy_spec(store.storage, folder)
    run = Run.load(folder)
    store = StoreSnapshot(store)
    rows = sum(completion.rows for completion in store.completions())
    if rows <= exact_samples:
        (folder / SUMS_FILE).unlink(missing_ok=True)  # of an earlier merge
        progress = assemble_run(store, folder)
        run.write_progress(describe_data(task, spec, progress))
        metrics = score_and_write(run, task, model_name(run), read_judges(run))
    else:
        with lock_run(run.path):
            scored = score_shards(store, run, task, spec)
            samples = view_worst_samples(scored.worst, scored.ranking)
            page = render_report(scored.metrics, samples, command=format_repeat_command(run.spec, str(run.path)))
            metrics = write_run_files(run, scored.metrics, page)
    if not isinstance(store.storage, LocalStorage):
        _upload(store, folder)
    return metrics


class StoreSnapshot(ShardStore):
    """A sharded run as it is now: shards that are completed while it is merged are left out.

    Rows are numbered by the completions of all earlier shards, so that all steps of a merge must see the same ones.

    Args:
        store: The run.
    """

    def __init__(self, store: ShardStore) -> None:
        super().__init__(store.storage, store.plan)
        self._completions = tuple(store.completions())

    def completions(self, states: ShardStates | None = None) -> Iterator[Completion]:
        """Yield the completions, in the order of the plan."""
        return iter(self._completions)


def _upload(store: ShardStore, folder: Path) -> None:
    for path in _list_results(folder):
        store.storage.upload(path.relative_to(folder).as_posix(), path)


def _list_results(folder: Path) -> Iterator[Path]:
    for name in (SPEECH_FOLDER, CALLS_FOLDER):
        if (folder / name).is_dir():
            yield from sorted((folder / name).iterdir())
    yield from (folder / name for name in MERGED_FILES if (folder / name).exists())


def merge_once(outcome: ShardedOutcome, task: Task, spec: Spec, notify: Notify = lambda _: None) -> Metrics | None:
    """Merge a completed run, unless another worker does so; return None then.

    Workers on many machines end at the same time, when the last shard is completed.

    Args:
        outcome: The completed run.
        task: Task with the metrics to compute.
        spec: What was evaluated.
        notify: Shows a message to the user.
    """
    storage = outcome.store.storage
    path = f"leases/merge-{_digest_state(outcome.store)}"
    if not _claim_merge(storage, path):
        notify(f"Another worker merges the shards of {storage.url}; `auricle merge` would do so again.")
        return None
    try:
        return merge_run(outcome.store, outcome.folder, task, spec)
    finally:
        with suppress(StorageError):
            storage.delete(path)


def _claim_merge(storage: Storage, path: str) -> bool:
    """Return whether this process is to merge; one that was killed, or takes very long, is not waited for."""
    holder = encode_document(LeaseHolder(worker="merge", host=gethostname(), pid=os.getpid(), term=MERGE_SECONDS))
    try:
        storage.create(path, holder)
    except FileExistsError:
        try:
            claim = storage.head(path)
            if storage.now() - claim.modified < MERGE_SECONDS and not has_died(read_lease_file(storage, path)):
                return False
            storage.replace(path, holder, claim.etag)
        except (FileNotFoundError, ObjectChanged, DataError):  # another worker has just ended, or begun
            return False
    return True


def _digest_state(store: ShardStore) -> str:
    """Identify the completions of a run and its spec."""
    states = store.read_states()
    content = states.generations.tobytes() + store.storage.read(SPEC_FILE)
    return blake2b(content, digest_size=8).hexdigest()


def merge_completed(
    runs: Sequence[str | Path], out: str | Path | None, *, exact_samples: int = EXACT_SAMPLES
) -> tuple[Path, Metrics, ShardStatus]:
    """Merge the completed shards of a run, or of several with parts of the same data.

    Args:
        runs: Folders or URLs of sharded runs.
        out: Where to collect the shards of several. Default: in the first.
        exact_samples: Most samples that are merged into an ordinary run.

    Returns:
        The merged run directory, its metrics, and how much of the run they cover.

    Raises:
        RunMismatch: if the runs evaluate different things.
    """
    if not runs:
        raise SpecError("Nothing to merge: the list of runs is empty.")
    stores = [ShardStore.open(run) for run in runs]
    _check_same_evaluation(stores, out)
    store = collect_shards(stores, out)
    folder = prepare_folder(store)
    spec = Spec.model_validate(read_stored_spec(store.storage).spec)
    metrics = merge_run(store, folder, build_task(spec), spec, exact_samples=exact_samples)
    return folder, metrics, StatusReader(store).read(DEFAULT_LEASE_SECONDS)


def _check_same_evaluation(stores: Sequence[ShardStore], out: str | Path | None) -> None:
    """Check that runs, and the one in `out` if there is one, have the same task, model and arguments."""
    storages = [store.storage for store in stores]
    if out is not None and exists(target := open_storage(out, create_folder=True), SPEC_FILE):
        storages.append(target)
    first = read_stored_spec(storages[0])
    for storage in storages[1:]:
        if differences := read_stored_spec(storage).describe_differences(first):
            raise RunMismatch(
                f"{storages[0].url} and {storage.url} are different evaluations and cannot be merged ({differences})."
            )
