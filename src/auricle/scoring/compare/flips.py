"""Samples that changed between two runs: from right to wrong or back, or by the largest amount."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.runs.documents import OMITTED
from auricle.runs.journal import read_record
from auricle.scoring.compare.loading import ComparedRun
from auricle.scoring.compare.metric_rows import PairedStats
from auricle.scoring.compare.pairing import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A sample that both runs answered, with different scores. Its texts are those that people are shown."""

    id: str
    id_b: str
    """Id in B, where the same content may have another id."""
    origin: str = ""
    became: str
    """Whether B's answer is `better` or `worse` than A's."""
    target: str | None = None
    answer_a: str = ""
    answer_b: str = ""
    score_a: str = ""
    score_b: str = ""
    stat_a: Any
    stat_b: Any
    records: tuple[Record, Record] = field(repr=False, compare=False, metadata={OMITTED: True})
    """The complete sample in A and in B; not part of the JSON."""
    metric: Metric | None = field(repr=False, compare=False, metadata={OMITTED: True})
    """What the statistics are of; None once the texts are there, because the app keeps comparisons, but not code."""


def find_flips(
    paired_stats: Sequence[PairedStats], sides: tuple[ComparedRun, ComparedRun], pairs: Pairs, limit: int
) -> dict[str, tuple[Flip, ...]]:
    """Select, for each metric, the samples that became worse and better, largest change first."""
    return {stats.metric.name: tuple(_build_flips(stats, sides, pairs, limit)) for stats in paired_stats}


def _largest_changes(paired_stats: PairedStats, limit: int) -> list[int]:
    change = paired_stats.change
    worse = [int(at) for at in np.argsort(-change, kind="stable")[:limit] if change[at] > 0]
    return worse + [int(at) for at in np.argsort(change, kind="stable")[:limit] if change[at] < 0]


def _build_flips(
    paired_stats: PairedStats, sides: tuple[ComparedRun, ComparedRun], pairs: Pairs, limit: int
) -> Iterator[Flip]:
    metric = paired_stats.metric
    for index in _largest_changes(paired_stats, limit):
        pair = paired_stats.pairs[index]
        before, after = _read_record(sides[0], pairs.a[pair]), _read_record(sides[1], pairs.b[pair])
        if before is None or after is None:  # the journal has changed since
            continue
        stats = [
            side[index].tolist() if isinstance(side, np.ndarray) else side[index]
            for side in (paired_stats.a, paired_stats.b)
        ]
        yield Flip(
            id=before.sample.id,
            id_b=after.sample.id,
            became="worse" if paired_stats.change[index] > 0 else "better",
            stat_a=stats[0],
            stat_b=stats[1],
            records=(before, after),
            metric=metric,
        )


def _read_record(side: ComparedRun, place: int) -> Record | None:
    return read_record(side.run.outputs_path, side.offsets[place])
