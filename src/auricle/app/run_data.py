"""Load what the app shows of a run: metrics, the table of samples, single samples.

A run may come from an untrusted source and may be damaged. Files that cannot be read raise `DataError`, damaged journal
lines are counted, and code that a run names is never executed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from auricle.app.run_form import iter_strings
from auricle.app.samples_table import SamplesTable, read_samples
from auricle.app.workspace import is_file_inside_run, read_json_object
from auricle.core.errors import DataError
from auricle.core.serialization import decode_record
from auricle.core.types import Record
from auricle.tasks.catalogue import TASKS

MAX_DOCUMENT_BYTES = 50_000_000
"""Size limit for `metrics.json` and `summary.json`."""
IMPORT_PATH_PATTERN = re.compile(r"[^\s:{}]+:[A-Za-z_]\w*")
REGENERATE_HINT = "Run `auricle score RUN` to regenerate it."
CODE_ARGUMENTS = ("metrics", "inferencer", "shots", "rubric", "encoder")
Document = Mapping[str, Any]
"""The content of `metrics.json`."""
Fingerprint = tuple[int, ...]


# --- metrics ---------------------------------------------------------------------------------


def fingerprint(path: Path, *names: str) -> Fingerprint:
    """Return modification time and size of each file.

    Cached functions take the fingerprint as a parameter so that a changed file is read again. The name of that
    parameter must not start with an underscore: Streamlit leaves such parameters out of the cache key.
    """
    parts: list[int] = []
    for name in names:
        try:
            stat = (path / name).stat()
            parts += [stat.st_mtime_ns, stat.st_size]
        except OSError:
            parts += [0, 0]
    return tuple(parts)


def load_metrics(path: Path) -> dict[str, Any]:
    """Return the content of `metrics.json`; cached until the file changes."""
    return _load_metrics(str(path), fingerprint(path, "metrics.json"))


@st.cache_data(max_entries=64, show_spinner=False)
def _load_metrics(path: str, fingerprint: Fingerprint) -> dict[str, Any]:
    return read_metrics_file(Path(path) / "metrics.json")


def read_metrics_file(file: Path) -> dict[str, Any]:
    """Read `metrics.json`; raise `DataError` if it is missing or damaged."""
    if not is_file_inside_run(file):
        raise DataError(f"{file.name} not found: the run has not been scored yet.")
    try:
        document = read_json_object(file, MAX_DOCUMENT_BYTES)
    except DataError as error:
        raise DataError(f"{error}. {REGENERATE_HINT}") from error
    if not _is_metrics_document(document):
        raise DataError(f"{file.name} has an unexpected structure. {REGENERATE_HINT}")
    return document


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


def _is_metrics_document(document: Document) -> bool:
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
        all(isinstance(document.get(name), kind) for name, kind in parts.items())
        and all(isinstance(document[side].get("name"), str) for side in ("task", "model"))
        and all(map(_is_number, document["numbers"]))
    )


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), kind) for name, kind in NUMBER_FIELDS.items())
        and all(isinstance(value.get(name), (int, float, type(None))) for name in NULLABLE_NUMBER_FIELDS)
    )


def overall_numbers(document: Document) -> list[dict[str, Any]]:
    """Return the metrics over all samples, without those of groups."""
    return [number for number in document["numbers"] if not number["field"]]


def is_stale(path: Path) -> bool:
    """Return whether the run has outputs or verdicts newer than its metrics."""
    written = fingerprint(path, "metrics.json")[0]
    return bool(written) and written < max(fingerprint(path, "outputs.jsonl", "verdicts.jsonl")[::2])


# --- custom code ---------------------------------------------------------------------------------


def find_foreign_code(path: Path) -> str:
    """Return the first import path or file of code outside this package that scoring the run would execute.

    The app must not execute it: a run directory is data, wherever it came from. Empty if there is none.
    """
    try:
        spec = orjson.loads((path / "spec.json").read_bytes())["spec"]
        task, arguments = str(spec["task"]), dict(spec.get("task_args") or {})
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise DataError("spec.json is missing or corrupt; the task of the run is unknown.") from error
    if task not in TASKS:
        return task
    strings = (string for name in CODE_ARGUMENTS for string in iter_strings(arguments.get(name)))
    parts = (part.strip() for string in strings for part in string.split(","))
    return next((part for part in parts if IMPORT_PATH_PATTERN.fullmatch(part)), "")


# --- samples -----------------------------------------------------------------------------------


def load_samples(path: Path) -> SamplesTable:
    """Return all samples of a run as a table; cached until the run changes."""
    names = "outputs.jsonl", "scores.jsonl", "metrics.json"
    return _load_samples(str(path), fingerprint(path, *names))


@st.cache_data(max_entries=6, show_spinner="Reading samples …")
def _load_samples(path: str, fingerprint: Fingerprint) -> SamplesTable:
    return read_samples(Path(path))


def load_record(path: Path, offset: int) -> Record:
    """Read one complete sample from the journal line that starts at `offset`."""
    with (path / "outputs.jsonl").open("rb") as journal:
        journal.seek(offset)
        line = journal.readline()
    try:
        return decode_record(orjson.loads(line))
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError("The run changed while you were viewing it. Reload the page.") from error
