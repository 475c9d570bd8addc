"""The HTML page of a comparison, in one self-contained file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from auricle.core.signature import MetricSignature
from auricle.report import templating
from auricle.report.compare import Comparison, ComparisonRow, text
from auricle.report.compare.flips import build_views, read_records
from auricle.report.compare.metric_selection import load_metrics
from auricle.report.html_format import Scale
from auricle.report.plots import draw_difference
from auricle.report.sample_view import MAX_SAMPLES, SampleView, common_question
from auricle.runs.run_directory import Run

METHODS = {
    "mcnemar-exact": "McNemar’s exact test of the pairs that changed; interval of Bonett and Price",
    "paired-bootstrap": "percentile bootstrap over pairs, the same draw for both runs",
    "paired-cluster-bootstrap": "percentile bootstrap over whole clusters of pairs, the same draw "
                                "for both runs",
    "none": "too few pairs",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowTable:
    """Differences in metrics. Those in the unit of the first share a scale."""

    rows: Sequence[ComparisonRow]

    @property
    def unit(self) -> str:
        return self.rows[0].unit

    @property
    def scale(self) -> Scale:
        alike = (row for row in self.rows if row.unit == self.unit)
        return Scale.fit((end for row in alike for end in (row.low, row.high, row.difference)), include_zero=True)


def render_page(comparison: Comparison) -> str:
    """Render a self-contained page with the samples that changed most in the first metric."""
    shifts = comparison.shifts
    return templating.render_page(
        "report/templates/comparison.html",
        comparison=comparison,
        text=text,
        tables=[RowTable(rows) for rows in (comparison.overall, comparison.breakdown) if rows],
        matrix_plot=draw_difference(comparison.matrix) if comparison.matrix else "",
        shift_tables=[(name, list(rows)) for name, rows in groupby(shifts, key=lambda shift: shift.dimension)],
        shift_scale=Scale.fit((end for shift in shifts for end in (shift.low, shift.high)), include_zero=True),
        cards=_render_changed_samples(comparison),
        methods=_describe_methods(comparison.overall),
    )


def _describe_methods(rows: Sequence[ComparisonRow]) -> str:
    """Describe how intervals and p-values were computed, naming metrics with the same method together."""
    titles: dict[str, list[str]] = {}
    for row in rows:
        titles.setdefault(row.method, []).append(row.title)
    return " ".join(f"{', '.join(names)}: {_describe_method(method)}." for method, names in titles.items())


def _describe_method(method: str) -> str:
    kind, _, rounds = method.partition(":")
    drawn = f", {int(rounds):,} draws" if rounds.isdigit() else ""
    return METHODS.get(kind, kind) + drawn


# --- samples that changed ------------------------------------------------------------------------


def _render_changed_samples(comparison: Comparison) -> Markup | str:
    """Render the samples that changed most in the first metric, with both answers."""
    for row in comparison.overall[:1]:
        changed = _view_changed_samples(comparison, row)
        if changed:
            counts = " ".join(f"{text.describe_changes(row, became)}." for became in ("worse", "better"))
            intro = f"{counts} {len(changed)} are shown."
            return templating.render(
                "report/templates/changed_samples.html",
                samples=changed,
                intro=intro,
                language=comparison.a.task.language,
                common_question=common_question(a for a, _, _ in changed),
            )
    return ""


def _view_changed_samples(comparison: Comparison, row: ComparisonRow) -> list[tuple[SampleView, SampleView, str]]:
    """Pair the answers of each sample; the audio is taken from the run that scored worse."""
    flips = comparison.flips.get(row.metric, ())[:MAX_SAMPLES]
    if not flips:
        return []
    paths = Path(comparison.a.run), Path(comparison.b.run)
    (metric,) = load_metrics(paths, {row.metric: MetricSignature.parse(row.signature)})
    views: list[dict[str, SampleView]] = [{}, {}]
    for became in ("worse", "better"):
        changed = [flip for flip in flips if flip.became == became]
        for side, path in enumerate(paths):
            stats = {flip.id: (flip.stat_a, flip.stat_b)[side] for flip in changed}
            heard = (became == "worse") == (side == 1)
            shown = build_views(read_records(Run.load(path), stats), metric, stats, audio=heard)
            views[side].update({view.id: view for view in shown})
    return [
        (views[0][flip.id], views[1][flip.id], flip.became)
        for flip in flips
        if flip.id in views[0] and flip.id in views[1]
    ]
