"""Load what the app shows of a run: metrics, the table of samples, single samples.

A run may come from an untrusted source and may be damaged. Files that cannot be read raise `DataError`, damaged journal
lines are counted, and code that a run names is never executed.
"""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from auricle.app.run_form import iter_strings
from auricle.app.samples_table import SamplesTable, read_samples
from auricle.app.workspace import check_run_file
from auricle.core.errors import DataError
from auricle.core.types import Record
from auricle.runs.journal import read_record
from auricle.runs.metrics import METRICS_FILE, Metrics, read_metrics
from auricle.runs.run_spec import OUTPUTS_FILE, SPEC_FILE, VERDICTS_FILE, read_run_spec
from auricle.runs.scores import SCORES_FILE
from auricle.tasks.catalogue import TASKS

IMPORT_PATH_PATTERN = re.compile(r"[^\s:{}]+:[A-Za-z_]\w*")
CODE_ARGUMENTS = ("metrics", "inferencer", "shots", "rubric", "encoder")
Fingerprint = tuple[int, ...]


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


def load_metrics(path: Path) -> Metrics:
    """Return the content of `metrics.json`; cached until the file changes."""
    return _load_metrics(str(path), fingerprint(path, METRICS_FILE))


@st.cache_data(max_entries=64, show_spinner=False)
def _load_metrics(path: str, fingerprint: Fingerprint) -> Metrics:
    check_run_file(Path(path) / METRICS_FILE)
    return read_metrics(Path(path))


def is_stale(path: Path) -> bool:
    """Return whether the run has outputs or verdicts newer than its metrics."""
    written = fingerprint(path, METRICS_FILE)[0]
    return bool(written) and written < max(fingerprint(path, OUTPUTS_FILE, VERDICTS_FILE)[::2])


def find_foreign_code(path: Path) -> str:
    """Return the first import path or file of code outside this package that scoring the run would execute.

    The app must not execute it: a run directory is data, wherever it came from. Empty if there is none.
    """
    check_run_file(path / SPEC_FILE)
    spec = read_run_spec(path)
    if spec.task not in TASKS:
        return spec.task
    arguments = spec.spec.get("task_args")
    if not isinstance(arguments, dict):
        return ""
    strings = (string for name in CODE_ARGUMENTS for string in iter_strings(arguments.get(name)))
    parts = (part.strip() for string in strings for part in string.split(","))
    return next((part for part in parts if IMPORT_PATH_PATTERN.fullmatch(part)), "")


def load_samples(path: Path) -> SamplesTable:
    """Return all samples of a run as a table; cached until the run changes."""
    return _load_samples(str(path), fingerprint(path, OUTPUTS_FILE, SCORES_FILE, METRICS_FILE))


@st.cache_data(max_entries=6, show_spinner="Reading samples …")
def _load_samples(path: str, fingerprint: Fingerprint) -> SamplesTable:
    return read_samples(Path(path))


def load_record(path: Path, offset: int) -> Record:
    """Read one complete sample from the journal line that starts at `offset`."""
    record = read_record(path / OUTPUTS_FILE, offset)
    if record is None:
        raise DataError("The run changed while you were viewing it. Reload the page.")
    return record
