"""Sums of several shards."""

from collections.abc import Sequence
from dataclasses import replace

from auricle.core.types import Failure, Record, RejectedRow
from auricle.metrics.base import Metric
from auricle.runs.progress import PassTiming
from auricle.scoring.shards.running_sums import PassTotals, RunningSums
from tests.support.sharded_runs import make_records, score_all, score_in_shards


def test_outcomes_failures_and_the_worst_samples_are_those_of_all(
    sums: RunningSums, metrics: Sequence[Metric], records: list[Record]
) -> None:
    table = score_all(metrics, records)
    assert sums.total == len(records)
    assert sums.outcomes == table.outcomes
    assert sums.failures == table.failures
    assert [example.id for example in sums.examples["Timeout"]] == [
        record.sample.id for record in table.examples["Timeout"]
    ]
    assert [sample.id for sample in sums.worst_samples()] == [record.sample.id for record, _ in table.worst_records()]


def test_samples_are_clustered_by_speaker(sums: RunningSums) -> None:
    assert sums.cluster == "speaker"
    assert sums.fields == ["subset"]


def test_a_field_with_many_values_is_no_breakdown(metrics: Sequence[Metric]) -> None:
    records = [
        replace(record, sample=replace(record.sample, meta={"room": row // 6}))
        for row, record in enumerate(make_records(360))
    ]
    assert score_in_shards(metrics, records, 60).fields == []
    assert score_in_shards(metrics, records[:240], 60).fields == ["room"]


def test_a_field_that_appears_late_clusters_earlier_samples_by_themselves(metrics: Sequence[Metric]) -> None:
    records = make_records(100)
    bare = [replace(record, sample=replace(record.sample, meta={})) for record in records[:50]]
    mixed = [*bare, *records[50:]]
    in_two, in_one = score_in_shards(metrics, mixed, 50), score_in_shards(metrics, mixed, 100)
    for name, column in in_two.columns.items():
        assert (column.list_bucket_totals(0, "speaker") == in_one.columns[name].list_bucket_totals(0, "speaker")).all()


def test_the_requested_cluster_may_be_missing_or_constant(metrics: Sequence[Metric], records: list[Record]) -> None:
    assert "no sample has the metadata field 'room'" in score_in_shards(metrics, records[:9], 5, "room").cluster_problem
    same = [replace(r, sample=replace(r.sample, meta={"room": 1})) for r in records[:9]]
    assert "all samples have the same room" in score_in_shards(metrics, same, 5, "room").cluster_problem


def test_messages_of_repeated_ids_state_rows_of_the_data(metrics: Sequence[Metric]) -> None:
    records = make_records(10)
    error = Failure(RejectedRow.__name__, "duplicate id 'x', first used in row 2")
    records[7] = replace(records[7], outputs=(), error=error)
    sums = score_in_shards(metrics, records, 5)
    assert sums.examples["RejectedRow"][0].message == "duplicate id 'x', first used in row 7"


def test_times_of_passes_are_added_and_unknown_ones_stay_unknown() -> None:
    totals = PassTotals()
    assert totals.to_timings() == []
    totals.add([PassTiming(1.0, 3, 2.0, 0.5), PassTiming(2.0, 1, None, 0.5)])
    assert totals.to_timings() == [PassTiming(3.0, 4, None, 1.0)]
