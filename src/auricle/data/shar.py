"""Read Lhotse Shar: `cuts.000000.jsonl.gz` and, of the same number, `recording.000000.tar`.

The recordings of a shard are in the order of its cuts: for each cut a sound and a JSON file, or an empty file if the
cut has no recording. Neither lhotse nor torch is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError, SampleError
from auricle.core.size_limits import FILE_LIMIT
from auricle.core.storage import open_storage, split_location
from auricle.data.data_files import DataFile, RemoteFile, open_data_file, to_data_file
from auricle.data.file_formats import Row, Rows, convert_row
from auricle.data.tar_files import iter_members

CUTS = re.compile(r"cuts(\.\d+)?\.jsonl(\.gz)?$")
WITHOUT_SOUND = (".nodata", ".nometa")
"""Suffixes of the members of a cut without a recording."""
SUPERVISION_FIELDS = ("speaker", "language", "gender")


def is_shar_cuts(name: str) -> bool:
    """Return whether a file has the name of a list of cuts.

    >>> is_shar_cuts("dev/cuts.000003.jsonl.gz"), is_shar_cuts("haircuts.jsonl")
    (True, False)
    """
    return CUTS.fullmatch(name.rpartition("/")[2]) is not None


def recordings_of(path: DataFile) -> DataFile:
    """Return the tar with the recordings of a list of cuts."""
    match = CUTS.fullmatch(path.name)
    number = match[1] or "" if match else ""
    folder, _ = split_location(path.url if isinstance(path, RemoteFile) else path)
    return to_data_file(f"{folder}/recording{number}.tar")


def has_recordings(path: DataFile) -> bool:
    """Return whether the tar with the recordings exists."""
    tar = recordings_of(path)
    if isinstance(tar, Path):
        return tar.is_file()
    folder, name = split_location(tar.url)
    try:
        open_storage(folder).head(name)
    except FileNotFoundError:
        return False
    return True


def read_cuts(path: DataFile, *, skip_binary: bool = False) -> Rows:
    """Yield a row for each cut of a shard.

    Args:
        path: The list of cuts.
        skip_binary: Leave out the recordings.

    Raises:
        DataError: if the recordings are not those of the cuts.
    """
    with open_data_file(path) as lines:
        cuts = (line for line in lines if not line.isspace())
        sounds = _iter_sounds(recordings_of(path)) if not skip_binary else None
        pairs = zip_longest(cuts, sounds) if sounds is not None else ((line, None) for line in cuts)
        for number, (line, sound) in enumerate(pairs, 1):
            origin = f"{path.name}:{number}"
            if line is None or (sounds is not None and sound is None):
                raise DataError(f"{path} and {recordings_of(path).name} differ in length after {number - 1:,} cuts.")
            yield convert_row(origin, _make_row, origin, line, sound)


def _iter_sounds(tar: DataFile) -> Iterator[dict[str, Any]]:
    """Yield where the recording of each cut is; an empty mapping for a cut without one."""
    limit = FILE_LIMIT if isinstance(tar, RemoteFile) else None
    for member in iter_members(tar, lambda name: None if name.endswith((".json", *WITHOUT_SOUND)) else limit):
        if member.name.endswith(WITHOUT_SOUND[0]):
            yield {"cut": member.name.removesuffix(WITHOUT_SOUND[0])}
        elif not member.name.endswith((".json", WITHOUT_SOUND[1])):
            yield {"cut": member.name.rpartition(".")[0], "audio": {"path": member.uri, "bytes": member.content}}


def _make_row(origin: str, line: bytes, sound: Mapping[str, Any] | None) -> Row:
    try:
        cut = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"not valid JSON: {error}") from error
    if not isinstance(cut, dict) or "id" not in cut:
        raise SampleError("a cut must be a JSON object with an id")
    values = _columns(cut)
    if sound is not None:
        if sound["cut"] != cut["id"]:
            raise DataError(
                f"{origin}: the recording at the position of cut {cut['id']!r} is that of {sound['cut']!r}."
            )
        if "audio" not in sound:
            raise SampleError(f"cut {cut['id']!r} has no recording")
        values["audio"] = sound["audio"]
    return Row(origin, values)


def _columns(cut: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a cut: its id, the text of its supervisions, and what else is known about it."""
    supervisions = [item for item in cut.get("supervisions") or () if isinstance(item, dict)]
    values: dict[str, Any] = {"id": cut["id"], "duration": cut.get("duration")}
    values["text"] = " ".join(str(item["text"]) for item in supervisions if item.get("text"))
    for name in SUPERVISION_FIELDS:
        stated = dict.fromkeys(item[name] for item in supervisions if item.get(name))
        if stated:
            values[name] = " ".join(map(str, stated))
    for custom in (*(item.get("custom") for item in supervisions), cut.get("custom")):
        values |= {name: value for name, value in (custom or {}).items() if not isinstance(value, dict)}
    return values
