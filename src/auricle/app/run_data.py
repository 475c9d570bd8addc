"""Load what the app shows of a run: metrics, the table of samples, single samples.

A run may come from an untrusted source and may be damaged. Files that cannot be read raise `DataError`, damaged journal
lines are counted, and code that a run names is never executed. In the table, the last line of a sample counts.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from auricle.app.permissions import iter_strings
from auricle.app.workspace import check_run_file
from auricle.core.errors import DataError
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Record
from auricle.engine.catalogue import TASKS
from auricle.media.sound_measures import SignalMeasures
from auricle.runs.journal import read_record
from auricle.runs.metrics import METRICS_FILE, Metrics, Number, read_current_metrics, read_metrics, read_scoring
from auricle.runs.progress import PROGRESS_FILE
from auricle.runs.run_spec import OUTPUTS_FILE, SPEC_FILE, VERDICTS_FILE, read_run_spec
from auricle.runs.scores import SCORES_FILE, ScoreLine, read_scores
from auricle.runs.sound_measures import SIGNALS_FILE, read_signals
from auricle.scoring import sample_table
from auricle.scoring.sample_table import build_signal_columns, read_sample_table
from auricle.studies.readings.document import AUDIT_FILE, Audit, read_audit

IMPORT_PATH_PATTERN = re.compile(r"[^\s:{}]+:[A-Za-z_]\w*")
CODE_ARGUMENTS = ("metrics", "add_metrics", "inferencer", "shots", "rubric", "encoder")
MAX_JOURNAL_BYTES = 2_000_000_000
MAX_SAMPLES = 300_000
MAX_FIELDS = 30
"""Metadata fields, and metrics, in a table of samples."""
MAX_CACHED_METRICS = 500
"""Runs whose metrics are kept in memory; a leaderboard shows as many."""
Fingerprint = tuple[int, ...]


@dataclass(frozen=True)
class LoadedSamples:
    """The samples of a run."""

    frame: pd.DataFrame
    """The columns of a `SampleTable`."""
    fields: tuple[str, ...] = ()
    """Metadata fields with few enough values to filter by."""
    damaged_lines: int = 0
    is_truncated: bool = False
    """Whether the run has more samples than the table."""


def fingerprint(path: Path, *names: str) -> Fingerprint:
    """Return the time of the last change, as only the operating system can set it, and the size of each file.

    Cached functions take the fingerprint as a parameter so that a changed file is read again. The name of that
    parameter must not start with an underscore: Streamlit leaves such parameters out of the cache key.
    """
    parts: list[int] = []
    for name in names:
        try:
            stat = (path / name).stat()
            parts += [stat.st_ctime_ns, stat.st_size]
        except OSError:
            parts += [0, 0]
    return tuple(parts)


def load_metrics(path: Path) -> Metrics:
    """Return the content of `metrics.json`, with the result of an audit; cached until one of them changes."""
    return _load_metrics(str(path), fingerprint(path, METRICS_FILE, AUDIT_FILE))


# Metrics cannot be changed, so all users share them: a leaderboard of many runs would spend seconds on copies.
@st.cache_resource(max_entries=MAX_CACHED_METRICS, show_spinner=False)
def _load_metrics(path: str, fingerprint: Fingerprint) -> Metrics:
    for name in (METRICS_FILE, AUDIT_FILE):
        check_run_file(Path(path) / name)
    return read_metrics(Path(path))


def list_groups(path: Path) -> dict[str, list[str]]:
    """Return the metadata fields with several values that a run is broken down by, and these values."""
    groups: dict[str, dict[str, None]] = {}
    for number in load_metrics(path).numbers:
        if number.field:
            groups.setdefault(number.field, {})[number.group] = None
    return {field: [*values] for field, values in groups.items() if len(values) > 1}


def is_stale(path: Path) -> bool:
    """Return whether the metrics were computed from other outputs or verdicts than the run has now."""
    return _is_stale(str(path), fingerprint(path, METRICS_FILE, OUTPUTS_FILE, VERDICTS_FILE, PROGRESS_FILE))


@st.cache_data(max_entries=64, show_spinner=False)
def _is_stale(path: str, fingerprint: Fingerprint) -> bool:
    return read_current_metrics(Path(path)) is None


def load_audit(path: Path) -> Audit | None:
    """Return the replies that were drawn to check how answers were read; None if there is no audit."""
    check_run_file(path / AUDIT_FILE)
    return read_audit(path)


def find_foreign_code(path: Path) -> str:
    """Return the first import path or file of code outside this package that scoring the run would execute.

    The app must not execute it: a run directory is data, wherever it came from. Empty if there is none.
    """
    check_run_file(path / SPEC_FILE)
    spec = read_run_spec(path)
    if spec.task not in TASKS:
        return spec.task
    check_run_file(path / METRICS_FILE)
    own, replaced = spec.spec.get("task_args"), read_scoring(path).task_args
    arguments = [values for values in (own, replaced) if isinstance(values, dict)]
    strings = (
        string for values in arguments for name in CODE_ARGUMENTS for _, string in iter_strings(values.get(name))
    )
    parts = (part.strip() for string in strings for part in string.split(","))
    return next((part for part in parts if IMPORT_PATH_PATTERN.fullmatch(part)), "")


def load_samples(path: Path) -> LoadedSamples:
    """Return all samples of a run as a table; cached until the run changes."""
    return _load_samples(str(path), fingerprint(path, OUTPUTS_FILE, SCORES_FILE, METRICS_FILE, PROGRESS_FILE))


@st.cache_data(max_entries=6, show_spinner="Reading samples …")
def _load_samples(path: str, fingerprint: Fingerprint) -> LoadedSamples:
    with infrequent_gc():
        return read_samples(Path(path))


def add_signals(path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    """Add the measures of recordings, as far as there are any, as `signal.…`."""
    measures = _load_signals(str(path), fingerprint(path, SIGNALS_FILE))
    if not measures:
        return frame
    return frame.join(pd.DataFrame(build_signal_columns(measures, frame["key"]), index=frame.index))


def count_unmeasured(path: Path, frame: pd.DataFrame) -> int:
    """Count the samples with a recording that was not measured yet."""
    measures = _load_signals(str(path), fingerprint(path, SIGNALS_FILE))
    keys = frame.loc[frame["audio_seconds"].notna(), "key"]
    return sum(key not in measures for key in keys if key)


@st.cache_resource(max_entries=8, show_spinner=False)
def _load_signals(path: str, fingerprint: Fingerprint) -> dict[str, SignalMeasures]:
    check_run_file(Path(path) / SIGNALS_FILE)
    return read_signals(Path(path))


def load_record(path: Path, offset: int) -> Record:
    """Read one complete sample from the journal line that starts at `offset`."""
    record = read_record(path / OUTPUTS_FILE, offset)
    if record is None:
        raise DataError("The run changed while you were viewing it. Reload the page.")
    return record


# --- the table of samples ------------------------------------------------------------------------


def read_samples(path: Path) -> LoadedSamples:
    """Read the journal and the scores of a run; raise `DataError` if the journal is missing or too large."""
    journal = path / OUTPUTS_FILE
    check_run_file(journal, MAX_JOURNAL_BYTES)
    if not journal.exists():
        raise DataError(f"No {OUTPUTS_FILE}: the run has no completed samples yet.")
    lines: dict[str, ScoreLine] = {}
    with suppress(DataError):
        check_run_file(path / SCORES_FILE, MAX_JOURNAL_BYTES)
        for line in read_scores(path):
            lines[line.id] = line
    table = read_sample_table(journal, lines, max_samples=MAX_SAMPLES, max_fields=MAX_FIELDS)
    columns = {
        name: pd.Series(column, dtype="str") if name.startswith("meta.") else column
        for name, column in table.columns.items()
    }
    return LoadedSamples(pd.DataFrame(columns), table.fields, table.damaged_lines, table.is_truncated)


def badness(frame: pd.DataFrame, number: Number) -> pd.Series:
    """Return how badly each sample did by a metric: higher is worse, NaN if it was not scored."""
    return pd.Series(sample_table.badness(frame, number), index=frame.index)


def has_error(frame: pd.DataFrame, number: Number) -> pd.Series:
    """Return 1 for each sample with any error by a metric, 0 for the others, and NaN where that is unknown."""
    return pd.Series(sample_table.has_error(frame, number), index=frame.index)


def sort_worst_first(frame: pd.DataFrame, number: Number, *, drop_unscored: bool = True) -> pd.DataFrame:
    """Sort samples by a metric, the worst first; unscored samples are dropped or come last."""
    order = badness(frame, number).sort_values(ascending=False, kind="stable", na_position="last")
    return frame.loc[(order.dropna() if drop_unscored else order).index]


def sort_confident_errors_first(frame: pd.DataFrame, number: Number) -> pd.DataFrame:
    """Sort samples with errors by how confident the model was, most first, then the others, least confident first."""
    error = has_error(frame, number)
    confidence = frame["confidence"].fillna(0.0)
    order = pd.DataFrame({"error": error.fillna(-1.0), "sure": confidence.where(error == 1.0, -confidence)})
    order["size"] = badness(frame, number)
    return frame.loc[order.sort_values(["error", "sure", "size"], ascending=False, kind="stable").index]
