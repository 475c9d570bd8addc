"""What the app reads of a run: its numbers, its samples as a table, one sample whole.

A run may come from anybody and lie in pieces: what cannot be read is a `DataError` that says so,
or a count of lines that were passed over. Nothing a run names is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from auricle.app.samples_table import SamplesTable, is_file_inside_run, read_samples
from auricle.core.errors import DataError
from auricle.core.serialization import decode_record
from auricle.core.types import Record
from auricle.tasks.catalogue import TASKS

MAX_DOCUMENT_BYTES = 50_000_000  # bytes of a metrics.json; beyond, it is nobody's
IMPORT_PATH_PATTERN = re.compile(r"[^\s:{}]+:[A-Za-z_]\w*")
CODE_ARGUMENTS = ("metrics", "inferencer", "shots", "rubric", "encoder")
Fingerprint = tuple[int, ...]


# --- numbers ---------------------------------------------------------------------------------


def fingerprint(path: Path, *names: str) -> Fingerprint:
    """When files were written and how large they are: what was read of them is good until then."""
    found: list[int] = []
    for name in names:
        try:
            known = (path / name).stat()
            found += [known.st_mtime_ns, known.st_size]
        except OSError:
            found += [0, 0]
    return tuple(found)


def load_metrics(path: Path) -> dict[str, Any]:
    """What `metrics.json` says, if it is as this package writes it."""
    return _load_metrics(str(path), fingerprint(path, "metrics.json"))


@st.cache_data(max_entries=64, show_spinner=False)
def _load_metrics(path: str, _fingerprint: Fingerprint) -> dict[str, Any]:
    return read_metrics_file(Path(path) / "metrics.json")


def read_metrics_file(file: Path) -> dict[str, Any]:
    """A document of numbers, or what is wrong with the file."""
    if not is_file_inside_run(file):
        raise DataError(f"{file.name} is not there: the run has not been scored yet.")
    if file.stat().st_size > MAX_DOCUMENT_BYTES:
        raise DataError(f"{file.name} is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB.")
    try:
        found = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{file.name} is torn or no JSON; it can be made again.") from error
    if not _is_metrics_document(found):
        raise DataError(f"{file.name} is not as auricle writes it; it can be made again.")
    return dict(found)


NUMBER_FIELDS = {
    "metric": str,
    "field": str,
    "group": str,
    "unit": str,
    "signature": str,
    "details": dict,
    "scored": int,
    "total": int,
    "failed": int,
    "unreadable": int,
    "higher_is_better": bool,
}
NULLABLE_NUMBER_FIELDS = ("value", "low", "high", "worst", "best")


def _is_metrics_document(document: Any) -> bool:
    parts = {
        "task": dict,
        "model": dict,
        "outcomes": dict,
        "failures": list,
        "refused": dict,
        "unreadable": dict,
        "numbers": list,
        "notes": list,
    }
    return (
        isinstance(document, dict)
        and all(isinstance(document.get(name), kind) for name, kind in parts.items())
        and all(isinstance(document[side].get("name"), str) for side in ("task", "model"))
        and all(map(_is_number, document["numbers"]))
    )


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), kind) for name, kind in NUMBER_FIELDS.items())
        and all(isinstance(value.get(name), (int, float, type(None))) for name in NULLABLE_NUMBER_FIELDS)
    )


def overall_numbers(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A run's numbers over all samples."""
    return [each for each in document["numbers"] if not each["field"]]


def is_stale(path: Path) -> bool:
    """Was more answered since the numbers were made?"""
    written = fingerprint(path, "metrics.json")[0]
    return bool(written) and written < max(fingerprint(path, "outputs.jsonl", "verdicts.jsonl")[::2])


# --- code a run names ---------------------------------------------------------------------------


def find_foreign_code(path: Path) -> str:
    """Code outside this package that scoring this run again would run; empty if there is none.

    A run's folder is data, wherever it came from, and looking at it must not run anything.
    """
    try:
        spec = orjson.loads((path / "spec.json").read_bytes())["spec"]
        task, given = str(spec["task"]), dict(spec.get("task_args") or {})
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise DataError("spec.json is missing or torn: nobody knows what was asked.") from error
    if task not in TASKS:
        return task
    named = (text for name in CODE_ARGUMENTS for text in _iter_strings(given.get(name)))
    return next((text for text in named if IMPORT_PATH_PATTERN.fullmatch(text)), "")


def _iter_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(","))
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in _iter_strings(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in _iter_strings(each))


# --- samples -----------------------------------------------------------------------------------


def load_samples(path: Path) -> SamplesTable:
    """All samples of a run as a table; kept until the run changes."""
    names = "outputs.jsonl", "scores.jsonl", "metrics.json"
    return _load_samples(str(path), fingerprint(path, *names))


@st.cache_data(max_entries=6, show_spinner="Reading samples …")
def _load_samples(path: str, _fingerprint: Fingerprint) -> SamplesTable:
    return read_samples(Path(path))


def load_record(path: Path, offset: int) -> Record:
    """One sample whole, from where its line begins."""
    with (path / "outputs.jsonl").open("rb") as journal:
        journal.seek(offset)
        line = journal.readline()
    try:
        return decode_record(orjson.loads(line))
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError("The run has changed since; look at it again.") from error
