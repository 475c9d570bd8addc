"""Write a comparison as an HTML page with audio."""

from __future__ import annotations

from auricle.report.compare import Comparison
from auricle.report.compare.flips import Flip, build_views, read_records
from auricle.report.compare.html import render_comparison
from auricle.report.sample_view import MAX_SAMPLES, SampleView


def render_page(comparison: Comparison) -> str:
    """Render a self-contained page with the samples that changed most in the first metric."""
    first = next(iter(comparison.flips), "")
    return render_comparison(comparison.document(), _changed_samples(comparison, first) if first else [])


def _changed_samples(comparison: Comparison, metric: str) -> list[tuple[SampleView, SampleView, str]]:
    """Pair the answers of each sample; the audio is taken from the run that scored worse."""
    chosen = comparison.flips[metric][:MAX_SAMPLES]
    shown_a = _views_by_id(comparison, metric, chosen, "a")
    shown_b = _views_by_id(comparison, metric, chosen, "b")
    return [
        (shown_a[each.id], shown_b[each.id], each.became)
        for each in chosen
        if each.id in shown_a and each.id in shown_b
    ]


def _views_by_id(comparison: Comparison, metric: str, flips: tuple[Flip, ...], side_name: str) -> dict[str, SampleView]:
    side = comparison.a if side_name == "a" else comparison.b
    stats = {each.id: getattr(each, f"stat_{side_name}") for each in flips}
    made: dict[str, SampleView] = {}
    for became in ("worse", "better"):
        ids = [each.id for each in flips if each.became == became]
        heard = (became == "worse") == (side_name == "b")
        some = build_views(read_records(side, ids), comparison.metrics[metric], stats, audio=heard)
        made.update({each.id: each for each in some})
    return made
