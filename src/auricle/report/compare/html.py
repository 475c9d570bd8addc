"""The HTML page of a comparison, in one self-contained file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from auricle.core.signature import MetricSignature
from auricle.metrics.base import Metric
from auricle.report import templating
from auricle.report.compare import Comparison, ComparisonRow, Flip, text
from auricle.report.compare.flips import read_records
from auricle.report.compare.metric_selection import load_metrics
from auricle.report.html_format import Scale
from auricle.report.methods import describe_method
from auricle.report.plots import draw_difference
from auricle.report.sample_view import MAX_SAMPLES, SampleView, build_sample_views, common_question
from auricle.runs.run_directory import Run


def render_page(comparison: Comparison) -> str:
    """Render a self-contained page with the samples that changed most in the first metric."""
    shifts = comparison.shifts
    return templating.render_page(
        "report/templates/comparison.html",
        stylesheets=("report/comparison.css",),
        comparison=comparison,
        text=text,
        tables=[(rows, _fit_scale(rows)) for rows in _group_by_field(comparison.rows)],
        matrix_plot=draw_difference(comparison.matrix) if comparison.matrix else "",
        shift_tables=[(name, list(rows)) for name, rows in groupby(shifts, key=lambda shift: shift.dimension)],
        shift_scale=Scale.fit((end for shift in shifts for end in (shift.low, shift.high)), include_zero=True),
        cards=_render_changed_samples(comparison),
        methods=_describe_methods(comparison.overall),
        sample=text.name_sample(comparison),
    )


def _group_by_field(rows: Sequence[ComparisonRow]) -> list[list[ComparisonRow]]:
    """Return the rows of each table: over all pairs, then for each metadata field."""
    return [list(table) for _, table in groupby(rows, key=lambda row: row.field)]


def _fit_scale(rows: Sequence[ComparisonRow]) -> Scale:
    """Return a scale for the rows in the unit of the first."""
    alike = (row for row in rows if row.unit == rows[0].unit)
    return Scale.fit((end for row in alike for end in (row.low, row.high, row.difference)), include_zero=True)


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
    )


def _view_changed_samples(
    comparison: Comparison, metric: Metric, flips: Sequence[Flip]
) -> list[tuple[SampleView, SampleView, str]]:
    """Pair the answers of each sample; the audio is taken from the run that scored worse."""
    views: list[dict[str, SampleView]] = [{}, {}]
    for became in ("worse", "better"):
        changed = [flip for flip in flips if flip.became == became]
        for side, path in enumerate((comparison.a.run, comparison.b.run)):
            stats = dict((flip.id, flip.stat_a) if side == 0 else (flip.id_b, flip.stat_b) for flip in changed)
            heard = (became == "worse") == (side == 1)
            records = read_records(Run.load(Path(path)), stats)
            shown = build_sample_views(records, metric, stats, audio=heard)
            views[side].update({view.id: view for view in shown})
    return [
        (views[0][flip.id], views[1][flip.id_b], flip.became)
        for flip in flips
        if flip.id in views[0] and flip.id_b in views[1]
    ]
