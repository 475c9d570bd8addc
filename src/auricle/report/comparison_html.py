"""The HTML page of a comparison, in one self-contained file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from auricle.core.direction import Direction
from auricle.core.signature import MetricSignature
from auricle.metrics.base import Metric
from auricle.report import comparison_text as text
from auricle.report import difference_format, templating
from auricle.report.comparison_text import format_own_number
from auricle.report.html_format import Scale
from auricle.report.matrix_reading import describe_cells, describe_reading
from auricle.report.methods import describe_method
from auricle.report.plots import draw_confusion, draw_difference
from auricle.report.sample_view import MAX_SAMPLES, SampleView, build_sample_views, common_question
from auricle.runs.metrics import read_metrics
from auricle.runs.suites import contains_suite, read_suite_run
from auricle.scoring.compare import Comparison, ComparisonRow, Flip
from auricle.scoring.compare.metric_selection import load_metrics
from auricle.scoring.compare.own_numbers import pair_own_numbers
from auricle.scoring.refusals import group_by_reason
from auricle.scoring.suite_kinds import find_suite_kind

MAX_LABELS_SIDE_BY_SIDE = 10  # three matrices of this size fit beside each other


def render_page(comparison: Comparison) -> str:
    """Render a self-contained page with the samples that changed most in the first metric."""
    shifts = comparison.shifts
    headlines = {row.metric for row in text.select_headline_rows(comparison)}
    folded = [row for row in comparison.overall if row.metric not in headlines]
    names = {row.metric for row in folded}
    shown = [row for row in comparison.rows if row.metric not in names]
    tables = [list(rows) for _, rows in groupby(shown, key=lambda row: row.field)]
    suite_section, suite_figures = _draw_suites(comparison)
    return templating.render_page(
        "report/templates/comparison.html",
        stylesheets=("report/comparison.css",),
        comparison=comparison,
        text=text,
        shown=difference_format,
        tables=[(rows, _fit_scale(rows)) for rows in tables],
        folded=[(folded, _fit_scale(folded))] if folded else [],
        reasons=group_by_reason(comparison.refused),
        own_numbers=list(_format_own_numbers(comparison)),
        reading=describe_reading(comparison),
        cell_guide=describe_cells(comparison),
        suite_section=suite_section,
        suite_figures=suite_figures,
        matrix_plots=[*_draw_matrices(comparison)],
        is_side_by_side=is_side_by_side(comparison),
        matrix_plot=(
            draw_difference(comparison.matrix, is_compact=is_side_by_side(comparison)) if comparison.matrix else ""
        ),
        shift_tables=[(name, list(rows)) for name, rows in groupby(shifts, key=lambda shift: shift.dimension)],
        shift_scale=Scale.fit((end for shift in shifts for end in (shift.low, shift.high)), include_zero=True),
        cards=_render_changed_samples(comparison),
        methods=_describe_methods(comparison.overall),
        sample=text.name_sample(comparison),
    )


def _fit_scale(rows: Sequence[ComparisonRow]) -> Scale:
    """Return a scale for the rows in the unit of the first."""
    alike = (row for row in rows if row.unit == rows[0].unit)
    return Scale.fit((end for row in alike for end in (row.low, row.high, row.difference)), include_zero=True)


def _format_own_numbers(comparison: Comparison) -> Iterator[tuple[str, Direction, list[tuple[str, str, str]]]]:
    """Yield the title, the direction and the formatted numbers of both runs for each metric."""
    for pair in pair_own_numbers(comparison):
        number = next(number for number in pair if number)
        cells = [format_own_number(side, is_typeset=True) for side in pair]
        yield number.title or number.metric, number.direction, cells


def is_side_by_side(comparison: Comparison) -> bool:
    """Return whether both confusion matrices and their difference fit beside each other."""
    matrix = comparison.matrix
    return matrix is not None and max(len(matrix.rows), len(matrix.columns)) <= MAX_LABELS_SIDE_BY_SIDE


def _draw_matrices(comparison: Comparison) -> Iterator[tuple[str, Markup]]:
    """Yield the title and the plot of the confusion matrix of each run, if it has few enough labels."""
    if comparison.matrices is None:
        return
    for title, matrix in zip(text.name_sides(comparison), comparison.matrices, strict=True):
        if matrix.is_readable:
            yield title, draw_confusion(matrix, is_compact=is_side_by_side(comparison))


def _draw_suites(comparison: Comparison) -> tuple[str, list[Markup]]:
    """Draw the numbers of both models over each other, if both runs are suites of one kind; return their section."""
    a, b = (Path(side.run) for side in (comparison.a, comparison.b))
    if not (contains_suite(a) and contains_suite(b)):
        return "", []
    averages = {read_suite_run(folder).average for folder in (a, b)}
    kind = find_suite_kind(averages.pop()) if len(averages) == 1 else None
    return (kind.section, kind.draw_comparison((read_metrics(a), read_metrics(b)))) if kind else ("", [])


def _describe_methods(rows: Sequence[ComparisonRow]) -> str:
    """Describe how intervals and p-values were computed, naming metrics with the same method together."""
    titles: dict[str, list[str]] = {}
    for row in rows:
        titles.setdefault(row.method, []).append(row.title)
    return " ".join(f"{', '.join(names)}: {describe_method(method)}." for method, names in titles.items())


# --- samples that changed ------------------------------------------------------------------------


def _render_changed_samples(comparison: Comparison) -> Markup | str:
    """Render the samples that changed most in the first metric, with both answers."""
    row = next(iter(comparison.overall), None)
    flips = comparison.flips.get(row.metric, ())[:MAX_SAMPLES] if row else ()
    if not row or not flips:
        return ""
    paths = Path(comparison.a.run), Path(comparison.b.run)
    (metric,) = load_metrics(paths, {row.metric: MetricSignature.parse(row.signature)})
    changed = _view_changed_samples(comparison, metric, flips)
    counts = " ".join(f"{text.describe_changes(row, became)}." for became in ("worse", "better"))
    return templating.render(
        "report/templates/changed_samples.html",
        samples=changed,
        intro=f"{counts} {len(changed)} are shown.",
        language=comparison.a.task.language,
        common_question=common_question(a for a, _, _ in changed),
        plays_both=comparison.pairing == "id",
    )


def _view_changed_samples(
    comparison: Comparison, metric: Metric, flips: Sequence[Flip]
) -> list[tuple[SampleView, SampleView, str]]:
    """Pair the answers of each sample; the audio is that of the run that scored worse, or of both if they differ."""
    views: list[dict[str, SampleView]] = [{}, {}]
    for became in ("worse", "better"):
        changed = [flip for flip in flips if flip.became == became]
        for side in (0, 1):
            stats = dict((flip.id, flip.stat_a) if side == 0 else (flip.id_b, flip.stat_b) for flip in changed)
            heard = comparison.pairing == "id" or (became == "worse") == (side == 1)
            records = [flip.records[side] for flip in changed]
            shown = build_sample_views(records, metric, stats, audio=heard)
            views[side].update({view.id: view for view in shown})
    return [
        (views[0][flip.id], views[1][flip.id_b], flip.became)
        for flip in flips
        if flip.id in views[0] and flip.id_b in views[1]
    ]
