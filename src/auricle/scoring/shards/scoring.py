"""Score a shard and leave what the merge of all shards needs: scores, sums and the digests of ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.files import write_lines_atomically
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.types import Record
from auricle.engine.task import Task
from auricle.metrics.capabilities import Judged
from auricle.runs.labels import HumanLabels
from auricle.runs.metrics import Usage
from auricle.runs.run_directory import Run
from auricle.runs.scores import ScoreLine, write_scores
from auricle.runs.shards.duplicate_ids import is_rejected
from auricle.runs.shards.merged_files import IDS_FILE, SUMS_FILE
from auricle.runs.throughput import StreamDelays, read_passes
from auricle.runs.usage import RunPrices, UsageTotals
from auricle.runs.verdicts import Judge
from auricle.scoring.judge_panel import JudgePanel
from auricle.scoring.score_table import SCORING_BATCH_SIZE, ScoreTable
from auricle.scoring.shards.buckets import digest_texts
from auricle.scoring.shards.delay_histogram import DelayHistogram
from auricle.scoring.shards.packing import pack
from auricle.scoring.shards.sums import ShardSums

USAGE_FIELDS = (
    *("requests", "attempts", "cached", "without_usage", "cost", "with_price", "without_cost"),
    *("input_tokens", "output_tokens", "audio_seconds", "call_seconds"),
)


@dataclass(frozen=True, slots=True)
class ScoredShard:
    """A shard that was scored: its sums, the lines of its scores, the digests of its ids, and what it used."""

    sums: ShardSums
    lines: list[ScoreLine]
    ids: bytes
    usage: Usage


def score_shard(run: Run, task: Task, judges: Sequence[Judge] = ()) -> Usage:
    """Score the answers of a shard and write `scores.jsonl`, `sums.bin` and `ids.bin`.

    Args:
        run: Run directory of the shard.
        task: Task with the metrics to compute.
        judges: Whose verdicts are read.

    Returns:
        Requests, tokens and cost of the shard.
    """
    with run.open_index() as index:
        scored = compute_sums(run.path, task, judges, index.records(), len(index.damaged))
    write_scores(run.path, scored.lines)
    for name, content in ((SUMS_FILE, scored.sums.to_bytes()), (IDS_FILE, scored.ids)):
        write_lines_atomically(run.path / name, [content])
    return scored.usage


def compute_sums(
    path: Path, task: Task, judges: Sequence[Judge], records: Iterable[Record], damaged_records: int = 0
) -> ScoredShard:
    """Score records of a shard and add up their statistics.

    Args:
        path: Run directory of the shard.
        task: Task with the metrics to compute.
        judges: Whose verdicts are read.
        records: The records to score.
        damaged_records: Lines of the journal that cannot be read.
    """
    with ExitStack() as stack:
        verdicts, prices = None, RunPrices.load(path)
        if judges and any(isinstance(metric, Judged) for metric in task.metrics):
            verdicts = stack.enter_context(JudgePanel(Run.load(path).verdicts_path, judges, prices.judges))
        metrics = verdicts.expand(task.metrics) if verdicts else task.metrics
        table = ScoreTable(metrics, task.cluster, verdicts=verdicts, breakdown_fields=task.group_by)
        totals, delays, ids = UsageTotals(prices.model), StreamDelays(), SampleIds()
        labelled, lines = HumanLabels.load(path).attach(records), list[ScoreLine]()
        with infrequent_gc():
            while batch := list(islice(labelled, SCORING_BATCH_SIZE)):
                for record in batch:
                    totals.add(record)
                    delays.add(record)
                    ids.add(record)
                lines += table.add_all(batch)
            table.close()
        damaged_verdicts = len(verdicts.damaged) if verdicts else 0
        facts = {
            "usage": {name: getattr(totals, name) for name in USAGE_FIELDS},
            "price": asdict(totals.price) if totals.price else None,
            "delays": _count_delays(delays),
            "passes": [asdict(timing) for timing in read_passes(Run.load(path))],
            "judges": [asdict(judge) for judge in verdicts.to_facts()] if verdicts else [],
            "damaged": {"records": damaged_records, "verdicts": damaged_verdicts},
        }
        sums = ShardSums.build(table, digest_texts(ids.texts), facts)
        return ScoredShard(sums, lines, ids.to_bytes(), totals.to_usage())


def _count_delays(delays: StreamDelays) -> dict[str, dict[str, int]]:
    """Return the histograms of the delays of streamed answers; JSON has only text as keys."""
    histograms = {name: DelayHistogram.of(seconds) for name, seconds in delays.seconds.items()}
    return {name: {str(key): count for key, count in item.counts.items()} for name, item in histograms.items()}


class SampleIds:
    """Collects the ids of the samples of a shard while they are scored."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._rows: list[int] = []
        self._is_sample: list[bool] = []

    def add(self, record: Record) -> None:
        self.texts.append(record.sample.id)
        self._rows.append(record.row)
        self._is_sample.append(not is_rejected(record))

    def to_bytes(self) -> bytes:
        """Return the digests of the ids in the order of the rows; rejected rows have no id of their own."""
        chosen = sorted(
            (row, text) for row, text, keep in zip(self._rows, self.texts, self._is_sample, strict=True) if keep
        )
        document: dict[str, Any] = {"format": 1}
        rows = np.array([row for row, _ in chosen], dtype=np.int64)
        return pack(document, {"rows": rows, "digests": digest_texts(text for _, text in chosen)})
