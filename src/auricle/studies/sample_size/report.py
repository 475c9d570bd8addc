"""Plan a comparison of two models: how much data shows a difference, and what the data at hand can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.result_table import ResultTable
from auricle.core.value_text import pluralise
from auricle.engine.task import Task
from auricle.metrics.power import MAX_UNITS, Design
from auricle.report.text_format import format_number
from auricle.report.text_table import format_table
from auricle.studies.sample_size.basis import (
    Basis,
    DataSize,
    Pilot,
    PlanRequest,
    basis_of_assumptions,
    basis_of_pilots,
    parse_amount,
)

SHOWN_POWERS = (0.5, 0.8, 0.9, 0.95)
SHOWN_FACTORS = (0.5, 1.0, 2.0)
"""Differences in tables, relative to the planned one."""
SHOWN_CLUSTER_SIZES = (5, 10, 20, 50, 100)
FEW_UNITS = 10
"""Units below which a test relies on assumptions that the data cannot show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSize:
    """How much data shows a difference."""

    difference: float
    power: float
    units: int | None
    """Independent units, of each model if they answer different samples; None if more than a billion are needed."""
    samples: int | None
    per_cluster: float = 1.0

    @classmethod
    def compute(cls, design: Design, difference: float, power: float) -> PlannedSize:
        """Compute how many units of a design show a difference with this power."""
        units = design.count_units(difference, power)
        samples = None if units is None else math.ceil(units * design.per_cluster)
        return cls(difference=difference, power=power, units=units, samples=samples, per_cluster=design.per_cluster)


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentData:
    """What the data at hand can show."""

    samples: int
    units: int
    power: float
    """Power to detect the planned difference."""
    detectable: float
    """The smallest difference that is detected with the planned power."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SampleSizePlan(ResultTable):
    """How much data a comparison of two models needs, and what the data at hand can show."""

    format: int = 1
    task: str
    metric: str
    title: str
    """The metric's name for people."""
    unit: str
    cluster: str
    """Metadata field whose values are the independent units; empty if samples are."""
    basis: str
    """Where the variance comes from."""
    design: Design
    needed: PlannedSize
    range: tuple[int | None, int | None] | None
    """Units at the ends of the 95 % interval of the pilot's variance; None without a pilot."""
    table: tuple[PlannedSize, ...]
    """Half, once and twice the difference, each with several powers."""
    cluster_sizes: tuple[PlannedSize, ...]
    """Other numbers of samples per cluster."""
    present: PresentData | None
    notes: tuple[str, ...]

    def list_rows(self) -> list[dict[str, Any]]:
        """Return a row for each difference and power."""
        return [{**asdict(size), "unit": self.unit} for size in self.table]

    def describe(self) -> str:
        needed = "more than a billion" if self.needed.samples is None else f"{self.needed.samples:,}"
        difference = format_number(self.needed.difference, self.unit)
        return f"{needed} samples show a difference of {difference} with {self.needed.power:.0%} power"


def plan_sample_size(request: PlanRequest, pilots: Sequence[Pilot] = (), task: Task | None = None) -> SampleSizePlan:
    """Plan a comparison of two models.

    Args:
        request: What it should show, and what is assumed.
        pilots: One run, or two runs with different models, and their metrics.
        task: The task, whose rows are counted. Default: the rows of the pilots.

    Raises:
        SpecError: if there is neither a pilot nor an assumption, or the pilots cannot be used.
    """
    basis = basis_of_pilots(request, pilots) if pilots else basis_of_assumptions(request, task)
    data, field = DataSize.of_task(task, request.cluster or basis.cluster) if task else (basis.data, basis.cluster)
    cluster = basis.cluster if request.icc is None else field or request.cluster or "cluster"
    difference = parse_amount(request.difference, "difference", basis.unit, basis.value)
    if not difference > 0:
        raise SpecError(f"Invalid difference {request.difference!r}: expected one above 0.")
    design = _apply_clusters(request, basis, data) if cluster else basis.design
    needed = PlannedSize.compute(design, difference, request.power)
    powers = sorted({*SHOWN_POWERS, request.power})
    return SampleSizePlan(
        task=task.name if task else basis.task,
        metric=basis.metric,
        title=basis.title,
        unit=basis.unit,
        cluster=cluster,
        basis=basis.description,
        design=design,
        needed=needed,
        range=_pilot_range(design, needed) if pilots else None,
        table=tuple(PlannedSize.compute(design, x * difference, power) for x in SHOWN_FACTORS for power in powers),
        cluster_sizes=tuple(_vary_cluster_size(design, needed)) if cluster else (),
        present=_describe_present(design, data, needed) if data else None,
        notes=(*basis.notes, *_list_warnings(needed, cluster, field)),
    )


def _apply_clusters(request: PlanRequest, basis: Basis, data: DataSize | None) -> Design:
    """Return the design with as many samples per cluster as requested, or as the data has."""
    in_data = data.per_cluster if data and data.units < data.samples else basis.design.per_cluster
    correlation = basis.design.correlation if request.icc is None else request.icc
    return replace(basis.design, per_cluster=request.per_cluster or in_data, correlation=correlation)


def _pilot_range(design: Design, needed: PlannedSize) -> tuple[int | None, int | None]:
    low, high = (design.at_confidence_end(sign).count_units(needed.difference, needed.power) for sign in (-1, 1))
    return low, high


def _vary_cluster_size(design: Design, needed: PlannedSize) -> Iterator[PlannedSize]:
    """Yield what is needed with other numbers of samples per cluster, as far as the clusters are not too few."""
    for size in sorted({*SHOWN_CLUSTER_SIZES, design.per_cluster}):
        planned = PlannedSize.compute(replace(design, per_cluster=size), needed.difference, needed.power)
        if size == design.per_cluster or planned.units is None or planned.units >= FEW_UNITS:
            yield planned


def _describe_present(design: Design, data: DataSize, needed: PlannedSize) -> PresentData:
    if data.units < data.samples:
        design = replace(design, per_cluster=data.per_cluster)
    units = data.samples / design.per_cluster
    return PresentData(
        samples=data.samples,
        units=data.units,
        power=design.compute_power(needed.difference, units),
        detectable=design.find_detectable(units, needed.power),
    )


def _list_warnings(needed: PlannedSize, cluster: str, field: str) -> Iterator[str]:
    if field and not cluster:
        yield (
            f"Samples of the same {field} are treated as independent, because their correlation is not known. If they "
            "are alike, more data is needed: a pilot shows it, or state it with --icc."
        )
    if needed.units is not None and needed.units < FEW_UNITS:
        unit = cluster or "sample"
        yield f"A test with fewer than {FEW_UNITS} {unit}s is not reliable: use at least {FEW_UNITS}."


# --- text -------------------------------------------------------------------------------


def format_plan(plan: SampleSizePlan) -> Iterator[str]:
    """Format a plan for the terminal."""
    test = "paired" if plan.design.is_paired else "unpaired"
    name = f"{plan.task}: {plan.title}" if plan.task else plan.title
    yield f"{name}, {test} two-sided test at the level {plan.design.level:g}"
    spread = _difference(plan, math.sqrt(plan.design.variance))
    yield f"Variance: {plan.basis}"
    yield f"Standard deviation of the difference: {spread} per sample"
    yield ""
    needed = plan.needed
    target = f"a difference of {_difference(plan, needed.difference)} with {_per_cent(needed.power)} power"
    yield f"To detect {target}: {_amount(plan, needed)}."
    if plan.range:
        low, high = (_count(end) for end in plan.range)
        yield f"The pilot leaves it uncertain (95 %): {low} to {high} {_unit_name(plan)}."
    if plan.present:
        yield from _present_lines(plan, plan.present)
    yield ""
    yield from _power_table(plan)
    if plan.cluster_sizes:
        yield ""
        rows = [[f"{size.per_cluster:.4g}", _count(size.units), _count(size.samples)] for size in plan.cluster_sizes]
        yield from format_table([f"samples per {plan.cluster}", f"{plan.cluster}s needed", "samples needed"], rows)
    yield from (f"Note: {note}" for note in plan.notes)


def _present_lines(plan: SampleSizePlan, present: PresentData) -> Iterator[str]:
    clusters = f" of {pluralise(present.units, plan.cluster)}" if plan.cluster else ""
    samples = f"{pluralise(present.samples, 'sample')}{clusters}"
    yield f"There are {samples}: {_per_cent(present.power)} power for this difference."
    detectable = _difference(plan, present.detectable)
    yield f"The smallest difference that they detect with {_per_cent(plan.needed.power)} power is {detectable}."


def _power_table(plan: SampleSizePlan) -> list[str]:
    powers = sorted({size.power for size in plan.table})
    rows = [
        [_difference(plan, difference), *(_count(size.units) for size in plan.table if size.difference == difference)]
        for difference in dict.fromkeys(size.difference for size in plan.table)
    ]
    return format_table(
        [f"{_unit_name(plan)} to detect", *(f"with {_per_cent(power)} power" for power in powers)], rows
    )


def _amount(plan: SampleSizePlan, size: PlannedSize) -> str:
    each = "" if plan.design.is_paired else " for each model"
    if size.units is None:
        return f"more than {_count(None)} {_unit_name(plan)}{each}"
    if not plan.cluster:
        return f"{pluralise(size.units, 'sample')}{each}"
    samples = f"{pluralise(size.samples or 0, 'sample')}, {size.per_cluster:.4g} of each"
    return f"{pluralise(size.units, plan.cluster)}{each} ({samples}; design effect {plan.design.design_effect:.2f})"


def _per_cent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _unit_name(plan: SampleSizePlan) -> str:
    return f"{plan.cluster or 'sample'}s"


def _count(value: int | None) -> str:
    return f"{MAX_UNITS:,}" if value is None else f"{value:,}"


def _difference(plan: SampleSizePlan, value: float) -> str:
    return f"{100 * value:.2f} pp" if plan.unit == "share" and math.isfinite(value) else format_number(value, plan.unit)
