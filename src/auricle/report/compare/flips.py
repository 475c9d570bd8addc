"""Samples that changed between two runs: from right to wrong or back, or by the largest amount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.report.compare.loading import ComparedRun, Pairs
from auricle.report.compare.metric_rows import PairedStats
from auricle.report.sample_view import MAX_SAMPLES, SampleView, build_sample_views


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample that both runs answered, with different scores."""

    id: str
    origin: str
    became: str
    """Whether B's answer is `better` or `worse` than A's."""
    target: str | None
    answer_a: str
    answer_b: str
    score_a: str
    score_b: str
    stat_a: Any
    stat_b: Any


def find_flips(
    paired_stats: Sequence[PairedStats], sides: tuple[ComparedRun, ComparedRun], pairs: Pairs, limit: int
) -> dict[str, tuple[Flip, ...]]:
    """Select, for each metric, the samples that became worse and better, largest change first."""
    chosen = {each.metric.name: _largest_changes(each, limit) for each in paired_stats}
    places = {
        name: [int(pairs.a[each.pairs[at]]) for at in chosen[name]]
        for each in paired_stats
        for name in (each.metric.name,)
    }
    ids = _ids_by_index(sides[0], {index for indices in places.values() for index in indices})
    records = [{record.sample.id: record for record in read_records(side, list(ids.values()))} for side in sides]
    return {
        each.metric.name: tuple(
            _build_flips(each, chosen[each.metric.name], [ids[at] for at in places[each.metric.name]], records)
        )
        for each in paired_stats
    }


def _largest_changes(paired_stats: PairedStats, limit: int) -> list[int]:
    import numpy as np

    change = paired_stats.change
    worse = [int(at) for at in np.argsort(-change, kind="stable")[:limit] if change[at] > 0]
    return worse + [int(at) for at in np.argsort(change, kind="stable")[:limit] if change[at] < 0]


def _build_flips(
    paired_stats: PairedStats,
    indices: Sequence[int],
    ids: Sequence[str],
    records_by_side: Sequence[Mapping[str, Record]],
) -> Iterator[Flip]:
    stats = [
        {sample: _to_python(side[at]) for sample, at in zip(ids, indices, strict=True)}
        for side in (paired_stats.a, paired_stats.b)
    ]
    seen = [
        {
            look.id: look
            for look in build_views(
                [side[sample] for sample in ids if sample in side], paired_stats.metric, own, audio=False
            )
        }
        for side, own in zip(records_by_side, stats, strict=True)
    ]
    for sample, at in zip(ids, indices, strict=True):
        if sample in seen[0] and sample in seen[1]:
            became = "worse" if paired_stats.change[at] > 0 else "better"
            yield _build_flip(sample, became, seen, stats)


def _ids_by_index(side: ComparedRun, indices: set[int]) -> dict[int, str]:
    return {place: sample for sample, place in side.index_by_id.items() if place in indices}


def _to_python(stat: Any) -> Any:
    return stat.tolist() if hasattr(stat, "tolist") else stat


def read_records(side: ComparedRun, ids: Sequence[str]) -> list[Record]:
    """Read these samples from the journal."""
    with side.run.open_index() as index:
        return [record for sample in ids if (record := index.get(sample))]


def build_views(
    records: Sequence[Record], metric: Metric, stats: Mapping[str, Any], *, audio: bool
) -> list[SampleView]:
    """Return what to show of each record, with audio for as many as fit on a page."""
    if audio:
        return build_sample_views(records, metric, stats)
    return [
        each
        for start in range(0, len(records), MAX_SAMPLES)
        for each in build_sample_views(records[start : start + MAX_SAMPLES], metric, stats, audio=False)
    ]


def _build_flip(
    sample: str, became: str, views: Sequence[Mapping[str, SampleView]], stats: Sequence[Mapping[str, Any]]
) -> Flip:
    a, b = (side[sample] for side in views)
    return Flip(
        id=sample,
        origin=a.origin,
        became=became,
        target=a.target,
        answer_a=_answer_text(a),
        answer_b=_answer_text(b),
        score_a=a.score,
        score_b=b.score,
        stat_a=stats[0][sample],
        stat_b=stats[1][sample],
    )


def _answer_text(view: SampleView) -> str:
    """Return the text of an output, or its labels with the highest scores."""
    if view.transcript:
        return " | ".join(text for who, text in view.transcript if who.startswith("Answer"))
    return view.answer or ", ".join(f"{name} {value:.3g}" for name, value in view.values)
