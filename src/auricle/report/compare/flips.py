"""Samples that changed between two runs: from right to wrong or back, or by the largest amount."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auricle.core.types import Record
from auricle.report.compare.loading import ComparedRun, Pairs
from auricle.report.compare.metric_rows import PairedStats
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.runs.run_directory import Run


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
    chosen = [_largest_changes(stats, limit) for stats in paired_stats]
    places = [pairs.a[stats.pairs[indices]].tolist() for stats, indices in zip(paired_stats, chosen, strict=True)]
    needed = {place for metric_places in places for place in metric_places}
    ids = {place: sample for sample, place in sides[0].index_by_id.items() if place in needed}
    records = tuple({record.sample.id: record for record in read_records(side.run, ids.values())} for side in sides)
    return {
        stats.metric.name: tuple(_build_flips(stats, indices, [ids[place] for place in metric_places], records))
        for stats, indices, metric_places in zip(paired_stats, chosen, places, strict=True)
    }


def _largest_changes(paired_stats: PairedStats, limit: int) -> list[int]:
    change = paired_stats.change
    worse = [int(at) for at in np.argsort(-change, kind="stable")[:limit] if change[at] > 0]
    return worse + [int(at) for at in np.argsort(change, kind="stable")[:limit] if change[at] < 0]


def _build_flips(
    paired_stats: PairedStats,
    indices: Sequence[int],
    ids: Sequence[str],
    records_by_side: Sequence[Mapping[str, Record]],
) -> Iterator[Flip]:
    metric = paired_stats.metric
    for sample, index in zip(ids, indices, strict=True):
        records = [records[sample] for records in records_by_side if sample in records]
        stats = [
            side[index].tolist() if isinstance(side, np.ndarray) else side[index]
            for side in (paired_stats.a, paired_stats.b)
        ]
        if len(records) < 2:
            continue
        a, b = (
            build_sample_views([record], metric, {sample: stat}, audio=False)[0]
            for record, stat in zip(records, stats, strict=True)
        )
        yield Flip(
            id=sample,
            origin=a.origin,
            became="worse" if paired_stats.change[index] > 0 else "better",
            target=a.target,
            answer_a=_answer_text(a),
            answer_b=_answer_text(b),
            score_a=a.score,
            score_b=b.score,
            stat_a=stats[0],
            stat_b=stats[1],
        )


def read_records(run: Run, ids: Iterable[str]) -> list[Record]:
    with run.open_index() as index:
        return [record for sample in ids if (record := index.get(sample))]


def _answer_text(view: SampleView) -> str:
    """Return the text of an output, or its labels with the highest scores."""
    if view.transcript:
        return " | ".join(text for who, text in view.transcript if who.startswith("Answer"))
    return view.answer or ", ".join(f"{name} {value:.3g}" for name, value in view.values)
