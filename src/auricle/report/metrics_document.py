"""Build `metrics.json` and the two CSV files of a run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.report.score_table import ScoreTable
from auricle.runs.metrics import FailureExample, FailureKind, Metrics, Number, OutcomeCounts

VALUE_COLUMNS = ("value", "low", "high", "interval", "worst", "best")
COUNT_COLUMNS = ("scored", "total", "coverage", "failed", "unreadable")
SUMMARY_COLUMNS = ("task", "model", "metric", *VALUE_COLUMNS, *COUNT_COLUMNS, "higher_is_better", "signature", "rtfx")
ERROR_COLUMNS = ("substitutions", "deletions", "insertions", "reference_length", "utterance_mean")
EMOTION_FIGURES = ("mean", "sd", "d", "auc")
CLASS_FIGURES = ("precision", "recall", "f1", "support")
DETAIL_COLUMNS = ("task", "model", "metric", "field", "group", *VALUE_COLUMNS, *COUNT_COLUMNS, *ERROR_COLUMNS)


def build_metrics(score_table: ScoreTable, numbers: Sequence[Number], **run_facts: Any) -> Metrics:
    """Build the content of `metrics.json`.

    Args:
        score_table: The statistics of all samples.
        numbers: The results.
        run_facts: Further fields of `Metrics`, such as the task and the model.
    """
    notes = [note for number in numbers if not number.field for note in number.details.get("notes", ())]
    return Metrics(
        **{**run_facts, "notes": tuple(dict.fromkeys([*run_facts.get("notes", ()), *notes]))},
        outcomes=OutcomeCounts.count(score_table.outcomes),
        failures=tuple(
            FailureKind(kind, count, tuple(map(FailureExample.from_record, score_table.examples[kind])))
            for kind, count in score_table.failures.most_common()
        ),
        refused=collect_refusals(score_table),
        unsuited=tuple(column.metric.name for column in score_table.columns if column.is_unsuited),
        unreadable={
            column.metric.name: dict(column.reasons.most_common()) for column in score_table.columns if column.reasons
        },
        numbers=tuple(numbers),
    )


def collect_refusals(score_table: ScoreTable) -> dict[str, str]:
    """List metrics and breakdowns that were requested but not computed, with reasons."""
    reasons = {c.metric.name: c.refusal_reason for c in score_table.columns if c.refusal_reason}
    for column in score_table.columns:
        if column.reasons and not column.indices and not column.refusal_reason:
            reason = column.reasons.most_common(1)[0][0]
            reasons[column.metric.name] = f"no answer could be scored: {reason}"
        elif column.not_applicable and not any(each.indices for each in score_table.columns):
            reasons.setdefault(column.metric.name, "it applies to none of the samples")
    if score_table.cluster and not score_table.has_clusters and score_table.total:
        reasons["cluster"] = f"no sample has the metadata field {score_table.cluster!r}; samples are resampled"
    for name in score_table.breakdown_fields:
        if name not in score_table.fields and score_table.total:
            reasons[f"by {name}"] = f"no sample has the metadata field {name!r}, or it has too many values"
    return reasons


def summary_csv(metrics: Metrics) -> bytes:
    """Return one CSV row per metric, over all samples."""
    rows = [_row(metrics, number) for number in metrics.numbers if not number.field]
    return _write_csv(SUMMARY_COLUMNS, rows)


def detail_csv(metrics: Metrics) -> bytes:
    """Return one CSV row per metric and group, and one per class."""
    rows = []
    for number in metrics.numbers:
        rows.append(_row(metrics, number))
        if not number.field:
            rows.extend(_class_rows(metrics, number))
            rows.extend(_emotion_rows(metrics, number))
    return _write_csv(DETAIL_COLUMNS, rows)


def _row(metrics: Metrics, number: Number) -> dict[str, Any]:
    coverage = number.coverage if number.total else None
    names = {"task": metrics.task.name, "model": metrics.model.name}
    columns = {name: getattr(number, name) for name in Number.__slots__}
    rtfx = metrics.speed.rtfx if metrics.speed else None
    return {**names, **columns, **number.details, "coverage": coverage, "rtfx": rtfx}


def _class_rows(metrics: Metrics, number: Number) -> list[dict[str, Any]]:
    base = {"task": metrics.task.name, "model": metrics.model.name, "field": "class"}
    return [
        {
            **base,
            "metric": f"{number.metric}.{figure}",
            "group": label,
            "value": figures[figure],
            "scored": figures["support"],
        }
        for label, figures in number.details.get("classes", {}).items()
        for figure in CLASS_FIGURES[:3]
    ]


def _emotion_rows(metrics: Metrics, number: Number) -> list[dict[str, Any]]:
    base = {"task": metrics.task.name, "model": metrics.model.name}
    return [
        {
            **base,
            "field": "emotion",
            "metric": f"{dimension}.{figure}",
            "group": label,
            "value": emotion[figure],
            "scored": emotion["n"],
        }
        for dimension, figures in number.details.get("dimensions", {}).items()
        for label, emotion in figures["emotions"].items()
        for figure in EMOTION_FIGURES
    ]


def _write_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()
