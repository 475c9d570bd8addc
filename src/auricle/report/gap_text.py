"""Gaps between groups of samples, for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auricle.core.result_table import format_number
from auricle.metrics.group_gaps import MIN_CLUSTERS, MIN_SAMPLES
from auricle.report.comparison_text import format_p_value
from auricle.report.difference_format import format_difference, typeset
from auricle.report.html_format import format_count, typeset_number
from auricle.report.methods import format_method
from auricle.report.text_table import format_table
from auricle.scoring.gaps import Gap

TABLE_HEADER = (
    *("group", "n", "value", "others", "difference", "95 % interval", "method", "adjusted p", "detectable"),
)


def format_gaps(gaps: Sequence[Gap]) -> list[str]:
    """Format gaps as a table for the terminal, with the significant ones in a sentence below it."""
    if not gaps:
        return ["No groups to compare: no metadata field has 2 to 20 values."]
    table = format_table(TABLE_HEADER, [_format_cells(gap) for gap in gaps])
    title = f"{gaps[0].title} ({gaps[0].direction.phrase}) of each group, and of all others"
    return [title, *table, "", *describe_gaps(gaps)]


def describe_gaps(gaps: Sequence[Gap]) -> list[str]:
    """Describe which groups differ from the others."""
    tests = sum(not math.isnan(gap.p) for gap in gaps)
    lines = [
        f"{gap.field}={gap.group} is {gap.direction.compare(gap.value, gap.others)} than the others by "
        f"{format_difference(gap.difference, gap.unit, signed=False)} (adjusted p {format_p_value(gap.adjusted)})."
        for gap in gaps
        if gap.is_significant
    ]
    if not lines and tests:
        lines = ["No group differs significantly from the others."]
    if tests < len(gaps):
        lines.append(
            f"–: too few for a test, which needs {MIN_SAMPLES} samples, of {MIN_CLUSTERS} clusters such as speakers if "
            "samples are clustered, in the group and in the others."
        )
    return lines


def _format_cells(gap: Gap) -> tuple[str, ...]:
    is_tested = not math.isnan(gap.p)
    low, high = (format_difference(end, gap.unit) for end in (gap.low, gap.high))
    return (
        f"{gap.field}={gap.group}",
        f"{gap.n:,}",
        format_number(gap.value, gap.unit),
        format_number(gap.others, gap.unit),
        f"{format_difference(gap.difference, gap.unit)}{'*' * gap.is_significant}",
        f"{low} … {high}" if is_tested else "–",
        format_method(gap.method, gap) if is_tested else "",
        format_p_value(gap.adjusted),
        format_difference(gap.detectable, gap.unit, signed=False),
    )


def typeset_gap(gap: Gap) -> list[str]:
    """Return the columns of a table on a page: samples, values, difference, interval, p and detectable gap."""
    low, high = (format_difference(end, gap.unit) for end in (gap.low, gap.high))
    mark = "*" * gap.is_significant
    return [
        format_count(gap.n),
        typeset_number(gap.value, gap.unit),
        typeset_number(gap.others, gap.unit),
        typeset(f"{format_difference(gap.difference, gap.unit)}{mark}"),
        "–" if math.isnan(gap.low) else typeset(f"{low.removesuffix(' pp')} … {high}"),
        format_p_value(gap.adjusted),
        typeset(format_difference(gap.detectable, gap.unit, signed=False)),
    ]
