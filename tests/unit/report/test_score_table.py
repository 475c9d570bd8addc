"""Scoring records and finding the worst samples."""

from auricle.core.types import Failure
from auricle.report.score_table import MAX_GROUPS
from tests.support.scored_records import make_record, score_and_summarise


def test_a_field_with_too_many_values_is_not_a_breakdown() -> None:
    records = [make_record(at, speaker=f"s{at % 3}", file=f"f{at}") for at in range(MAX_GROUPS + 10)]
    _, results = score_and_summarise(records)
    assert {number.field for number in results} == {"", "speaker"}


def test_the_worst_samples_come_first_and_ties_in_data_order() -> None:
    answers = ["a b", "x y", "a x", "p q"]
    board, _ = score_and_summarise([make_record(at, answer=each) for at, each in enumerate(answers)])
    assert board.worst_ids() == ["1", "3", "2", "0"]


def test_a_run_without_records_has_no_results() -> None:
    _, results = score_and_summarise([make_record(0, error=Failure("X", "y"))])
    assert results == []
    assert score_and_summarise([])[1] == []
