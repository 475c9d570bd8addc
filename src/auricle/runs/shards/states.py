"""Which shards of a run are completed, leased or open, from two lists of names."""

from __future__ import annotations

from array import array

from auricle.core.errors import DataError
from auricle.core.storage import Storage
from auricle.runs.shards.completions import DONE_FOLDER, parse_completion_path
from auricle.runs.shards.leases import LEASES_FOLDER, lease_path, parse_lease_path, read_holder


class ShardStates:
    """A snapshot of all shards: about thirty bytes each.

    Args:
        storage: Location of the run.
        count: Number of shards.
    """

    def __init__(self, storage: Storage, count: int) -> None:
        self._storage = storage
        self.count = count
        self.generations = array("L", bytes(count * array("L").itemsize))
        """Latest generation of each shard's completion; 0 if there is none."""
        self.completed_at = array("d", bytes(count * 8))
        """Time of that completion by the clock of the store."""
        self.epochs = array("L", bytes(count * array("L").itemsize))
        """Latest epoch of each shard; 0 if it was never leased."""
        self.renewed_at = array("d", bytes(count * 8))
        """Time at which the lease of that epoch was created or last renewed."""
        self._released = bytearray(count)
        self._read_leases()
        self._read_completions()
        self.now = storage.now()

    def _read_leases(self) -> None:
        for info in self._storage.list(LEASES_FOLDER):
            parsed = parse_lease_path(info.path)
            if parsed is None or parsed[0] >= self.count:
                continue
            shard, epoch, is_release = parsed
            if epoch > self.epochs[shard]:
                self.epochs[shard], self._released[shard] = epoch, False
            if epoch == self.epochs[shard]:
                if is_release:
                    self._released[shard] = True
                else:
                    self.renewed_at[shard] = info.modified

    def _read_completions(self) -> None:
        for info in self._storage.list(DONE_FOLDER):
            parsed = parse_completion_path(info.path)
            if parsed and parsed[0] < self.count and parsed[1] > self.generations[parsed[0]]:
                self.generations[parsed[0]], self.completed_at[parsed[0]] = parsed[1], info.modified

    def is_leased(self, shard: int, term: float) -> bool:
        """Return whether a worker has the shard.

        Args:
            shard: Its number.
            term: Seconds since the last renewal up to which this is taken for granted; then the lease itself is read.
        """
        if not self.epochs[shard] or self._released[shard]:
            return False
        age = self.now - self.renewed_at[shard]
        if age <= term:
            return True
        try:
            return age <= read_holder(self._storage, shard, self.epochs[shard]).term
        except (FileNotFoundError, DataError):  # a damaged lease must not block its shard
            return False

    def is_released(self, shard: int) -> bool:
        """Return whether the last worker of the shard has given it back."""
        return bool(self._released[shard])

    def lease_path(self, shard: int) -> str:
        """Return the path of the latest lease of a shard."""
        return lease_path(shard, self.epochs[shard])
