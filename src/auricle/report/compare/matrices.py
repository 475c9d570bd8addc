"""The candidate's confusion matrix less the baseline's, from what two runs have published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from auricle.metrics.alignment import all_shown, shown
from auricle.metrics.matrix_difference import Label, Matrix, Subtraction, meaning, subtract
from auricle.metrics.statistics import between_shares
from auricle.report.compare.comparable import Document, overall

UNREADABLE = "(unreadable)"
MOST_RISES = 10


def subtracted(a: Document, b: Document) -> dict[str, Any] | None:
    """The difference of the runs' first matrices as plain data; None if either has none."""
    numbers = _drawn(a), _drawn(b)
    if numbers[0] is None or numbers[1] is None:
        return None
    strict = any("no-synonyms" in number["signature"] for number in numbers if number)
    baseline, candidate = (matrix_of(number["details"]["matrix"]) for number in numbers if number)
    return plain(subtract(baseline, candidate, partial(meaning, synonyms=not strict)))


def _drawn(document: Document) -> Mapping[str, Any] | None:
    """The first number that a matrix stands beside."""
    return next((each for each in overall(document).values() if "matrix" in each["details"]), None)


def known_labels(document: Document) -> set[str] | None:
    """The true labels that a run's model has one for; None where there is no matrix."""
    number = _drawn(document)
    if number is None:
        return None
    matrix = number["details"]["matrix"]
    return set(matrix["rows"][: matrix["shared"]])


def matrix_of(details: Mapping[str, Any]) -> Matrix:
    """The matrix beside a number; answers that name no label are a column, if there are any."""
    columns, counts = details["columns"], details["counts"]
    silent = details.get("unreadable") or [0] * len(counts)
    if any(silent):
        columns = [*columns, UNREADABLE]
        counts = [[*row, unread] for row, unread in zip(counts, silent, strict=True)]
    return Matrix.of({"rows": details["rows"], "columns": columns, "counts": counts})


def plain(found: Subtraction) -> dict[str, Any]:
    """The difference as JSON has it: undefined rows are null."""
    return {
        "rows": _axis(found.rows),
        "columns": _axis(found.columns),
        "cells": [None if row is None else list(row) for row in found.cells],
        "n_baseline": list(found.n_baseline),
        "n_candidate": list(found.n_candidate),
        "diagonal": [_recall(found, at) for at in range(len(found.diagonal))],
        "mean_absolute_diagonal": found.mean_absolute_diagonal,
        "rises": [
            {"true": shown(true), "said": shown(said), "difference": rise}
            for true, said, rise in found.rises(MOST_RISES)
        ],
    }


def _axis(labels: Sequence[Label]) -> list[dict[str, str]]:
    names = all_shown([each.name for each in labels])
    return [
        {
            "label": each.name,
            "shown": name,
            "spelled_by_candidate": each.spelled,
            "only_in": each.only,
        }
        for each, name in zip(labels, names, strict=True)
    ]


def _recall(found: Subtraction, at: int) -> dict[str, Any]:
    each = found.diagonal[at]
    n_a, n_b = int(found.n_baseline[each.row]), int(found.n_candidate[each.row])
    low, high = between_shares(each.hits_baseline, n_a, each.hits_candidate, n_b)
    return {
        "label": shown(found.rows[each.row].name),
        "row": each.row,
        "column": each.column,
        "recall_baseline": each.hits_baseline / n_a,
        "recall_candidate": each.hits_candidate / n_b,
        "difference": each.delta,
        "low": low,
        "high": high,
    }
