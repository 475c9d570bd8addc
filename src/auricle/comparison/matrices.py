"""The candidate's confusion matrix less the baseline's, from what two runs have published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.comparison.choosing import Document, overall
from auricle.metrics.subtraction import Matrix, Subtraction, subtract
from auricle.stats import between_shares

UNREADABLE = "(unreadable)"
MOST_RISES = 10


def subtracted(a: Document, b: Document) -> dict[str, Any] | None:
    """The difference of the runs' first matrices as plain data; None if either has none."""
    found = _matrix(a), _matrix(b)
    if found[0] is None or found[1] is None:
        return None
    return plain(subtract(found[0], found[1]))


def _matrix(document: Document) -> Matrix | None:
    for number in overall(document).values():
        if found := matrix_of(number["details"]):
            return found
    return None


def matrix_of(details: Mapping[str, Any]) -> Matrix | None:
    """The matrix among a number's details, if any; answers without a label are a column."""
    if "confusion" not in details:
        return None
    labels, counts = details["labels"], details["confusion"]
    columns = [*labels, UNREADABLE]
    if not any(row[-1] for row in counts):
        columns, counts = labels, [row[: len(labels)] for row in counts]
    return Matrix.of({"rows": labels, "columns": columns, "counts": counts})


def plain(found: Subtraction) -> dict[str, Any]:
    """The difference as JSON has it: undefined rows are null."""
    axes = {
        name: [
            {"label": each.name, "spelled_by_candidate": each.spelled, "only_in": each.only}
            for each in axis
        ]
        for name, axis in (("rows", found.rows), ("columns", found.columns))
    }
    return {
        **axes,
        "cells": [None if row is None else list(row) for row in found.cells],
        "n_baseline": list(found.n_baseline),
        "n_candidate": list(found.n_candidate),
        "diagonal": [_recall(found, at) for at in range(len(found.diagonal))],
        "mean_absolute_diagonal": found.mean_absolute_diagonal,
        "rises": [
            {"true": true, "said": said, "difference": rise}
            for true, said, rise in found.rises(MOST_RISES)
        ],
    }


def _recall(found: Subtraction, at: int) -> dict[str, Any]:
    each = found.diagonal[at]
    n_a, n_b = int(found.n_baseline[each.row]), int(found.n_candidate[each.row])
    low, high = between_shares(each.hits_baseline, n_a, each.hits_candidate, n_b)
    return {
        "label": found.rows[each.row].name,
        "row": each.row,
        "column": each.column,
        "recall_baseline": each.hits_baseline / n_a,
        "recall_candidate": each.hits_candidate / n_b,
        "difference": each.delta,
        "low": low,
        "high": high,
    }
