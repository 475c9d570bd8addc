"""Scoring records and finding the worst samples."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auricle import metric
from auricle.core.errors import AnswerMismatch
from auricle.core.types import MAX_TEXT_LENGTH, Failure
from auricle.metrics.base import OVERSIZED_TEXT
from auricle.scoring.score_table import MAX_GROUPS, ScoreTable, StatArray
from auricle.tasks.asr.error_rates import wer
from tests.support.scored_records import make_record, overall_results, score_and_summarise


def test_a_field_with_too_many_values_is_not_a_breakdown() -> None:
    records = [make_record(at, speaker=f"s{at % 3}", file=f"f{at}") for at in range(MAX_GROUPS + 10)]
    _, results = score_and_summarise(records)
    assert {number.field for number in results} == {"", "speaker"}


def test_the_worst_samples_come_first_and_ties_in_data_order() -> None:
    answers = ["a b", "x y", "a x", "p q"]
    board, _ = score_and_summarise([make_record(at, answer=each) for at, each in enumerate(answers)])
    assert [record.sample.id for record, _ in board.worst_records()] == ["1", "3", "2", "0"]


@pytest.mark.parametrize("order", [1, -1])
def test_a_full_list_keeps_the_worst_samples_in_whatever_order_they_come(order: int) -> None:
    @metric(higher_is_better=False)
    def errors(sample: Any, output: Any) -> float:
        return float(output.text)

    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
    records = [make_record(row, answer=str(value)) for row, value in enumerate(values)]
    table = ScoreTable([errors], max_worst=4)
    table.add_all(records[::order])
    worst = [record.sample.id for record, _ in table.worst_records()]
    assert worst == ["5", "7", "4", "8"]  # 9, 6, and the first two of three 5


def test_samples_of_the_same_row_and_score_are_both_listed() -> None:
    table = ScoreTable([wer])
    table.add_all([make_record(0), replace(make_record(1), row=0)])
    assert [record.sample.id for record, _ in table.worst_records()] == ["0", "1"]


def test_a_run_without_records_has_no_results() -> None:
    _, results = score_and_summarise([make_record(0, error=Failure("X", "y"))])
    assert results == []
    assert score_and_summarise([])[1] == []


def test_a_metric_that_raises_affects_only_its_sample() -> None:
    @metric()
    def fragile(sample: Any, output: Any) -> Any:
        return 1 / len(output.text.replace("boom", ""))

    board, results = score_and_summarise([make_record(0, answer="boom"), make_record(1, answer="ok")], [fragile, wer])
    assert overall_results(results)["fragile"].scored == 1
    assert overall_results(results)["wer"].scored == 2
    ((reason, count),) = board.columns[0].reasons.items()
    assert reason.startswith("ZeroDivisionError: division by zero (test_score_table.py:")
    assert count == 1


def test_statistics_of_another_shape_are_left_out_with_a_reason() -> None:
    @metric()
    def moody(sample: Any, output: Any) -> Any:
        return 1.0 if sample.id == "0" else (1.0, 2.0)

    board, results = score_and_summarise([make_record(0), make_record(1)], [moody])
    assert (overall_results(results)["moody"].value, overall_results(results)["moody"].scored) == (1.0, 1)
    assert "has another shape" in next(iter(board.columns[0].reasons))


def test_numpy_numbers_are_accepted() -> None:
    @metric()
    def counted(sample: Any, output: Any) -> Any:
        return np.int64(3)

    _, results = score_and_summarise([make_record(0)], [counted])
    assert overall_results(results)["counted"].value == 3.0


@pytest.mark.parametrize("oversized", ["answer", "target"])
def test_a_text_beyond_a_million_characters_is_left_out_with_a_reason(oversized: str) -> None:
    scored: list[str] = []

    @metric()
    def length(sample: Any, output: Any) -> float:
        scored.append(sample.id)
        return float(len(output.text))

    texts = {"answer": "a", "target": "b", oversized: "x" * (MAX_TEXT_LENGTH + 1)}
    longest = make_record(0, answer="x" * MAX_TEXT_LENGTH)
    table, results = score_and_summarise([longest, make_record(1, **texts)], [length])
    assert scored == ["0"]
    assert (results[0].scored, results[0].total, results[0].coverage, results[0].unreadable) == (1, 2, 0.5, 0)
    assert table.columns[0].reasons == {OVERSIZED_TEXT: 1}


def test_an_oversized_answer_that_a_metric_does_not_apply_to_is_not_counted() -> None:
    picky = wer.replace(applies=lambda sample: sample.id == "0")
    records = [make_record(0), make_record(1, answer="x" * (MAX_TEXT_LENGTH + 1))]
    _, results = score_and_summarise(records, [picky])
    assert (results[0].scored, results[0].total) == (1, 1)


@pytest.mark.parametrize("stats", [[[1, 2.5], [True, 4], [5, 6]], [1, 2.5, 3], [[1], [2], [3]]])
def test_numbers_that_are_appended_at_once_are_those_that_are_appended_one_by_one(stats: list[Any]) -> None:
    at_once, one_by_one = StatArray(), StatArray()
    for array in (at_once, one_by_one):
        array.append(tuple(stats[0]) if isinstance(stats[0], list) else stats[0])
    assert at_once.append_numbers(stats[1:])
    for stat in stats[1:]:
        one_by_one.append(tuple(stat) if isinstance(stat, list) else stat)
    assert np.array_equal(at_once[np.arange(3)], one_by_one[np.arange(3)])


@pytest.mark.parametrize("stats", [[[1, None]], [[1, "a"]], [[1, [2]]], [[1]], [3], [(1, 2), [3, 4]]])
def test_statistics_that_are_no_numbers_like_the_previous_ones_are_not_appended_at_once(stats: list[Any]) -> None:
    array = StatArray()
    assert not array.append_numbers(stats)  # their shape is not known yet
    array.append((1.0, 2.0))
    assert not array.append_numbers([[5, 6], *stats])
    assert len(array[np.arange(1)]) == 1
    with pytest.raises(IndexError):
        array[np.arange(2)]


@pytest.mark.parametrize(("answers", "reads_none"), [(["x", "x"], True), (["x", "1"], False)])
def test_a_metric_does_not_suit_a_model_whose_answers_are_all_of_another_kind(
    answers: list[str], reads_none: bool
) -> None:
    @metric()
    def number(sample: Any, output: Any) -> float:
        if not output.text.isdigit():
            raise AnswerMismatch("not a number")
        return float(output.text)

    board, _ = score_and_summarise([make_record(row, answer=text) for row, text in enumerate(answers)], [number])
    (column,) = board.columns
    assert column.reads_no_answer is reads_none
    assert len(column.unreadable) == answers.count("x")


def test_the_first_metric_that_can_be_computed_decides_the_worst_samples() -> None:
    @metric()
    def impossible(sample: Any, output: Any) -> float:
        raise AnswerMismatch("never")

    board, _ = score_and_summarise([make_record(0), make_record(1, answer="x y")], [impossible, wer])
    assert board.ranking_column is board.columns[1]
    assert [record.sample.id for record, _ in board.worst_records()] == ["1", "0"]


def test_an_earlier_metric_decides_the_worst_samples_once_it_has_a_number() -> None:
    @metric()
    def length(sample: Any, output: Any) -> float | None:
        return float(len(output.text)) if "z" in output.text else None

    table = ScoreTable([length, wer])
    table.add_all([make_record(0, answer="x y")])
    table.add_all([make_record(1, answer="zz"), make_record(2, answer="z")])
    assert [record.sample.id for record, _ in table.worst_records()] == ["2", "1"]


def test_an_empty_statistic_is_stored_like_others() -> None:
    stats = StatArray()
    for stat in ((("Turin", 1),), (), (("Ann", 0), ("Turin", 1))):
        stats.append(stat)
    assert stats[np.array([0, 1, 2])] == [(("Turin", 1),), (), (("Ann", 0), ("Turin", 1))]
