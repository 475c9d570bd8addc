"""Scores, sums and ids of a shard."""

from collections.abc import Sequence
from pathlib import Path

from auricle.core.types import Failure, Record
from auricle.engine.factory import Evaluation
from auricle.runs.scores import read_scores
from auricle.runs.shards.merged_files import IDS_FILE, SUMS_FILE
from auricle.runs.shards.store import ShardStore
from auricle.scoring.shards.packing import unpack
from auricle.scoring.shards.scoring import SampleIds, compute_sums
from auricle.scoring.shards.sums import ShardSums
from tests.support.sharded_runs import make_records


def test_the_files_of_a_shard_are_about_the_same_samples(store: ShardStore, evaluation: Evaluation) -> None:
    for completion in store.completions():
        sums = ShardSums.from_bytes(store.read_file(completion, SUMS_FILE))
        _, ids = unpack(store.read_file(completion, IDS_FILE))
        assert sums.document["total"] == completion.rows
        assert len(ids["digests"]) == len(ids["rows"]) == completion.answered
        assert sums.document["usage"]["attempts"] == completion.attempts
        assert sums.document["passes"][0]["samples"] == completion.answered
        folder = store.fetch(completion, Path("not used"))
        assert len(list(read_scores(folder))) == completion.rows
        again = compute_sums(folder, evaluation.task, (), [])
        assert again.sums.document["total"] == 0


def test_rejected_rows_have_no_id_and_rows_are_in_order() -> None:
    records: Sequence[Record] = make_records(3)[::-1]
    rejected = Record(sample=records[0].sample, row=9, error=Failure("RejectedRow", "no target"))
    ids = SampleIds()
    for record in [*records, rejected]:
        ids.add(record)
    assert len(ids.texts) == 4
    assert unpack(ids.to_bytes())[1]["rows"].tolist() == [0, 1, 2]
