"""Build `metrics.json` and the two CSV files of a run."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.core.types import Json
from auricle.report.score_table import ScoreTable
from auricle.report.summary import Number

VALUE_COLUMNS = ("value", "low", "high", "interval", "worst", "best")
COUNT_COLUMNS = ("scored", "total", "coverage", "failed", "unreadable")
SUMMARY_COLUMNS = ("task", "model", "metric", *VALUE_COLUMNS, *COUNT_COLUMNS, "higher_is_better", "signature", "rtfx")
ERROR_COLUMNS = ("substitutions", "deletions", "insertions", "reference_length", "utterance_mean")
EMOTION_FIGURES = ("mean", "sd", "d", "auc")
CLASS_FIGURES = ("precision", "recall", "f1", "support")
DETAIL_COLUMNS = ("task", "model", "metric", "field", "group", *VALUE_COLUMNS, *COUNT_COLUMNS, *ERROR_COLUMNS)


def build_document(run_facts: Mapping[str, Json], score_table: ScoreTable, numbers: Sequence[Number]) -> dict[str, Any]:
    """Build the content of `metrics.json`; the report and the CSV files are derived from it."""
    failed = len(score_table.failed)
    return {
        "format": 1,
        **run_facts,
        "outcomes": {
            "total": score_table.total,
            "answered": score_table.total - failed,
            "failed": failed,
            "empty": score_table.empty,
        },
        "failures": [
            {"kind": kind, "count": count, "examples": _examples(score_table, kind)}
            for kind, count in score_table.failures.most_common()
        ],
        "refused": collect_refusals(score_table),
        "unsuited": [c.metric.name for c in score_table.columns if c.is_unsuited],
        "unreadable": {c.metric.name: dict(c.reasons.most_common()) for c in score_table.columns if c.reasons},
        "numbers": [_to_document(number) for number in numbers],
        "notes": _notes(run_facts, numbers),
    }


def _notes(run_facts: Mapping[str, Json], numbers: Sequence[Number]) -> list[Any]:
    """Collect notes about the data and about the results over all samples."""
    given = run_facts.get("notes")
    own = [each for n in numbers if not n.field for each in n.details.get("notes", ())]
    return list(dict.fromkeys([*(given if isinstance(given, (list, tuple)) else ()), *own]))


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


def _examples(score_table: ScoreTable, kind: str) -> list[dict[str, str]]:
    return [
        {
            "id": record.sample.id,
            "origin": record.sample.origin,
            "message": record.error.message if record.error else "",
        }
        for record in score_table.examples[kind]
    ]


def _to_document(number: Number) -> dict[str, Any]:
    pairs = {name: getattr(number, name) for name in Number.__slots__}
    return {name: _replace_non_finite(value) for name, value in pairs.items()}


def _replace_non_finite(value: Any) -> Any:
    """Convert a value to JSON types; NaN and infinity become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _replace_non_finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_replace_non_finite(each) for each in value]
    return value


def summary_csv(document: Mapping[str, Any]) -> bytes:
    """Return one CSV row per metric, over all samples."""
    rows = [_row(document, number) for number in document["numbers"] if not number["field"]]
    return _write_csv(SUMMARY_COLUMNS, rows)


def detail_csv(document: Mapping[str, Any]) -> bytes:
    """Return one CSV row per metric and group, and one per class."""
    rows = []
    for number in document["numbers"]:
        rows.append(_row(document, number))
        if not number["field"]:
            rows.extend(_class_rows(document, number))
            rows.extend(_emotion_rows(document, number))
    return _write_csv(DETAIL_COLUMNS, rows)


def _row(document: Mapping[str, Any], number: Mapping[str, Any]) -> dict[str, Any]:
    coverage = number["scored"] / number["total"] if number["total"] else None
    names = {"task": document["task"]["name"], "model": document["model"]["name"]}
    speed = document.get("speed") or {}
    return {**names, **number, **number["details"], "coverage": coverage, "rtfx": speed.get("rtfx")}


def _class_rows(document: Mapping[str, Any], number: Mapping[str, Any]) -> list[dict[str, Any]]:
    base = {"task": document["task"]["name"], "model": document["model"]["name"], "field": "class"}
    return [
        {
            **base,
            "metric": f"{number['metric']}.{figure}",
            "group": label,
            "value": figures[figure],
            "scored": figures["support"],
        }
        for label, figures in number["details"].get("classes", {}).items()
        for figure in CLASS_FIGURES[:3]
    ]


def _emotion_rows(document: Mapping[str, Any], number: Mapping[str, Any]) -> list[dict[str, Any]]:
    base = {"task": document["task"]["name"], "model": document["model"]["name"]}
    return [
        {
            **base,
            "field": "emotion",
            "metric": f"{dimension}.{figure}",
            "group": label,
            "value": emotion[figure],
            "scored": emotion["n"],
        }
        for dimension, figures in number["details"].get("dimensions", {}).items()
        for label, emotion in figures["emotions"].items()
        for figure in EMOTION_FIGURES
    ]


def _write_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()
