"""A comparison as text for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from auricle.core.value_text import pluralise
from auricle.metrics.headlines import select_headlines
from auricle.report.difference_format import format_difference
from auricle.report.html_format import typeset_number
from auricle.report.matrix_reading import describe_reading
from auricle.report.methods import TOO_FEW, explain_few_units, format_method, mark_few_units
from auricle.report.terminal import to_one_line
from auricle.report.text_format import format_number
from auricle.report.text_table import format_table
from auricle.runs.metrics import FAMILY_FIELD, Number
from auricle.runs.task_names import name_tasks
from auricle.scoring.compare.metric_rows import find_first_test
from auricle.scoring.compare.own_numbers import OwnPair, has_other_own_numbers, pair_own_numbers
from auricle.scoring.refusals import group_by_reason

if TYPE_CHECKING:
    from auricle.metrics.intervals import Difference
    from auricle.scoring.compare import Comparison, ComparisonRow, Flip, Shift

HEADER = ("task", "metric", "group", "A", "B", "B − A", "95 % interval", "method", "p", "adjusted p", "n",
          "better", "worse")  # fmt: skip
SHIFT_HEADER = ("dimension", "label", "A", "B", "B − A", "95 % interval", "method", "p", "adjusted p",
                "Cohen's d", "n")  # fmt: skip
OWN_HEADER = ("metric", "A", "95 % interval of A", "n in A", "B", "95 % interval of B", "n in B")
MAX_ANSWER_LENGTH = 300


def format_comparison(comparison: Comparison, *, show_all: bool = True) -> Iterator[str]:
    """Format everything but the samples; without `show_all`, only the headline metrics if there are many."""
    overall = comparison.overall if show_all else select_headline_rows(comparison)
    folded = {row.metric for row in comparison.overall} - {row.metric for row in overall}
    sides = (comparison.a, comparison.b)
    for letter, side, task in zip("AB", sides, name_tasks([side.task for side in sides]), strict=True):
        name = f"  {side.group or side.name}" if side.group or side.name else ""
        yield f"{letter}  {side.run}  {task} × {side.model.name}{name}"
    yield format_pair_count(comparison)
    yield ""
    if comparison.rows:
        several = len(comparison.rows) > 1
        cells = [(comparison.task, *_row_cells(row, several)) for row in comparison.rows if row.metric not in folded]
        yield from format_table(HEADER, cells)
        if folded:
            yield f"{len(folded)} more metrics: auricle compare A B --all"
        yield from _few_units_lines(comparison.rows, comparison)
        yield ""
    yield from map(describe_row, overall)
    yield from (f"{', '.join(names)}: not compared: {why}" for names, why in group_by_reason(comparison.refused))
    yield from _own_number_lines(comparison)
    if sentences := describe_reading(comparison):
        yield from ("", "Confusions", *(f"  {sentence}" for sentence in sentences), "")
    if comparison.shifts:
        yield ""
        yield from format_table(SHIFT_HEADER, [_shift_cells(shift) for shift in comparison.shifts])
        yield from _few_units_lines(comparison.shifts, comparison)
    yield from (f"Note: {to_one_line(note, 600)}" for note in comparison.notes)


def select_headline_rows(comparison: Comparison) -> list[ComparisonRow]:
    """Return the differences over all samples that are shown unfolded, with the one on which all others depend."""
    shown = select_headlines([row.metric for row in comparison.overall])
    first = find_first_test(comparison.rows)
    return [row for row in comparison.overall if row.metric in shown or row is first]


def _own_number_lines(comparison: Comparison) -> Iterator[str]:
    """Format the numbers of each run by itself, unless the table of differences has them all."""
    pairs = list(pair_own_numbers(comparison)) if has_other_own_numbers(comparison) else []
    if not pairs:
        return
    yield ""
    yield "Each run by itself, over all its samples"
    rows = [(name_metric(pair), *(cell for number in pair for cell in format_own_number(number))) for pair in pairs]
    yield from format_table(OWN_HEADER, rows)


def format_own_number(number: Number | None, *, is_typeset: bool = False) -> tuple[str, str, str]:
    """Format a number, its interval and the number of samples; dashes if there is none."""
    if number is None:
        return "–", "–", "–"
    formatted = typeset_number if is_typeset else format_number
    low, high = (formatted(end, number.unit) for end in (number.low, number.high))
    interval = "–" if number.low is None or number.high is None else f"{low} … {high}"
    interval = TOO_FEW if number.has_too_few_units else interval
    size = f"{number.scored:,}" if number.scored == number.total else f"{number.scored:,} of {number.total:,}"
    return f"{formatted(number.value, number.unit)}{mark_few_units(number)}", interval, size


def name_metric(pair: OwnPair) -> str:
    """Return the name of a metric that at least one run has, and its direction."""
    number = next(number for number in pair if number)
    return number.direction.mark(number.metric)


def _few_units_lines(rows: Sequence[ComparisonRow | Shift], comparison: Comparison) -> list[str]:
    reason = explain_few_units(rows, sample=name_sample(comparison))
    return [reason] if reason else []


def name_sides(comparison: Comparison) -> tuple[str, str]:
    """Return the letter and, if stated, the name of each side: `A (human)`."""
    a, b = (f" ({side.name})" if side.name else "" for side in (comparison.a, comparison.b))
    return f"A{a}", f"B{b}"


def title_sides(comparison: Comparison) -> tuple[str, str]:
    """Return what distinguishes the sides in a title: the models, or the samples if the models are the same."""
    if not comparison.is_same_model:
        return comparison.a.model.name, comparison.b.model.name
    a, b = (side.name or side.group or PurePath(side.run).name for side in (comparison.a, comparison.b))
    return a, b


def name_sample(comparison: Comparison) -> str:
    """Return what a unit is without clusters."""
    return "pair" if comparison.is_paired else "sample"


def format_pair_count(comparison: Comparison) -> str:
    """Describe the number of pairs and their share of all samples, or the sizes of two independent groups."""
    if not comparison.is_paired:
        return (
            f"{comparison.a.samples:,} samples in A and {comparison.b.samples:,} in B, compared as independent groups"
        )
    count, covered = comparison.pairs.count, comparison.pairs.coverage
    share = f", {min(100 * covered, 99.9):.1f} % of all samples" if covered < 1 else ""
    return f"{count} pair{'s' * (count != 1)} answered in both{share}"


def _row_cells(row: ComparisonRow, show_adjusted: bool) -> tuple[str, ...]:
    return (
        row.direction.mark(row.metric),
        f"{row.field}={row.group}" if row.field else "all",
        *_difference_cells(row, row.unit),
        format_adjusted(row) if show_adjusted else "",
        format_size(row),
        *(("", "") if row.samples or row.field == FAMILY_FIELD else map(str, (row.better, row.worse))),
    )


def _shift_cells(shift: Shift) -> tuple[str, ...]:
    return (
        shift.dimension,
        shift.label or "all",
        *_difference_cells(shift, ""),
        format_p_value(shift.adjusted),
        format_effect_size(shift.cohens_d),
        format_size(shift),
    )


def format_size(row: ComparisonRow | Shift) -> str:
    """Format the number of pairs, or the numbers of samples of A and of B."""
    return f"{row.samples[0]:,} / {row.samples[1]:,}" if row.samples else f"{row.n:,}"


def _difference_cells(row: ComparisonRow | Shift, unit: str) -> tuple[str, ...]:
    low, high = (format_difference(end, unit) for end in (row.low, row.high))
    return (
        format_number(row.value_a, unit),
        format_number(row.value_b, unit),
        mark_difference(row, unit),
        "–" if low == "–" else f"{low} … {high}",
        format_method(row.method, row),
        format_p_value(row.p),
    )


def mark_difference(row: ComparisonRow | Shift, unit: str) -> str:
    """Format a difference with its mark, if it has few independent units."""
    return f"{format_difference(row.difference, unit)}{mark_few_units(row)}"


def format_adjusted(row: ComparisonRow) -> str:
    """Format the adjusted p-value, and whether the interval differs from it."""
    return f"{format_p_value(row.adjusted)}{' borderline' if row.is_borderline else ''}"


def mark_positions(difference: Difference) -> list[float | None]:
    """Return the low end, the value and the high end of an interval to be drawn; None if undefined."""
    ends = (difference.low, difference.difference, difference.high)
    return [None if math.isnan(end) else end for end in ends]


def format_p_value(p: float) -> str:
    if math.isnan(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def format_effect_size(d: float) -> str:
    return "–" if math.isnan(d) else f"{d:+.2f}"


def describe_row(row: ComparisonRow) -> str:
    return f"{row.metric}: {_describe_difference(row)}{_describe_bounds(row)}"


def _describe_difference(row: ComparisonRow) -> str:
    if math.isnan(row.p):
        what = "samples" if row.samples else "pairs"
        return f"too few {what} for a test." if row.n < 2 else f"undefined for these {what}."
    if row.is_significant:
        return f"{_describe_change(row)}."
    if row.is_borderline:
        return f"borderline: {_describe_change(row)}, but {_describe_disagreement(row)}."
    if not row.samples and row.is_tie:
        return f"all pairs score the same{_describe_detectable(row)}."
    return f"no significant difference{_describe_detectable(row)}."


def _describe_change(row: ComparisonRow) -> str:
    size = format_difference(row.difference, row.unit, signed=False)
    ends = ""
    if row.excludes_zero:
        sizes = sorted(abs(end) for end in (row.low, row.high))
        texts = (format_difference(end, row.unit, signed=False).removesuffix(" pp") for end in sizes)
        ends = f" ({' … '.join(texts)})"
    return f"B is {row.change} by {size}{ends}"


def _describe_disagreement(row: ComparisonRow) -> str:
    """Describe which of interval and adjusted p-value does not show the difference."""
    if row.excludes_zero:
        return f"the adjusted p is {format_p_value(row.adjusted)}"
    low, high = (format_difference(end, row.unit) for end in (row.low, row.high))
    return f"the interval includes zero ({low.removesuffix(' pp')} … {high})"


def _describe_detectable(row: ComparisonRow) -> str:
    if math.isnan(row.detectable):
        return ""
    size = format_difference(row.detectable, row.unit, signed=False)
    return f"; one of {size} or more would have been detected with 80 % power"


def _describe_bounds(row: ComparisonRow) -> str:
    left_out = f" {pluralise(row.unbounded, 'failed sample')} could not be bounded." if row.unbounded else ""
    if math.isnan(row.worst) or row.worst == row.best:
        return left_out
    ends = sorted([(row.best, "best"), (row.worst, "worst")])
    low, high = (f"{format_difference(end, row.unit)} ({extreme} for B)" for end, extreme in ends)
    others = "other " if row.unbounded else ""
    scored = f"With the {others}failed samples scored worst or best"
    return f" {scored}, the difference would be between {low} and {high}.{left_out}"


def format_samples(comparison: Comparison) -> Iterator[str]:
    """Format the samples that changed in the first metric."""
    for row in comparison.overall[:1]:
        for became in ("worse", "better"):
            flips = [flip for flip in comparison.flips.get(row.metric, ()) if flip.became == became]
            if flips:
                yield ""
                yield f"{describe_changes(row, became)}, shown {len(flips)}"
            for flip in flips:
                yield from _format_flip(flip)


def describe_changes(row: ComparisonRow, became: str) -> str:
    """Describe how samples changed, and how many."""
    heading = f"{became.capitalize()} in B by {row.metric}"
    if row.right_or_wrong:
        heading = "Right in A, wrong in B" if became == "worse" else "Wrong in A, right in B"
    return f"{heading}: {row.worse if became == 'worse' else row.better:,}"


def _format_flip(flip: Flip) -> Iterator[str]:
    yield f"  {flip.id}  {flip.origin}".rstrip()
    if flip.target is not None:
        yield f"    target  {to_one_line(flip.target, MAX_ANSWER_LENGTH)}"
    for name, score, answer in (("A", flip.score_a, flip.answer_a), ("B", flip.score_b, flip.answer_b)):
        yield f"    {name}       {f'{score}  ' if score else ''}{to_one_line(answer, MAX_ANSWER_LENGTH)}"
