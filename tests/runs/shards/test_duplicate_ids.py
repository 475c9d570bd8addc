"""Repeated ids across shards."""

from auricle.core.types import Failure, Generation, Record, Sample
from auricle.runs.shards.duplicate_ids import is_rejected, number_rows, renumber_message


def record(row: int, sample_id: str) -> Record:
    sample = Sample(id=sample_id, inputs={"question": "?"}, target="yes", origin=f"data@{row}")
    return Record(sample=sample, row=row, outputs=(Generation(text="yes"),))


def test_later_samples_with_an_id_become_rejected_rows() -> None:
    first_rows: dict[str, int] = {}
    shards = [[record(0, "a"), record(1, "b")], [record(0, "c"), record(1, "a")]]
    numbered = [
        list(number_rows(shard, offset, first_rows.setdefault)) for offset, shard in ((0, shards[0]), (2, shards[1]))
    ]
    assert [item.row for shard in numbered for item in shard] == [0, 1, 2, 3]
    rejected = numbered[1][1]
    assert is_rejected(rejected)
    assert rejected.error == Failure("RejectedRow", "duplicate id 'a', first used in row 1")
    assert rejected.sample == Sample(id="rejected data@1", inputs={}, target="yes", origin="data@1")
    assert not rejected.outputs


def test_rejections_within_a_shard_state_the_first_row_of_the_data() -> None:
    first_rows = {"a": 4}
    error = Failure("RejectedRow", "duplicate id 'a', first used in row 1")
    repeated = Record(sample=Sample(id="rejected data@5", inputs={}), row=1, error=error)
    other = Record(sample=Sample(id="rejected x", inputs={}), row=2, error=Failure("RejectedRow", "no target"))
    numbered = list(number_rows([record(0, "a"), repeated, other], 100, first_rows.setdefault))
    assert [item.error and item.error.message for item in numbered] == [
        "duplicate id 'a', first used in row 5",
        "duplicate id 'a', first used in row 5",
        "no target",
    ]


def test_messages_about_something_else_are_kept() -> None:
    assert renumber_message("no target", 9) == "no target"
