"""`done/K` and `done/K.G`: which files of a shard count, and how many samples they contain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

import orjson

from auricle.core.errors import DataError
from auricle.runs.documents import UnknownFormat, decode, encode_document
from auricle.runs.shards.plan import shard_name

DONE_FOLDER = "done"
_NAME = re.compile(rf"{DONE_FOLDER}/(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file of a shard: the concatenation of its pieces, cut to its size."""

    name: str
    """Path in the run directory of the shard."""
    size: int
    digest: str
    """SHA-256 of the content, in hex; processors have instructions for it, and a merge reads gigabytes."""
    pieces: tuple[str, ...]
    """Paths in the location of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A processed shard: its files, and the counts that progress and cost are computed from."""

    format: int = 1
    shard: int
    generation: int
    """Number of times that the shard was opened; the highest one counts."""
    epoch: int
    rows: int
    answered: int
    failed: int
    attempts: int
    """Requests that were sent, repeated ones included."""
    audio_seconds: float | None
    cost: float | None
    currency: str | None
    wall_seconds: float
    unused_lines: int
    """Lines that workers wrote to other epochs of the shard and that do not count."""
    source: str
    """Revision of the part when it was processed."""
    worker: str
    files: tuple[StoredFile, ...]


def completion_path(shard: int, generation: int) -> str:
    """Return the path of a completion.

    >>> completion_path(17, 1), completion_path(17, 2)
    ('done/00017', 'done/00017.2')
    """
    suffix = f".{generation}" if generation > 1 else ""
    return f"{DONE_FOLDER}/{shard_name(shard)}{suffix}"


def parse_completion_path(path: str) -> tuple[int, int] | None:
    """Return shard and generation of a completion by its path; None for any other path."""
    match = _NAME.fullmatch(path)
    return (int(match[1]), int(match[2] or 1)) if match else None


def encode_completion(completion: Completion) -> bytes:
    """Return the content of a completion."""
    return encode_document(completion)


def decode_completion(content: bytes, name: str) -> Completion:
    """Read a completion.

    Args:
        content: The object.
        name: Where it is, for messages.

    Raises:
        DataError: if it is damaged, or a newer version wrote it.
    """
    try:
        completion: Completion = decode(Completion, orjson.loads(content))
    except (orjson.JSONDecodeError, DataError) as error:
        raise DataError(f"{name} cannot be read: {error}.") from error
    if completion.format != 1:
        raise UnknownFormat(f"{name} has format {completion.format}, which this version of Auricle cannot read.")
    return completion


def digest_content(content: bytes) -> str:
    """Return the digest of a file as completions state it."""
    return sha256(content).hexdigest()
