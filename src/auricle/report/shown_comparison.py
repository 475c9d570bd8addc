"""A comparison as people see it: with the texts of the samples that changed, and as a page."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from auricle.core.types import Record
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.scoring.compare import Comparison, Flip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ShownComparison(Comparison):
    """A comparison whose flips have texts, and which can be written as a page."""

    @classmethod
    def of(cls, comparison: Comparison) -> ShownComparison:
        """Add the texts of the samples that changed."""
        values = {field.name: getattr(comparison, field.name) for field in fields(comparison)}
        flips = {metric: tuple(map(_add_texts, flips)) for metric, flips in comparison.flips.items()}
        return cls(**{**values, "flips": flips})

    def write_html(self, path: Path) -> None:
        """Write the comparison as a page, with the samples that changed most."""
        from auricle.report.comparison_html import render_page

        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render_page(self), encoding="utf-8")


def _add_texts(flip: Flip) -> Flip:
    a, b = (_view(flip, record, stat) for record, stat in zip(flip.records, (flip.stat_a, flip.stat_b), strict=True))
    return replace(
        flip,
        origin=a.origin,
        target=a.target,
        answer_a=_answer_text(a),
        answer_b=_answer_text(b),
        score_a=a.score,
        score_b=b.score,
        metric=None,
    )


def _view(flip: Flip, record: Record, stat: object) -> SampleView:
    return build_sample_views([record], flip.metric, {record.sample.id: stat}, audio=False)[0]


def _answer_text(view: SampleView) -> str:
    """Return the text of an output, or its labels with the highest scores."""
    if view.transcript:
        return " | ".join(text for who, text in view.transcript if who.startswith("Answer"))
    return view.answer or ", ".join(f"{name} {value:.3g}" for name, value in view.values)
