"""The journal of a run as a table: one row per sample, with answer and scores.

The last line of a sample counts. Lines that cannot be read are counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pandas as pd

from auricle.app.workspace import is_file_inside_run
from auricle.core.errors import DataError
from auricle.core.serialization import digest

MAX_JOURNAL_BYTES = 2_000_000_000
MAX_SAMPLES = 300_000
MAX_TEXT_LENGTH = 400
"""Characters of an answer in the table; the complete answer is read when a sample is opened."""
MAX_META_LENGTH = 100
MAX_FIELDS = 30
MAX_GROUPS = 50
MAX_VALUES = 20
COLUMNS = ("row", "target", "answer", "outcome", "reason", "seconds", "audio_seconds", "offset")
LABEL_COLUMNS = ("predicted_label", "true_label")


@dataclass(frozen=True)
class SamplesTable:
    """The samples of a run."""

    frame: pd.DataFrame
    """`COLUMNS` and `id`; metadata as `meta.…`; scores as `stat.…` and `reference.…`; `LABEL_COLUMNS`."""
    fields: tuple[str, ...] = ()
    """Metadata fields with few enough values to filter by."""
    damaged_lines: int = 0
    is_truncated: bool = False
    """Whether the run has more samples than the table."""


@dataclass
class _JournalRows:
    """The last row of each sample, by id."""

    by_id: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    meta_by_id: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    damaged_lines: int = 0

    def remove(self, id_digest: int) -> None:
        """Remove a sample that is no longer in the data; a linear search is fast enough, as this is rare."""
        for sample_id in [sample_id for sample_id in self.by_id if digest(sample_id) == id_digest]:
            del self.by_id[sample_id]


def read_samples(path: Path) -> SamplesTable:
    """Read the journal and the scores of a run; raise `DataError` if the journal is missing or too large."""
    journal = path / "outputs.jsonl"
    if not is_file_inside_run(journal):
        raise DataError("No outputs.jsonl: the run has no completed samples yet.")
    if journal.stat().st_size > MAX_JOURNAL_BYTES:
        raise DataError(
            f"The journal is larger than {MAX_JOURNAL_BYTES // 1_000_000_000} GB, too large for the app. Use "
            "`auricle samples RUN --worst 50`."
        )
    rows = _JournalRows()
    is_truncated = _read_journal(journal, rows)
    frame = pd.DataFrame(list(rows.by_id.values()), columns=COLUMNS)
    frame["id"] = list(rows.by_id)
    scores, reasons = _read_scores(path / "scores.jsonl")
    fields = _add_meta_columns(frame, rows)
    _add_score_columns(frame, scores, reasons)
    frame = frame.sort_values("row", kind="stable", ignore_index=True)
    return SamplesTable(frame, fields, rows.damaged_lines, is_truncated)


def _read_journal(journal: Path, rows: _JournalRows) -> bool:
    """Read the lines into `rows`; return whether some samples were left out."""
    offset = 0
    with journal.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                _read_line(line, offset, rows)
            offset += len(line)
            if len(rows.by_id) >= MAX_SAMPLES:
                return True
    return False


def _read_line(line: bytes, offset: int, rows: _JournalRows) -> None:
    try:
        entry = orjson.loads(line)
        if "gone" in entry:
            rows.remove(entry["gone"])
            return
        sample_id = entry["id"]
        row = _build_row(entry, offset)
        meta = entry["meta"]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        rows.damaged_lines += 1
        return
    if not isinstance(sample_id, str) or not isinstance(meta, dict):
        rows.damaged_lines += 1
        return
    rows.by_id.pop(sample_id, None)
    rows.by_id[sample_id] = row
    rows.meta_by_id[sample_id] = meta


def _build_row(entry: Mapping[str, Any], offset: int) -> tuple[Any, ...]:
    error = entry["error"]
    return (
        int(entry["row"]),
        truncate_text(format_target(entry["target"])),
        truncate_text(format_answer(entry["outputs"])),
        "failed" if error else "answered",
        truncate_text(f"{error['kind']}: {error['message']}") if error else "",
        math.nan if entry["seconds"] is None else float(entry["seconds"]),
        math.nan if entry.get("audio_seconds") is None else float(entry["audio_seconds"]),
        offset,
    )


def truncate_text(text: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    return text if len(text) <= max_length else f"{text[:max_length]} …"


def format_target(target: Any) -> str:
    """Format a reference of any type as text."""
    if type(target) is str:  # the most frequent case first
        return target
    if target is None:
        return ""
    if isinstance(target, list):
        return " / ".join(map(format_target, target))
    if isinstance(target, dict):
        return ", ".join(f"{name} {format_target(value)}" for name, value in target.items())
    return f"{target:g}" if isinstance(target, float) else str(target)


def format_answer(outputs: Sequence[Mapping[str, Any]]) -> str:
    """Format the outputs of a sample, as they are in the journal, on one line."""
    return " | ".join(map(_format_output, outputs))


def _format_output(output: Mapping[str, Any]) -> str:
    kind = output["kind"]
    if kind == "Generation":
        return str(output["text"])
    if kind == "Likelihood":
        return f"{output.get('text', '')} {math.fsum(output['logprobs']):.3f}".strip()
    values = output["values"]
    if output["scale"] == "continuous":
        return ", ".join(f"{name} {value:.3g}" for name, value in list(values.items())[:MAX_VALUES])
    best = max(values, key=values.get)
    return f"{best} {values[best]:.3g}"


def _add_meta_columns(frame: pd.DataFrame, rows: _JournalRows) -> tuple[str, ...]:
    """Add a column per metadata field; return the fields with few enough values to filter by."""
    metas = [rows.meta_by_id[sample_id] for sample_id in rows.by_id]
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
    return truncate_text(format_target(value), MAX_META_LENGTH)


def _read_scores(file: Path) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """Return the statistics of each sample, and the reason for each answer that could not be parsed."""
    stats: dict[str, Mapping[str, Any]] = {}
    reasons: dict[str, str] = {}
    if not is_file_inside_run(file) or file.stat().st_size > MAX_JOURNAL_BYTES:
        return stats, reasons
    with file.open("rb") as lines:
        for line in lines:
            try:
                entry = orjson.loads(line)
                stats[entry["id"]] = entry.get("stats", {})
                if reason_by_metric := entry.get("unreadable"):
                    reasons[entry["id"]] = truncate_text(str(next(iter(reason_by_metric.values()))))
            except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
                continue
    return stats, reasons


def _add_score_columns(frame: pd.DataFrame, stats: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str]) -> None:
    """Add the statistics of each metric, the labels, and the outcome `unreadable`."""
    ids = frame["id"].tolist()
    names = list(dict.fromkeys(name for sample_stats in stats.values() for name in sample_stats))[:MAX_FIELDS]
    columns: dict[str, list[Any]] = {}
    for name in names:
        for part, column in _stats_to_columns([stats.get(sample_id, {}).get(name) for sample_id in ids]).items():
            columns.setdefault(part if part in LABEL_COLUMNS else f"{part}.{name}", column)
    for name, column in columns.items():
        frame[name] = column
    if reasons:
        is_unreadable = frame["id"].isin(list(reasons))
        frame.loc[is_unreadable & (frame["outcome"] == "answered"), "outcome"] = "unreadable"
        frame.loc[is_unreadable, "reason"] = frame.loc[is_unreadable, "id"].map(reasons)


def _stats_to_columns(stats: Sequence[Any]) -> dict[str, list[Any]]:
    """Turn the statistics of one metric into columns; `stat` is a number per sample."""
    first = next((stat for stat in stats if stat is not None), None)
    if isinstance(first, (int, float)):
        return {"stat": [_to_float(stat) for stat in stats]}
    if not isinstance(first, list) or not first:
        return {}
    if isinstance(first[0], (int, float)) and len(first) == 6:  # S, D, I, reference length, rate, is rated
        return {"stat": [_error_rate(stat) for stat in stats]}
    if isinstance(first[0], (int, float)) and len(first) == 2:
        return {
            "stat": [_to_float(stat[0]) if _is_pair(stat) else math.nan for stat in stats],
            "reference": [_to_float(stat[1]) if _is_pair(stat) else math.nan for stat in stats],
        }
    if len(first) in (2, 4) and all(isinstance(label, (str, type(None))) for label in first[:2]):
        return {
            "predicted_label": [stat[0] if _is_labels(stat) else None for stat in stats],
            "true_label": [stat[1] if _is_labels(stat) else None for stat in stats],
            "stat": [_correctness(stat) for stat in stats],
        }
    return {}


def _to_float(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else math.nan


def _is_pair(stat: Any) -> bool:
    return isinstance(stat, list) and len(stat) == 2


def _is_labels(stat: Any) -> bool:
    return isinstance(stat, list) and len(stat) in (2, 4)


def _error_rate(stat: Any) -> float:
    """Compute errors divided by the reference length; for an empty reference, the number of errors."""
    try:
        errors, length = stat[0] + stat[1] + stat[2], stat[3]
        return float(errors / (length if length > 1 else 1.0))
    except (TypeError, IndexError, ZeroDivisionError):
        return math.nan


def _correctness(stat: Any) -> float:
    if not _is_labels(stat):
        return math.nan
    return float(stat[1] == (stat[0] if len(stat) == 2 else stat[2]))


# --- sorting ---------------------------------------------------------------------


def badness(frame: pd.DataFrame, number: Mapping[str, Any]) -> pd.Series:
    """Return how badly each sample did by a metric: higher is worse, NaN if it was not scored."""
    name = number["metric"]
    if f"stat.{name}" not in frame:
        return pd.Series(math.nan, index=frame.index)
    value = frame[f"stat.{name}"]
    if f"reference.{name}" in frame and number["unit"] != "share":
        return (value - frame[f"reference.{name}"]).abs()
    return -value if number["higher_is_better"] else value


def sort_worst_first(frame: pd.DataFrame, number: Mapping[str, Any], *, drop_unscored: bool = True) -> pd.DataFrame:
    """Sort samples by a metric, the worst first; unscored samples are dropped or come last."""
    order = badness(frame, number).sort_values(ascending=False, kind="stable", na_position="last")
    return frame.loc[(order.dropna() if drop_unscored else order).index]
