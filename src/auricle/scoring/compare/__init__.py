"""Compare two runs sample by sample, or two groups of different samples.

Run A is the baseline. Samples are paired by content and reference, so that effects common to both runs cancel out.
Without common samples, the runs are compared as independent groups. What cannot be compared is listed with a reason,
and the numbers of each run by itself are always part of the comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypedDict

from auricle.core.errors import SpecError
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.result_table import ResultTable
from auricle.metrics.base import Metric, SupportsMembers
from auricle.metrics.matrix_difference import MatrixDifference
from auricle.metrics.power import Design
from auricle.runs.health import JournalHealth
from auricle.runs.metrics import Metrics, ModelFacts, Number, TaskFacts
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.task_names import name_tasks
from auricle.scoring.compare.flips import Flip, find_flips
from auricle.scoring.compare.large_runs import BUCKET_NOTE, LargeRuns, count_pairs, describe_uneven
from auricle.scoring.compare.loading import ComparedRun, check_cluster, choose_cluster, load_compared_run
from auricle.scoring.compare.metric_rows import ComparisonRow, build_rows, estimate_designs, pair_stats
from auricle.scoring.compare.metric_selection import choose_metrics, load_metrics
from auricle.scoring.compare.notes import collect_group_notes, collect_notes
from auricle.scoring.compare.own_numbers import compute_group_numbers, list_run_numbers
from auricle.scoring.compare.pairing import PairCounts, Pairs, pair_samples
from auricle.scoring.compare.predictions import (
    MatrixPair,
    ModelAgreement,
    Shift,
    compare_matrices,
    compute_shifts,
    describe_agreements,
    measure_agreements,
    shared_dimensions,
)
from auricle.scoring.compare.unpaired import (
    SampleGroup,
    Split,
    build_unpaired_rows,
    compute_unpaired_shifts,
    describe_groups,
)
from auricle.scoring.shards.stored_sums import StoredSums

__all__ = ["CompareOptions", "Comparison", "ComparisonRow", "Flip", "Shift", "Split", "compare_runs"]

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
    group: str = ""
    """The group of samples, such as `source=human`; empty for all samples of the run."""
    samples: int = 0
    """Number of samples of the run or group that were answered."""
    numbers: tuple[Number, ...] = ()
    """The numbers of the run or group by itself, over all its samples."""
    name: str = ""
    """What the samples of this side are, such as `human`; empty if that is not stated."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(ResultTable):
    """The comparison of a candidate run (B) with a baseline run (A). Undefined numbers are NaN, in JSON null."""

    shown_columns: ClassVar[tuple[str, ...]] = (
        *("metric", "field", "group", "value_a", "value_b", "difference", "low", "high", "p", "n"),
    )
    format: int = 1
    a: Side
    b: Side
    pairing: Literal["content", "id", "none"] = "content"
    """What pairs the samples of both runs; with `none`, the runs are compared as independent groups of samples."""
    pairs: PairCounts
    rows: tuple[ComparisonRow, ...]
    """Each metric over all pairs, then for each value of the requested metadata field."""
    refused: dict[str, str] = field(default_factory=dict)
    """What cannot be compared, with the reason."""
    notes: tuple[str, ...] = ()
    flips: dict[str, tuple[Flip, ...]] = field(default_factory=dict)
    """Samples that changed, by metric."""
    matrices: MatrixPair | None = None
    """The confusion matrices of A and of B, over all their samples."""
    matrix: MatrixDifference | None = None
    """Row-normalised confusion matrix of B minus that of A."""
    shifts: tuple[Shift, ...] = ()
    """Shifts of the mean of each dimension, if both models predict dimensions."""
    agreement: tuple[ModelAgreement, ...] = ()
    """Agreement between the two models, if both predict numbers."""
    designs: tuple[Design | None, ...] = ()
    """How precisely a unit of data shows the difference of each row, if requested; None of a row if not known."""

    @property
    def is_paired(self) -> bool:
        """Whether the differences are those between paired samples."""
        return self.pairing != "none"

    @property
    def is_same_model(self) -> bool:
        """Whether both runs have the same model and arguments, so that differences are those of the samples."""
        return self.a.model == self.b.model

    @property
    def task(self) -> str:
        """The tasks of both runs, with their data if only that differs, for tables; empty if both are the same."""
        names = name_tasks([self.a.task, self.b.task])
        return "" if names[0] == names[1] else " / ".join(names)

    @property
    def overall(self) -> tuple[ComparisonRow, ...]:
        return tuple(row for row in self.rows if not row.field)

    def with_names(self, a: str, b: str) -> Self:
        """Return the same comparison with names for the samples of A and of B, such as `human` and `generated`."""
        return replace(self, a=replace(self.a, name=a), b=replace(self.b, name=b))

    def list_rows(self) -> list[dict[str, Any]]:
        """Return a row per metric and group."""
        return [asdict(row) for row in self.rows]

    def describe(self) -> str:
        pairs = f"{self.pairs.count:,} pairs" if self.is_paired else "unpaired"
        refused = f"; not compared: {', '.join(self.refused)}" if self.refused else ""
        return f"B − A ({pairs}), A = {self.a.run}, B = {self.b.run}{refused}"

    @property
    def breakdown(self) -> tuple[ComparisonRow, ...]:
        """The rows for each value of the requested metadata field."""
        return tuple(row for row in self.rows if row.field)


class CompareKeywords(TypedDict, total=False):
    """Further arguments of `auricle.compare`."""

    cluster: str | None
    unpaired: bool | str | Split
    max_flips: int
    estimate_designs: bool
    names: tuple[str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """How to compare two runs."""

    by: str = ""
    """Metadata field to break the comparison down by."""
    cluster: str | None = None
    """Metadata field whose values are independent, or `none`. Default: that which both runs were scored by."""
    unpaired: bool | Split = False
    """Compare the runs as independent groups of samples, even if they have samples in common; or compare two groups of
    samples, the first of the baseline, where the runs may be the same."""
    max_flips: int = 5
    """Number of changed samples to keep in each direction, per metric."""
    estimate_designs: bool = False
    """Also estimate how precisely a unit of data shows the difference of each row."""

    @property
    def split(self) -> Split | None:
        return self.unpaired if isinstance(self.unpaired, Split) else None


def compare_runs(
    paths: tuple[Path, Path],
    results: tuple[Metrics, Metrics],
    metrics: Sequence[str] = (),
    options: CompareOptions | None = None,
) -> Comparison:
    """Compare two scored runs, the first being the baseline.

    Args:
        paths: The two run directories.
        results: Their metrics.
        metrics: Metrics to compare by; all that the runs share if none are named.
        options: How to compare them.
    """
    options = options or CompareOptions()
    signatures, refused = choose_metrics(paths, results, metrics)
    available = load_metrics(paths, signatures)
    refused |= dict.fromkeys(
        signatures.keys() - {metric.name for metric in available}, "the task no longer has this metric"
    )
    comparable = [metric for metric in available if not metric.is_model_independent]
    cluster = choose_cluster(options.cluster, results)
    sums = StoredSums.load(paths[0]), StoredSums.load(paths[1])
    if sums[0] and sums[1]:
        large = LargeRuns(results, (sums[0], sums[1]), cluster)
        return _compare_large(large, paths, comparable, refused, options)
    fields = options.by, cluster, options.split.field if options.split else ""
    with infrequent_gc():
        a, b = (load_compared_run(*side, comparable, fields) for side in zip(paths, results, strict=True))
    if options.cluster:
        check_cluster(cluster, a, b)
    comparison = _build_comparison((a, b), comparable, refused, replace(options, cluster=cluster))
    if not metrics:
        return comparison
    a_side, b_side = (
        replace(side, numbers=tuple(number for number in side.numbers if number.metric in metrics))
        for side in (comparison.a, comparison.b)
    )
    return replace(comparison, a=a_side, b=b_side)


def _compare_large(
    large: LargeRuns,
    paths: tuple[Path, Path],
    metrics: Sequence[Metric],
    refused: dict[str, str],
    options: CompareOptions,
) -> Comparison:
    """Compare two runs that do not fit into memory."""
    if options.unpaired:
        raise SpecError("Runs that do not fit into memory are compared in pairs: leave out --unpaired and --between.")
    rows, not_from_sums = large.build_rows(metrics, options.by)
    matrices, matrix = compare_matrices(*large.results)
    a, b = (
        Side(
            str(path),
            results.task,
            results.model,
            results.complete,
            results.outcomes,
            results.journal,
            samples=results.outcomes.answered,
            numbers=list_run_numbers(results),
        )
        for path, results in zip(paths, large.results, strict=True)
    )
    return Comparison(
        a=a,
        b=b,
        pairing="id",
        pairs=count_pairs(large.results),
        rows=tuple(rows),
        refused=refused | not_from_sums,
        notes=(BUCKET_NOTE, *describe_uneven(rows)),
        matrices=matrices,
        matrix=matrix,
    )


def _build_comparison(
    sides: tuple[ComparedRun, ComparedRun], metrics: Sequence[Metric], refused: dict[str, str], options: CompareOptions
) -> Comparison:
    cluster = options.cluster or ""
    pairs = None if options.split else pair_samples(*sides)
    if pairs is None or options.unpaired or not pairs.counts.shared:
        return _compare_groups(sides, metrics, refused, options, pairs.counts.shared if pairs else 0)
    if options.by:
        _check_breakdown_field(options.by, sides[0], pairs)
    matched = [pair_stats(metric, *sides, pairs) for metric in metrics]
    rows = build_rows(matched, sides, pairs, options.by, cluster)
    matrices, matrix = compare_matrices(sides[0].results, sides[1].results)
    agreement = measure_agreements(*sides, pairs)
    designs = estimate_designs(rows, matched, sides[0], pairs, cluster) if options.estimate_designs else ()
    a, b = (_describe_side(side) for side in sides)
    return Comparison(
        a=a,
        b=b,
        pairing=pairs.matched_by,
        pairs=pairs.counts,
        rows=tuple(rows),
        refused=refused | _explain_missing_matrix(sides, matrix is not None),
        notes=(*collect_notes(*sides, pairs, rows), *describe_agreements(agreement)),
        flips=find_flips(matched, sides, pairs, options.max_flips),
        matrices=matrices,
        matrix=matrix,
        shifts=() if _have_members(metrics) else tuple(compute_shifts(*sides, pairs, cluster)),
        agreement=tuple(agreement),
        designs=tuple(designs),
    )


def _compare_groups(
    sides: tuple[ComparedRun, ComparedRun],
    metrics: Sequence[Metric],
    refused: dict[str, str],
    options: CompareOptions,
    shared: int,
) -> Comparison:
    """Compare two runs, or two groups of samples, as independent samples."""
    split, by, cluster = options.split, options.by, options.cluster or ""
    field, values = (split.field, split.values) if split else ("", ("", ""))
    groups = SampleGroup.select(sides[0], field, values[0]), SampleGroup.select(sides[1], field, values[1])
    _check_group_field(by, groups)
    rows = build_unpaired_rows(metrics, groups, by, cluster)
    matrices, matrix = compare_matrices(
        sides[0].results, sides[1].results, (field, *values) if split else ("", "all", "all")
    )
    a, b = (
        _describe_group(group, metrics, field, value, cluster) if split else _describe_side(group.side)
        for group, value in zip(groups, values, strict=True)
    )
    notes = describe_groups(groups, shared, is_requested=bool(options.unpaired))
    return Comparison(
        a=a,
        b=b,
        pairing="none",
        pairs=PairCounts.none(groups[0].answered, groups[1].answered, groups[0].failed, groups[1].failed),
        rows=tuple(rows),
        refused=refused | _explain_missing_matrix(sides, matrix is not None),
        notes=(*notes, *collect_group_notes(*sides, rows)),
        matrices=matrices,
        matrix=matrix,
        shifts=() if _have_members(metrics) else tuple(compute_unpaired_shifts(groups, cluster)),
    )


def _have_members(metrics: Sequence[Metric]) -> bool:
    """Return whether samples share members, such as the speakers of trials, so that their means have no simple test."""
    return any(isinstance(metric.aggregate, SupportsMembers) for metric in metrics)


def _check_group_field(by: str, groups: tuple[SampleGroup, SampleGroup]) -> None:
    if not by:
        return
    values = groups[0].values(by) & groups[1].values(by)
    if not values:
        raise SpecError(f"The two groups have no value of the metadata field {by!r} in common.")
    _check_group_count(by, len(values))


def _check_group_count(by: str, count: int) -> None:
    if count > MAX_GROUPS:
        raise SpecError(f"The metadata field {by!r} has {count} values; at most {MAX_GROUPS} can be compared.")


def _check_breakdown_field(by: str, side: ComparedRun, pairs: Pairs) -> None:
    values = {side.fields[by][place] for place in pairs.a} - {None}
    if pairs.counts.count and not values:
        raise SpecError(f"No sample has the metadata field {by!r}. See `auricle samples {side.path} --json`.")
    _check_group_count(by, len(values))


def _explain_missing_matrix(sides: tuple[ComparedRun, ComparedRun], has_matrix: bool) -> dict[str, str]:
    """Explain why there is no confusion matrix difference, if one could be expected."""
    dimensional = [name for name, side in zip("AB", sides, strict=True) if side.dimensions]
    is_expected = any(side.results.unsuited for side in sides)  # metrics of classes that do not apply to numbers
    if has_matrix or not dimensional or not is_expected:
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
    return Side(
        str(side.path),
        results.task,
        results.model,
        results.complete,
        results.outcomes,
        results.journal,
        samples=SampleGroup.select(side).answered,
        numbers=list_run_numbers(results),
    )


def _describe_group(group: SampleGroup, metrics: Sequence[Metric], field: str, value: str, cluster: str) -> Side:
    numbers = list_run_numbers(group.side.results, field, value)
    return replace(
        _describe_side(group.side),
        group=f"{field}={value}",
        name=value,
        samples=group.answered,
        numbers=numbers or tuple(compute_group_numbers(group, metrics, cluster)),
    )
