"""Merge the shards of a run: as an ordinary run if they fit into memory, otherwise from their sums."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auricle.core.files import make_folder
from auricle.core.local_storage import LocalStorage
from auricle.engine.factory import model_name
from auricle.engine.inference import describe_data
from auricle.engine.judge import read_judges
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.runs.journal import CALLS_FOLDER, SPEECH_FOLDER
from auricle.runs.metrics import METRICS_FILE, SOURCE_FILES, Metrics
from auricle.runs.progress import PROGRESS_FILE
from auricle.runs.run_directory import Run
from auricle.runs.shards.assembly import assemble_run
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.merged_files import DUPLICATES_FILE, SUMS_FILE, copy_spec
from auricle.runs.shards.states import ShardStates
from auricle.runs.shards.store import ShardStore
from auricle.runs.signals import SIGNALS_FILE
from auricle.runs.usage import PRICES_FILE
from auricle.scoring.publish import DERIVED_FILES, publish
from auricle.scoring.shards.publish_sums import publish_sums

EXACT_SAMPLES = 200_000
"""Samples up to which shards are merged into an ordinary run."""
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
        metrics = publish(run, task, model_name(run), read_judges(run))
    else:
        metrics = publish_sums(store, run, task, spec)
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
