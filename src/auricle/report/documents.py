"""The derived files of a run: metrics.json, two CSVs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.core.types import Json
from auricle.report.score import Scoreboard
from auricle.report.summarise import Number

VALUE = ("value", "low", "high", "interval", "worst", "best")
COUNTS = ("scored", "total", "coverage", "failed", "unreadable")
SUMMARY = ("task", "model", "metric", *VALUE, *COUNTS, "higher_is_better", "signature", "rtfx")
ERRORS = ("substitutions", "deletions", "insertions", "reference_length", "utterance_mean")
EMOTION = ("mean", "sd", "d", "auc")
CLASS = ("precision", "recall", "f1", "support")
DETAIL = ("task", "model", "metric", "field", "group", *VALUE, *COUNTS, *ERRORS)


def document(
    about: Mapping[str, Json], board: Scoreboard, numbers: Sequence[Number]
) -> dict[str, Any]:
    """Everything `metrics.json` says; the report and the CSVs are made from it."""
    failed = len(board.failed)
    return {
        "format": 1,
        **about,
        "outcomes": {
            "total": board.total,
            "answered": board.total - failed,
            "failed": failed,
            "empty": board.empty,
        },
        "failures": [
            {"kind": kind, "count": count, "examples": _examples(board, kind)}
            for kind, count in board.failures.most_common()
        ],
        "refused": refused(board),
        "unsuited": [c.metric.name for c in board.columns if c.unsuited],
        "unreadable": {
            c.metric.name: dict(c.reasons.most_common()) for c in board.columns if c.reasons
        },
        "numbers": [_plain(number) for number in numbers],
        "notes": _notes(about, numbers),
    }


def _notes(about: Mapping[str, Json], numbers: Sequence[Number]) -> list[Any]:
    """What is odd about the data, and what the numbers over all samples have to add."""
    given = about.get("notes")
    own = [each for n in numbers if not n.field for each in n.details.get("notes", ())]
    return list(dict.fromkeys([*(given if isinstance(given, (list, tuple)) else ()), *own]))


def refused(board: Scoreboard) -> dict[str, str]:
    """What was asked for and is not among the numbers, and why."""
    found = {c.metric.name: c.refused for c in board.columns if c.refused}
    for column in board.columns:
        if column.reasons and not column.places and not column.refused:
            reason = column.reasons.most_common(1)[0][0]
            found[column.metric.name] = f"no answer could be scored: {reason}"
        elif column.others and not any(each.places for each in board.columns):
            found.setdefault(column.metric.name, "none of the samples is told anything by it")
    if board.cluster and not board.clustered and board.total:
        found["cluster"] = f"no sample has the meta field {board.cluster!r}; samples are resampled"
    for name in board.by:
        if name not in board.fields and board.total:
            found[f"by {name}"] = (
                f"no sample has the meta field {name!r}, or it has too many values"
            )
    return found


def _examples(board: Scoreboard, kind: str) -> list[dict[str, str]]:
    return [
        {
            "id": record.sample.id,
            "origin": record.sample.origin,
            "message": record.error.message if record.error else "",
        }
        for record in board.examples[kind]
    ]


def _plain(number: Number) -> dict[str, Any]:
    pairs = {name: getattr(number, name) for name in Number.__slots__}
    return {name: _finite(value) for name, value in pairs.items()}


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: what is undefined is null, never zero."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return value


def summary_csv(document: Mapping[str, Any]) -> bytes:
    """One row a metric, over all samples."""
    rows = [_row(document, number) for number in document["numbers"] if not number["field"]]
    return _csv(SUMMARY, rows)


def detail_csv(document: Mapping[str, Any]) -> bytes:
    """One row a metric and group, and one for each class where there are classes."""
    rows = []
    for number in document["numbers"]:
        rows.append(_row(document, number))
        if not number["field"]:
            rows.extend(_class_rows(document, number))
            rows.extend(_emotion_rows(document, number))
    return _csv(DETAIL, rows)


def _row(document: Mapping[str, Any], number: Mapping[str, Any]) -> dict[str, Any]:
    coverage = number["scored"] / number["total"] if number["total"] else None
    names = {"task": document["task"]["name"], "model": document["model"]["name"]}
    speed = document.get("speed") or {}
    return {
        **names,
        **number,
        **number["details"],
        "coverage": coverage,
        "rtfx": speed.get("rtfx"),
    }


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
        for figure in CLASS[:3]
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
        for figure in EMOTION
    ]


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()
