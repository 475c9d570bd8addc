"""Compare two runs sample by sample.

Run A is the baseline. Samples are paired by id, content and reference, so that effects common to both runs cancel out.
What cannot be compared is listed with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.gc_tuning import infrequent_gc
from auricle.metrics.base import Metric
from auricle.metrics.model_agreement import ModelAgreement
from auricle.report.compare.agreement import describe_agreements, measure_agreements
from auricle.report.compare.flips import Flip, find_flips
from auricle.report.compare.loading import ComparedRun, Pairs, load_compared_run, pair_samples
from auricle.report.compare.matrices import subtract_run_matrices
from auricle.report.compare.metric_rows import ComparisonRow, build_rows, pair_stats
from auricle.report.compare.metric_selection import ParsedSignature, choose_metrics, load_metrics, overall_numbers
from auricle.report.compare.notes import collect_notes
from auricle.report.compare.shifts import Shift, compute_shifts, shared_dimensions

__all__ = ["Comparison", "ComparisonRow", "Flip", "Shift", "compare"]

MAX_GROUPS = 1000


@dataclass(frozen=True)
class Comparison:
    """The comparison of a candidate run (B) with a baseline run (A)."""

    a: ComparedRun
    b: ComparedRun
    pairs: Pairs
    rows: tuple[ComparisonRow, ...]
    """Each metric over all pairs, then for each value of the requested metadata field."""
    refused: Mapping[str, str]
    """What cannot be compared, with the reason."""
    notes: tuple[str, ...]
    flips: Mapping[str, tuple[Flip, ...]]
    right_or_wrong: frozenset[str]
    """Metrics that count a sample as either right or wrong."""
    matrix: Mapping[str, Any] | None
    """Row-normalised confusion matrix of B minus that of A."""
    shifts: tuple[Shift, ...]
    """Shifts of the mean of each dimension, if both models predict dimensions."""
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    agreement: tuple[ModelAgreement, ...] = ()
    """Agreement between the two models, if both predict numbers."""

    def document(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON, the HTML page and the app."""
        document: dict[str, Any] = to_json_value(
            {
                "format": 1,
                "a": _describe_side(self.a),
                "b": _describe_side(self.b),
                "pairs": {
                    "count": self.pairs.count,
                    "only_a": self.pairs.only_a,
                    "only_b": self.pairs.only_b,
                    "changed": self.pairs.changed,
                    "corrected": self.pairs.corrected,
                    "failed_a": self.pairs.failed_a,
                    "failed_b": self.pairs.failed_b,
                    "coverage": _coverage(self.pairs),
                },
                "rows": [self._row_document(row) for row in self.rows],
                "refused": dict(self.refused),
                "notes": list(self.notes),
                "flips": {name: [asdict(each) for each in flips] for name, flips in self.flips.items()},
                "matrix": self.matrix,
                "shifts": [_shift_document(each) for each in self.shifts],
                "agreement": [asdict(each) for each in self.agreement],
            }
        )
        return document

    def _row_document(self, row: ComparisonRow) -> dict[str, Any]:
        document = asdict(row)
        document.update(document.pop("test"))
        return {**document, "right_or_wrong": row.metric in self.right_or_wrong}


def compare_runs(
    paths: tuple[Path, Path],
    documents: tuple[Mapping[str, Any], Mapping[str, Any]],
    metrics: Sequence[str] = (),
    by: str | None = None,
    *,
    max_flips: int = 5,
) -> Comparison:
    """Compare two scored runs, the first being the baseline.

    Args:
        paths: The two run directories.
        documents: What `metrics.json` of each contains.
        metrics: Metrics to compare by; all that the runs share if none are named.
        by: Metadata field to break the comparison down by.
        max_flips: Number of changed samples to keep in each direction, per metric.
    """
    names, refused = choose_metrics(paths, documents, metrics)
    signed = {name: ParsedSignature.parse(overall_numbers(documents[0])[name]["signature"]).metric for name in names}
    comparable_metrics = load_metrics(paths, signed)
    for name in set(signed) - {metric.name for metric in comparable_metrics}:
        refused[name] = "the task no longer has this metric"
    comparable_metrics = [metric for metric in comparable_metrics if not metric.is_model_independent]
    cluster = _shared_cluster(documents)
    with infrequent_gc():
        sides = tuple(
            load_compared_run(path, document, comparable_metrics, [by or "", cluster])
            for path, document in zip(paths, documents, strict=True)
        )
    return _build_comparison((sides[0], sides[1]), comparable_metrics, refused, (by or "", cluster), max_flips)


def _build_comparison(
    sides: tuple[ComparedRun, ComparedRun],
    metrics: Sequence[Metric],
    refused: dict[str, str],
    fields: tuple[str, str],
    max_flips: int,
) -> Comparison:
    by, cluster = fields
    pairs = pair_samples(*sides)
    if by:
        _check_breakdown_field(by, sides[0], pairs)
    matched = [pair_stats(metric, *sides, pairs) for metric in metrics]
    made = build_rows(matched, sides, pairs, by, cluster)
    matrix = subtract_run_matrices(sides[0].document, sides[1].document)
    refused.update(_explain_missing_matrix(sides, matrix is not None))
    agreed = measure_agreements(*sides, pairs)
    return Comparison(
        *sides,
        pairs,
        tuple(made),
        refused,
        (*collect_notes(*sides, pairs, made, cluster), *describe_agreements(agreed)),
        find_flips(matched, sides, pairs, max_flips),
        frozenset(each.metric.name for each in matched if each.is_right_or_wrong),
        matrix,
        tuple(compute_shifts(*sides, pairs, cluster)),
        {metric.name: metric for metric in metrics},
        tuple(agreed),
    )


def _shared_cluster(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return the metadata field that both runs cluster samples by, or an empty string."""
    named = {document["task"].get("cluster") or "" for document in documents}
    return str(named.pop()) if len(named) == 1 else ""


def _check_breakdown_field(by: str, side: ComparedRun, pairs: Pairs) -> None:
    values = {side.fields[by][place] for place in pairs.a} - {None}
    if pairs.count and not values:
        raise SpecError(f"No sample has the metadata field {by!r}. See `auricle samples {side.path} --json`.")
    if len(values) > MAX_GROUPS:
        raise SpecError(f"The metadata field {by!r} has {len(values)} values; at most {MAX_GROUPS} can be compared.")


def _explain_missing_matrix(sides: tuple[ComparedRun, ComparedRun], has_matrix: bool) -> dict[str, str]:
    """Explain why there is no confusion matrix difference, if one could be expected."""
    dimensional = [name for name, side in zip("AB", sides, strict=True) if side.dimensions]
    if has_matrix or not dimensional:
        return {}
    if len(dimensional) == 1:
        return {
            "confusion matrix": f"{dimensional[0]} predicts dimensions and the other run does not: "
            "they have neither classes nor dimensions in common."
        }
    names = shared_dimensions(*sides)
    instead = f"see the shifts of their means instead: {', '.join(names)}"
    return {
        "confusion matrix": "both runs predict dimensions, which have no classes; "
        + (instead if names else "they have no dimension in common")
        + "."
    }


def _describe_side(side: ComparedRun) -> dict[str, Any]:
    document = side.document
    return {
        "run": str(side.path),
        "task": document["task"],
        "model": document["model"],
        "complete": document.get("complete", True),
        "outcomes": document["outcomes"],
    }


def _shift_document(shift: Shift) -> dict[str, Any]:
    document = asdict(shift)
    document.update(document.pop("test"))
    return {**document, "d": shift.cohens_d}


def _coverage(pairs: Pairs) -> float:
    """Return the share of all samples that are paired."""
    rest = pairs.only_a + pairs.only_b + pairs.changed + pairs.corrected + len(pairs.failed_pairs)
    return pairs.count / (pairs.count + rest) if pairs.count + rest else math.nan


def to_json_value(value: Any) -> Any:
    """Convert a value to JSON types; NaN and infinity become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: to_json_value(each) for name, each in value.items()}
    return [to_json_value(each) for each in value] if isinstance(value, (list, tuple)) else value
