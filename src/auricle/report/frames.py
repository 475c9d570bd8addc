"""Numbers and samples as pandas data frames."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from auricle.core.calls import CallRecording
from auricle.core.result_table import make_frame
from auricle.core.types import Prediction, Record
from auricle.core.value_text import format_json_value
from auricle.metrics.confusion import predicted_label
from auricle.metrics.edit_counts import EDIT_STATISTICS, LENGTH
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import ScoreLine, read_scores
from auricle.scoring.sample_table import NOT_SCORED
from auricle.scoring.stored_stats import load_stats

if TYPE_CHECKING:
    import pandas as pd


def build_numbers_frame(metrics_by_run: Mapping[Path, Metrics]) -> pd.DataFrame:
    """Return one row per run, metric and group."""
    return make_frame(
        [{"run": str(path), **row} for path, metrics in metrics_by_run.items() for row in metrics.list_rows()]
    )


def build_samples_frame(metrics_by_run: Mapping[Path, Metrics]) -> pd.DataFrame:
    """Return one row per run and sample, in the order of the data; every cell is a text, a number or missing."""
    rows = []
    for path, metrics in metrics_by_run.items():
        lines = {line.id: line for line in read_scores(path)}
        values: dict[str, dict[str, float]] = {}
        for number in metrics.overall:
            stored = load_stats(path, number)
            for sample_id, value in stored.compute_sample_values() if stored else ():
                values.setdefault(sample_id, {})[number.metric] = value
        for record in sorted(Run.load(path).records(), key=lambda record: record.row):
            line = lines.get(record.sample.id) or NOT_SCORED
            row = {"run": str(path), **_sample_row(record, line)}
            scores = {**values.get(record.sample.id, {}), **_list_statistics(line)}
            rows.append(row | {f"score.{name}" if name in row else name: value for name, value in scores.items()})
    return make_frame(rows)


def _sample_row(record: Record, line: ScoreLine) -> dict[str, Any]:
    sample, output = record.sample, record.outputs[-1] if record.outputs else None
    text = getattr(output, "text", None)
    return {
        "id": sample.id,
        **_flatten("target", sample.target),
        "text": text or (output.understood if isinstance(output, CallRecording) else text),
        **(_flatten("output", output.values) if isinstance(output, Prediction) else {}),
        "outcome": str(line.resolve_outcome(record.outcome)),
        "error": record.error.message if record.error else next(iter(line.unreadable.values()), None),
        "seconds": record.seconds,
        "wait_seconds": record.wait_seconds,
        "audio_seconds": record.audio_seconds,
        **_flatten("meta", sample.meta),
    }


def _flatten(name: str, value: Any) -> dict[str, Any]:
    """Return a value as columns: an object has a column for each of its fields, and a list is one text."""
    if isinstance(value, Mapping):
        columns = (_flatten(f"{name}.{each}", item) for each, item in value.items())
        return {column: item for flat in columns for column, item in flat.items()}
    return {name: format_json_value(value) if isinstance(value, (list, tuple)) else value}


def _list_statistics(line: ScoreLine) -> dict[str, Any]:
    """Return the parts of statistics, by their names or else their positions, as columns."""
    columns: dict[str, Any] = {}
    for name, stat in line.stats.items():
        parts = () if not isinstance(stat, list) or {list, dict} & set(map(type, stat)) else tuple(stat)
        if len(parts) in (2, 4) and {str, NoneType} >= set(map(type, parts[:2])):
            columns |= {"predicted": predicted_label(parts), "true": parts[1]}
        elif len(parts) == len(EDIT_STATISTICS) + 2:  # the last two are for the mean over utterances
            columns |= {f"{name}.{part}": count for part, count in zip(EDIT_STATISTICS, parts, strict=False)}
            if name == "wer":
                columns |= {"errors": sum(parts[:LENGTH]), "reference_words": parts[LENGTH]}
        else:
            columns |= {f"{name}.{place}": part for place, part in enumerate(parts, 1)}
    return columns
