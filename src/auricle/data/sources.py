"""Where data is: a file, several files by a pattern, or all files of a folder; local or at a URL.

`data/*.jsonl`, `s3://bucket/speech/`, `https://host/shard-{000000..000099}.tar`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from auricle.core.errors import DataError, StorageError
from auricle.core.redaction import HIDDEN, redact_text
from auricle.core.storage import ObjectInfo, Storage, is_remote, local_path, open_storage, split_location, url_scheme
from auricle.data.data_files import data_suffix, stat_data_file, to_data_file
from auricle.data.file_formats import ROW_FORMATS, file_revision
from auricle.data.shar import is_shar_cuts

GLOB = re.compile(r"[*?\[]")
BRACES = re.compile(r"\{([^{}]*)\}")
NUMBER_RANGE = re.compile(r"(\d+)\.\.(\d+)")
MAX_HASHED_BYTES = 1 << 30
"""Local data up to this size is identified by its content, larger and remote data by sizes and versions."""
FOLDER_SUFFIXES = frozenset({".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".csv", ".tsv", ".parquet", ".tar"})
"""Formats of the files of a folder; other files in it are ignored."""
PARALLEL_REQUESTS = 16


class SourceFile(NamedTuple):
    """A file of data and its version."""

    location: str
    """Path or URL."""
    size: int
    etag: str


@dataclass(frozen=True)
class DataSource:
    """The files of a data set, in the order of their names.

    >>> DataSource("https://host/shard-{00..02}.tar").is_single
    False
    """

    location: str

    @cached_property
    def is_single(self) -> bool:
        """Whether the location names one file, which need not exist."""
        if not is_remote(self.location) and local_path(self.location).is_file():
            return True
        return not (self._is_folder or _is_pattern(self.location))

    @cached_property
    def _is_folder(self) -> bool:
        if is_remote(self.location):
            return self.location.endswith("/")
        return str(self.location).endswith("/") or local_path(self.location).is_dir()

    @cached_property
    def root(self) -> str:
        """The folder to which the names of the files are relative."""
        if self._is_folder:
            return self.location.rstrip("/")
        literal = re.split(r"[*?\[{]", self.location, maxsplit=1)[0] if not self.is_single else self.location
        return split_location(literal + "x")[0]

    @property
    def name(self) -> str:
        """The name of the file, of the pattern or of the folder."""
        return _without_query(self.location).rstrip("/").rpartition("/")[2]

    def label(self, location: str) -> str:
        """Return the name of one of several files, as in origins of rows; empty if there is only one."""
        return "" if self.is_single else location.removeprefix(self.root).lstrip("/").partition("?")[0]

    @cached_property
    def files(self) -> list[SourceFile]:
        """The files with their sizes and versions; nothing is read.

        Raises:
            DataError: if there are none, or a folder has files of several formats.
        """
        if self.is_single:
            info = stat_data_file(to_data_file(self.location))
            return [SourceFile(self.location, info.size, info.etag)]
        try:
            files = self._list_folder() if self._is_folder else self._match_patterns()
        except FileNotFoundError as error:
            raise DataError(f"No such file: {error.filename}." if error.filename else str(error)) from error
        except StorageError as error:
            raise DataError(str(error)) from error
        if not files:
            raise DataError(f"No files match {redact_text(self.location)}.")
        return files

    def find_location(self, shown: str) -> str:
        """Return the location of a file from the form without secrets in which a plan stores it.

        Raises:
            DataError: if there is no such file.
        """
        if HIDDEN not in shown:
            return shown
        locations = [file.location for file in self.files if redact_text(file.location) == shown]
        if len(locations) != 1:
            problem = "one of several files" if locations else "not a file"
            raise DataError(f"{shown} is {problem} of {redact_text(self.location)}.")
        return locations[0]

    @property
    def revision(self) -> str:
        """Eight hex digits that change when a file does."""
        is_local = not is_remote(self.location)
        if is_local and sum(file.size for file in self.files) <= MAX_HASHED_BYTES:
            versions = [file_revision(Path(file.location)) for file in self.files]
        else:
            versions = [f"{file.size} {file.etag}" for file in self.files]
        digest = blake2b(digest_size=4)
        for file, version in zip(self.files, versions, strict=True):
            digest.update(f"{self.label(file.location)} {version}\n".encode())
        return digest.hexdigest()

    def _list_folder(self) -> list[SourceFile]:
        storage = open_storage(self.root)
        infos = [info for info in storage.list() if data_suffix(info.path) in FOLDER_SUFFIXES]
        if cuts := [info for info in infos if is_shar_cuts(info.path)]:
            infos = cuts
        formats = sorted({data_suffix(info.path).removesuffix(".gz") for info in infos})
        if len(formats) > 1:
            raise DataError(
                f"{redact_text(self.location)} contains files of several formats ({', '.join(formats)}). Choose those "
                f"to read with a pattern, such as {self.root}/*{formats[0]}."
            )
        if not formats:
            raise DataError(
                f"{redact_text(self.location)} contains no data: no file ends in {', '.join(sorted(FOLDER_SUFFIXES))}."
            )
        return [_to_file(self.root, info) for info in infos]

    def _match_patterns(self) -> list[SourceFile]:
        names = list(expand_braces(self.location))
        if any(GLOB.search(_without_query(name)) for name in names):
            return [*chain.from_iterable(_match_glob(name) for name in names)]
        return _find_named(names)


def _is_pattern(location: str) -> bool:
    return bool(BRACES.search(location) or GLOB.search(_without_query(location)))


def _without_query(location: str) -> str:
    """Return a location without the query of a web address, which begins with `?`."""
    return location.partition("?")[0] if url_scheme(location) in ("http", "https") else location


def expand_braces(pattern: str) -> Iterator[str]:
    """Yield the names that ranges and lists in braces stand for.

    >>> list(expand_braces("part-{008..010}.tar"))
    ['part-008.tar', 'part-009.tar', 'part-010.tar']
    >>> list(expand_braces("{dev,test}.jsonl"))
    ['dev.jsonl', 'test.jsonl']
    """
    match = BRACES.search(pattern)
    if match is None:
        yield pattern
        return
    before, after = pattern[: match.start()], pattern[match.end() :]
    if numbers := NUMBER_RANGE.fullmatch(match[1]):
        width = len(numbers[1])
        options = [f"{number:0{width}}" for number in range(int(numbers[1]), int(numbers[2]) + 1)]
    else:
        options = match[1].split(",")
    for rest in expand_braces(after):
        yield from (f"{before}{option}{rest}" for option in options)


def _match_glob(pattern: str) -> list[SourceFile]:
    """Return the files that match; `*` stays within a folder, `**` does not."""
    literal = GLOB.split(pattern, maxsplit=1)[0]
    root = literal.rpartition("/")[0] if "/" in literal else "."
    storage, matches = open_storage(root), _compile_glob(pattern.removeprefix(root).lstrip("/")).fullmatch
    return [_to_file(root, info) for info in storage.list() if matches(info.path)]


def _compile_glob(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]+\])", pattern)
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    texts = (
        meanings.get(part)
        or (part.replace("[!", "[^") if part.startswith("[") and part.endswith("]") else re.escape(part))
        for part in parts
    )
    return re.compile("".join(texts), re.DOTALL)


def _find_named(locations: list[str]) -> list[SourceFile]:
    """Return files that are named one by one; those of a bucket are looked up in a list of their folder."""
    by_folder: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for location in locations:
        folder, name = split_location(location)
        by_folder[folder].append((location, name))
    files: dict[str, SourceFile] = {}
    for folder, named in by_folder.items():
        storage = open_storage(folder)
        infos = _look_up(
            storage,
            [name for _, name in named],
            lists=is_remote(folder) and url_scheme(folder) not in ("http", "https"),
        )
        files |= {location: SourceFile(location, infos[name].size, infos[name].etag) for location, name in named}
    return [files[location] for location in locations]


def _look_up(storage: Storage, names: list[str], *, lists: bool) -> dict[str, ObjectInfo]:
    if lists and len(names) > 1:
        requested = {*names}
        infos = {info.path: info for info in storage.list() if info.path in requested}
        if missing := [name for name in names if name not in infos]:
            raise DataError(f"No such file: {storage.url}/{missing[0]} ({len(missing)} of {len(names)} are missing).")
        return infos
    with ThreadPoolExecutor(PARALLEL_REQUESTS) as pool:
        return dict(zip(names, pool.map(storage.head, names), strict=True))


def _to_file(root: str, info: ObjectInfo) -> SourceFile:
    location = info.path if root == "." else f"{root}/{info.path}"
    return SourceFile(location, info.size, info.etag)


def is_data_source(name: str) -> bool:
    """Return whether an argument names data by its form: a file or pattern of a known format, a URL or a folder."""
    return data_suffix(_without_query(name)) in ROW_FORMATS or is_remote(name) or name.endswith("/")
