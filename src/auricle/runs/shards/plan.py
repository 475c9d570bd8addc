"""`plan.jsonl`: how the data of a sharded run is divided.

Signed URLs are stored without their secrets; `DataSource.find_location` adds these again.
One line per shard, in the order of the data. The cut never changes; files that were added to the data are appended.
The version of a file is part of its lines: a shard whose file has changed is opened again, as its next generation.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from io import BytesIO
from itertools import groupby, zip_longest
from typing import get_args

import orjson

from auricle.core.errors import DataError, ObjectChanged, RunMismatch
from auricle.core.redaction import redact_text
from auricle.core.storage import Storage
from auricle.data.parts import DataPart, Unit
from auricle.runs.run_spec import PLAN_FILE as PLAN_FILE

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the data, which one worker processes at a time."""

    number: int
    part: DataPart
    generation: int = 1
    """Lowest generation of a completion that counts; it increases when the file of the part changes."""

    @property
    def name(self) -> str:
        """The number as it appears in paths.

        >>> Shard(17, DataPart("a.jsonl", "file")).name
        '00017'
        """
        return shard_name(self.number)


def shard_name(number: int) -> str:
    """Return the number of a shard as it appears in paths."""
    return f"{number:05d}"


class ShardPlan:
    """The shards of a run, read from its location; only a few bytes per shard are kept in memory.

    Args:
        storage: Location of the run.

    Attributes:
        digest: Identifies the cut, whatever the versions of the files.
        count: Number of shards.
        generations: For each shard the lowest generation of a completion that counts.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._offsets = array("Q", [0])
        self.generations = array("L")
        cut = blake2b(digest_size=DIGEST_BYTES)
        try:
            with storage.open(PLAN_FILE) as lines:
                for line in lines:
                    shard = _parse(line, storage)
                    cut.update(_describe_cut(shard.part))
                    self.generations.append(shard.generation)
                    self._offsets.append(self._offsets[-1] + len(line))
        except FileNotFoundError as error:
            raise DataError(f"{storage.url} does not contain a sharded run: it has no {PLAN_FILE}.") from error
        self.digest = cut.hexdigest()
        self.count = len(self._offsets) - 1

    @classmethod
    def create(cls, storage: Storage, parts: Iterable[DataPart]) -> ShardPlan:
        """Write the plan of a run, or compare it with the one that is there.

        Args:
            storage: Location of the run.
            parts: All parts of the data, in order.

        Raises:
            RunMismatch: if the plan that is there cuts the data differently; added files are appended to it.
            DataError: if there are no parts.
        """
        content = b"".join(_encode(Shard(*item)) for item in enumerate(parts))
        if not content:
            raise DataError("The data is empty: it has no part that could be a shard.")
        try:
            storage.create(PLAN_FILE, content)
        except FileExistsError:
            _update(storage, content)
        return cls(storage)

    @classmethod
    def load(cls, storage: Storage) -> ShardPlan:
        """Read the plan of a run.

        Raises:
            DataError: if there is none, or it is damaged.
        """
        return cls(storage)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Shard]:
        with self._storage.open(PLAN_FILE) as lines:
            for line in lines:
                yield _parse(line, self._storage)

    def __getitem__(self, number: int) -> Shard:
        if not 0 <= number < self.count:
            raise IndexError(f"There is no shard {number}; the plan has {self.count}.")
        line = self._storage.read(PLAN_FILE, self._offsets[number], self._offsets[number + 1])
        return _parse(line, self._storage)


def _encode(shard: Shard) -> bytes:
    part = shard.part
    fields = {
        "number": shard.number,
        "generation": shard.generation,
        "source": redact_text(part.source),
        "unit": part.unit,
        "start": part.start,
        "end": part.end,
        "rows": part.rows,
        "size": part.size,
        "etag": part.etag,
    }
    return orjson.dumps({name: value for name, value in fields.items() if value is not None}) + b"\n"


def _parse(line: bytes, storage: Storage) -> Shard:
    try:
        fields = orjson.loads(line)
        number, generation = fields.pop("number"), fields.pop("generation")
        part = DataPart(**fields)
        if part.unit not in get_args(Unit) or not all(isinstance(value, int) for value in (number, generation)):
            raise ValueError("unknown unit or number")  # noqa: TRY301
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{storage.url}/{PLAN_FILE} is damaged: {error}. Restore it, or use another folder.") from error
    return Shard(number, part, generation)


def _update(storage: Storage, planned: bytes) -> None:
    """Adapt a plan to changed and added files; of several processes that do so at once, one writes."""
    while True:
        etag = storage.head(PLAN_FILE).etag
        content = storage.read(PLAN_FILE)
        existing, current = ((_parse(line, storage) for line in BytesIO(lines)) for lines in (content, planned))
        updated = b"".join(map(_encode, _merge(storage, existing, current))) if content != planned else content
        if updated == content:
            return
        try:
            storage.replace(PLAN_FILE, updated, etag)
        except ObjectChanged:
            continue
        return


def _merge(storage: Storage, existing: Iterable[Shard], current: Iterable[Shard]) -> Iterator[Shard]:
    """Yield the shards of a plan with the current versions of their files, and shards of added files."""
    count = 0
    no_shards: list[Shard] = []
    for old, new in zip_longest(_group_by_file(existing), _group_by_file(current), fillvalue=no_shards):
        if old and not new:
            raise _mismatch(storage, f"{redact_text(old[0].part.source)} was removed")
        shards = _update_file(storage, old, new) if old else new
        yield from (replace(shard, number=count + index) for index, shard in enumerate(shards))
        count += len(shards)


def _group_by_file(shards: Iterable[Shard]) -> Iterator[list[Shard]]:
    return (list(group) for _, group in groupby(shards, lambda shard: shard.part.source))


def _update_file(storage: Storage, old: list[Shard], new: list[Shard]) -> list[Shard]:
    """Return the shards of a file with its current version; the last one grows with a file of lines."""
    version = new[0].part
    last = old[-1].part
    if version.source == last.source and last.unit == version.unit == "bytes":
        if version.size <= last.start:
            raise _mismatch(storage, f"{redact_text(version.source)} has shrunk")
        cut = [replace(shard.part, size=version.size, etag=version.etag) for shard in old]
        cut[-1] = replace(cut[-1], end=version.size)
    else:
        cut = [shard.part for shard in new]
    for before, after in zip_longest(old, cut):
        if before is None or after is None:
            change = "grown" if before is None else "shrunk"
            raise _mismatch(storage, f"{redact_text(version.source)} has {change}")
        if _describe_cut(before.part) != _describe_cut(after):
            raise _mismatch(storage, f"shard {before.number} was {_show(before.part)}, now {_show(after)}")
    return [
        before if before.part.revision == after.revision else Shard(before.number, after, before.generation + 1)
        for before, after in zip(old, cut, strict=True)
    ]


def _describe_cut(part: DataPart) -> bytes:
    """Return what stays the same when the content of a file changes; a part that reaches its end still does."""
    end = None if part.end == part.size else part.end
    return f"{part.source} {part.unit} {part.start} {end}\n".encode()


def _show(part: DataPart) -> str:
    end = "end" if part.end is None else part.end
    return f"{redact_text(part.source)} {part.unit} {part.start} to {end}"


def _mismatch(storage: Storage, difference: str) -> RunMismatch:
    return RunMismatch(
        f"{storage.url} already contains a run over different data ({difference}). Files may be added after the "
        "existing ones; for any other change choose another folder with -o."
    )
