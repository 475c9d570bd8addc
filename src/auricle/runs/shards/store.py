"""The location of a sharded run: its plan, its epochs, and the files of completed shards."""

from __future__ import annotations

import secrets
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import BinaryIO

from auricle.core.errors import DataError
from auricle.core.local_storage import LocalStorage
from auricle.core.storage import SCRATCH_PREFIX, Storage, check_conditional_writes, open_storage
from auricle.data.parts import DataPart
from auricle.runs.shards.completions import (
    Completion,
    StoredFile,
    completion_path,
    decode_completion,
    digest_content,
    encode_completion,
)
from auricle.runs.shards.epochs import APPENDED_FILES, Epoch, LineSet, digest_file, epoch_path, list_epoch_files
from auricle.runs.shards.leases import LeaseHolder, read_holder
from auricle.runs.shards.local_epochs import LocalEpoch
from auricle.runs.shards.pieces import open_stored_file, split_piece_name
from auricle.runs.shards.plan import ShardPlan
from auricle.runs.shards.remote_epochs import RemoteEpoch
from auricle.runs.shards.states import ShardStates

RUN_ID_FILE = f"{SCRATCH_PREFIX}run"
"""A random value by which files that were left on a machine are recognised as those of this run."""
PARALLEL_READS = 16
"""Requests at a time when completions are read from a bucket."""


class ShardStore:
    """A sharded run in a folder or a bucket.

    Args:
        storage: Location of the run.
        plan: Its shards.

    Example:
        >>> import tempfile
        >>> parts = [DataPart("a.tar", "file"), DataPart("b.tar", "file")]
        >>> store = ShardStore.create(tempfile.mkdtemp(), parts)
        >>> [shard.name for shard in store.plan], list(store.completions())
        (['00000', '00001'], [])
    """

    def __init__(self, storage: Storage, plan: ShardPlan) -> None:
        self.storage = storage
        self.plan = plan

    @classmethod
    def create(cls, location: str | Path, parts: Iterable[DataPart]) -> ShardStore:
        """Start or continue a sharded run.

        Args:
            location: A folder, which is created, or the URL of a bucket with a prefix.
            parts: All parts of the data, in order.

        Raises:
            RunMismatch: if the location contains a run over different data.
            StorageError: if several workers cannot share the location safely.
        """
        storage = open_storage(location, create_folder=True)
        if not isinstance(storage, LocalStorage):
            check_conditional_writes(storage)
        return cls(storage, ShardPlan.create(storage, parts))

    @classmethod
    def open(cls, location: str | Path) -> ShardStore:
        """Open a sharded run.

        Raises:
            DataError: if there is none.
        """
        storage = open_storage(location)
        return cls(storage, ShardPlan.load(storage))

    @cached_property
    def folder(self) -> Path | None:
        """The folder of the run; None if it is in a bucket."""
        return Path(self.storage.url) if isinstance(self.storage, LocalStorage) else None

    def read_states(self) -> ShardStates:
        """Return which shards are completed, leased or open now."""
        return ShardStates(self.storage, self.plan.count)

    def is_done(self, states: ShardStates, shard: int) -> bool:
        """Return whether a shard has a completion that counts."""
        return bool(states.generations[shard] >= self.plan.generations[shard])

    def read_lease(self, states: ShardStates, shard: int) -> LeaseHolder | None:
        """Read who has, or last had, the lease of a shard; None if it was never leased."""
        try:
            return read_holder(self.storage, shard, states.epochs[shard]) if states.epochs[shard] else None
        except FileNotFoundError:
            return None

    def completions(self, states: ShardStates | None = None) -> Iterator[Completion]:
        """Yield the completion of each finished shard, in the order of the plan.

        Args:
            states: A snapshot of the shards. [default: take one now]
        """
        states = states or self.read_states()
        numbers = (shard for shard in range(self.plan.count) if self.is_done(states, shard))
        if self.folder:  # handing a small file over from another thread takes longer than reading it
            for shard in numbers:
                yield self.read_completion(shard, states.generations[shard])
            return
        pending: deque[Future[Completion]] = deque()
        with ThreadPoolExecutor(PARALLEL_READS, "auricle-completions") as pool:
            for shard in numbers:
                pending.append(pool.submit(self.read_completion, shard, states.generations[shard]))
                if len(pending) > 2 * PARALLEL_READS:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()

    def read_completion(self, shard: int, generation: int) -> Completion:
        """Read a completion.

        Raises:
            FileNotFoundError: if there is none.
            DataError: if it is damaged.
        """
        path = completion_path(shard, generation)
        return decode_completion(self.storage.read(path), f"{self.storage.url}/{path}")

    def complete(self, completion: Completion) -> bool:
        """Complete a shard; return False if another worker has done so."""
        path = completion_path(completion.shard, completion.generation)
        try:
            self.storage.create(path, encode_completion(completion))
        except FileExistsError:
            return False
        return True

    def open_epoch(self, shard: int, epoch: int) -> Epoch:
        """Return the files of an epoch, for the worker that has its lease."""
        if self.folder:
            return LocalEpoch(self.folder, shard, epoch)
        return RemoteEpoch(self.storage, self._run_id, shard, epoch)

    def copy_lines(self, shard: int, folder: Path) -> None:
        """Copy the journals of a shard, over all of its epochs, whether it is completed or not.

        Args:
            shard: Number of the shard.
            folder: Folder for the copies.
        """
        seen = {name: LineSet() for name in APPENDED_FILES}
        for file in sorted(list_epoch_files(self.storage, shard)):
            piece = split_piece_name(file.name)
            name = piece[0] if piece else file.name
            if name in seen:
                lines = self.storage.read(file.path).splitlines(keepends=True)
                with (folder / name).open("ab") as target:
                    target.writelines(seen[name].add_new(line for line in lines if line.endswith(b"\n")))

    @cached_property
    def _run_id(self) -> str:
        with suppress(FileExistsError):
            self.storage.create(RUN_ID_FILE, secrets.token_hex(8).encode())
        return self.storage.read(RUN_ID_FILE).decode()

    def read_file(self, completion: Completion, name: str) -> bytes:
        """Return a file of a completed shard.

        Raises:
            FileNotFoundError: if the shard has no such file.
            DataError: if it was changed.
        """
        file = _find_file(completion, name)
        data = b"".join(map(self.storage.read, file.pieces))[: file.size]
        self._check(completion, file, len(data), digest_content(data))
        return data

    def open_file(self, completion: Completion, name: str) -> BinaryIO:
        """Open a file of a completed shard, which may be larger than memory, for reading from beginning to end.

        Raises:
            FileNotFoundError: if the shard has no such file.
        """
        return open_stored_file(self.storage, _find_file(completion, name))

    def fetch(self, completion: Completion, folder: Path) -> Path:
        """Return the run directory of a completed shard.

        That of a run in a folder is returned as it is and must not be changed; otherwise its files are copied.

        Args:
            completion: The shard.
            folder: Folder for copies; its files are replaced.

        Raises:
            DataError: if a file was changed.
        """
        if self.folder:
            in_place = self.folder / epoch_path(completion.shard, completion.epoch)
            if all(_has_size(self.folder, file) for file in completion.files):
                return in_place
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with ThreadPoolExecutor(PARALLEL_READS, "auricle-fetch") as pool:
            list(pool.map(partial(self._copy, completion, folder), completion.files))
        return folder

    def _copy(self, completion: Completion, folder: Path, file: StoredFile) -> None:
        target = folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_stored_file(self.storage, file) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
        size, digest = digest_file(target)
        self._check(completion, file, size, digest)

    def _check(self, completion: Completion, file: StoredFile, size: int, digest: str) -> None:
        if (size, digest) != (file.size, file.digest):
            raise DataError(
                f"{self.storage.url}: {file.name} of shard {completion.shard} was changed since the shard was "
                f"completed. Delete {completion_path(completion.shard, completion.generation)} and run the same "
                "command again."
            )


def _find_file(completion: Completion, name: str) -> StoredFile:
    for file in completion.files:
        if file.name == name:
            return file
    raise FileNotFoundError(f"Shard {completion.shard} has no file {name}.")


def _has_size(folder: Path, file: StoredFile) -> bool:
    path = folder / file.pieces[0]
    return len(file.pieces) == 1 and path.is_file() and path.stat().st_size == file.size
