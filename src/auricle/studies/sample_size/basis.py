"""Where the variance of a plan comes from: one or two pilot runs, or what the user states about the data."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, TypedDict

from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.core.value_text import pluralise
from auricle.engine.task import Task
from auricle.metrics.base import Codes, Metric, Stats
from auricle.metrics.power import SIGNIFICANCE_LEVEL, Design, assume_design, estimate_design, rate_variance
from auricle.runs.metrics import Metrics
from auricle.scoring.clusters import ClusterTable
from auricle.scoring.compare.loading import ComparedRun, check_cluster, choose_cluster, load_compared_run
from auricle.scoring.compare.metric_rows import PairClusters, pair_stats
from auricle.scoring.compare.metric_selection import choose_metrics, load_metrics
from auricle.scoring.compare.pairing import pair_samples
from auricle.scoring.compare.unpaired import SampleGroup

AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(pp|%|)\s*")
MAX_PILOTS = 2

Pilot = tuple[Path, Metrics]
"""A run and its metrics."""
ClusteredStats: TypeAlias = "tuple[Stats, Codes | None]"
"""The statistics of samples, and the cluster of each."""


class PlanKeywords(TypedDict, total=False):
    """The optional fields of `PlanRequest`."""

    power: float
    level: float
    metric: str
    unpaired: bool
    cluster: str | None
    correlation: float | None
    rate: str | float | None
    words: float | None
    dispersion: float
    sd: float | None
    icc: float | None
    per_cluster: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What a comparison should show, and what is assumed about the data."""

    difference: str | float
    """A difference as `1pp` (percentage points), `5%` (of the number of the models) or in the unit of the metric."""
    power: float = 0.8
    """Probability that the difference, if it is true, is significant."""
    level: float = SIGNIFICANCE_LEVEL
    metric: str = ""
    """Name of the metric. Default: the first of the task."""
    unpaired: bool = False
    """Whether the models answer different samples."""
    cluster: str | None = None
    """Metadata field whose values are independent, or `none`. Default: that of the pilot or the task."""
    correlation: float | None = None
    """Correlation between the scores of two models on a sample, if no two pilots show it."""
    rate: str | float | None = None
    """Share of right samples or of wrong words, such as `10%`, if there is no pilot."""
    words: float | None = None
    """Mean number of reference words per sample, for an error rate."""
    dispersion: float = 1.0
    """How many times larger the variance of errors per sample is than if errors were independent."""
    sd: float | None = None
    """Standard deviation of the scores of samples, if there is no pilot."""
    icc: float | None = None
    """Correlation between two samples of a cluster, if no pilot shows it."""
    per_cluster: float | None = None
    """Samples per cluster. Default: as in the data."""

    def __post_init__(self) -> None:
        for name, is_valid, expected in (
            ("power", 0 < self.power < 1, "a number between 0 and 1"),
            ("level", 0 < self.level < 1, "a number between 0 and 1"),
            ("correlation", self.correlation is None or 0 <= self.correlation < 1, "a number from 0 to below 1"),
            ("icc", self.icc is None or 0 <= self.icc <= 1, "a number from 0 to 1"),
            ("per_cluster", self.per_cluster is None or self.per_cluster >= 1, "a number from 1"),
            ("dispersion", self.dispersion > 0, "a number above 0"),
            ("words", self.words is None or self.words > 0, "a number above 0"),
            ("sd", self.sd is None or self.sd > 0, "a number above 0"),
        ):
            if not is_valid:
                raise SpecError(f"Invalid {name} {getattr(self, name)!r}: expected {expected}.")


@dataclass(frozen=True, slots=True)
class DataSize:
    """How much data there is."""

    samples: int
    units: int
    """Number of independent units: samples, or clusters of samples."""

    @property
    def per_cluster(self) -> float:
        return self.samples / self.units if self.units else math.nan

    @classmethod
    def of_task(cls, task: Task, cluster: str | None) -> tuple[DataSize, str]:
        """Count the rows of a task, and name the metadata field that they are clustered by."""
        table = ClusterTable(cluster or task.cluster)
        count = 0
        for row in task.samples:
            if isinstance(row, Sample):
                table.add(row.meta)
                count += 1
        codes = table.codes()
        return cls(count, count if codes is None else int(codes.max()) + 1), table.field


@dataclass(frozen=True)
class Basis:
    """Where the variance of a plan comes from."""

    design: Design
    description: str
    metric: str = ""
    title: str = ""
    unit: str = "share"
    value: float = math.nan
    """The number of the models, for relative differences."""
    cluster: str = ""
    task: str = ""
    data: DataSize | None = None
    notes: tuple[str, ...] = ()


def parse_amount(value: str | float, name: str, unit: str, reference: float = math.nan) -> float:
    """Parse a number, percentage points (`1pp`) or per cent (`5%`) of a reference.

    >>> parse_amount("1pp", "difference", "share"), parse_amount("50%", "difference", "share", 0.2)
    (0.01, 0.1)
    """
    match = AMOUNT.fullmatch(str(value))
    if not match:
        raise SpecError(f"Invalid {name} {value!r}: expected a number, 1pp (percentage points) or 5%.")
    number, suffix = float(match[1]), match[2]
    if suffix == "pp":
        return number / 100
    if suffix == "%":
        if math.isnan(reference):
            raise SpecError(f"A {name} of {value} is relative to a number that is not known: give a pilot or --rate.")
        return number / 100 * abs(reference)
    if unit == "share" and number >= 1:
        raise SpecError(f"A {name} of {value} would be {100 * number:g} percentage points. Write {value}pp.")
    return number


# --- pilots -----------------------------------------------------------------------------


def basis_of_pilots(request: PlanRequest, pilots: Sequence[Pilot]) -> Basis:
    """Estimate the variance from one run, or from two runs with different models.

    Raises:
        SpecError: if the pilots cannot be used together, or show no variance.
    """
    if len(pilots) > MAX_PILOTS:
        raise SpecError(f"{len(pilots)} pilots: at most two runs can be used, one of each model.")
    if stated := [name for name in ("rate", "words", "sd", "icc") if getattr(request, name) is not None]:
        raise SpecError(f"The pilot shows the variance: leave out {', '.join(stated)}.")
    paths, results = (pilots[0][0], pilots[-1][0]), (pilots[0][1], pilots[-1][1])
    metric = _choose_metric(request.metric, paths, results)
    cluster = choose_cluster(request.cluster, results)
    sides = [load_compared_run(path, metrics, [metric], [cluster]) for path, metrics in pilots]
    if request.cluster:
        check_cluster(cluster, *sides)
    stats, unit_name = _collect_stats(request, metric, sides, cluster)
    design = estimate_design(
        stats, metric.aggregate, is_paired=not request.unpaired, model_correlation=request.correlation or 0.0
    )
    if not design.variance > 0:
        raise SpecError(
            f"The pilot does not show how much data is needed: {metric.name} does not vary between its samples. Use a "
            "larger pilot, or state the variance with --rate or --sd."
        )
    samples, codes = len(stats[0][0]), stats[0][1]
    size = DataSize(samples, samples if codes is None else int(codes.max()) + 1)
    value = next(number.value for number in results[0].overall if number.metric == metric.name)
    clustered = f" of {pluralise(size.units, 'cluster')} ({cluster})" if codes is not None else ""
    return Basis(
        replace(design, level=request.level),
        f"{' and '.join(str(path) for path, _ in pilots)}, {pluralise(samples, unit_name)}{clustered}",
        metric=metric.name,
        title=metric.title,
        unit=metric.unit,
        value=math.nan if value is None else value,
        cluster=cluster if codes is not None else "",
        task=results[0].task.name,
        data=size,
        notes=() if len(pilots) == MAX_PILOTS or request.unpaired else (_note_on_correlation(request),),
    )


def _choose_metric(requested: str, paths: tuple[Path, Path], results: tuple[Metrics, Metrics]) -> Metric:
    if not results[0].overall:
        raise SpecError(f"{paths[0]} has no metric: no sample was scored.")
    name = requested or results[0].overall[0].metric
    signatures, refused = choose_metrics(paths, results, [name])
    metrics = load_metrics(paths, signatures)
    if not metrics:
        raise SpecError(
            f"The pilots cannot be used together: {refused.get(name, 'the task no longer has this metric')}"
        )
    return metrics[0]


def _collect_stats(
    request: PlanRequest, metric: Metric, sides: Sequence[ComparedRun], cluster: str
) -> tuple[list[ClusteredStats], str]:
    """Return the statistics of each pilot with their clusters, and what they are counted in."""
    if len(sides) == MAX_PILOTS and not request.unpaired:
        pairs = pair_samples(sides[0], sides[1])
        paired = pair_stats(metric, sides[0], sides[1], pairs)
        if not len(paired.pairs):
            raise SpecError("The pilots have no sample in common. Give one of them, or plan with --unpaired.")
        codes = PairClusters.encode(sides[0], pairs, cluster).restrict(paired.pairs).codes
        return [(paired.a, codes), (paired.b, codes)], "pair"
    groups = [SampleGroup.select(side) for side in sides]
    return [(group.stats(metric), group.clusters(cluster, group.places(metric))) for group in groups], "sample"


def _note_on_correlation(request: PlanRequest) -> str:
    if request.correlation is None:
        return (
            "How alike two models err is not known: they are assumed to err independently, the worst case, which needs "
            "the most data. Runs of two models as pilots show it, or state it with --correlation."
        )
    return f"The scores of the two models on a sample are assumed to have a correlation of {request.correlation:g}."


# --- assumptions ------------------------------------------------------------------------


def basis_of_assumptions(request: PlanRequest, task: Task | None) -> Basis:
    """Compute the variance from a rate or a standard deviation that the user states.

    Raises:
        SpecError: if neither is stated.
    """
    metric = _choose_task_metric(request.metric, task) if task else None
    unit = metric.unit if metric else "share" if request.rate is not None else ""
    if (request.rate is None) == (request.sd is None):
        raise SpecError(
            "How much scores vary is not known. Give a run as --pilot, or state either a --rate such as 10% (with "
            "--words per sample for word error rates) or the standard deviation --sd of the scores of samples."
        )
    notes = [] if request.unpaired else [_note_on_correlation(request)]
    if request.sd is not None:
        value, variance = math.nan, request.sd**2
        description = f"stated standard deviation of {request.sd:g} per sample"
    else:
        value = parse_amount(request.rate or 0.0, "rate", "share", 1.0)
        if not 0 < value < 1:
            raise SpecError(f"Invalid rate {request.rate!r}: expected one between 0 and 100 %.")
        variance = rate_variance(value, request.words, request.dispersion)
        words = f" of {request.words:g} words per sample" if request.words else ""
        description = f"stated rate of {100 * value:g} %{words}"
        if request.words and request.dispersion == 1:
            notes.append(
                "Errors are assumed to be independent of each other. Recognisers often make several in one sentence "
                "and none in the next: --dispersion 2 doubles the variance, and a pilot shows it."
            )
    design = assume_design(variance, model_correlation=request.correlation or 0.0, is_paired=not request.unpaired)
    return Basis(
        replace(design, level=request.level),
        description,
        metric=metric.name if metric else "",
        title=metric.title if metric else "rate" if request.rate is not None else "score",
        unit=unit,
        value=value,
        notes=tuple(notes),
    )


def _choose_task_metric(requested: str, task: Task) -> Metric | None:
    by_name = {metric.name: metric for metric in task.metrics}
    if requested and requested not in by_name:
        raise SpecError(f"{task.name} has no metric {requested!r}. Available: {', '.join(by_name) or 'none'}.")
    return by_name[requested] if requested else next(iter(by_name.values()), None)
