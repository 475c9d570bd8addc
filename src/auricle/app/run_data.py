"""Load what the app shows of a run: metrics, the table of samples, single samples.

A run may come from an untrusted source and may be damaged. Files that cannot be read raise `DataError`, damaged journal
lines are counted, and code that a run names is never executed. In the table, the last line of a sample counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app.permissions import iter_strings
from auricle.app.workspace import check_run_file
from auricle.core.errors import DataError
from auricle.core.serialization import digest
from auricle.core.types import Generation, Likelihood, Outcome, Output, Record
from auricle.metrics.confusion import predicted_label
from auricle.report.sample_view import format_json_value
from auricle.runs.audit import AUDIT_FILE, Audit, read_audit
from auricle.runs.journal import JournalLine, iter_journal, read_record
from auricle.runs.metrics import METRICS_FILE, Metrics, Number, read_current_metrics, read_metrics, read_scoring
from auricle.runs.run_spec import OUTPUTS_FILE, SPEC_FILE, VERDICTS_FILE, read_run_spec
from auricle.runs.scores import SCORES_FILE, ScoreLine, read_scores
from auricle.tasks.catalogue import TASKS

IMPORT_PATH_PATTERN = re.compile(r"[^\s:{}]+:[A-Za-z_]\w*")
CODE_ARGUMENTS = ("metrics", "inferencer", "shots", "rubric", "encoder")
MAX_JOURNAL_BYTES = 2_000_000_000
MAX_SAMPLES = 300_000
MAX_TEXT_LENGTH = 400
"""Characters of an answer in the table; the complete answer is read when a sample is opened."""
MAX_META_LENGTH = 100
MAX_FIELDS = 30
MAX_GROUPS = 50
MAX_VALUES = 20
COLUMNS = ("id", "row", "target", "answer", "outcome", "reason", "seconds", "audio_seconds", "offset")
LABEL_COLUMNS = ("predicted_label", "true_label")
NOT_SCORED = ScoreLine("", 0)
Fingerprint = tuple[int, ...]


@dataclass(frozen=True)
class SamplesTable:
    """The samples of a run."""

    frame: pd.DataFrame
    """`COLUMNS`; metadata as `meta.…`; scores as `stat.…`, `reference.…` and `silence.…`; `reading`;
    `LABEL_COLUMNS`."""
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


@st.cache_data(max_entries=64, show_spinner=False)
def _load_metrics(path: str, fingerprint: Fingerprint) -> Metrics:
    for name in (METRICS_FILE, AUDIT_FILE):
        check_run_file(Path(path) / name)
    return read_metrics(Path(path))


def is_stale(path: Path) -> bool:
    """Return whether the metrics were computed from other outputs or verdicts than the run has now."""
    return _is_stale(str(path), fingerprint(path, METRICS_FILE, OUTPUTS_FILE, VERDICTS_FILE))


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


# --- the table of samples ------------------------------------------------------------------------


def read_samples(path: Path) -> SamplesTable:
    """Read the journal and the scores of a run; raise `DataError` if the journal is missing or too large."""
    journal = path / OUTPUTS_FILE
    check_run_file(journal, MAX_JOURNAL_BYTES)
    if not journal.exists():
        raise DataError(f"No {OUTPUTS_FILE}: the run has no completed samples yet.")
    rows, damaged_lines = _read_rows(journal)
    frame = pd.DataFrame([row[:-1] for row in rows.values()], columns=COLUMNS)
    fields = _add_meta_columns(frame, [row[-1] for row in rows.values()])
    _add_score_columns(frame, _read_scores(path))
    frame = frame.sort_values("row", kind="stable", ignore_index=True)
    return SamplesTable(frame, fields, damaged_lines, is_truncated=len(rows) >= MAX_SAMPLES)


def _read_rows(journal: Path) -> tuple[dict[int, tuple[Any, ...]], int]:
    """Return the last row of each sample, by digest of its id, and the number of damaged lines."""
    rows: dict[int, tuple[Any, ...]] = {}
    damaged_lines = 0
    for line in iter_journal(journal):
        if (removed := line.removed_digest) is not None:
            rows.pop(removed, None)
        elif row := _build_row(line):
            key = digest(row[0])
            rows.pop(key, None)
            rows[key] = row
        else:
            damaged_lines += 1
        if len(rows) >= MAX_SAMPLES:
            break
    return rows, damaged_lines


def _build_row(line: JournalLine) -> tuple[Any, ...] | None:
    """Return the values of `COLUMNS` and the metadata; None if the line is damaged."""
    if (record := line.record) is None:
        return None
    sample, error = record.sample, record.error
    try:
        row = (
            sample.id,
            int(record.row),
            truncate_text(format_json_value(sample.target)),
            truncate_text(format_answer(record.outputs)),
            record.outcome.value,
            truncate_text(f"{error.kind}: {error.message}") if error else "",
            math.nan if record.seconds is None else float(record.seconds),
            math.nan if record.audio_seconds is None else float(record.audio_seconds),
            line.offset,
            sample.meta,
        )
    except (TypeError, ValueError, AttributeError):
        return None
    return row if isinstance(sample.id, str) and isinstance(sample.meta, dict) else None


def truncate_text(text: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    return text if len(text) <= max_length else f"{text[:max_length]} …"


def format_answer(outputs: Sequence[Output]) -> str:
    """Format the outputs of a sample on one line."""
    return " | ".join(map(_format_output, outputs))


def _format_output(output: Output) -> str:
    if isinstance(output, Generation):
        return output.text
    if isinstance(output, Likelihood):
        return f"{output.text} {output.total:.3f}".strip()
    if output.scale == "continuous":
        return ", ".join(f"{name} {value:.3g}" for name, value in list(output.values.items())[:MAX_VALUES])
    best, score = max(output.values.items(), key=lambda item: item[1])
    return f"{best} {score:.3g}"


def _add_meta_columns(frame: pd.DataFrame, metas: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Add a column per metadata field; return the fields with few enough values to filter by."""
    names = list(dict.fromkeys(name for meta in metas for name in meta))[:MAX_FIELDS]
    fields = []
    for name in names:
        column = [_format_meta(meta.get(name)) for meta in metas]
        frame[f"meta.{name}"] = pd.Series(column, index=frame.index, dtype="str")
        if 1 < len(set(column)) <= MAX_GROUPS:
            fields.append(name)
    return tuple(fields)


def _format_meta(value: Any) -> str:
    if type(value) is str and len(value) < MAX_META_LENGTH:  # the most frequent case first
        return value
    return truncate_text(format_json_value(value), MAX_META_LENGTH)


def _read_scores(path: Path) -> dict[str, ScoreLine]:
    """Return the scores of each sample by id; none if there are no scores."""
    lines: dict[str, ScoreLine] = {}
    with suppress(DataError):
        check_run_file(path / SCORES_FILE, MAX_JOURNAL_BYTES)
        for line in read_scores(path):
            lines[line.id] = line
    return lines


def _add_score_columns(frame: pd.DataFrame, scores: Mapping[str, ScoreLine]) -> None:
    """Add the statistics of each metric, the labels, how answers were read, and the outcomes that depend on it."""
    lines = [scores.get(sample_id) or NOT_SCORED for sample_id in frame["id"]]
    names = list(dict.fromkeys(name for line in scores.values() for name in line.stats))[:MAX_FIELDS]
    columns: dict[str, list[Any]] = {}
    for name in names:
        for part, column in _stats_to_columns([line.stats.get(name) for line in lines]).items():
            columns.setdefault(part if part in LABEL_COLUMNS else f"{part}.{name}", column)
    for name, column in columns.items():
        frame[name] = column
    frame["reading"] = [line.reading for line in lines]
    frame["outcome"] = [
        line.resolve_outcome(Outcome(outcome)).value for line, outcome in zip(lines, frame["outcome"], strict=True)
    ]
    frame["reason"] = [
        truncate_text(next(iter(line.unreadable.values()), reason))
        for line, reason in zip(lines, frame["reason"], strict=True)
    ]


def _stats_to_columns(stats: Sequence[Any]) -> dict[str, list[Any]]:
    """Turn the statistics of one metric into columns; `stat` is a number per sample."""
    first = next((stat for stat in stats if stat is not None), None)
    if isinstance(first, (int, float)):
        return {"stat": [_to_float(stat) for stat in stats]}
    if not isinstance(first, list) or not first:
        return {}
    if isinstance(first[0], (int, float)) and len(first) == 6:  # S, D, I, reference length, rate, is rated
        return {
            "stat": [_error_rate(stat) for stat in stats],
            "silence": _map_lists(stats, (6,), lambda stat: math.nan if stat[3] else _to_float(stat[2]), math.nan),
        }
    if isinstance(first[0], (int, float)) and len(first) == 2:
        return {
            "stat": _map_lists(stats, (2,), lambda pair: _to_float(pair[0]), math.nan),
            "reference": _map_lists(stats, (2,), lambda pair: _to_float(pair[1]), math.nan),
        }
    if len(first) in (2, 4) and all(isinstance(label, (str, type(None))) for label in first[:2]):
        return {
            "predicted_label": _map_lists(stats, (2, 4), lambda labels: labels[0]),
            "true_label": _map_lists(stats, (2, 4), lambda labels: labels[1]),
            "stat": _map_lists(stats, (2, 4), lambda labels: float(predicted_label(labels) == labels[1]), math.nan),
        }
    return {}


def _map_lists(
    stats: Sequence[Any], lengths: tuple[int, ...], convert: Callable[[Any], Any], default: float | None = None
) -> list[Any]:
    """Convert the statistics that are lists of one of these lengths; others become the default."""
    return [convert(stat) if isinstance(stat, list) and len(stat) in lengths else default for stat in stats]


def _to_float(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else math.nan


def _error_rate(stat: Any) -> float:
    """Compute errors divided by the reference length; for an empty reference, the number of errors."""
    try:
        errors, length = stat[0] + stat[1] + stat[2], stat[3]
        return float(errors / (length if length > 1 else 1.0))
    except (TypeError, IndexError, ZeroDivisionError):
        return math.nan


def badness(frame: pd.DataFrame, number: Number) -> pd.Series:
    """Return how badly each sample did by a metric: higher is worse, NaN if it was not scored."""
    name = number.metric
    if f"stat.{name}" not in frame:
        return pd.Series(math.nan, index=frame.index)
    value = frame[f"stat.{name}"]
    if f"reference.{name}" in frame and number.unit != "share":
        return (value - frame[f"reference.{name}"]).abs()
    return -value if number.higher_is_better else value


def sort_worst_first(frame: pd.DataFrame, number: Number, *, drop_unscored: bool = True) -> pd.DataFrame:
    """Sort samples by a metric, the worst first; unscored samples are dropped or come last."""
    order = badness(frame, number).sort_values(ascending=False, kind="stable", na_position="last")
    return frame.loc[(order.dropna() if drop_unscored else order).index]
