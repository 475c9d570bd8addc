"""Reading the sums of shards."""

from auricle.engine.factory import Evaluation
from auricle.runs.shards.store import ShardStore
from auricle.scoring.shards.shard_reader import RepeatedIds, ShardReader


def test_repeated_ids_are_found_by_shard(store: ShardStore) -> None:
    repeated = RepeatedIds.find(store).first_rows
    pairs = {row: first for rows in repeated.values() for row, first in rows.items()}
    assert pairs == {55: 8, 58: 3}  # row 4 has the id of row 3 of its own shard, which the shard has rejected


def test_a_shard_with_repeated_ids_is_scored_without_them(store: ShardStore, evaluation: Evaluation) -> None:
    reader = ShardReader(store, evaluation.task, ())
    documents = {completion.shard: sums.document for completion, sums in reader.read()}
    repeated = RepeatedIds.find(store).first_rows
    assert {line["shard"] for line in reader.duplicates} == repeated.keys()
    for shard, document in documents.items():
        assert document.get("has_data_rows", False) == (shard in repeated)
    messages = [e["message"] for d in documents.values() for e in d["examples"].get("RejectedRow", ())]
    assert "duplicate id 'q3', first used in row 4" in messages
    assert sum(document["total"] for document in documents.values()) == 61
