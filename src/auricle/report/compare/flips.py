"""Samples that changed between two runs: from right to wrong or back, or by the largest amount."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auricle.core.types import Record
from auricle.metrics.base import Codes
from auricle.report.compare.loading import ComparedRun, Pairs
from auricle.report.compare.metric_rows import PairedStats
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.runs.run_directory import Run


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample that both runs answered, with different scores."""

    id: str
    id_b: str
    """Id in B, where the same content may have another id."""
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
    ids = [_find_ids(sides, pairs, stats.pairs[indices]) for stats, indices in zip(paired_stats, chosen, strict=True)]
    records = tuple(
        {
            record.sample.id: record
            for record in read_records(side.run, {pair[index] for id_pairs in ids for pair in id_pairs})
        }
        for index, side in enumerate(sides)
    )
    return {
        stats.metric.name: tuple(_build_flips(stats, indices, id_pairs, records))
        for stats, indices, id_pairs in zip(paired_stats, chosen, ids, strict=True)
    }


def _find_ids(sides: tuple[ComparedRun, ComparedRun], pairs: Pairs, which: Codes) -> list[tuple[str, str]]:
    """Return the ids of some pairs in A and in B."""
    places = pairs.a[which].tolist(), pairs.b[which].tolist()
    names = (
        {place: sample for sample, place in side.index_by_id.items() if place in needed}
        for side, needed in zip(sides, map(set, places), strict=True)
    )
    ids = ([by_place[place] for place in ordered] for by_place, ordered in zip(names, places, strict=True))
    return list(zip(*ids, strict=True))


def _largest_changes(paired_stats: PairedStats, limit: int) -> list[int]:
    change = paired_stats.change
    worse = [int(at) for at in np.argsort(-change, kind="stable")[:limit] if change[at] > 0]
    return worse + [int(at) for at in np.argsort(change, kind="stable")[:limit] if change[at] < 0]


def _build_flips(
    paired_stats: PairedStats,
    indices: Sequence[int],
    id_pairs: Sequence[tuple[str, str]],
    records_by_side: Sequence[Mapping[str, Record]],
) -> Iterator[Flip]:
    metric = paired_stats.metric
    for id_pair, index in zip(id_pairs, indices, strict=True):
        records = [by_id[name] for name, by_id in zip(id_pair, records_by_side, strict=True) if name in by_id]
        stats = [
            side[index].tolist() if isinstance(side, np.ndarray) else side[index]
            for side in (paired_stats.a, paired_stats.b)
        ]
        if len(records) < 2:
            continue
        a, b = (
            build_sample_views([record], metric, {record.sample.id: stat}, audio=False)[0]
            for record, stat in zip(records, stats, strict=True)
        )
        yield Flip(
            id=id_pair[0],
            id_b=id_pair[1],
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
