"""Compare two runs sample by sample.

Run A is the baseline. Samples are paired by id, content and reference, so that effects common to both runs cancel out.
What cannot be compared is listed with a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.core.gc_tuning import infrequent_gc
from auricle.metrics.base import Metric
from auricle.metrics.matrix_difference import MatrixDifference
from auricle.report.compare.flips import Flip, find_flips
from auricle.report.compare.loading import ComparedRun, PairCounts, Pairs, load_compared_run, pair_samples
from auricle.report.compare.metric_rows import ComparisonRow, build_rows, pair_stats
from auricle.report.compare.metric_selection import choose_metrics, load_metrics
from auricle.report.compare.notes import collect_notes
from auricle.report.compare.predictions import (
    ModelAgreement,
    Shift,
    compute_shifts,
    describe_agreements,
    measure_agreements,
    shared_dimensions,
    subtract_run_matrices,
)
from auricle.runs.health import JournalHealth
from auricle.runs.metrics import Metrics, ModelFacts, OutcomeCounts, TaskFacts

__all__ = ["Comparison", "ComparisonRow", "Flip", "Shift", "compare_runs"]

MAX_GROUPS = 1000


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    run: str
    """The run directory."""
    task: TaskFacts
    model: ModelFacts
    complete: bool
    outcomes: OutcomeCounts
    journal: JournalHealth
    """What of the run could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The comparison of a candidate run (B) with a baseline run (A). Undefined numbers are NaN, in JSON null."""

    format: int = 1
    a: Side
    b: Side
    pairs: PairCounts
    rows: tuple[ComparisonRow, ...]
    """Each metric over all pairs, then for each value of the requested metadata field."""
    refused: dict[str, str] = field(default_factory=dict)
    """What cannot be compared, with the reason."""
    notes: tuple[str, ...] = ()
    flips: dict[str, tuple[Flip, ...]] = field(default_factory=dict)
    """Samples that changed, by metric."""
    matrix: MatrixDifference | None = None
    """Row-normalised confusion matrix of B minus that of A."""
    shifts: tuple[Shift, ...] = ()
    """Shifts of the mean of each dimension, if both models predict dimensions."""
    agreement: tuple[ModelAgreement, ...] = ()
    """Agreement between the two models, if both predict numbers."""

    @property
    def overall(self) -> tuple[ComparisonRow, ...]:
        return tuple(row for row in self.rows if not row.field)

    @property
    def breakdown(self) -> tuple[ComparisonRow, ...]:
        """The rows for each value of the requested metadata field."""
        return tuple(row for row in self.rows if row.field)


def compare_runs(
    paths: tuple[Path, Path],
    results: tuple[Metrics, Metrics],
    metrics: Sequence[str] = (),
    by: str | None = None,
    *,
    max_flips: int = 5,
    html: Path | None = None,
) -> Comparison:
    """Compare two scored runs, the first being the baseline.

    Args:
        paths: The two run directories.
        results: Their metrics.
        metrics: Metrics to compare by; all that the runs share if none are named.
        by: Metadata field to break the comparison down by.
        max_flips: Number of changed samples to keep in each direction, per metric.
        html: File to write the page to.
    """
    signatures, refused = choose_metrics(paths, results, metrics)
    available = load_metrics(paths, signatures)
    refused |= dict.fromkeys(
        signatures.keys() - {metric.name for metric in available}, "the task no longer has this metric"
    )
    comparable = [metric for metric in available if not metric.is_model_independent]
    fields = (by or "", _shared_cluster(results))
    with infrequent_gc():
        a, b = (load_compared_run(*side, comparable, fields) for side in zip(paths, results, strict=True))
    comparison = _build_comparison((a, b), comparable, refused, fields, max_flips)
    if html:
        from auricle.report.compare.html import render_page

        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(render_page(comparison, comparable), encoding="utf-8")
    return comparison


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
    rows = build_rows(matched, sides, pairs, by, cluster)
    matrix = subtract_run_matrices(*(side.results for side in sides))
    agreement = measure_agreements(*sides, pairs)
    a, b = (_describe_side(side) for side in sides)
    return Comparison(
        a=a,
        b=b,
        pairs=pairs.counts,
        rows=tuple(rows),
        refused=refused | _explain_missing_matrix(sides, matrix is not None),
        notes=(*collect_notes(*sides, pairs, rows, cluster), *describe_agreements(agreement)),
        flips=find_flips(matched, sides, pairs, max_flips),
        matrix=matrix,
        shifts=tuple(compute_shifts(*sides, pairs, cluster)),
        agreement=tuple(agreement),
    )


def _shared_cluster(results: Sequence[Metrics]) -> str:
    """Return the metadata field that both runs cluster samples by, or an empty string."""
    a, b = (side.task.cluster for side in results)
    return a if a == b else ""


def _check_breakdown_field(by: str, side: ComparedRun, pairs: Pairs) -> None:
    values = {side.fields[by][place] for place in pairs.a} - {None}
    if pairs.counts.count and not values:
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


def _describe_side(side: ComparedRun) -> Side:
    results = side.results
    return Side(str(side.path), results.task, results.model, results.complete, results.outcomes, results.journal)
