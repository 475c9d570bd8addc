"""`leases/K.E`: which worker processes shard K, in its epoch E.

A lease is created if absent, so that of several workers one gets it, and renewed while the worker lives. Its age is the
difference of two times of the store, never of a worker's clock. It saves work; correctness does not depend on it.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from socket import gethostname

import orjson

from auricle.core.closing import Closing
from auricle.core.errors import AuricleError, DataError, ObjectChanged, StorageError
from auricle.core.storage import ObjectInfo, Storage
from auricle.runs.documents import decode, encode_document
from auricle.runs.shards.plan import shard_name

LEASES_FOLDER = "leases"
RELEASED_SUFFIX = ".released"
"""Name of an empty object beside a lease that its worker has given back, so that a list of names shows it."""
RENEWALS_PER_TERM = 3
_NAME = re.compile(rf"{LEASES_FOLDER}/(\d+)\.(\d+)({re.escape(RELEASED_SUFFIX)})?")


class LeaseLost(AuricleError):
    """Another worker has taken over the shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseHolder:
    """The content of a lease."""

    worker: str
    host: str
    pid: int
    term: float
    """Seconds after its last renewal from which on the lease is expired."""
    acquired_at: float = 0.0
    """Time of the store; 0 before the first renewal, when it is the time of the object."""


def lease_path(shard: int, epoch: int) -> str:
    """Return the path of a lease.

    >>> lease_path(17, 3)
    'leases/00017.3'
    """
    return f"{LEASES_FOLDER}/{shard_name(shard)}.{epoch}"


def parse_lease_path(path: str) -> tuple[int, int, bool] | None:
    """Return shard and epoch of a lease by its path, and whether it is the mark of a release; None for other paths."""
    match = _NAME.fullmatch(path)
    return (int(match[1]), int(match[2]), match[3] is not None) if match else None


def read_holder(storage: Storage, shard: int, epoch: int) -> LeaseHolder:
    """Read who has a lease.

    Raises:
        FileNotFoundError: if there is no such lease.
        DataError: if it is damaged.
    """
    return read_lease_file(storage, lease_path(shard, epoch))


def read_lease_file(storage: Storage, path: str) -> LeaseHolder:
    """Read a lease, of a shard or of a merge, by its path.

    Raises:
        FileNotFoundError: if there is no such lease.
        DataError: if it is damaged.
    """
    try:
        holder: LeaseHolder = decode(LeaseHolder, orjson.loads(storage.read(path)))
    except (orjson.JSONDecodeError, DataError) as error:
        raise DataError(f"{storage.url}/{path} cannot be read: {error}.") from error
    return holder


class Lease:
    """A lease of this process; see `acquire`."""

    def __init__(self, storage: Storage, shard: int, epoch: int, holder: LeaseHolder, info: ObjectInfo) -> None:
        self.shard = shard
        self.epoch = epoch
        self.term = holder.term
        self._storage = storage
        self._etag = info.etag
        self._content = encode_document(replace(holder, acquired_at=info.modified))

    @classmethod
    def acquire(cls, storage: Storage, shard: int, epoch: int, worker: str, term: float) -> Lease | None:
        """Create a lease; return None if another worker has it.

        Args:
            storage: Location of the run.
            shard: Number of the shard.
            epoch: The last epoch of the shard plus one.
            worker: Name of this worker.
            term: Seconds until it expires unless it is renewed.
        """
        holder = LeaseHolder(worker=worker, host=gethostname(), pid=os.getpid(), term=term)
        try:
            info = storage.create(lease_path(shard, epoch), encode_document(holder))
        except FileExistsError:
            return None
        return cls(storage, shard, epoch, holder, info)

    def renew(self) -> None:
        """Start the term anew.

        Raises:
            LeaseLost: if another worker has taken the next epoch of the shard.
        """
        if exists(self._storage, lease_path(self.shard, self.epoch + 1)):
            raise LeaseLost(f"Another worker has taken over shard {self.shard}.")
        try:
            self._etag = self._storage.replace(lease_path(self.shard, self.epoch), self._content, self._etag).etag
        except ObjectChanged as error:
            raise LeaseLost(f"The lease of shard {self.shard} was changed or deleted.") from error

    def release(self) -> None:
        """Let other workers take the shard at once."""
        self._storage.write(lease_path(self.shard, self.epoch) + RELEASED_SUFFIX, b"")


class LeaseKeeper(Closing):
    """Renews a lease from a thread until it is closed.

    Args:
        lease: The lease.
        on_lost: Called in that thread if the lease is lost.
    """

    def __init__(self, lease: Lease, on_lost: Callable[[], object]) -> None:
        self._lease = lease
        self._on_lost = on_lost
        self._closing = threading.Event()
        self.lost = False
        self._thread = threading.Thread(target=self._renew_loop, name="auricle-lease", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _renew_loop(self) -> None:
        while not self._closing.wait(self._lease.term / RENEWALS_PER_TERM):
            try:
                self._lease.renew()
            except LeaseLost:
                self.lost = True
                self._on_lost()
                return
            except StorageError:  # it may answer next time; if not, the lease expires, which only costs work
                continue


def exists(storage: Storage, path: str) -> bool:
    """Return whether there is an object at a path."""
    try:
        storage.head(path)
    except FileNotFoundError:
        return False
    return True
