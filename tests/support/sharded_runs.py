"""Sharded runs in one process, with threads as workers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from auricle import Spec
from auricle.core.audio_limit import DEFAULT_MAX_SECONDS, limit_audio
from auricle.core.redaction import redact_text
from auricle.core.signature import MetricSignature, Signature
from auricle.core.types import Failure, Generation, Json, Record, Sample
from auricle.data.parts import PartSource
from auricle.engine.factory import Evaluation, build_run_spec
from auricle.engine.kept_model import KeptModel
from auricle.engine.settings import Settings
from auricle.engine.shards.worker import ShardWorker, StopSignal, WorkerOptions
from auricle.metrics.base import Metric
from auricle.report.merging import EXACT_SAMPLES, merge_run
from auricle.runs.documents import encode_document
from auricle.runs.metrics import Metrics
from auricle.runs.run_spec import SPEC_FILE
from auricle.runs.shards.store import ShardStore
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.shards.buckets import digest_texts
from auricle.scoring.shards.process import ShardProcessor
from auricle.scoring.shards.running_sums import RunningSums
from auricle.scoring.shards.scoring import USAGE_FIELDS
from auricle.scoring.shards.sums import ShardSums

LEASE_SECONDS = 4.0
"""Idle workers look for work four times in this time."""
NOT_COMPARED = ("auricle", "created", "derived", "sources", "speed")
"""Fields of `metrics.json` in which two runs of the same spec differ: times, and digests of files with times."""


def run_sharded(
    spec: Spec,
    location: str | Path,
    folder: Path,
    *,
    workers: int = 1,
    shard_bytes: int = 4096,
    exact_samples: int = EXACT_SAMPLES,
) -> Metrics:
    """Evaluate a spec in shards, and merge them.

    Args:
        spec: What to evaluate.
        location: Folder or bucket of the run.
        folder: Local folder of the merged run, which is that of the run unless it is in a bucket.
        workers: Threads that process shards.
        shard_bytes: Size of a shard.
        exact_samples: Most samples that are merged into an ordinary run.
    """
    evaluation = Evaluation.prepare(spec)
    store = process_shards(evaluation, location, workers=workers, shard_bytes=shard_bytes)
    return merge_run(store, folder, evaluation.task, evaluation.spec, exact_samples=exact_samples)


def process_shards(
    evaluation: Evaluation, location: str | Path, *, workers: int = 1, shard_bytes: int = 4096
) -> ShardStore:
    """Process all shards of an evaluation; the shards are not merged."""
    samples = evaluation.task.samples
    assert isinstance(samples, PartSource), redact_text(str(location))
    store = ShardStore.create(location, samples.plan_parts(shard_bytes))
    run_spec = build_run_spec(evaluation.spec, evaluation.task, evaluation.inferencer)
    store.storage.write(SPEC_FILE, encode_document(run_spec))

    def work(number: int) -> int:
        with KeptModel() as kept_model:
            processor = ShardProcessor(evaluation, Settings(), kept_model=kept_model)
            options = WorkerOptions(name=f"worker-{number}", lease_seconds=LEASE_SECONDS)
            return ShardWorker(store, processor, options).run(StopSignal()).shards

    # Each worker sets the limit and restores the one before, which threads would do in any order.
    with limit_audio(DEFAULT_MAX_SECONDS), ThreadPoolExecutor(workers) as pool:
        completed: Sequence[int] = list(pool.map(work, range(workers)))
    assert sum(completed) == store.plan.count
    return store


def read_comparable(folder: Path) -> dict[str, Any]:
    """Read `metrics.json` without what differs between two runs of the same spec."""
    document: dict[str, Any] = orjson.loads((folder / "metrics.json").read_bytes())
    return {name: value for name, value in document.items() if name not in NOT_COMPARED}


def make_records(count: int, seed: int = 0) -> list[Record]:
    """Return records of short transcripts and labels by some speakers, a few failed, refused or unreadable."""
    rng = random.Random(seed)
    records = []
    for row in range(count):
        label = rng.choice(LABELS)
        reply = label if rng.random() < 0.7 else rng.choice((*LABELS, "perhaps something else entirely"))
        meta: dict[str, Json] = {"speaker": f"s{rng.randrange(60)}", "subset": rng.choice("ab"), "row": row}
        sample = Sample(id=f"sample {row}", inputs={"choices": list(LABELS)}, target=label, meta=meta)
        failure = Failure("Timeout", "took too long") if rng.random() < 0.05 else None
        outputs = () if failure else (Generation(text=reply),)
        records.append(Record(sample=sample, row=row, outputs=outputs, error=failure))
    return records


def score_all(metrics: Sequence[Metric], records: Sequence[Record], cluster: str = "") -> ScoreTable:
    """Score records as those of an ordinary run."""
    table = ScoreTable(metrics, cluster)
    for _ in score_records(records, table):
        pass
    return table


def score_in_shards(
    metrics: Sequence[Metric], records: Sequence[Record], shard_size: int, cluster: str = ""
) -> RunningSums:
    """Score records in shards, and add up their sums as a merge does."""
    sums = RunningSums(metrics, cluster)
    for number, start in enumerate(range(0, len(records), shard_size)):
        some = [replace(record, row=record.row - start) for record in records[start : start + shard_size]]
        table = score_all(metrics, some, cluster)
        digests = digest_texts(record.sample.id for record in some)
        built = ShardSums.build(table, digests, NO_FACTS)
        sums.add(ShardSums.from_bytes(built.to_bytes()), number, len(some))
    return sums


LABELS = ("angry", "happy", "sad")
SIGNATURE = Signature(MetricSignature(""))
NO_FACTS: Mapping[str, Any] = {
    "usage": dict.fromkeys(USAGE_FIELDS, 0),
    "price": None,
    "delays": {},
    "passes": [],
    "judges": [],
    "damaged": {},
}


def write_questions(folder: Path, count: int = 60) -> Spec:
    """Write questions in two files, with ids that occur in both and an invalid row; return their evaluation by echo."""
    rng = random.Random(5)
    rows = [
        {"id": f"q{number}", "question": rng.choice(LABELS), "answer": rng.choice(LABELS), "speaker": f"s{number % 7}"}
        for number in range(count)
    ]
    rows[count - 2]["id"], rows[count - 5]["id"], rows[4]["id"] = "q3", "q8", "q3"
    for number, some in enumerate((rows[: count // 2], rows[count // 2 :])):
        lines = [orjson.dumps(row) for row in some] + [b'{"id": "invalid"}'] * number
        (folder / f"rows-{number}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    arguments = {"data": f"{folder}/rows-*.jsonl", "prompt": "{question}", "metrics": ["wer", "exact_match"]}
    return Spec(task="qa", task_args=arguments, model="echo")
