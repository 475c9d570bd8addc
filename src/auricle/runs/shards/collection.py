"""Collect the completed shards of several runs in one, for clusters without a common store (`--shard i/n`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory

from auricle.core.errors import RunMismatch
from auricle.core.storage import open_storage
from auricle.runs.run_spec import PLAN_FILE, SPEC_FILE
from auricle.runs.shards.completions import Completion, StoredFile
from auricle.runs.shards.epochs import epoch_path
from auricle.runs.shards.leases import Lease
from auricle.runs.shards.store import ShardStore

LEASE_SECONDS = 600.0
SHARED_FILES = (SPEC_FILE, "cut.json", PLAN_FILE)
"""Files that are equal in all runs; the plan last, because it makes a location a sharded run."""


def collect_shards(stores: Sequence[ShardStore], out: str | Path | None = None) -> ShardStore:
    """Copy the completed shards of several runs to one location.

    Args:
        stores: Runs over the same data, cut alike.
        out: The location. Default: that of the first run.

    Returns:
        The run with all their shards.

    Raises:
        RunMismatch: if the data of the runs, or how it is cut, differs.
    """
    first = stores[0]
    for store in stores[1:]:
        if store.plan.digest != first.plan.digest:
            raise RunMismatch(
                f"{first.storage.url} and {store.storage.url} have different shards. Merge runs of the same data that "
                "were started with the same --shards N."
            )
    target = first if out is None else _open_target(first, out)
    for store in stores:
        if store.storage.url != target.storage.url:
            _copy_completed(store, target)
    return target


def _open_target(first: ShardStore, out: str | Path) -> ShardStore:
    storage = open_storage(out, create_folder=True)
    for name in SHARED_FILES:
        with suppress(FileExistsError, FileNotFoundError):
            storage.create(name, first.storage.read(name))
    target = ShardStore.open(out)
    if target.plan.digest != first.plan.digest:
        raise RunMismatch(f"{out} contains a different run. Choose another folder with -o.")
    return target


def _copy_completed(source: ShardStore, target: ShardStore) -> None:
    states = target.read_states()
    with TemporaryDirectory(prefix="auricle-merge-") as scratch:
        for completion in source.completions():
            shard = completion.shard
            if target.is_done(states, shard):
                continue
            lease = Lease.acquire(
                target.storage, shard, states.epochs[shard] + 1, f"merge-{gethostname()}", LEASE_SECONDS
            )
            if lease is not None:
                _copy_shard(source, target, completion, lease, Path(scratch) / "shard")
                lease.release()


def _copy_shard(source: ShardStore, target: ShardStore, completion: Completion, lease: Lease, scratch: Path) -> None:
    folder = source.fetch(completion, scratch)
    files = []
    for file in completion.files:
        path = f"{epoch_path(completion.shard, lease.epoch)}/{file.name}"
        target.storage.upload(path, folder / file.name)
        files.append(StoredFile(name=file.name, size=file.size, digest=file.digest, pieces=(path,)))
    target.complete(replace(completion, epoch=lease.epoch, files=tuple(files)))
