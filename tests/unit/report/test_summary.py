"""Stats to numbers: order, groups, clusters, bounds, what is left out."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Generation, Metric, Sample, Unreadable, metric
from auricle.core.errors import Unsupported
from auricle.core.types import Failure, Record
from auricle.metrics.base import constant_bounds, mean
from auricle.metrics.labels import uar
from auricle.metrics.text import wer
from auricle.report.metrics_document import collect_refusals
from auricle.report.score_table import MAX_GROUPS, ScoreTable, score_records
from auricle.report.summary import summarise


def record(row: Any, target: str = "a b", said: str = "a b", error: Any = None, **meta: Any) -> Any:
    sample = Sample(id=str(row), inputs={}, target=target, meta=meta)
    outputs = () if error else (Generation(text=said),)
    return Record(sample=sample, row=row, outputs=outputs, error=error)


def numbers(records: Any, metrics: Any = (wer,), cluster: str = "") -> Any:
    board = ScoreTable(metrics, cluster)
    lines = list(score_records(records, board))
    assert len(lines) == len(records)
    return board, summarise(board)


def overall(found: Any) -> Any:
    return {number.metric: number for number in found if not number.field}


def mixed(count: int = 60) -> Any:
    return [record(at, said="a b" if at % 3 else "a x", part=at % 4) for at in range(count)]


def test_numbers_do_not_depend_on_the_order_of_the_journal() -> None:
    records = mixed()
    _, straight = numbers(records)
    random.Random(1).shuffle(records)
    _, shuffled = numbers(records)
    assert straight == shuffled


def test_subsets_stand_apart_and_together() -> None:
    records = [record(at, subset="x" if at % 2 else "y") for at in range(6)]
    _, found = numbers(records)
    assert [(n.field, n.group, n.scored) for n in found] == [("", "all", 6), ("subset", "x", 3), ("subset", "y", 3)]


def test_a_field_with_too_many_values_is_no_breakdown() -> None:
    records = [record(at, speaker=f"s{at % 3}", file=f"f{at}") for at in range(MAX_GROUPS + 10)]
    _, found = numbers(records)
    assert {number.field for number in found} == {"", "speaker"}


def test_groups_of_numbers_are_in_their_own_order() -> None:
    records = [record(at, snr=value) for at, value in enumerate([10, 2.5, -5, 10])]
    _, found = numbers(records)
    assert [number.group for number in found if number.field == "snr"] == ["-5", "2.5", "10"]


def test_a_field_that_some_samples_lack_counts_those_that_have_it() -> None:
    records = [record(at, **({"k": at % 2} if at > 1 else {})) for at in range(6)]
    _, found = numbers(records)
    assert [number.total for number in found if number.field == "k"] == [2, 2]


def test_failed_samples_are_left_out_counted_and_bounded() -> None:
    records = [record(at) for at in range(8)]
    records += [record(8, error=Failure("X", "y")), record(9, error=Failure("X", "y"))]
    board, found = numbers(records)
    number = overall(found)["wer"]
    assert (number.value, number.scored, number.total, number.failed) == (0.0, 8, 10, 2)
    assert (number.worst, number.best) == (pytest.approx(4 / 20), 0.0)
    assert number.coverage == 0.8
    assert board.failures == {"X": 2}


def unreadable_unless_number(sample: Any, output: Any) -> Any:
    if not output.text.isdigit():
        raise Unreadable(f"no number in {output.text!r}")
    return float(output.text == "1")


@pytest.mark.parametrize(("policy", "value", "count"), [("wrong", 0.25, 4), ("unscored", 0.5, 2)])
def test_an_unreadable_answer_follows_the_metrics_policy_and_is_counted(policy: str, value: float, count: int) -> None:
    strict = Metric("strict", unreadable_unless_number, mean, unreadable=policy, bounds=constant_bounds((0.0, 1.0)))
    said = ["1", "0", "what?", "hm"]
    board, found = numbers([record(at, said=each) for at, each in enumerate(said)], [strict])
    number = overall(found)["strict"]
    assert (number.value, number.scored, number.unreadable) == (value, count, 2)
    assert number.total == 4
    assert sum(board.columns[0].reasons.values()) == 2


def test_a_metric_that_raises_costs_its_sample_and_no_other_metric() -> None:
    @metric()
    def fragile(sample: Any, output: Any) -> Any:
        return 1 / len(output.text.replace("boom", ""))

    board, found = numbers([record(0, said="boom"), record(1, said="ok")], [fragile, wer])
    assert overall(found)["fragile"].scored == 1
    assert overall(found)["wer"].scored == 2
    ((reason, count),) = board.columns[0].reasons.items()
    assert reason.startswith("ZeroDivisionError: division by zero (test_summary.py:")
    assert count == 1


def test_a_metric_that_refuses_is_told_once_and_not_computed() -> None:
    @metric()
    def picky(sample: Any, output: Any) -> None:
        raise Unsupported("needs class scores")

    board, found = numbers(mixed(), [picky, wer])
    assert set(overall(found)) == {"wer"}
    assert board.columns[0].refusal_reason == "needs class scores"


def test_clusters_are_resampled_whole() -> None:
    records = [record(at, said="a x" if at < 30 else "a b", speaker=at // 10) for at in range(60)]
    _, alone = numbers(records)
    _, clustered = numbers(records, cluster="speaker")
    narrow, wide = overall(alone)["wer"], overall(clustered)["wer"]
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert wide.interval.startswith("cluster-bootstrap")


def test_class_figures_stand_beside_a_label_metric() -> None:
    records = [record(at, target=t, said=s) for at, (t, s) in enumerate([("x", "x"), ("y", "x")])]
    for each in records:
        each.sample.inputs["choices"] = ["x", "y"]
    _, found = numbers(records, [uar])
    details = overall(found)["uar"].details
    assert details["matrix"]["rows"] == ["x", "y"]
    assert details["classes"]["x"]["precision"] == 0.5


def test_the_worst_samples_come_first_and_ties_in_data_order() -> None:
    said = ["a b", "x y", "a x", "p q"]
    board, _ = numbers([record(at, said=each) for at, each in enumerate(said)])
    assert board.worst_ids() == ["1", "3", "2", "0"]


def test_nothing_scored_gives_no_number_and_no_crash() -> None:
    _, found = numbers([record(0, error=Failure("X", "y"))])
    assert found == []
    assert numbers([])[1] == []


def test_clusters_do_not_depend_on_the_order_of_the_journal() -> None:
    dice = random.Random(3)
    said = [dice.choice(["a b", "a x", "x y"]) for _ in range(60)]
    records = [record(at, said=each, speaker=f"s{at // 6}") for at, each in enumerate(said)]
    _, straight = numbers(records, cluster="speaker")
    dice.shuffle(records)
    _, shuffled = numbers(records, cluster="speaker")
    assert straight == shuffled


def test_a_cluster_that_no_sample_has_is_told(tmp_path: Path) -> None:
    board, found = numbers(mixed(), cluster="speeker")
    assert overall(found)["wer"].interval.startswith("bootstrap")
    assert "no sample has the metadata field 'speeker'" in collect_refusals(board)["cluster"]


def test_stats_of_another_shape_are_left_out_with_a_reason() -> None:
    @metric()
    def moody(sample: Any, output: Any) -> Any:
        return 1.0 if sample.id == "0" else (1.0, 2.0)

    board, found = numbers([record(0), record(1)], [moody])
    assert (overall(found)["moody"].value, overall(found)["moody"].scored) == (1.0, 1)
    assert "has another shape" in next(iter(board.columns[0].reasons))


def test_numbers_of_other_libraries_are_numbers() -> None:
    @metric()
    def counted(sample: Any, output: Any) -> Any:
        return np.int64(3)

    _, found = numbers([record(0)], [counted])
    assert overall(found)["counted"].value == 3.0


def test_a_metric_that_never_scores_is_told() -> None:
    @metric()
    def wordy(sample: Any, output: Any) -> Any:
        return "good"

    def broken_fold(stats: Any) -> None:
        raise ZeroDivisionError("no")

    board, found = numbers([record(0)], [wordy, metric(broken_fold, name="broken")(len_of)])
    assert found == []
    assert "a metric returns a number or a tuple, not str" in collect_refusals(board)["wordy"]
    assert "its fold raised ZeroDivisionError" in collect_refusals(board)["broken"]


def len_of(sample: Any, output: Any) -> Any:
    return float(len(output.text))


def test_the_decorator_refuses_what_it_would_misread() -> None:
    with pytest.raises(TypeError, match="name='mine'"):
        metric("mine")
    with pytest.raises(TypeError, match="needs limits"):
        metric(unreadable="wrong")
    strict = metric(limits=(0.0, 1.0), unreadable="wrong")(unreadable_unless_number)
    assert strict.signature == "unreadable_unless_number:1.unreadable-wrong"
