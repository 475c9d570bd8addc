"""The samples of a run as columns: ids, references, answers, metadata and scores, to filter and sort them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.calls import CallRecording
from auricle.core.heard_speech import join_heard
from auricle.core.serialization import JsonObject, decode_outputs
from auricle.core.types import Failure, Generation, Likelihood, Outcome, Output, determine_outcome
from auricle.core.value_text import format_group, format_json_value
from auricle.media.sound_measures import SignalMeasures
from auricle.metrics.base import Array, RatioAggregator, stats_to_matrix
from auricle.metrics.catalogue import METRICS, PROFILE_MARK
from auricle.metrics.confidence import read_confidence
from auricle.metrics.confusion import predicted_label
from auricle.runs.journal import read_latest
from auricle.runs.metrics import Number
from auricle.runs.scores import ScoreLine
from auricle.runs.sound_measures import UNKNOWN

MAX_TEXT_LENGTH = 400
"""Characters of an answer in a column."""
MAX_META_LENGTH = 100
MAX_GROUPS = 50
MAX_VALUES = 20
COLUMNS = (
    "id", "row", "target", "answer", "outcome", "reason", "seconds", "audio_seconds", "confidence", "key", "offset",
)  # fmt: skip
ROW = COLUMNS.index("row")
LABEL_COLUMNS = ("predicted_label", "true_label")
NOT_SCORED = ScoreLine("", 0)


@dataclass(frozen=True)
class SampleTable:
    """The samples of a run, in the order of the data."""

    columns: dict[str, Sequence[Any]]
    """`COLUMNS`; metadata as `meta.…`; scores as `stat.…`, `reference.…` and `silence.…`; `reading`;
    `LABEL_COLUMNS`."""
    fields: tuple[str, ...] = ()
    """Metadata fields with few enough values to filter by."""
    damaged_lines: int = 0
    is_truncated: bool = False
    """Whether the run may have more samples than the table."""


def read_sample_table(
    journal: Path, scores: Mapping[str, ScoreLine], *, max_samples: int | None = None, max_fields: int | None = None
) -> SampleTable:
    """Read the samples of a journal.

    Args:
        journal: The file.
        scores: The scores of samples, by id.
        max_samples: Number of samples after which to stop. Default: read all.
        max_fields: Number of metadata fields, and of metrics, that have a column. Default: all.
    """
    rows: list[tuple[Any, ...]] = []
    latest = read_latest(journal, partial(_add_rows, rows), max_samples)
    kept = [rows[position] for position in latest.positions.values()][:max_samples]
    samples = sorted(kept, key=itemgetter(ROW))
    *values, metas = zip(*samples, strict=True) if samples else [()] * (len(COLUMNS) + 1)
    columns: dict[str, Sequence[Any]] = dict(zip(COLUMNS, values, strict=True))
    fields = _add_meta_columns(columns, metas, max_fields)
    _add_score_columns(columns, scores, max_fields)
    return SampleTable(columns, fields, latest.damaged_lines, is_truncated=len(samples) == max_samples)


def _add_rows(rows: list[tuple[Any, ...]], offsets: Sequence[int], documents: Sequence[JsonObject]) -> None:
    rows += [_build_row(offset, document) for offset, document in zip(offsets, documents, strict=True)]


def _build_row(offset: int, document: JsonObject) -> tuple[Any, ...]:
    """Return the values of `COLUMNS` and the metadata of a record; raise an error if a field has a wrong type."""
    outputs, error, meta = decode_outputs(document["outputs"]), document["error"], document["meta"]
    seconds, audio_seconds = document["seconds"], document.get("audio_seconds")
    failure = Failure(**error) if error else None
    if not isinstance(meta, dict):
        raise TypeError("metadata are not an object")
    return (
        document["id"],
        int(document["row"]),
        truncate_text(format_json_value(document["target"])),
        truncate_text(format_answer(outputs)),
        determine_outcome(outputs, failure).value,
        truncate_text(f"{failure.kind}: {failure.message}") if failure else "",
        math.nan if seconds is None else float(seconds),
        math.nan if audio_seconds is None else float(audio_seconds),
        read_confidence(outputs),
        document["key"],
        offset,
        meta,
    )


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
    if isinstance(output, CallRecording):
        return join_heard(output) or output.understood
    if output.scale == "continuous":
        return ", ".join(f"{name} {value:.3g}" for name, value in list(output.values.items())[:MAX_VALUES])
    best, score = max(output.values.items(), key=lambda item: item[1])
    return f"{best} {score:.3g}"


def _add_meta_columns(
    columns: dict[str, Sequence[Any]], metas: Sequence[Mapping[str, Any]], max_fields: int | None
) -> tuple[str, ...]:
    """Add a column per metadata field; return the fields with few enough values to filter by."""
    names = list(dict.fromkeys(name for meta in metas for name in meta))[:max_fields]
    fields = []
    for name in names:
        values = [meta.get(name) for meta in metas]
        texts = [_format_meta(value) for value in values]
        columns[f"meta.{name}"] = texts
        is_structured = not {list, tuple, dict}.isdisjoint(map(type, values))
        if 1 < len(set(texts)) <= MAX_GROUPS and not is_structured:
            fields.append(name)
    return tuple(fields)


def _format_meta(value: Any) -> str:
    if type(value) is str and len(value) < MAX_META_LENGTH:  # the most frequent case first
        return value
    is_scalar = isinstance(value, (bool, int, float))
    return truncate_text(format_group(value) if is_scalar else format_json_value(value), MAX_META_LENGTH)


def _add_score_columns(
    columns: dict[str, Sequence[Any]], scores: Mapping[str, ScoreLine], max_fields: int | None
) -> None:
    """Add the statistics of each metric, the labels, how answers were read, and the outcomes that depend on it."""
    lines = [scores.get(sample_id) or NOT_SCORED for sample_id in columns["id"]]
    names = list(dict.fromkeys(name for line in scores.values() for name in line.stats))[:max_fields]
    added: dict[str, list[Any]] = {}
    for name in names:
        stats = [line.stats.get(name) for line in lines]
        for part, column in (_stats_to_columns(stats) or _compute_ratios(name, stats)).items():
            added.setdefault(part if part in LABEL_COLUMNS else f"{part}.{name}", column)
    columns |= added
    columns["reading"] = [line.reading for line in lines]
    columns["outcome"] = [
        line.resolve_outcome(Outcome(outcome)).value if line.unreadable else outcome
        for line, outcome in zip(lines, columns["outcome"], strict=True)
    ]
    columns["reason"] = [
        truncate_text(next(iter(line.unreadable.values()))) if line.unreadable else reason
        for line, reason in zip(lines, columns["reason"], strict=True)
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


def _compute_ratios(name: str, stats: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the number of each sample under a built-in metric that is a ratio of sums; nothing for other metrics."""
    plain_name = name.partition(PROFILE_MARK)[0]
    aggregate = METRICS.get(plain_name).aggregate if plain_name in METRICS.builtin else None
    width = next((len(stat) for stat in stats if isinstance(stat, list)), 0)
    if not isinstance(aggregate, RatioAggregator) or not width:
        return {}
    missing = [math.nan] * width
    rows = [list(map(_to_float, stat)) if isinstance(stat, list) and len(stat) == width else missing for stat in stats]
    return {"stat": aggregate.finish_each(stats_to_matrix(rows)).tolist()}


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


def build_signal_columns(measures: Mapping[str, SignalMeasures], keys: Iterable[str]) -> dict[str, list[float]]:
    """Return the measures of recordings as columns `signal.…`, for samples with these content keys."""
    rows = [measures.get(key, UNKNOWN) for key in keys]
    return {f"signal.{name}": [row[place] for row in rows] for place, name in enumerate(SignalMeasures._fields)}


# --- how bad an answer is --------------------------------------------------------------------------


def badness(columns: Mapping[str, Any], number: Number) -> Array:
    """Return how badly each sample did by a metric: higher is worse, NaN if it was not scored."""
    name = number.metric
    if f"stat.{name}" not in columns:
        return np.full(len(columns["id"]), math.nan)
    value = np.asarray(columns[f"stat.{name}"], dtype=np.float64)
    if f"reference.{name}" in columns and number.unit != "share":
        return np.abs(value - np.asarray(columns[f"reference.{name}"], dtype=np.float64))
    return np.array([number.direction.cost(stat) for stat in value.tolist()])


def has_error(columns: Mapping[str, Any], number: Number) -> Array:
    """Return 1 for each sample with any error by a metric, 0 for the others, and NaN where that is unknown."""
    size = badness(columns, number)
    if number.unit != "share" and f"reference.{number.metric}" not in columns:
        return np.full(len(size), math.nan)  # the best value is unknown
    best = -1.0 if number.unit == "share" and number.higher_is_better else 0.0
    return np.where(np.isnan(size), math.nan, size > best)
