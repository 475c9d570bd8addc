"""Numbers, samples and comparisons as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.core.errors import MissingExtra
from auricle.core.types import Generation, Prediction, Record
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores

if TYPE_CHECKING:
    import pandas as pd

OMITTED_FIELDS = ("details", "plot")
"""Fields of a number that are not one value."""


def build_numbers_frame(metrics_by_run: Mapping[Path, Metrics]) -> pd.DataFrame:
    """Return one row per run, metric and group."""
    rows = []
    for path, metrics in metrics_by_run.items():
        facts = {"run": str(path), "task": metrics.task.name, "model": metrics.model.name}
        for number in metrics.numbers:
            values = {**asdict(number), "signature": str(number.signature), "coverage": number.coverage}
            rows.append({**facts, **{name: value for name, value in values.items() if name not in OMITTED_FIELDS}})
    return make_frame(rows)


def build_samples_frame(paths: Iterable[Path]) -> pd.DataFrame:
    """Return one row per run and sample, in the order of the data."""
    rows = []
    for path in paths:
        stats = {line.id: line.stats for line in read_scores(path)}
        for record in sorted(Run.load(path).records(), key=lambda record: record.row):
            scores = _prefix_names("score", stats.get(record.sample.id, {}))
            rows.append({"run": str(path), **_sample_row(record), **scores})
    return make_frame(rows)


def make_frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame; raise `MissingExtra` without pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("A data frame", "pandas") from error
    return pd.DataFrame(rows)


def _sample_row(record: Record) -> dict[str, Any]:
    sample = record.sample
    return {
        "id": sample.id,
        "target": sample.target,
        "answer": _answer(record),
        "outcome": str(record.outcome),
        "error": record.error.message if record.error else None,
        "seconds": record.seconds,
        "wait_seconds": record.wait_seconds,
        "audio_seconds": record.audio_seconds,
        **_prefix_names("meta", sample.meta),
    }


def _answer(record: Record) -> Any:
    """Return the text or the numbers of the last output."""
    last = record.outputs[-1] if record.outputs else None
    if isinstance(last, Generation):
        return last.text
    return dict(last.values) if isinstance(last, Prediction) else None


def _prefix_names(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}.{name}": value for name, value in values.items()}
