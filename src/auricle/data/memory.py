"""Rows in memory as data: a list of dicts, a pandas data frame or a Hugging Face dataset.

They are written to the user's cache folder under a name that depends on their content, so that a run of them can be
resumed and scored again by another process.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.files import make_folder, sounds_folder, user_cache_folder, write_atomically
from auricle.core.serialization import dumps
from auricle.data.huggingface import HF_PREFIX
from auricle.media import Audio


def store_rows(rows: Any) -> str:
    """Write rows to the cache folder, unless they are there already, and return the location of the data.

    Raises:
        SpecError: if the rows are neither mappings nor a table.
    """
    folder = user_cache_folder() / "rows"
    try:
        make_folder(folder)
        return _store_dataset(rows, folder) if hasattr(rows, "save_to_disk") else _store_lines(rows, folder)
    except OSError as error:
        raise DataError(f"Cannot write rows to {folder}: {error}. Set XDG_CACHE_HOME to another folder.") from error


def _store_dataset(dataset: Any, folder: Path) -> str:
    """Write a Hugging Face dataset in its own format, which is read without loading it."""
    if hasattr(dataset, "keys"):
        raise SpecError(f"The dataset has several splits. Give one of them: dataset[{next(iter(dataset.keys()))!r}].")
    path = folder / f"dataset-{dataset._fingerprint}"  # noqa: SLF001 - the library has no other name for the content
    if not path.exists():
        scratch = path.with_name(f"{path.name}.tmp")
        dataset.save_to_disk(str(scratch))
        scratch.rename(path)
    return f"{HF_PREFIX}{path}"


def _store_lines(rows: Any, folder: Path) -> str:
    records = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
    if not isinstance(records, Iterable) or not all(isinstance(row, Mapping) for row in islice(records, 1)):
        raise SpecError(
            f"Cannot use {type(rows).__name__} as data. Give the path of a file, a list of dicts, a pandas DataFrame "
            "or a Hugging Face Dataset."
        )
    content = b"".join(dumps({str(name): _store_media(value) for name, value in row.items()}) for row in records)
    path = folder / f"rows-{blake2b(content, digest_size=4).hexdigest()}.jsonl"
    if not path.exists():
        write_atomically(path, content)
    return str(path)


def _store_media(value: Any) -> Any:
    """Return a value as a row of a file has it: the path of a sound in memory, and null for NaN, which is missing."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Mapping) and value.get("bytes"):
        value = value["bytes"]
    if isinstance(value, bytes):  # a whole file of any format
        return _store_file(value, blake2b(value, digest_size=16).hexdigest())
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "ndim"):
        value = Audio.of(value[0], rate=value[1])
    elif isinstance(value, Mapping) and "array" in value:
        value = Audio.of(value)
    if isinstance(value, Audio):
        is_file = value.uri and (value.start, value.end, value.perturbation) == (0.0, None, None)
        return value.uri if is_file else _store_file(value.encode(mono=False), f"{value.hash}.wav")
    return value


def _store_file(content: bytes, name: str) -> str:
    path = sounds_folder() / name
    if not path.exists():
        make_folder(path.parent)
        write_atomically(path, content)
    return str(path)
