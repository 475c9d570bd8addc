"""A comparison as a page: the same as the terminal tells, with sounds."""

from __future__ import annotations

from auricle.report.compare import Comparison
from auricle.report.compare.flips import Flip, looks, records
from auricle.report.compare_html import render
from auricle.report.worst_samples import MOST_SHOWN, Shown


def page(found: Comparison) -> str:
    """One file that fetches nothing; its samples changed most by the first metric."""
    first = next(iter(found.flips), "")
    return render(found.document(), _changed(found, first) if first else [])


def _changed(found: Comparison, metric: str) -> list[tuple[Shown, Shown, str]]:
    """Both answers of each sample. The sound is that of the side that did worse: it went wrong."""
    chosen = found.flips[metric][:MOST_SHOWN]
    shown_a = _looks(found, metric, chosen, "a")
    shown_b = _looks(found, metric, chosen, "b")
    return [
        (shown_a[each.id], shown_b[each.id], each.became)
        for each in chosen
        if each.id in shown_a and each.id in shown_b
    ]


def _looks(found: Comparison, metric: str, chosen: tuple[Flip, ...], name: str) -> dict[str, Shown]:
    side = found.a if name == "a" else found.b
    stats = {each.id: getattr(each, f"stat_{name}") for each in chosen}
    made: dict[str, Shown] = {}
    for became in ("worse", "better"):
        ids = [each.id for each in chosen if each.became == became]
        heard = (became == "worse") == (name == "b")
        some = looks(records(side, ids), found.metrics[metric], stats, audio=heard)
        made.update({each.id: each for each in some})
    return made
