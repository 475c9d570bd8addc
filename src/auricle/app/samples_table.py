"""A run's journal as a table: one row a sample, with what was answered and how it was scored.

The latest line of a sample is the one that counts; lines that cannot be read are counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pandas as pd

from auricle.core.errors import DataError
from auricle.core.serialization import digest

MAX_JOURNAL_BYTES = 2_000_000_000  # bytes
MAX_SAMPLES = 300_000
MAX_TEXT_LENGTH = 400  # characters of an answer in a table; all of it is read when a sample is opened
MAX_META_LENGTH = 100
MAX_FIELDS = 30
MAX_GROUPS = 50
MAX_VALUES = 20


@dataclass(frozen=True)
class SamplesTable:
    """Every sample of a run, one row each, and what is known about the columns."""

    frame: pd.DataFrame
    """id, row, target, answer, outcome, seconds, audio_seconds, offset; `meta.…`, `stat.…`."""
    fields: tuple[str, ...] = ()
    """Meta fields with few enough values to slice by."""
    dimensions: tuple[str, ...] = ()
    """Names of the numbers a model told, where they are no class scores."""
    damaged_lines: int = 0
    is_truncated: bool = False
    """Are there more samples than are listed?"""


@dataclass
class _JournalRows:
    """Columns that grow line by line; the last line of a sample is the one that counts."""

    by_id: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    meta_by_id: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    values_by_id: dict[str, Mapping[str, float]] = field(default_factory=dict)
    damaged_lines: int = 0

    def remove(self, id_digest: int) -> None:
        """Leave out a sample that is no longer in the data; rare, so it may take a while."""
        for sample in [each for each in self.by_id if digest(each) == id_digest]:
            del self.by_id[sample]


def is_file_inside_run(file: Path) -> bool:
    """Is it a file of the run's own, and not a link to somewhere else?"""
    try:
        return file.is_file() and file.resolve().is_relative_to(file.parent.resolve())
    except OSError:
        return False


def read_samples(path: Path) -> SamplesTable:
    """The journal's latest line of each sample, with what it was scored."""
    journal = path / "outputs.jsonl"
    if not is_file_inside_run(journal):
        raise DataError("The run has no outputs.jsonl: nothing was answered yet.")
    if journal.stat().st_size > MAX_JOURNAL_BYTES:
        raise DataError(
            f"The journal is larger than {MAX_JOURNAL_BYTES // 1_000_000_000} GB: too large to be "
            "listed here. `auricle samples RUN --worst 50` reads it."
        )
    rows = _JournalRows()
    cut = _read_journal(journal, rows)
    frame = pd.DataFrame(list(rows.by_id.values()), columns=COLUMNS)
    frame["id"] = list(rows.by_id)
    scores, reasons = _read_scores(path / "scores.jsonl")
    fields = _add_meta_columns(frame, rows)
    dimensions = _add_value_columns(frame, rows)
    _add_score_columns(frame, scores, reasons)
    frame = frame.sort_values("row", kind="stable", ignore_index=True)
    return SamplesTable(frame, fields, dimensions, rows.damaged_lines, cut)


COLUMNS = ("row", "target", "answer", "outcome", "why", "seconds", "audio_seconds", "offset")


def _read_journal(journal: Path, rows: _JournalRows) -> bool:
    """Fill rows; is there more than is listed?"""
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
        held = orjson.loads(line)
        if "gone" in held:
            rows.remove(held["gone"])
            return
        sample = held["id"]
        row = _build_row(held, offset)
        meta = held["meta"]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        rows.damaged_lines += 1
        return
    if not isinstance(sample, str) or not isinstance(meta, dict):
        rows.damaged_lines += 1
        return
    rows.by_id.pop(sample, None)
    rows.by_id[sample] = row
    rows.meta_by_id[sample] = meta
    if values := _continuous_values(held["outputs"]):
        rows.values_by_id[sample] = values


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
    """A target as a reader would write it."""
    if type(target) is str:  # as nearly all of them are
        return target
    if target is None:
        return ""
    if isinstance(target, list):
        return " / ".join(map(format_target, target))
    if isinstance(target, dict):
        return ", ".join(f"{name} {format_target(each)}" for name, each in target.items())
    return f"{target:g}" if isinstance(target, float) else str(target)


def format_answer(outputs: Sequence[Mapping[str, Any]]) -> str:
    """What a model answered, in one line."""
    if len(outputs) == 1:
        return _format_output(outputs[0])
    return " | ".join(_format_output(each) for each in outputs)


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


def _continuous_values(outputs: Sequence[Mapping[str, Any]]) -> Mapping[str, float] | None:
    """Numbers a model told of one input, such as arousal; class scores are none of these."""
    if len(outputs) != 1 or outputs[0].get("scale") != "continuous":
        return None
    values = outputs[0]["values"]
    return {str(name): float(value) for name, value in list(values.items())[:MAX_VALUES]}


def _add_meta_columns(frame: pd.DataFrame, rows: _JournalRows) -> tuple[str, ...]:
    """A column a meta field; those of few values can be sliced by."""
    kept = [rows.meta_by_id[sample] for sample in rows.by_id]
    names = list(dict.fromkeys(name for meta in kept for name in meta))[:MAX_FIELDS]
    fields = []
    made = {}
    for name in names:
        column = [_format_meta(meta.get(name)) for meta in kept]
        made[f"meta.{name}"] = column
        if 1 < len(set(column)) <= MAX_GROUPS:
            fields.append(name)
    for name, column in made.items():
        frame[name] = pd.Series(column, index=frame.index, dtype="str")
    return tuple(fields)


def _format_meta(value: Any) -> str:
    if type(value) is str and len(value) < MAX_META_LENGTH:  # as nearly all of them are
        return value
    return truncate_text(format_target(value), MAX_META_LENGTH)


def _add_value_columns(frame: pd.DataFrame, rows: _JournalRows) -> tuple[str, ...]:
    if not rows.values_by_id:
        return ()
    told = [rows.values_by_id.get(sample, {}) for sample in rows.by_id]
    names = list(dict.fromkeys(name for each in told for name in each))[:MAX_VALUES]
    for name in names:
        frame[f"value.{name}"] = [each.get(name, math.nan) for each in told]
    return tuple(names)


def _read_scores(file: Path) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """Each sample's stats, and why an answer of it could not be read."""
    stats: dict[str, Mapping[str, Any]] = {}
    reasons: dict[str, str] = {}
    if not is_file_inside_run(file) or file.stat().st_size > MAX_JOURNAL_BYTES:
        return stats, reasons
    with file.open("rb") as lines:
        for line in lines:
            try:
                held = orjson.loads(line)
                stats[held["id"]] = held.get("stats", {})
                if why := held.get("unreadable"):
                    reasons[held["id"]] = truncate_text(str(next(iter(why.values()))))
            except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
                continue
    return stats, reasons


def _add_score_columns(frame: pd.DataFrame, stats: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str]) -> None:
    """A number a sample and metric, what was said for what, and whether it could be read."""
    ids = frame["id"].tolist()
    names = list(dict.fromkeys(name for each in stats.values() for name in each))[:MAX_FIELDS]
    made: dict[str, list[Any]] = {}
    for name in names:
        for part, column in _stats_to_columns([stats.get(sample, {}).get(name) for sample in ids]).items():
            made.setdefault(part if part in ("said", "true") else f"{part}.{name}", column)
    for name, column in made.items():
        frame[name] = column
    if reasons:
        unread = frame["id"].isin(list(reasons))
        frame.loc[unread & (frame["outcome"] == "answered"), "outcome"] = "unreadable"
        frame.loc[unread, "why"] = frame.loc[unread, "id"].map(reasons)


def _stats_to_columns(stats: Sequence[Any]) -> dict[str, list[Any]]:
    """Stats of one metric as columns: `stat` is a number a sample, the rest by their shape."""
    first = next((each for each in stats if each is not None), None)
    if isinstance(first, (int, float)):
        return {"stat": [_to_float(each) for each in stats]}
    if not isinstance(first, list) or not first:
        return {}
    if isinstance(first[0], (int, float)) and len(first) == 6:  # S, D, I, length, rate, rated
        return {"stat": [_error_rate(each) for each in stats]}
    if isinstance(first[0], (int, float)) and len(first) == 2:
        return {
            "stat": [_to_float(each[0]) if _is_pair(each) else math.nan for each in stats],
            "truth": [_to_float(each[1]) if _is_pair(each) else math.nan for each in stats],
        }
    if len(first) in (2, 4) and all(isinstance(each, (str, type(None))) for each in first[:2]):
        return {
            "said": [each[0] if _is_labels(each) else None for each in stats],
            "true": [each[1] if _is_labels(each) else None for each in stats],
            "stat": [_correctness(each) for each in stats],
        }
    return {}


def _to_float(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else math.nan


def _is_pair(stat: Any) -> bool:
    return isinstance(stat, list) and len(stat) == 2


def _is_labels(stat: Any) -> bool:
    return isinstance(stat, list) and len(stat) in (2, 4)


def _error_rate(stat: Any) -> float:
    """Errors over the reference's length; of an empty reference, errors."""
    try:
        wrong, length = stat[0] + stat[1] + stat[2], stat[3]
        return float(wrong / (length if length > 1 else 1.0))
    except (TypeError, IndexError, ZeroDivisionError):
        return math.nan


def _correctness(stat: Any) -> float:
    if not _is_labels(stat):
        return math.nan
    return float(stat[1] == (stat[0] if len(stat) == 2 else stat[2]))


# --- how badly it went ---------------------------------------------------------------------


def badness(frame: pd.DataFrame, number: Mapping[str, Any]) -> pd.Series:
    """How badly each sample did by a metric: the higher, the worse; NaN where it says nothing."""
    name = number["metric"]
    if f"stat.{name}" not in frame:
        return pd.Series(math.nan, index=frame.index)
    value = frame[f"stat.{name}"]
    if f"truth.{name}" in frame and number["unit"] != "share":
        return (value - frame[f"truth.{name}"]).abs()
    return -value if number["higher_is_better"] else value


def sort_worst_first(frame: pd.DataFrame, number: Mapping[str, Any]) -> pd.DataFrame:
    """The samples a metric says something of, the worst first."""
    order = badness(frame, number).sort_values(ascending=False, kind="stable", na_position="last")
    return frame.loc[order.dropna().index]
