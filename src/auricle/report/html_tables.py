"""Tables of the report: metrics, kinds of error, breakdowns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from auricle.report.html_format import Scale, collect_extents
from auricle.report.templating import render
from auricle.runs.metrics import Number

MAX_UNFOLDED_GROUPS = 12  # longer breakdowns are collapsed, with a scale of their own
MAX_BREAKDOWN_METRICS = 4  # more metrics would not fit side by side

Groups = dict[str, dict[str, Number]]


def render_metrics(numbers: Sequence[Number]) -> Markup:
    """Render every metric over all samples; metrics with the unit of the first share a scale."""
    unit = numbers[0].unit
    alike = [number for number in numbers if number.unit == unit]
    return render(
        "report/templates/metrics.html",
        numbers=numbers,
        scale=Scale.fit(collect_extents(alike), include_zero=True) if unit else None,
        error_rates=[number for number in numbers if "substitutions" in number.details],
    )


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The numbers of each value of a metadata field, by metric, with a scale for each metric."""

    field: str
    groups: Groups
    scales: dict[str, Scale]

    @property
    def is_constant(self) -> bool:
        """Whether all samples have the same value."""
        return len(self.groups) == 1

    @property
    def is_collapsed(self) -> bool:
        return len(self.groups) > MAX_UNFOLDED_GROUPS


def render_breakdowns(numbers: Sequence[Number]) -> Markup | None:
    """Render one table per metadata field: subsets first, long tables last, a line for a field with one value."""
    whole = [number for number in numbers if not number.field]
    overall = whole[:MAX_BREAKDOWN_METRICS]
    fields = _group_by_field(numbers, {number.metric for number in overall})
    if not fields:
        return None
    common = _fit_scales(overall, [groups for groups in fields.values() if len(groups) <= MAX_UNFOLDED_GROUPS])
    breakdowns = [
        Breakdown(field, groups, common if len(groups) <= MAX_UNFOLDED_GROUPS else _fit_scales(overall, [groups]))
        for field, groups in fields.items()
    ]
    breakdowns.sort(key=lambda breakdown: (breakdown.is_collapsed, breakdown.field != "subset"))
    return render(
        "report/templates/breakdowns.html",
        overall=overall,
        breakdowns=breakdowns,
        hidden_metrics=len(whole) > MAX_BREAKDOWN_METRICS,
    )


def _group_by_field(numbers: Iterable[Number], metrics: set[str]) -> dict[str, Groups]:
    fields: dict[str, Groups] = {}
    for number in numbers:
        if number.field and number.metric in metrics:
            fields.setdefault(number.field, {}).setdefault(number.group, {})[number.metric] = number
    return fields


def _fit_scales(overall: Sequence[Number], fields: Sequence[Groups]) -> dict[str, Scale]:
    """Return a scale for each metric that covers these groups and all samples."""
    members = [numbers for groups in fields for numbers in groups.values()]
    return {
        number.metric: Scale.fit(
            collect_extents([number, *(each[number.metric] for each in members if number.metric in each)])
        )
        for number in overall
    }
